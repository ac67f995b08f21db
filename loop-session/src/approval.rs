//! Tools' questions to the person who typed a line.
//!
//! A person has to see what they approve: the whole change or the whole command, without a part that could look like
//! something else.

mod rows;
mod typed_answer;

use loop_agents::tools::{ApprovalAnswer, ApprovalKind, ApprovalRequest, visible};
use loop_core::with_causes;
use loop_guardrails::policy::command::CommandPrefix;
use loop_manifest::settings::CommandRule;
use tokio::sync::oneshot;

use loop_telemetry::words::{
    count,
    style::{BOLD, DIM, WARN, paint},
};

pub(crate) use self::rows::painted_rows;
use self::{
    rows::{MIN_COLUMNS, ROW_COLUMNS, painted, question_rows, rows, rows_within},
    typed_answer::TypedAnswer,
};
use crate::{ApprovalChannel, SessionHost};

/// The number of rows above which a question repeats its beginning below them.
const ON_A_SCREEN: usize = 15;

/// The number of rows that it repeats.
const FIRST_ROWS: usize = 2;

/// A tool's question, which waits for an answer.
#[derive(Debug)]
pub struct ApprovalQuestion {
    request: ApprovalRequest,
    answer: oneshot::Sender<ApprovalAnswer>,
    channel: ApprovalChannel,
}

impl ApprovalQuestion {
    pub(crate) fn new(
        request: ApprovalRequest,
        answer: oneshot::Sender<ApprovalAnswer>,
        channel: ApprovalChannel,
    ) -> Self {
        Self { request, answer, channel }
    }

    /// Shows what the tool would do, and returns the question, to be [answered](Self::answered). A person can approve
    /// only what they see. If a secret hides a part of a change or a command that needs a yes, this refuses the question
    /// and returns `None`. It also returns `None` if an earlier answer settles the question.
    pub fn show(self, host: &SessionHost) -> Option<Self> {
        if self.channel.is_settled(&self.request) {
            self.reply(ApprovalAnswer::Yes);
            return None;
        }
        let ApprovalRequest { action, why, diff, kind, .. } = &self.request;
        let head = match kind {
            ApprovalKind::Guarded | ApprovalKind::Script => format!("A tool asks {action}: {why}"),
            // The line follows.
            ApprovalKind::Command { .. } => "A tool asks to run a command:".to_owned(),
            ApprovalKind::Pipeline { .. } => "A tool asks to run a pipeline:".to_owned(),
            ApprovalKind::ShellLine => "A tool asks to run a line in a shell, within the sandbox:".to_owned(),
            _ => format!("A tool asks {action}:"),
        };
        let head: Vec<_> = rows_within(&host.one_line(&head), host.columns().max(MIN_COLUMNS))
            .into_iter()
            .map(|(_, row)| paint(BOLD, row))
            .collect();
        host.call_back(&format!("A tool asks {action}"));
        host.say(&head.join("\n"));
        let hidden = [action.as_str(), why, diff].map(|text| hidden(text, host)).into_iter().max();
        let hidden = hidden.unwrap_or(Redaction::Nothing);
        let mut shown = Vec::new();
        if hidden < Redaction::BetweenEscapes {
            let text = host.printable(diff);
            let is_command = matches!(
                kind,
                ApprovalKind::Command { .. } | ApprovalKind::Pipeline { .. } | ApprovalKind::ShellLine
            );
            shown = question_rows(&if is_command { format!(" $ {text}") } else { text }, host.columns());
            shown.iter().for_each(|(sign, row)| host.say(&painted(*sign, row)));
        }
        // A redaction over several lines could hide more than a secret.
        let hides_lines = host.printable(diff).lines().count() != diff.lines().count();
        if hidden == Redaction::Nothing || *kind == ApprovalKind::Write && !hides_lines {
            if shown.len() > ON_A_SCREEN {
                // The first rows may have left the screen.
                host.say(&head.join("\n"));
                let above = format!("{} above; the first ones are:", count(shown.len() as u64, "row"));
                host.say(&paint(WARN, above));
                shown.iter().take(FIRST_ROWS).for_each(|(sign, row)| host.say(&painted(*sign, row)));
            }
            if hidden > Redaction::Nothing {
                host.say(&paint(WARN, "A part of it looks like a secret and is not shown."));
            }
            host.say(&self.choices(host));
            return Some(self);
        }
        host.say(
            "A part of this looks like a secret and is not shown, so nobody can say yes to it: it is refused. \
             Do it yourself if you want it.",
        );
        let no = "a part of it looks like a secret, which is not shown to the user, so they were not asked; \
                  leave secrets out";
        self.reply(ApprovalAnswer::No(no.to_owned()));
        None
    }

    /// Returns the possible answers, and what those for more than one action would allow.
    fn choices(&self, host: &SessionHost) -> String {
        match &self.request.kind {
            ApprovalKind::Command { entry } => {
                let mut begin = format!("`{}`", host.one_line(&visible(&entry.to_string())));
                if begin.len() > ROW_COLUMNS / 2 && self.request.diff.parse().as_ref() == Ok(entry) {
                    begin = "all of it".to_owned();
                }
                let covers = format!("[s] and [a] allow every command that begins with {begin}");
                let covers: Vec<_> = rows(&covers, host.columns()).into_iter().map(|(_, row)| row).collect();
                format!(
                    "{}\n[y]es once · [s]ession · [a]lways here · [n]o · or type why not",
                    covers.join("\n")
                )
            }
            ApprovalKind::Lasting => "[y]es · [n]o · or type why not".to_owned(),
            ApprovalKind::ShellLine => "[y]es once · [n]o · or type why not".to_owned(),
            ApprovalKind::Pipeline { entry } => {
                let hint =
                    entry.as_ref().and_then(|entry| self.pipeline_hint(entry, host)).unwrap_or_default();
                format!("{hint}[y]es once · [n]o · or type why not")
            }
            ApprovalKind::Write => "[y]es once · [s]ession: all writes · [n]o · or type why not".to_owned(),
            ApprovalKind::Script => {
                "Type `yes` and Enter to allow this script. `no`, or a reason, refuses it.".to_owned()
            }
            _ => "Type `yes` and Enter to allow this change. `no`, or a reason, refuses it.".to_owned(),
        }
    }

    /// Returns a line with the command that lets the pipeline run without a question, if the entry allows its first
    /// command: later ones read foreign input, which an entry does not allow.
    fn pipeline_hint(&self, entry: &CommandPrefix, host: &SessionHost) -> Option<String> {
        let entry = entry.to_string();
        let quoted = shlex::try_quote(&entry).ok().filter(|_| self.request.diff.starts_with(&entry))?;
        let hint =
            format!("`/allow {}` lets it run without a question next time", host.one_line(&visible(&quoted)));
        let rows: Vec<_> = rows(&hint, host.columns()).into_iter().map(|(_, row)| row).collect();
        Some(rows.join("\n") + "\n")
    }

    /// Passes on the answer that the person typed. A change of a file that agents follow needs the whole word `yes`.
    /// Any other text is a reason to refuse, which the model reads. `None` means the end of the input.
    ///
    /// Returns the question if the line answers nothing: an empty line, a command of the session, a shell command, or a
    /// short yes where the whole word is needed. The person then reads the possible answers again.
    #[must_use]
    pub fn answered(self, typed: Option<&str>, host: &SessionHost) -> Option<Self> {
        let kind = &self.request.kind;
        let answer = typed.map_or(TypedAnswer::No, |typed| TypedAnswer::of(typed, kind));
        if let TypedAnswer::Unrelated(line) | TypedAnswer::TooShort(line) = answer {
            let line = host.one_line(line);
            match answer {
                TypedAnswer::TooShort(_) => {
                    host.say(&paint(WARN, format_args!("`{line}` is not the whole word `yes`.")));
                }
                _ if line.is_empty() => {}
                _ => {
                    host.say(&paint(
                        WARN,
                        format_args!("not done: `{line}`. A tool's question waits first."),
                    ));
                }
            }
            host.say(&self.choices(host));
            return Some(self);
        }
        let said = match (&answer, self.entry()) {
            (TypedAnswer::Once, _) if *kind == ApprovalKind::Script => {
                "allowed until its text changes; `loop skill withdraw` withdraws the yes".to_owned()
            }
            (TypedAnswer::Once, _) => "allowed, this once".to_owned(),
            (TypedAnswer::Session, Some(entry)) => {
                self.channel.grant(entry, false);
                format!("allowed in this session: `{}`", visible(&entry.to_string()))
            }
            (TypedAnswer::Session, None) => {
                self.channel.grant_writes();
                "writes are allowed in this session".to_owned()
            }
            (TypedAnswer::Always, entry) => entry.map(|entry| self.kept(entry, host)).unwrap_or_default(),
            _ => "refused".to_owned(),
        };
        if answer == TypedAnswer::Once && *kind == ApprovalKind::Write {
            self.channel.wrote_once();
        }
        host.say(&paint(DIM, host.one_line(&said)));
        let no = "the user was asked, and said no";
        self.reply(match answer {
            TypedAnswer::Once | TypedAnswer::Session | TypedAnswer::Always => ApprovalAnswer::Yes,
            TypedAnswer::Note(note) => ApprovalAnswer::No(format!("{no}: {note}")),
            _ => ApprovalAnswer::No(no.to_owned()),
        });
        None
    }

    /// Allows commands with these leading words in the folder, now and later. Returns what the person reads.
    fn kept(&self, entry: &CommandPrefix, host: &SessionHost) -> String {
        let shown = entry.to_string();
        let shown = visible(&shown);
        match self.channel.keep(entry, CommandRule::Allow) {
            Ok(file) => {
                self.channel.grant(entry, true);
                format!("always allowed in this folder: `{shown}` (stored in {})", file.display())
            }
            Err(error) => {
                self.channel.grant(entry, false);
                host.warn(&with_causes(&error));
                format!("not stored, so allowed in this session only: `{shown}`")
            }
        }
    }

    fn entry(&self) -> Option<&CommandPrefix> {
        match &self.request.kind {
            ApprovalKind::Command { entry } => Some(entry),
            _ => None,
        }
    }

    fn reply(self, answer: ApprovalAnswer) {
        // The tool may have ended in the meantime.
        let _ = self.answer.send(answer);
    }
}

/// The part of a text that redaction hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Redaction {
    Nothing,
    Secrets,
    /// A secret that is recognised only without the escapes of the diff, so redaction would leave a part of it.
    BetweenEscapes,
}

fn hidden(escaped: &str, host: &SessionHost) -> Redaction {
    let unescaped = without_escapes(escaped);
    if host.printable(&unescaped) != unescaped && host.printable(escaped) == escaped {
        return Redaction::BetweenEscapes;
    }
    if host.printable(escaped) == escaped { Redaction::Nothing } else { Redaction::Secrets }
}

fn without_escapes(escaped: &str) -> String {
    let mut parts = escaped.split("\\u{");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    rest.fold(first, |text, part| text + part).replace("\\t", "").replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::silent;

    #[test]
    fn what_is_hidden_is_known_also_between_escapes() {
        assert_eq!(hidden("+a \\u{1b} \\t b\n", &silent()), Redaction::Nothing);
        assert_eq!(hidden("+sk-ant-api03-0123456789abcdefghijABCDEFGH\n", &silent()), Redaction::Secrets);
        assert_ne!(
            hidden("+sk-ant-api\\u{200b}03-0123456789abcdefghijABCDEFGH\n", &silent()),
            Redaction::Nothing
        );
        let block = format!("+command: |\n+  echo # PRIVATE KEY-----\n+  touch x\n+{}\n", "a".repeat(64));
        assert_ne!(hidden(&block, &silent()), Redaction::Nothing);
    }
}
