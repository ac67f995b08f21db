//! Files that a later command executes, or that an agent follows as its instructions.
//!
//! A model that can write `loop.yaml` decides what the next bare `loop run` executes, and one that can write
//! `AGENTS.md` instructs every later session. So a prompt injection today takes effect tomorrow, in the session of a
//! person who trusts these files. Tools may therefore read these files, but each change needs a person's approval.

#[cfg(unix)]
use super::executed::ExecutedFile;
use super::{
    LocalPath, Origin, Ruling,
    case_folding::folded,
    startup_files::{is_place, is_started, is_unknown},
};

/// Manifests, settings and instructions that no rule below covers, in lower case. Folders of these names count too.
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
    "best_practices.md",
    "bootstrap.md",
    "heartbeat.md",
    "identity.md",
    "memory.md",
    "tools.md",
    "user.md",
    ".claude-plugin",
    ".agents",
    "claude.md",
    "harvey.md",
    "harvey.yaml",
    "harvey.yml",
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
    ".kilo",
    "kilo.json",
    "kilo.jsonc",
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
    ".opencode.json",
    ".opencode.jsonc",
    "opencode.json",
    "opencode.jsonc",
    "copilot-instructions.md",
    "replit.md",
    "warp.md",
    ".warp",
    "skill.md",
    ".pi",
    ".agent.md",
    ".aiassistant",
    ".airules",
    "airules.md",
    "ai_rules.md",
    ".amp",
    ".antigravity",
    ".bob",
    ".bolt",
    ".cline",
    ".codebuff",
    "codebuff.json",
    "knowledge.md",
    ".cody",
    ".comate",
    ".continuerc.json",
    ".copilot",
    ".deepagents",
    ".devin",
    ".firebender",
    "firebender.json",
    ".forge",
    "forge.yaml",
    "forge.yml",
    ".gptme",
    "gptme.toml",
    ".grok",
    "grok.md",
    ".idx",
    "jules.md",
    ".kimi",
    ".kode",
    ".letta",
    ".lingma",
    ".mentat",
    ".neovate",
    ".plandex",
    ".qodo",
    ".rovodev",
    ".ruler",
    ".serena",
    ".sourcegraph",
    ".stakpak",
    ".vibe",
    ".zencoder",
    ".blackbox",
    "blackbox.md",
    "codex.md",
    ".coderabbit.yaml",
    ".coderabbit.yml",
    ".greptile",
    "greptile.json",
    ".hermes",
    ".hermes.md",
    "hermes.md",
    ".mentatconfig.json",
    ".nanocoder",
    ".openclaw",
    ".pr_agent.toml",
    "soul.md",
    ".sweep.yaml",
    ".sweep.yml",
    "sweep.yaml",
    "sweep.yml",
];

/// Suffixes of instruction files that an agent finds in any folder.
const ENDINGS: &[&str] = &[
    ".agent.md",
    ".chatmode.md",
    ".code-workspace",
    ".instructions.md",
    ".knowledge.md",
    ".mdc",
    ".prompt.md",
    ".rule.md",
    ".sublime-project",
];

/// Suffixes of hidden instruction files, ignoring other characters: `.cursorrules`, `.roomodes`.
const HIDDEN_ENDINGS: &[&str] = &["rules", "hints", "modes", "instructions", "prompt", "prompts"];

/// Words in the names of instructions, in folders that begin with a dot: `.any/rules`, `.any/x/chat-rules.md`.
const FOLLOWED: &[&str] = &[
    "agent",
    "agents",
    "chatmodes",
    "command",
    "commands",
    "copilot",
    "droids",
    "extensions",
    "guidelines",
    "hooks",
    "instructions",
    "mcp",
    "memories",
    "memory",
    "microagents",
    "modes",
    "personas",
    "plugins",
    "prompts",
    "recipes",
    "rules",
    "settings",
    "skills",
    "steering",
    "subagents",
    "system",
    "tools",
];

/// Returns whether programs execute a file or folder of this name, or agents read it: by the lists, or by the usual
/// naming patterns.
pub(super) fn is_followed(name: &str) -> bool {
    let hidden = name.strip_prefix('.');
    let is_servers = name.trim_start_matches('.').starts_with("mcp") && name.ends_with(".json");
    let is_hidden_text = hidden.is_some_and(|name| {
        let first = name.split(['-', '.', '_']).next().unwrap_or_default();
        HIDDEN_ENDINGS.iter().any(|ending| first.ends_with(ending)) || first == "aider"
    });
    let is_text = ENDINGS.iter().any(|ending| name.ends_with(ending));
    NAMES.contains(&name) || is_started(name) || is_servers || is_hidden_text || is_text
}

/// Suffixes of texts and settings. Other files in folders that begin with a dot are code, or a program's data.
const TEXT_ENDINGS: &[&str] = &[".json", ".jsonc", ".md", ".toml", ".txt", ".yaml", ".yml"];

/// Returns whether agents follow files at this path below a folder that begins with a dot: a text with one of the
/// words in its name or in that of a folder, or anything whose first name begins with such a word.
fn is_followed_in(folder: &str, below: &[String]) -> bool {
    let words =
        |name: &str| name.split(['-', '.', '_']).map(|word| FOLLOWED.contains(&word)).collect::<Vec<_>>();
    let is_text = below.last().is_some_and(|name| TEXT_ENDINGS.iter().any(|ending| name.ends_with(ending)));
    // `.config/goose` is the `.goose` of the user.
    let is_of_agent = || below.first().is_some_and(|name| NAMES.contains(&format!(".{name}").as_str()));
    if folder == ".config" && is_of_agent() {
        return true;
    }
    folder.starts_with('.')
        && !matches!(folder, ".git" | ".cargo")
        && (below.first().is_some_and(|name| words(name)[0])
            || is_text && below.iter().any(|name| words(name).contains(&true)))
}

/// Returns the rule that requires a person's approval for a change to this path, if there is one.
pub(super) fn rule_on(path: &LocalPath) -> Option<Ruling> {
    let names: Vec<_> = path.names().map(|name| folded(&name)).collect();
    let is_named = names.iter().any(|name| is_followed(name) || is_unknown(name));
    (is_named || is_place(&names) || (0..names.len()).any(|at| is_followed_in(&names[at], &names[at + 1..])))
        .then(|| denied("a later command executes it, or an agent follows it", path))
}

/// Returns the rule for a file in a workspace that itself is in a folder of instructions or settings.
pub(super) fn rule_on_folder(path: &LocalPath) -> Ruling {
    denied("it is in a folder that a later command executes, or that an agent follows", path)
}

/// Returns the rule for the manifest or the task file of the current run.
pub(super) fn rule_on_own(path: &LocalPath) -> Ruling {
    denied("this run executes it, and so does a later one", path)
}

/// Returns the rule for a file that `loop` executes because of its content, whatever its name.
#[cfg(unix)]
pub(super) fn rule_on_content(executed: ExecutedFile, path: &LocalPath) -> Ruling {
    denied(&format!("it is {executed}"), path)
}

/// Returns the rule for a change that would turn the file into one that `loop` executes.
#[cfg(unix)]
pub(super) fn rule_on_new_content(executed: ExecutedFile, path: &LocalPath) -> Ruling {
    denied(&format!("this makes it {executed}"), path)
}

/// Returns the rule for a file that the settings of its repository name.
#[cfg(unix)]
pub(super) fn rule_on_named_by_git(path: &LocalPath) -> Ruling {
    denied("the settings of git name it, so git may execute it", path)
}

/// Returns the rule for a file whose content we cannot read.
#[cfg(unix)]
pub(super) fn rule_on_unread(path: &LocalPath) -> Ruling {
    denied("it cannot be read, so it may be a file that `loop` executes", path)
}

/// Returns the rule for the target of a link with such a name.
pub(super) fn rule_on_target(link: &LocalPath, target: &LocalPath) -> Ruling {
    denied(
        &format!("the link `{link}` leads to it, which a later command executes, or an agent follows"),
        target,
    )
}

/// Returns the rule for a file when we could not find all links to it.
pub(super) fn rule_on_unsearched(target: &LocalPath) -> Ruling {
    denied("not all links of the workspace can be checked, and one may make an agent follow this", target)
}

/// The end of a [rule](Ruling::rule) about a file that only a person can allow to change. It is for a model; the person who
/// is asked needs only the text before it.
pub const NEEDS_PERSON: &str =
    "; it needs the `yes` of a person at the terminal of `loop chat`, so do not change it elsewhere";

fn denied(why: &str, path: &LocalPath) -> Ruling {
    let rule = format!("{why}{NEEDS_PERSON}");
    Ruling { needs_approval: Some(Box::new(path.clone())), ..Ruling::denied(rule, &Origin::BuiltIn) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARDED: &[&str] = &[
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
        ".of-tomorrow/chat/team-rules.md",
        ".of-tomorrow/chat/rules/team.md",
        ".gitlab/duo/chat-rules.md",
        ".config/goose/config.yaml",
        ".config/opencode/x",
        "sub/.gitlab/duo/agent-config.yml",
        ".pi/extensions/x.ts",
        ".pi/SYSTEM.md",
        ".pi/settings.json",
        ".roomodes",
        ".kilocodemodes",
        ".of-tomorrow/extensions/x.ts",
        ".of-tomorrow/SYSTEM.md",
        ".tomorrowmodes",
        ".continuerc.json",
        ".devcontainer/devcontainer.json",
        "docs/x.instructions.md",
        "src/api.knowledge.md",
        ".bolt/prompt",
        "x.code-workspace",
        ".bashrc",
        ".ZSHENV",
        "home/.profile",
        ".husky/pre-commit",
        "sub/.husky/_/h",
        ".replit",
        ".idea/workspace.xml",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "mise.production.toml",
        "mise/conf.d/x.toml",
        "renv/activate.R",
        "grumphp.yml.dist",
        "devenv.local.nix",
        "sweep.yaml",
        ".config/fish/config.fish",
        ".config/fish/conf.d/x.fish",
        ".config/nvim/init.lua",
        ".config/systemd/user/x.service",
        ".config/autostart/x.desktop",
        ".config/git/config",
        ".local/bin/ls",
        "Library/LaunchAgents/x.plist",
        ".gitconfig",
        ".vim/plugin/x.vim",
        "sub/.envrc",
        "sitecustomize.py",
        "tools/hooks/pre-commit",
        "scripts/post-checkout",
        ".config/app/config.toml",
        ".venv/bin/activate",
        ".eslintrc.js",
        ".pylintrc",
        "agents/skills/x/scripts/compiled.bash",
        "sub/agents/skills/x/notes.md",
        "agents/skill-sets/x.yaml",
    ];

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
        for path in GUARDED {
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
            ".github/workflows/rules/mod.ts",
            ".aiderignore",
            ".github/dependabot.yml",
            ".gitmodules",
            "src/tools/mod.rs",
            "settings.json",
            "system.md",
            "extensions/mod.rs",
            "modes.rs",
            "Makefile",
            "bashrc.md",
            "fish/config.rs",
            ".config/nextest.toml",
            "docs/profile.md",
            "local/bin/x",
            "husky/mod.rs",
            "vimrc",
            "library/mod.rs",
        ] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
