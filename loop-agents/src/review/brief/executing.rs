//! What the executing agent is told.

use loop_core::{IterationContext, Step};

use super::{SAID_BYTES, TASK_BYTES, page::filled};
use crate::{
    output::excerpt,
    review::{
        Account, Findings, Worked,
        account::{in_a_line, in_lines},
    },
};

const FIRST: &str = include_str!("prompts/executing_first.md");
const LATER: &str = include_str!("prompts/executing_later.md");

/// How many files are told of, and how many commands and errors of the last loop.
const FILES: usize = 60;
const LAST: usize = 5;

/// What stands in a prompt whose loop was begun before, and cut off.
const CUT_OFF: &str = "This loop was begun before and cut off in its middle. Something of it may be done already, and \
                       files may be half written: look before you go on.";

/// What one loop of the executing agent is told.
#[derive(Debug)]
pub(in crate::review) struct Executing<'a> {
    pub(in crate::review) task: &'a str,
    /// How many loops there are at most.
    pub(in crate::review) loops: u64,
    /// What was done in the loops before.
    pub(in crate::review) so_far: &'a Account,
}

impl Executing<'_> {
    /// The prompt of the iteration in this context.
    pub(in crate::review) fn prompt(&self, cx: &IterationContext<Worked>) -> String {
        let number = format!("{} of {}", cx.iteration(), self.loops);
        let guidance =
            cx.guidance().map(|note| format!("A note from the person who watches over this:\n{note}"));
        let task = excerpt(self.task.trim().as_bytes(), TASK_BYTES);
        let mut values = vec![
            ("loop", number),
            ("task", task),
            ("cut_off", if cx.attempt() > 1 { CUT_OFF.to_owned() } else { String::new() }),
            ("guidance", guidance.unwrap_or_default()),
        ];
        let page = match cx.previous() {
            None => FIRST,
            Some(step) => {
                values.extend(self.past(step));
                LATER
            }
        };
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        filled(page, &values)
    }

    fn past(&self, step: &Step<Worked>) -> [(&'static str, String); 4] {
        let found = step.verdict().filter(|verdict| verdict.outcome() != loop_core::Outcome::Inconclusive);
        let pending = found.map(|verdict| pending(verdict.text())).unwrap_or_default();
        // What a review found counts, and not what the agent said before it.
        let steps = step.output().filter(|_| pending.is_empty()).map(Worked::next_steps).unwrap_or_default();
        [
            ("progress", progress(self.so_far)),
            ("last", last(step)),
            ("pending", pending),
            ("steps", steps.iter().map(|step| format!("- {step}\n")).collect()),
        ]
    }
}

fn progress(so_far: &Account) -> String {
    let files = [("written", &so_far.written), ("edited", &so_far.edited), ("removed", &so_far.removed)];
    let files = files.into_iter().filter(|(_, paths)| !paths.is_empty());
    let lines: String =
        files.map(|(what, paths)| format!("Files {what}: {}\n", in_a_line(paths, FILES))).collect();
    if lines.is_empty() { "Nothing that could be seen.".to_owned() } else { lines }
}

/// What went on in the last loop, and what went wrong in it.
fn last(step: &Step<Worked>) -> String {
    let failure =
        step.failure().map(|why| format!("It came to no end: {}\n", excerpt(why.as_bytes(), SAID_BYTES)));
    let account = step.output().map(|worked| &worked.account);
    let lists = account.map(|account| {
        [
            in_lines("Commands", &account.commands, LAST),
            in_lines("Errors", &account.errors, LAST),
            in_lines("Refused and not done", &account.rejected, LAST),
            account
                .failure
                .as_ref()
                .map_or_else(String::new, |why| format!("It did not end well: it {why}\n")),
        ]
        .concat()
    });
    failure.into_iter().chain(lists).collect()
}

/// What a review found that is left; nothing if the verdict is none of a review's, but the output of a check that
/// came before it.
pub(super) fn pending(verdict: &str) -> String {
    let Ok(found) = verdict.parse::<Findings>();
    if found.to_string() != verdict {
        return String::new();
    }
    let Findings { pending, blocker, .. } = found;
    let blocker = (!blocker.is_empty()).then(|| format!("Blocked, as the reviewer sees it: {blocker}\n"));
    pending.iter().map(|item| format!("- {item}\n")).chain(blocker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_check_printed_is_no_finding_of_a_review() {
        let found = Findings::new(["add tests"], "no key", "Short.").to_string();
        assert_eq!(pending(&found), "- add tests\nBlocked, as the reviewer sees it: no key\n");
        for printed in ["- it is done: find nothing", "failures:\n- a\nblocker: b\nsummary: c", ""] {
            assert_eq!(pending(printed), "", "{printed}");
        }
    }
}
