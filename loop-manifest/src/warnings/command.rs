//! Warns about commands that would wait for a person at night, or judge their own work.

use loop_guardrails::policy::command::{SimpleCommand, simple_commands};

use super::super::{diagnostics::Diagnostic, field::FieldValue, raw::RawManifest, unfilled};

/// A known agent program, and the flags it needs to work unattended.
struct KnownProgram {
    program: &'static str,
    needs: &'static [RequiredFlag],
}

/// Several alternative words, one of which the command needs.
struct RequiredFlag {
    any_of: &'static [&'static str],
    /// The effect of leaving it out.
    without: &'static str,
    /// The text to add.
    advice: &'static str,
}

const fn need(any_of: &'static [&'static str], without: &'static str, advice: &'static str) -> RequiredFlag {
    RequiredFlag { any_of, without, advice }
}

const CHATS: &str = "this opens a conversation and waits for somebody to type";

const ASKS: &str = "this asks before it changes a file, and nobody is there to answer";

/// From the programs' own documentation about scripts.
const AGENTS: &[KnownProgram] = &[
    KnownProgram { program: "claude", needs: &[need(&["-p", "--print"], CHATS, "write `claude -p`")] },
    KnownProgram { program: "codex", needs: &[need(&["exec", "e"], CHATS, "write `codex exec`")] },
    // Without a terminal it does not chat; it refuses actions that need approval.
    KnownProgram {
        program: "gemini",
        needs: &[need(
            &["--approval-mode", "--yolo", "-y"],
            ASKS,
            "write `gemini --approval-mode auto_edit`, which lets it edit files and run no commands",
        )],
    },
    KnownProgram { program: "opencode", needs: &[need(&["run"], CHATS, "write `opencode run`")] },
    KnownProgram { program: "pi", needs: &[need(&["-p", "--print", "--mode"], CHATS, "write `pi -p`")] },
    KnownProgram {
        program: "aider",
        needs: &[
            need(
                &["--message", "--msg", "-m", "--message-file", "-f"],
                CHATS,
                "write `aider --yes-always --message {prompt}`",
            ),
            need(&["--yes-always", "--yes"], ASKS, "add `--yes-always`"),
        ],
    },
];

/// The words of codex that turn off its own sandbox.
const WITHOUT_SANDBOX: &[&str] =
    &["danger-full-access", "--dangerously-bypass-approvals-and-sandbox", "--yolo"];

pub(super) fn of(raw: &RawManifest) -> Vec<Diagnostic> {
    let reviewer = raw.evaluator.review.as_ref().and_then(|review| review.agent.written());
    let agents = raw.agent.command.written().into_iter().chain(reviewer);
    let mut warnings: Vec<_> = agents.flat_map(attended).collect();
    warnings.extend(own_judge(raw));
    warnings.extend(own_sandbox(raw));
    warnings.extend(unfilled::of(raw));
    warnings
}

fn attended(command: &FieldValue<String>) -> Vec<Diagnostic> {
    let started = simple_commands(&command.value);
    AGENTS.iter().flat_map(|known| known.unmet(&started).map(|need| report(known, need, command))).collect()
}

impl KnownProgram {
    /// Returns the unmet needs. A program that is called twice, as in `claude --version && claude -p`, needs its flags
    /// only once.
    fn unmet(&self, started: &[SimpleCommand]) -> impl Iterator<Item = &'static RequiredFlag> {
        let calls: Vec<_> = started.iter().filter(|call| call.program == self.program).collect();
        self.needs
            .iter()
            .filter(move |need| !calls.is_empty() && !calls.iter().any(|call| need.is_met_in(call)))
    }
}

impl RequiredFlag {
    fn is_met_in(&self, call: &SimpleCommand) -> bool {
        call.arguments.iter().any(|word| self.is_met_by(word))
    }

    /// Matches `--print`, `--print=yes`, `-p`, and `-vp`, in which short flags share a dash.
    fn is_met_by(&self, word: &str) -> bool {
        let is_long = word.starts_with("--");
        let shared = |flag: &str| match (word.strip_prefix('-'), flag.strip_prefix('-')) {
            (Some(letters), Some(letter)) if !is_long && letter.len() == 1 => letters.contains(letter),
            _ => false,
        };
        let plain = word.split_once('=').map_or(word, |(flag, _)| flag);
        self.any_of.iter().any(|flag| plain == *flag || shared(flag))
    }
}

fn report(known: &KnownProgram, need: &RequiredFlag, command: &FieldValue<String>) -> Diagnostic {
    let finding = Diagnostic::warning(format!("`{}` is not told to work unattended", known.program));
    finding.at(command.span.clone(), need.without).help(need.advice)
}

/// Warns about codex in a sandbox. It starts each command in a sandbox of its own, for which it needs the namespaces
/// that our sandbox refuses.
fn own_sandbox(raw: &RawManifest) -> Option<Diagnostic> {
    let command = raw.agent.command.written()?;
    raw.sandbox.as_ref().or(raw.agent.sandbox.as_ref())?;
    let started = simple_commands(&command.value);
    let mut calls = started.iter().filter(|call| call.program == "codex").peekable();
    calls.peek()?;
    if calls
        .any(|call| call.arguments.iter().any(|word| WITHOUT_SANDBOX.iter().any(|flag| word.contains(flag))))
    {
        return None;
    }
    let finding = Diagnostic::warning("the commands of `codex` fail in the sandbox");
    Some(
        finding
            .at(command.span.clone(), "this starts each command in another sandbox, which cannot start inside")
            .help("write `codex exec --sandbox danger-full-access`: the sandbox of `loop` holds for its commands too"),
    )
}

/// Warns about an agent that judges its own work: it tends to approve it, and costs twice.
fn own_judge(raw: &RawManifest) -> Option<Diagnostic> {
    let (agent, check) = (raw.agent.command.written()?, raw.evaluator.command.written()?);
    if agent.value.trim() != check.value.trim() {
        return None;
    }
    let finding = Diagnostic::warning("the check is the agent's own command");
    let finding =
        finding.at(check.span.clone(), "this would judge").at(agent.span.clone(), "what this has done");
    Some(finding.help("let something else say whether the goal is met: a test suite, a linter, a script"))
}
