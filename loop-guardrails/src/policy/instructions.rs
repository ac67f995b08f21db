//! Files that a later command executes, or that an agent follows as its instructions.
//!
//! A model that may write `loop.yaml` decides what the next bare `loop run` executes, and one that may write `AGENTS.md`
//! tells every later session what to do: what it was talked into today is done tomorrow, by somebody who trusts it. So
//! tools read these files, and change them only with a person's yes to the very change.

use super::{LocalPath, Origin, Ruling, fold::folded};

/// Manifests, settings and instructions, in small letters. A folder of such a name counts too.
const NAMES: &[&str] = &[
    "loop.yaml",
    "loop.yml",
    "loop.json",
    "loop.toml",
    ".loop",
    "agents.md",
    "agents.override.md",
    "agent.md",
    ".agents",
    "claude.md",
    "claude.local.md",
    ".claude",
    ".claude.json",
    ".codex",
    "gemini.md",
    ".gemini",
    "qwen.md",
    ".qwen",
    ".cursor",
    ".cursorrules",
    ".windsurf",
    ".windsurfrules",
    ".clinerules",
    ".roo",
    ".roorules",
    ".rules",
    ".continue",
    ".kiro",
    ".amazonq",
    ".junie",
    ".goose",
    ".goosehints",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
    ".mcp.json",
    "copilot-instructions.md",
    "warp.md",
    "skill.md",
];

/// Folders in `.github` whose files agents follow, in small letters.
const OF_GITHUB: &[&str] = &["instructions", "prompts", "agents", "chatmodes", "skills"];

/// Why this path is not to be changed without a person's yes, if it is not.
pub(super) fn rule_on(path: &LocalPath) -> Option<Ruling> {
    let names: Vec<_> = path.names().map(|name| folded(&name)).collect();
    let in_github = |pair: &[String]| pair[0] == ".github" && OF_GITHUB.contains(&pair[1].as_str());
    let is_named = names.iter().any(|name| NAMES.contains(&name.as_str()));
    (is_named || names.windows(2).any(in_github))
        .then(|| denied("a later command executes it, or an agent follows it", path))
}

/// The same for what a link of such a name leads to.
pub(super) fn rule_on_target(link: &LocalPath, target: &LocalPath) -> Ruling {
    denied(
        &format!("the link `{link}` leads to it, which a later command executes, or an agent follows"),
        target,
    )
}

fn denied(why: &str, path: &LocalPath) -> Ruling {
    let rule = format!(
        "{why}; it takes the yes of a person at the terminal of `loop chat`, so elsewhere do without it"
    );
    Ruling { needs_approval: Some(path.clone()), ..Ruling::denied(rule, &Origin::BuiltIn) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_guarded(path: &str) -> bool {
        rule_on(&path.parse().unwrap()).is_some()
    }

    #[test]
    fn what_is_executed_or_followed_is_guarded_at_any_depth_and_in_capitals() {
        for name in NAMES {
            for path in
                [(*name).to_owned(), format!("a/b/{name}"), name.to_uppercase(), format!("{name}/x/y")]
            {
                assert!(is_guarded(&path), "{path}");
            }
        }
        for path in [".github/copilot-instructions.md", ".GitHub/Prompts/x.prompt.md", "a/AGENT\u{17f}.md"] {
            assert!(is_guarded(path), "{path}");
        }
    }

    #[test]
    fn other_files_are_not() {
        for path in [
            "src/loop.rs",
            "loop.yaml.md",
            "docs/agents.rst",
            ".github/workflows/ci.yml",
            "instructions/a.md",
            "claude.rs",
            "loops.yaml",
            ".cursorignore",
            "agents/mod.rs",
            "skills/readme.txt",
        ] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
