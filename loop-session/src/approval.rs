//! Tools' questions to the person who typed a line.
//!
//! Only somebody who knows the context can answer a question, so tools ask only during a person's own turn. Loops and
//! scheduled jobs may run at night, so their actions are refused instead. Tools can therefore reach the terminal only
//! while the session carries out a typed line that is not a loop. Commands have access to the session but never to the
//! terminal.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use loop_agents::tools::{Approval, ApprovalAnswer, ApprovalRequest};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    oneshot,
};

use loop_telemetry::words::style::{BAD, BOLD, DIM, GOOD, paint};

use crate::SessionHost;

/// The maximum width of a diff row, in columns. Nearly every terminal is wider.
const ROW_COLUMNS: usize = 76;

/// Marks a row that continues a line. It replaces the sign of the line.
const CONTINUED: char = '…';

/// The channel from a session's tools to the person, while it is open. Clones share the channel.
#[derive(Debug, Clone, Default)]
pub struct ApprovalChannel(Arc<Mutex<Option<UnboundedSender<ApprovalQuestion>>>>);

/// A tool's question, which waits for an answer.
#[derive(Debug)]
pub struct ApprovalQuestion {
    request: ApprovalRequest,
    answer: oneshot::Sender<ApprovalAnswer>,
}

impl ApprovalChannel {
    /// Opens the channel to a person. It closes when the receiver is dropped; while it is closed, tools are refused.
    pub fn open(&self) -> UnboundedReceiver<ApprovalQuestion> {
        let (asking, questions) = unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(asking);
        questions
    }
}

#[async_trait]
impl Approval for ApprovalChannel {
    async fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer {
        let nobody = || ApprovalAnswer::No("this is repeated or scheduled, so nobody is asked".to_owned());
        let asking = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (answer, answered) = oneshot::channel();
        let question = ApprovalQuestion { request: request.clone(), answer };
        match asking.map(|asking| asking.send(question)) {
            Some(Ok(())) => answered.await.unwrap_or_else(|_| nobody()),
            _ => nobody(),
        }
    }
}

impl ApprovalQuestion {
    /// Shows what the tool would do, and returns the question, to be [answered](Self::answered). A person can approve
    /// only what they see. If a secret hides a part of the change, this refuses the question and returns `None`.
    pub fn show(self, host: &SessionHost) -> Option<Self> {
        let ApprovalRequest { action, why, diff, .. } = &self.request;
        let head = format!("A tool asks {action}: {why}");
        host.say(&paint(BOLD, host.one_line(&head)));
        let hidden = [head.as_str(), diff]
            .map(|text| hidden(text, host))
            .into_iter()
            .max()
            .unwrap_or(Redaction::Nothing);
        if hidden < Redaction::BetweenEscapes {
            rows(&host.printable(diff)).iter().for_each(|(sign, row)| host.say(&painted(*sign, row)));
        }
        if hidden == Redaction::Nothing {
            host.say("Type `yes` and Enter to allow this change; anything else refuses it.");
            return Some(self);
        }
        host.say(
            "A part of this change looks like a secret and is not shown, so nobody can say yes to it: it is refused. \
             Make the change yourself if you want it.",
        );
        let no = "a part of it looks like a secret, which is not shown to the user, so they were not asked; \
                  leave secrets out";
        // The tool may have ended in the meantime.
        let _ = self.answer.send(ApprovalAnswer::No(no.to_owned()));
        None
    }

    /// Passes on the answer that the person typed: `yes` allows the change once, and anything else refuses it.
    /// `None` means the end of the input.
    pub fn answered(self, typed: Option<&str>, host: &SessionHost) {
        let is_yes = typed == Some("yes");
        host.say(&paint(DIM, if is_yes { "allowed, this once" } else { "refused" }));
        let answer = if is_yes {
            ApprovalAnswer::Yes
        } else {
            ApprovalAnswer::No("the user was asked, and said no".to_owned())
        };
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

/// Splits a diff into rows with their signs. Rows are narrow enough that no terminal wraps them: a wrapped rest would
/// look like a line of its own.
fn rows(diff: &str) -> Vec<(char, String)> {
    let mut rows = Vec::new();
    for line in diff.lines() {
        let (mut row, mut columns, sign) = (String::new(), 0, line.chars().next().unwrap_or(' '));
        for letter in line.chars() {
            if columns + width(letter) > ROW_COLUMNS {
                rows.push((sign, std::mem::replace(&mut row, CONTINUED.to_string())));
                columns = width(CONTINUED);
            }
            row.push(letter);
            columns += width(letter);
        }
        rows.push((sign, row));
    }
    rows
}

/// Returns the maximum width of a row with this sign, in columns.
fn width(sign: char) -> usize {
    if sign.is_ascii() { 1 } else { 2 }
}

fn painted(sign: char, row: &str) -> String {
    match sign {
        '+' => paint(GOOD, row),
        '-' => paint(BAD, row),
        _ => paint(DIM, row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::tests::silent;

    #[test]
    fn a_long_line_goes_on_in_rows_that_say_so() {
        let line = format!("+{} -gone", "x ".repeat(60));
        let rows = rows(&line);
        assert!(rows.len() > 1 && rows[1].1.starts_with('…'), "{rows:?}");
        assert!(
            rows.iter().all(|(sign, row)| *sign == '+' && row.chars().count() <= ROW_COLUMNS),
            "{rows:?}"
        );
        let whole: String = rows.iter().map(|(_, row)| row.trim_start_matches('…')).collect();
        assert_eq!(whole, line);
    }

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

    #[tokio::test]
    async fn nobody_is_asked_but_while_a_person_waits() {
        let approvals = ApprovalChannel::default();
        let (folder, waiting) = (tempfile::tempdir().expect("a folder"), approvals.clone());
        let workspace =
            loop_guardrails::policy::workspace::Workspace::open(folder.path(), Default::default());
        let tools = loop_agents::tools::Toolbox::standard(workspace.expect("a workspace")).approval(waiting);
        let call = serde_json::json!({ "path": "AGENTS.md", "content": "x\n" });
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
        let mut questions = approvals.open();
        let answer = async { questions.recv().await.expect("a question").answered(Some("yes"), &silent()) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert_eq!(report.text, "wrote 2 bytes to AGENTS.md");
        let answer = async { questions.recv().await.expect("a question").answered(Some(" yes"), &silent()) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert!(report.text.contains("said no"), "{}", report.text);
        drop(questions);
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
    }
}
