//! From a reviewer's words to the outcome of the review.

use loop_core::{Mark, Outcome};

use super::{
    ActionLog, Findings, RecentItems,
    findings::findings_of,
    prompt::CheckResult,
    verdict::{self, KEY},
};
use crate::output::{ending, one_line};

/// The mark of an evaluation whose reviewer reached no verdict.
pub(super) const WITHOUT_VERDICT_MARK: &str = "review_without_verdict";

/// The number of bytes of a reviewer's words to show if they contain no verdict.
const PRINTED_BYTES: usize = 300;

/// The number of bytes to show of a wrong id.
const ID_BYTES: usize = 40;

/// Returns true if these are the marks of a review that reached no verdict: the reviewer's words had none that can be
/// read, or it found nothing left to do, but failed. Reviews like this tell nothing about the work, so a loop of them
/// needs a person.
pub fn is_without_verdict(marks: &[Mark]) -> bool {
    marks.iter().any(|mark| &*mark.name == WITHOUT_VERDICT_MARK)
}

/// The outcome of a review.
#[derive(Debug)]
pub(super) struct Judgement {
    pub(super) outcome: Outcome,
    pub(super) found: Findings,
    /// Whether the reviewer reached a verdict. A failing check can decide the outcome without it.
    pub(super) is_verdict: bool,
}

impl Judgement {
    /// Turns the findings into an outcome. `actions` lists the reviewer's own actions. The summary mentions changed
    /// files, because we cannot keep a command from changing them. A reviewer that failed may have found nothing only
    /// because it failed. The findings of the review `before` stay until another review reaches a verdict.
    pub(super) fn new(
        found: Option<Findings>,
        words: &str,
        checks: &[CheckResult],
        actions: &ActionLog,
        before: &str,
    ) -> Self {
        let failing: Vec<_> = checks.iter().filter(|check| !check.passed).map(CheckResult::failing).collect();
        let failure = actions.failure.as_ref().map(|failure| format!("The reviewer {failure}. "));
        let failure = failure.unwrap_or_default();
        let changed = [&actions.written, &actions.edited, &actions.removed].map(RecentItems::items).concat();
        let changed = match changed.is_empty() {
            true => String::new(),
            false => format!("The reviewer itself changed {}. ", changed.join(", ")),
        };
        let is_verdict = found.as_ref().is_some_and(|found| failure.is_empty() || !found.is_clean());
        let mut found = found.unwrap_or_else(|| Findings::new([""; 0], "", &no_verdict(words)));
        let outcome = match (found.is_clean() && failing.is_empty(), is_verdict) {
            (false, _) => Outcome::Fail,
            (true, true) => Outcome::Pass,
            (true, false) => Outcome::Inconclusive,
        };
        if let (false, Some(known)) = (is_verdict, findings_of(before)) {
            // The checks have just run again, so drop their old results.
            let is_check = |item: &String| checks.iter().any(|check| *item == check.failing());
            let pending = known.pending.into_iter().filter(|item| !is_check(item)).collect();
            found = Findings { pending, blocker: known.blocker, ..found };
        }
        let pending: Vec<_> = failing.into_iter().chain(found.pending).collect();
        let found = Findings::new(&pending, &found.blocker, &format!("{failure}{changed}{}", found.summary));
        Self { outcome, found, is_verdict }
    }
}

/// Returns the summary of a review without a verdict.
fn no_verdict(words: &str) -> String {
    let stray = verdict::other_id(words).map(|id| {
        let what = match id.as_str() {
            "" => format!("it lacks `{KEY}`, the id of this review"),
            id => format!("`{KEY}` is `{}`, not the id of this review", ending(id, ID_BYTES)),
        };
        format!(": {what}, which is in its prompt")
    });
    match printed(words).as_str() {
        "" => "The reviewer gave no readable verdict: it printed nothing".to_owned(),
        end => format!(
            "The reviewer gave no readable verdict{}. It ended with: {end}",
            stray.unwrap_or_default()
        ),
    }
}

/// Returns the end of a reviewer's words on one line, because that is where a verdict belongs.
pub(super) fn printed(words: &str) -> String {
    ending(&one_line(words), PRINTED_BYTES)
}
