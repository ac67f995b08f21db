//! What tools ask the person who typed a line.
//!
//! A question needs somebody who knows what it is about, so it is asked in a person's own turn alone. What a loop repeats
//! and what fires by the clock is refused instead: it may be night. So the questions of tools have a way to the terminal
//! only while a line that was typed, and is no loop, is done; and commands, which have the session, have no way to it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use loop_agents::tools::{Answer, Approval, ApprovalRequest};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    oneshot,
};

use loop_telemetry::words::style::{BAD, BOLD, DIM, GOOD, paint};

use crate::SessionHost;

/// How many columns a row of a diff has at most. Nearly every terminal has more.
const ROW_COLUMNS: usize = 76;

/// Marks a row that continues a line. It replaces the sign of the line.
const CONTINUED: char = '…';

/// The way from the tools of a session to the person, while there is one. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Approvals(Arc<Mutex<Option<UnboundedSender<Question>>>>);

/// A question of a tool, which waits for the answer.
#[derive(Debug)]
pub struct Question {
    request: ApprovalRequest,
    answer: oneshot::Sender<Answer>,
}

impl Approvals {
    /// Opens the way to a person, until the questions are dropped. Tools are refused while it is closed.
    pub fn open(&self) -> UnboundedReceiver<Question> {
        let (asking, questions) = unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(asking);
        questions
    }
}

#[async_trait]
impl Approval for Approvals {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let nobody = || Answer::No("this is repeated or scheduled, so nobody is asked".to_owned());
        let asking = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (answer, answered) = oneshot::channel();
        let question = Question { request: request.clone(), answer };
        match asking.map(|asking| asking.send(question)) {
            Some(Ok(())) => answered.await.unwrap_or_else(|_| nobody()),
            _ => nobody(),
        }
    }
}

impl Question {
    /// Shows what the tool would do, and returns the question, to be [answered](Self::answered). A person says yes only
    /// to what they see: if a part of it is a secret, which is not shown, it is refused, and `None` is returned.
    pub fn show(self, host: &SessionHost) -> Option<Self> {
        let ApprovalRequest { action, why, diff, .. } = &self.request;
        let head = format!("A tool asks {action}: {why}");
        host.say(&paint(BOLD, host.one_line(&head)));
        let hidden =
            [head.as_str(), diff].map(|text| hidden(text, host)).into_iter().max().unwrap_or(Hidden::Nothing);
        if hidden < Hidden::BetweenEscapes {
            rows(&host.printable(diff)).iter().for_each(|(sign, row)| host.say(&painted(*sign, row)));
        }
        if hidden == Hidden::Nothing {
            host.say("Type `yes` and Enter to allow this change; anything else refuses it.");
            return Some(self);
        }
        host.say(
            "A part of this change looks like a secret and is not shown, so nobody can say yes to it: it is refused. \
             Make the change yourself if you want it.",
        );
        let no = "a part of it looks like a secret, which is not shown to the user, so they were not asked; \
                  leave secrets out";
        // The tool may have been ended meanwhile.
        let _ = self.answer.send(Answer::No(no.to_owned()));
        None
    }

    /// Gives the answer that a person typed: `yes` or `y` allows the change, once, and anything else refuses it. `None` is
    /// the end of the input.
    pub fn answered(self, typed: Option<&str>, host: &SessionHost) {
        let typed = typed.map(str::trim).unwrap_or_default();
        let is_yes = ["yes", "y"].iter().any(|yes| typed.eq_ignore_ascii_case(yes));
        host.say(&paint(DIM, if is_yes { "allowed, this once" } else { "refused" }));
        let answer =
            if is_yes { Answer::Yes } else { Answer::No("the user was asked, and said no".to_owned()) };
        // The tool may have been ended meanwhile.
        let _ = self.answer.send(answer);
    }
}

/// How much of a text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hidden {
    Nothing,
    Secrets,
    /// There is a secret as soon as escapes are taken out, so it would be read between them.
    BetweenEscapes,
}

fn hidden(escaped: &str, host: &SessionHost) -> Hidden {
    let unescaped = without_escapes(escaped);
    if host.printable(&unescaped) != unescaped && host.printable(escaped) == escaped {
        return Hidden::BetweenEscapes;
    }
    if host.printable(escaped) == escaped { Hidden::Nothing } else { Hidden::Secrets }
}

fn without_escapes(escaped: &str) -> String {
    let mut parts = escaped.split("\\u{");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    rest.fold(first, |text, part| text + part).replace("\\t", "").replace("\\\\", "\\")
}

/// The lines of a diff, each with its sign, in rows that no terminal breaks: what follows a break would look like a line
/// of its own.
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

/// How many columns a sign takes at most.
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
        assert_eq!(hidden("+a \\u{1b} \\t b\n", &silent()), Hidden::Nothing);
        assert_eq!(hidden("+sk-ant-api03-0123456789abcdefghijABCDEFGH\n", &silent()), Hidden::Secrets);
        assert_ne!(
            hidden("+sk-ant-api\\u{200b}03-0123456789abcdefghijABCDEFGH\n", &silent()),
            Hidden::Nothing
        );
        let block = format!("+command: |\n+  echo # PRIVATE KEY-----\n+  touch x\n+{}\n", "a".repeat(64));
        assert_ne!(hidden(&block, &silent()), Hidden::Nothing);
    }

    #[tokio::test]
    async fn nobody_is_asked_but_while_a_person_waits() {
        let approvals = Approvals::default();
        let (folder, waiting) = (tempfile::tempdir().expect("a folder"), approvals.clone());
        let workspace =
            loop_guardrails::policy::workspace::Workspace::open(folder.path(), Default::default());
        let tools = loop_agents::tools::Toolbox::standard(workspace.expect("a workspace")).approval(waiting);
        let call = serde_json::json!({ "path": "AGENTS.md", "content": "x\n" });
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
        let mut questions = approvals.open();
        let answer = async { questions.recv().await.expect("a question").answered(Some(" YES "), &silent()) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert_eq!(report.text, "wrote 2 bytes to AGENTS.md");
        let answer =
            async { questions.recv().await.expect("a question").answered(Some("yes, but"), &silent()) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert!(report.text.contains("said no"), "{}", report.text);
        drop(questions);
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
    }
}
