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

use crate::view::{self, BAD, BOLD, DIM, GOOD, paint, text};

/// The way from tools to the person, while there is one.
#[derive(Debug, Clone, Default)]
pub(super) struct Approvals(Arc<Mutex<Option<UnboundedSender<Question>>>>);

/// A question, and who waits for its answer.
#[derive(Debug)]
pub(super) struct Question {
    request: ApprovalRequest,
    answer: oneshot::Sender<Answer>,
}

impl Approvals {
    /// Opens the way to a person, until the questions are dropped.
    pub(super) fn open(&self) -> UnboundedReceiver<Question> {
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
    /// Shows what would be done, and asks.
    pub(super) fn show(&self) {
        let ApprovalRequest { action, why, diff, .. } = &self.request;
        view::say(&paint(BOLD, text::one_line(&format!("A tool asks {action}: {why}"))));
        for line in text::printable(diff).replace('\t', "    ").lines() {
            view::say(&match line.chars().next() {
                Some('+') => paint(GOOD, line),
                Some('-') => paint(BAD, line),
                _ => paint(DIM, line),
            });
        }
        view::say("Type `yes` and Enter to allow this change; anything else refuses it.");
    }

    /// Gives the answer that was typed; Ctrl+D is one as well.
    pub(super) fn answered(self, typed: Option<&str>) {
        let typed = typed.map(str::trim).unwrap_or_default();
        let is_yes = ["yes", "y"].iter().any(|yes| typed.eq_ignore_ascii_case(yes));
        view::say(&paint(DIM, if is_yes { "allowed, this once" } else { "refused" }));
        let answer =
            if is_yes { Answer::Yes } else { Answer::No("the user was asked, and said no".to_owned()) };
        // Who asked may have been ended meanwhile.
        let _ = self.answer.send(answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let answer = async { questions.recv().await.expect("a question").answered(Some(" YES ")) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert_eq!(report.text, "wrote 2 bytes to AGENTS.md");
        let answer = async { questions.recv().await.expect("a question").answered(Some("yes, but")) };
        let (report, ()) = tokio::join!(tools.call("write_file", &call), answer);
        assert!(report.text.contains("said no"), "{}", report.text);
        drop(questions);
        assert!(tools.call("write_file", &call).await.text.contains("nobody is asked"));
    }
}
