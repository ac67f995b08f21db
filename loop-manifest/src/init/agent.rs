//! The agents that are known by name, and how each of them works unattended.
//!
//! Left alone, an agent needs permission to edit files, and no more: the loop runs the check itself. So
//! each line of the table has the least flags with which the agent neither asks nor gives up, and those
//! with which it reports what it uses: a budget can hold only for what is reported. An agent that takes a
//! budget of its own is handed what is left of the loop's, and stops by itself before it is cut.

use std::{
    env,
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use loop_agents::{process::sandbox::UserFolders, usage::Format};

/// An agent that is known by name.
#[derive(Debug)]
#[non_exhaustive]
pub struct KnownAgent {
    /// The program, as it is found on PATH.
    pub program: &'static str,
    /// The shell command that lets it work unattended.
    pub command: &'static str,
    /// The output format with these flags.
    pub format: Format,
    /// The permissions that the flags grant, for a person who will leave it unattended.
    pub permits: &'static str,
    /// When its cost is known, if ever.
    pub cost: AgentCost,
    /// The file with its login, below its own folder.
    login: &'static str,
    /// The variables that it takes for a login.
    keys: &'static [&'static str],
}

impl KnownAgent {
    /// Returns the programs of all known agents.
    pub fn programs() -> impl Iterator<Item = &'static str> {
        AGENTS.iter().map(|known| known.program)
    }

    /// Returns where the agent finds a login: a file, or a variable. A login in the keychain of the system is not found.
    /// `folders` are those of the same variables.
    pub fn login(
        &self,
        folders: &UserFolders,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Option<String> {
        let key = self.keys.iter().find(|name| variable(name).is_some_and(|value| !value.is_empty()));
        let file = || {
            let folder = folders.agent_folders(self.program).next()?;
            Some(folder.join(self.login)).filter(|file| file.is_file())
        };
        key.map(|name| format!("${name}")).or_else(|| Some(file()?.display().to_string()))
    }

    /// Returns the variables that the agent takes for a login, in the order of preference.
    pub const fn login_variables(&self) -> &'static [&'static str] {
        self.keys
    }
}

/// Tells whether a limit on an agent's cost can hold.
#[derive(Debug, Clone, Copy)]
pub enum AgentCost {
    /// It reports its cost, or its model and tokens, from which the cost is estimated.
    Reported,
    /// It reports too little; the text says why, and what helps.
    Unreported(&'static str),
}

/// The variables that agents for many providers read.
const PROVIDER_KEYS: &[&str] =
    &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"];

/// Ordered by search priority. The links document the flags.
static AGENTS: [KnownAgent; 6] = [
    // https://code.claude.com/docs/en/headless, https://code.claude.com/docs/en/permission-modes
    KnownAgent {
        program: "claude",
        command: "claude -p --permission-mode acceptEdits --output-format stream-json --verbose \
                  ${LOOP_BUDGET_USD_LEFT:+--max-budget-usd $LOOP_BUDGET_USD_LEFT}",
        format: Format::ClaudeStreamJson,
        permits: "It may edit files in this folder; other commands are refused.",
        cost: AgentCost::Reported,
        login: ".credentials.json",
        keys: &["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"],
    },
    // https://developers.openai.com/codex/noninteractive: `-` is a prompt on standard input.
    KnownAgent {
        program: "codex",
        command: "codex exec --json --sandbox workspace-write -",
        format: Format::CodexJson,
        permits: "Its sandbox lets it write in this folder and run commands; it needs a git repository.",
        cost: AgentCost::Unreported(
            "No limit on cost: codex does not report its model. To use `max_cost_usd`, name the model in the \
             command (`--model NAME`).",
        ),
        login: "auth.json",
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    },
    // https://geminicli.com/docs/cli/headless, https://geminicli.com/docs/cli/trusted-folders
    KnownAgent {
        program: "gemini",
        command: "gemini --approval-mode auto_edit --output-format json",
        format: Format::GeminiJson,
        permits: "It may edit files but not run commands; it needs a folder that you told it to trust.",
        cost: AgentCost::Reported,
        login: "oauth_creds.json",
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    },
    // https://opencode.ai/docs/cli, https://opencode.ai/docs/permissions: without `--auto`, it refuses actions that
    // need approval.
    KnownAgent {
        program: "opencode",
        command: "opencode run --format json",
        format: Format::OpencodeJson,
        permits: "It may do what its permission settings allow without asking.",
        cost: AgentCost::Reported,
        login: "auth.json",
        keys: PROVIDER_KEYS,
    },
    // Its README: `-p` reads a prompt on standard input; there are no permissions, only tools.
    KnownAgent {
        program: "pi",
        command: "pi -p --mode json --no-session --tools read,grep,find,ls,edit,write",
        format: Format::PiJson,
        permits: "It may edit files but not run commands.",
        cost: AgentCost::Reported,
        login: "auth.json",
        keys: PROVIDER_KEYS,
    },
    // https://aider.chat/docs/scripting.html: it takes its message as an argument. Its commits, its
    // shell commands and the pages it would fetch are switched off: `--yes-always` agrees to all.
    KnownAgent {
        program: "aider",
        command: "aider --yes-always --no-auto-commits --no-suggest-shell-commands --no-detect-urls --message {prompt}",
        format: Format::Text,
        permits: "It may edit files but not run commands.",
        cost: AgentCost::Unreported("No limit on cost: aider's output does not report its usage."),
        login: "oauth-keys.env",
        keys: PROVIDER_KEYS,
    },
];

/// The agent of a draft, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub enum AgentChoice<'a> {
    /// A known agent.
    Known(&'static KnownAgent),
    /// A command that the user gave.
    Given(&'a str),
    /// No agent was found.
    Missing,
}

impl<'a> AgentChoice<'a> {
    /// Returns the agent that the user names: a program of the table, else a whole command.
    pub fn named(command: &'a str) -> Self {
        known(command).map_or(Self::Given(command), Self::Known)
    }

    /// Returns its shell command, if it has one.
    pub fn command(self) -> Option<&'a str> {
        match self {
            Self::Known(known) => Some(known.command),
            Self::Given(command) => Some(command),
            Self::Missing => None,
        }
    }

    /// Returns the first agent of the table whose program is in one of the folders of `path`.
    pub fn on_path(path: &OsStr) -> Self {
        agents_on_path(path).next().map_or(Self::Missing, Self::Known)
    }
}

/// Returns the known agents whose program is in one of the folders of `path`, in the order in which `init` prefers
/// them.
pub fn agents_on_path(path: &OsStr) -> impl Iterator<Item = &'static KnownAgent> {
    AGENTS.iter().filter(move |known| is_on_path(known.program, path, Path::new("")))
}

/// Returns what to run where the user has written `command`: for the name of a known agent its whole command.
pub fn in_full(command: &str) -> &str {
    known(command).map_or(command, |known| known.command)
}

/// Returns the same for a command that may run in a sandbox. `is_confined` if that is enforced in any case: codex cannot
/// start its own sandbox in there, so it starts without one.
pub fn in_full_within(command: &str, is_confined: bool) -> String {
    match known(command) {
        Some(known) if is_confined => known.command.replace("workspace-write", "danger-full-access"),
        _ => in_full(command).to_owned(),
    }
}

fn known(command: &str) -> Option<&'static KnownAgent> {
    AGENTS.iter().find(|known| known.program == command.trim())
}

/// Returns the programs of the known agents, separated by commas.
pub fn known_programs() -> String {
    KnownAgent::programs().collect::<Vec<_>>().join(", ")
}

/// Returns whether this program is in one of the folders of `path`. Relative folders are in `dir`.
pub fn is_on_path(program: &str, path: &OsStr, dir: &Path) -> bool {
    env::split_paths(path).any(|folder| is_executable(&dir.join(folder).join(program)))
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use loop_agents::shell::CommandLine;

    use super::*;

    #[test]
    fn every_command_of_the_table_can_be_run_and_begins_with_its_program() {
        for known in &AGENTS {
            let command = CommandLine::parse(known.command).unwrap();
            assert_eq!(command.as_str().split(' ').next(), Some(known.program));
        }
    }

    #[test]
    fn a_name_of_the_table_is_its_command_and_anything_else_is_itself() {
        assert!(
            matches!(AgentChoice::named(" codex "), AgentChoice::Known(known) if known.program == "codex")
        );
        assert!(matches!(AgentChoice::named("codex exec"), AgentChoice::Given("codex exec")));
        assert_eq!(in_full_within("codex", true), "codex exec --json --sandbox danger-full-access -");
        for own in ["codex exec --sandbox workspace-write -", "claude"] {
            assert_eq!(in_full_within(own, true), in_full(own));
        }
    }
}
