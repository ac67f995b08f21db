//! The prompts for the reviewing agent.

use super::{MAX_TASK_BYTES, SAID_BYTES, executor::pending, page_template::filled};
use crate::{
    output::excerpt,
    review::{
        ActionLog, ActionSource,
        verdict::{KEY, TOOL},
    },
};

const PAGE: &str = include_str!("texts/reviewing.md");

/// The result of a check that the harness has run.
#[derive(Debug)]
pub(in crate::review) struct CheckResult {
    pub(in crate::review) line: String,
    pub(in crate::review) passed: bool,
    /// The check's output.
    pub(in crate::review) text: String,
}

impl CheckResult {
    /// Returns the pending item for a failed check.
    pub(in crate::review) fn failing(&self) -> String {
        format!("the check `{}` fails", self.line)
    }
}

/// The contents of the prompt for one review.
#[derive(Debug)]
pub(in crate::review) struct ReviewerPrompt<'a> {
    pub(in crate::review) task: &'a str,
    pub(in crate::review) number: u64,
    /// The working agent's actions, if known.
    pub(in crate::review) actions: Option<&'a ActionLog>,
    pub(in crate::review) checks: &'a [CheckResult],
    /// The text of the previous verdict.
    pub(in crate::review) before: &'a str,
    /// The working agent's words.
    pub(in crate::review) said: &'a str,
    pub(in crate::review) instructions: &'a str,
    pub(in crate::review) nonce: &'a str,
    /// Whether the reviewer can call the verdict tool.
    pub(in crate::review) has_tool: bool,
}

impl ReviewerPrompt<'_> {
    pub(in crate::review) fn prompt(&self) -> String {
        let actions = self.actions.map(ToString::to_string);
        let is_unseen = actions.as_ref().is_some_and(String::is_empty);
        let actions = if is_unseen { Some("No recorded actions.".to_owned()) } else { actions };
        let checks: String = self.checks.iter().map(told).collect();
        let unknown =
            if self.actions.is_none() { "The harness does not know what the agent really did." } else { "" };
        filled(
            PAGE,
            &[
                ("loop", &self.number.to_string()),
                ("task", &excerpt(self.task.trim().as_bytes(), MAX_TASK_BYTES)),
                ("source", self.actions.map_or("", |actions| source(actions.source))),
                ("account", &actions.unwrap_or_default()),
                ("unknown", unknown),
                ("checks", &checks),
                ("before", &pending(self.before)),
                ("said", &quoted(&excerpt(self.said.trim().as_bytes(), SAID_BYTES))),
                ("instructions", self.instructions),
                ("channel", &self.channel()),
            ],
        )
    }

    /// Describes how to give the verdict. The text contains no object, and above all none with this review's number:
    /// an agent that prints its prompt, or a part of it, must not print a verdict.
    fn channel(&self) -> String {
        let how = if self.has_tool {
            format!("Call `{TOOL}` with it. If you cannot call tools any more, end your answer with it")
        } else {
            "End your answer with it".to_owned()
        };
        let keys = [
            format!("\"{KEY}\": \"{}\" (the number of this review)", self.nonce),
            "\"pending\": a list of strings, empty if the task is done".to_owned(),
            "\"blocker\": a string, empty if there is no blocker".to_owned(),
            "\"summary\": a string".to_owned(),
        ];
        format!("{how} as one JSON object with exactly these keys:\n- {}", keys.join("\n- "))
    }
}

/// Returns the text as a quotation, so that none of its lines looks like one of ours.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

const fn source(source: ActionSource) -> &'static str {
    match source {
        ActionSource::Tools => "its tools report it",
        ActionSource::Stream => "its program reports it",
        ActionSource::WorkTree => "the files of the folder show it (the commands that it ran are unknown)",
    }
}

fn told(check: &CheckResult) -> String {
    let how = if check.passed { "passes" } else { "FAILS" };
    let text = excerpt(check.text.trim().as_bytes(), SAID_BYTES);
    let text: String = text.lines().map(|line| format!("  {line}\n")).collect();
    format!("`{}` {how}\n{text}", check.line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::review::{
        Findings,
        prompt::echo::{echoes, material},
        verdict::{in_words, nonce},
    };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// A reviewer that prints its prompt, or any part of it in any form, gives no verdict, whatever the agent and
        /// the files put into the prompt.
        #[test]
        fn an_echoed_prompt_is_no_verdict(
            task in material(), said in material(), text in material(), found in material(),
            has_tool: bool, from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
        ) {
            let mut actions = ActionLog::default();
            actions.ran(&text, Some(1));
            let check = CheckResult { line: "make test".to_owned(), passed: false, text };
            let (before, nonce) = (Findings::new([&found], &found, "").to_string(), nonce());
            let prompt = ReviewerPrompt {
                task: &task,
                number: 2,
                actions: Some(&actions),
                checks: &[check],
                before: &before,
                said: &said,
                instructions: &found,
                nonce: &nonce,
                has_tool,
            }
            .prompt();
            prop_assert!(prompt.contains(&nonce));
            for echo in echoes(&prompt, from, to) {
                prop_assert_eq!(in_words(&echo, &nonce), None, "{}", echo);
            }
        }
    }
}
