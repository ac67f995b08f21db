//! The prompts for the working agent.

use loop_core::{IterationContext, Step};

use super::{MAX_TASK_BYTES, SAID_BYTES, page_template::filled};
use crate::{
    output::excerpt,
    review::{
        ActionLog, Findings, TaskOutput,
        action_history::HistorySummary,
        action_log::{in_a_line, in_lines},
        findings::findings_of,
    },
};

const FIRST: &str = include_str!("texts/executing_first.md");
const LATER: &str = include_str!("texts/executing_later.md");

/// The number of files to list, and the number of commands and errors of the last loop.
const FILES: usize = 60;
const LAST: usize = 5;

/// The notice in the prompt of a loop that began before and was cut off.
const CUT_OFF: &str = "This loop started before and was cut off. Some of its work may already be done, and files may \
                       be half written: look before you continue.";

/// The notice below a task that the prompt contains completely.
const WHOLE: &str =
    "The text above is the whole task file, except for its settings: you need not read the file.";

/// The contents of the prompt for one loop of the working agent.
#[derive(Debug)]
pub(in crate::review) struct ExecutorPrompt<'a> {
    pub(in crate::review) task: &'a str,
    /// The maximum number of loops.
    pub(in crate::review) loops: u64,
    /// The known facts about the loops before.
    pub(in crate::review) known: &'a HistorySummary,
}

impl ExecutorPrompt<'_> {
    /// Returns the prompt of the iteration in this context.
    pub(in crate::review) fn prompt(&self, cx: &IterationContext<TaskOutput>) -> String {
        let number = format!("{} of {}", cx.iteration(), self.loops);
        let guidance =
            cx.guidance().map(|note| format!("A note from the person who supervises this work:\n{note}"));
        let task = excerpt(self.task.trim().as_bytes(), MAX_TASK_BYTES);
        let is_whole = self.task.trim() == task;
        let mut values = vec![
            ("loop", number),
            ("task", task),
            ("whole", if is_whole { WHOLE.to_owned() } else { String::new() }),
            ("cut_off", if cx.attempt() > 1 { CUT_OFF.to_owned() } else { String::new() }),
            ("guidance", guidance.unwrap_or_default()),
        ];
        let has_begun = cx.previous().is_some() || !self.known.unreviewed.is_empty();
        let page = if has_begun { LATER } else { FIRST };
        if has_begun {
            values.extend(self.past(cx.previous()));
        }
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        filled(page, &values)
    }

    fn past(&self, step: Option<&Step<TaskOutput>>) -> [(&'static str, String); 4] {
        let pending = pending(&self.known.found);
        // A review's findings take precedence over the agent's earlier words.
        let said = step.and_then(|step| step.output()).filter(|_| pending.is_empty());
        let steps = said.map(TaskOutput::next_steps).unwrap_or_default();
        [
            ("progress", progress(&self.known.so_far)),
            ("last", self.last(step)),
            ("pending", pending),
            ("steps", steps.iter().map(|step| format!("- {step}\n")).collect()),
        ]
    }

    /// Describes the last loop and its errors.
    fn last(&self, step: Option<&Step<TaskOutput>>) -> String {
        let unreviewed = Some(&self.known.unreviewed).filter(|actions| !actions.is_empty());
        let failure = match step.and_then(|step| step.failure()) {
            Some(why) => format!("It did not finish: {}\n", excerpt(why.as_bytes(), SAID_BYTES)),
            None if unreviewed.is_some() => "It did not finish.\n".to_owned(),
            None => String::new(),
        };
        let output = step.and_then(|step| step.output()).map(|worked| &worked.actions);
        failure + &unreviewed.or(output).map(ran_into).unwrap_or_default()
    }
}

fn progress(so_far: &ActionLog) -> String {
    let files = [("written", &so_far.written), ("edited", &so_far.edited), ("removed", &so_far.removed)];
    let files = files.into_iter().filter(|(_, paths)| !paths.is_empty());
    let lines: String =
        files.map(|(what, paths)| format!("Files {what}: {}\n", in_a_line(paths, FILES))).collect();
    if lines.is_empty() { "No recorded actions.".to_owned() } else { lines }
}

/// Describes the commands and errors of a loop.
fn ran_into(actions: &ActionLog) -> String {
    let failure = actions.failure.as_ref();
    [
        in_lines("Commands", &actions.commands, LAST),
        in_lines("Errors", &actions.errors, LAST),
        in_lines("Refused and not done", &actions.rejected, LAST),
        failure.map_or_else(String::new, |why| format!("It did not end well: it {why}\n")),
    ]
    .concat()
}

/// Returns the pending items of a review's verdict. Returns an empty text if the verdict does not come from a review,
/// but is the output of a check before it.
pub(super) fn pending(verdict: &str) -> String {
    let Some(Findings { pending, blocker, .. }) = findings_of(verdict) else { return String::new() };
    let blocker = (!blocker.is_empty()).then(|| format!("Blocked, as the reviewer sees it: {blocker}\n"));
    pending.iter().map(|item| format!("- {item}\n")).chain(blocker).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use loop_core::{StepRecord, Verdict, Work};
    use proptest::prelude::*;

    use super::*;
    use crate::review::{
        next_steps,
        prompt::echo::{echoes, material},
    };

    #[test]
    fn what_a_check_printed_is_no_finding_of_a_review() {
        let found = Findings::new(["add tests"], "no key", "Short.").to_string();
        assert_eq!(pending(&found), "- add tests\nBlocked, as the reviewer sees it: no key\n");
        for printed in ["- it is done: find nothing", "failures:\n- a\nblocker: b\nsummary: c", ""] {
            assert_eq!(pending(printed), "", "{printed}");
        }
    }

    #[test]
    fn only_a_task_that_is_whole_is_called_so() {
        let prompt = |task: &str| {
            let known = HistorySummary {
                so_far: ActionLog::default(),
                unreviewed: ActionLog::default(),
                found: String::new(),
            };
            ExecutorPrompt { task, loops: 5, known: &known }.prompt(&IterationContext::new(&Work::new(), 1))
        };
        assert!(prompt("Do it.\n").contains("Do it.\n\nThe text above is the whole task file"));
        let long = prompt(&"Do it. ".repeat(MAX_TASK_BYTES));
        assert!(long.contains("bytes left out") && !long.contains("whole task file"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// An agent that prints its prompt, or any part of it, does not claim to be done, whatever the task is about.
        #[test]
        fn an_echoed_prompt_claims_nothing(
            task in material(), did in material(), found in material(), is_first: bool,
            from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
        ) {
            let mut so_far = ActionLog::default();
            so_far.ran(&did, Some(1));
            let known = HistorySummary {
                so_far, unreviewed: ActionLog::default(), found: Findings::new([&found], "", &found).to_string(),
            };
            let step = Step::new(StepRecord::new(1).with_verdict(Verdict::fail()), Some(Arc::default()));
            let cx = IterationContext::new(&Work::new(), 2);
            let cx = if is_first { cx } else { cx.with_previous(Some(Arc::new(step))) };
            let prompt = ExecutorPrompt { task: &task, loops: 5, known: &known }.prompt(&cx);
            for echo in echoes(&prompt, from, to) {
                prop_assert!(!crate::review::claims_complete(&echo), "{}", echo);
                next_steps(&echo);
            }
        }
    }
}
