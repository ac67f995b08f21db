//! The prompts for the reviewing agent.

use super::{MAX_TASK_BYTES, SAID_BYTES, executing::pending, page::filled};
use crate::{
    output::excerpt,
    review::{
        Account, Source,
        verdict::{KEY, TOOL},
    },
};

const PAGE: &str = include_str!("prompts/reviewing.md");

/// The result of a check that the harness has run.
#[derive(Debug)]
pub(in crate::review) struct Checked {
    pub(in crate::review) line: String,
    pub(in crate::review) passed: bool,
    /// The check's output.
    pub(in crate::review) text: String,
}

impl Checked {
    /// Returns the pending item for a failed check.
    pub(in crate::review) fn failing(&self) -> String {
        format!("the check `{}` fails", self.line)
    }
}

/// The contents of the prompt for one review.
#[derive(Debug)]
pub(in crate::review) struct Reviewing<'a> {
    pub(in crate::review) task: &'a str,
    pub(in crate::review) number: u64,
    /// The executing agent's actions, if known.
    pub(in crate::review) account: Option<&'a Account>,
    pub(in crate::review) checks: &'a [Checked],
    /// The text of the previous verdict.
    pub(in crate::review) before: &'a str,
    /// The executing agent's words.
    pub(in crate::review) said: &'a str,
    pub(in crate::review) instructions: &'a str,
    pub(in crate::review) nonce: &'a str,
    /// Whether the reviewer can call the verdict tool.
    pub(in crate::review) has_tool: bool,
}

impl Reviewing<'_> {
    pub(in crate::review) fn prompt(&self) -> String {
        let account = self.account.map(ToString::to_string);
        let is_unseen = account.as_ref().is_some_and(String::is_empty);
        let account = if is_unseen { Some("Nothing that could be seen.".to_owned()) } else { account };
        let checks: String = self.checks.iter().map(told).collect();
        let unknown = if self.account.is_none() { "It is not known what the agent really did." } else { "" };
        filled(
            PAGE,
            &[
                ("loop", &self.number.to_string()),
                ("task", &excerpt(self.task.trim().as_bytes(), MAX_TASK_BYTES)),
                ("source", self.account.map_or("", |account| source(account.source))),
                ("account", &account.unwrap_or_default()),
                ("unknown", unknown),
                ("checks", &checks),
                ("before", &pending(self.before)),
                ("said", &quoted(&excerpt(self.said.trim().as_bytes(), SAID_BYTES))),
                ("instructions", self.instructions),
                ("channel", &self.channel()),
            ],
        )
    }

    /// Describes how to give the verdict.
    fn channel(&self) -> String {
        let object =
            format!(r#"{{"{KEY}": "{}", "pending": ["..."], "blocker": "", "summary": "..."}}"#, self.nonce);
        if self.has_tool {
            return format!(
                "Call `{TOOL}` with it. If you cannot call tools any more, end your answer with it as an object:\n{object}"
            );
        }
        format!("End your answer with it as an object, in one piece, with this very number in it:\n{object}")
    }
}

/// Returns the text as a quotation, so that none of its lines looks like one of ours.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

const fn source(source: Source) -> &'static str {
    match source {
        Source::Tools => "its tools report it",
        Source::Stream => "its program tells it",
        Source::WorkTree => "the files of the folder show it (which commands it ran is not known)",
    }
}

fn told(check: &Checked) -> String {
    let how = if check.passed { "passes" } else { "FAILS" };
    let text = excerpt(check.text.trim().as_bytes(), SAID_BYTES);
    let text: String = text.lines().map(|line| format!("  {line}\n")).collect();
    format!("`{}` {how}\n{text}", check.line)
}
