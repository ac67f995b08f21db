//! Files that a later command executes, or that an agent follows as its instructions.
//!
//! A model that may write `loop.yaml` decides what the next bare `loop run` executes, and one that may write `AGENTS.md`
//! tells every later session what to do: what it was talked into today is done tomorrow, by somebody who trusts it. So
//! tools read these files, and change them only with a person's yes to the very change.

use super::{LocalPath, Origin, Ruling, fold::folded};

/// Manifests, settings and instructions that no rule below names, in small letters. A folder of such a name counts too.
const NAMES: &[&str] = &[
    "loop.yaml",
    "loop.yml",
    "loop.json",
    "loop.toml",
    ".loop",
    "agents.md",
    "agents.override.md",
    "agents.local.md",
    "agent.md",
    ".agent",
    ".agents",
    "claude.md",
    "claude.local.md",
    ".claude",
    ".claude.json",
    ".codex",
    "codebuddy.md",
    ".codebuddy",
    "crush.md",
    "crush.local.md",
    "crush.json",
    ".crush",
    ".crush.json",
    "gemini.md",
    ".gemini",
    "iflow.md",
    ".iflow",
    "qwen.md",
    ".qwen",
    ".cursor",
    ".windsurf",
    ".codeium",
    ".roo",
    ".kilocode",
    ".continue",
    ".kiro",
    ".amazonq",
    ".junie",
    ".goose",
    ".trae",
    ".augment",
    ".augment-guidelines",
    ".openhands",
    ".openhands_instructions",
    ".factory",
    ".tabnine",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    "copilot-instructions.md",
    "replit.md",
    "warp.md",
    "skill.md",
    // An editor starts what these say, and takes from them what its agent may do.
    ".vscode",
    ".zed",
];

/// What agents call what they follow, in folders that begin with a dot: `.any/rules`, `.any/rules-code/x.md`.
const FOLLOWED: &[&str] = &[
    "agents",
    "chatmodes",
    "commands",
    "guidelines",
    "hooks",
    "instructions",
    "mcp",
    "microagents",
    "prompts",
    "rules",
    "skills",
    "steering",
];

/// Whether agents read a file or folder of this name: by the list, or by how they name such files.
fn is_followed(name: &str) -> bool {
    let hidden = name.strip_prefix('.');
    let is_servers = name.trim_start_matches('.').starts_with("mcp") && name.ends_with(".json");
    let is_hidden_text = hidden.is_some_and(|name| {
        let first = name.split(['-', '.', '_']).next().unwrap_or_default();
        first.ends_with("rules") || first.ends_with("hints") || first == "aider"
    });
    NAMES.contains(&name) || is_servers || is_hidden_text
}

/// Whether agents follow what lies here, in a folder that begins with a dot.
fn is_followed_in(folder: &str, name: &str) -> bool {
    let first = name.split(['-', '.', '_']).next().unwrap_or_default();
    folder.starts_with('.') && !matches!(folder, ".git" | ".cargo") && FOLLOWED.contains(&first)
}

/// Why this path is not to be changed without a person's yes, if it is not.
pub(super) fn rule_on(path: &LocalPath) -> Option<Ruling> {
    let names: Vec<_> = path.names().map(|name| folded(&name)).collect();
    let is_named = names.iter().any(|name| is_followed(name));
    (is_named || names.windows(2).any(|pair| is_followed_in(&pair[0], &pair[1])))
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
        for path in [
            ".github/copilot-instructions.md",
            ".GitHub/Prompts/x.prompt.md",
            "a/AGENT\u{17f}.md",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules-code",
            ".roorules",
            ".rules",
            ".goosehints",
            ".aider.conf.yml",
            ".aider.model.settings.yml",
            ".mcp.json",
            "mcp.json",
            "config/mcp_config.json",
            ".vscode/mcp.json",
            ".vscode/tasks.json",
            ".trae/rules/x.md",
            ".augment/rules/a.md",
            ".openhands/microagents/repo.md",
            ".of-tomorrow/rules/x.md",
            ".of-tomorrow/rules-code/x.md",
            ".of-tomorrow/mcp.json",
            ".of-tomorrow/hooks/start.sh",
        ] {
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
            "src/rules/mod.rs",
            "src/rules.rs",
            "mcp/mod.rs",
            "mcp.rs",
            ".git/hooks",
            ".aiderignore",
            ".github/dependabot.yml",
        ] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
