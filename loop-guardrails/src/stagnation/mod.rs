//! A halt for runs that no longer get anywhere.
//!
//! An agent that does not know what else to try says that it is done, and changes nothing. The check fails again, the next
//! iteration reads the same output, and comes to the same end. Such a run costs as much as one that works, until a limit
//! ends it in the morning. No single iteration shows it: only a comparison of several does.

mod fold;
mod mask;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loop_core::{BoxError, Decision, Ending, Event, Guardrail, Halt, Progress, SnapshotError, StopReason};

use self::fold::Fold;
pub use self::mask::{fingerprint, mask};
use crate::snapshot;

/// The name of the [mark](loop_core::Mark) with the [`fingerprint`] of what the check of a step printed.
pub const CHECK_MARK: &str = "check_output";

/// The name of the [mark](loop_core::Mark) with a hash of the protected files that were put back after an iteration.
pub const PUT_BACK_MARK: &str = "put_back";

/// The name of the [mark](loop_core::Mark) with a hash of the files that a check judged, where these are others than those
/// that the iteration left, because some were put back.
pub const JUDGED_MARK: &str = "judged_files";

/// The number of iterations in a row with the same files and the same files put back after which the run halts.
pub const PUT_BACK_LIMIT: u64 = 3;

/// When a run no longer gets anywhere.
///
/// # Default
/// A nudge after 5 iterations with the same result, a halt after 8, and nothing about earlier files or scores.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StagnationRules {
    /// The number of iterations in a row with the same files and the same check output after which the next prompt says so.
    pub nudge_after: u64,
    /// The number of such iterations after which the run halts.
    pub halt_after: u64,
    /// The number of iterations in a row that bring back an earlier state of the files after which the run halts.
    pub oscillation_after: Option<u64>,
    /// The least gain of the score.
    pub score: Option<ScoreGain>,
}

impl Default for StagnationRules {
    fn default() -> Self {
        Self { nudge_after: 5, halt_after: 8, oscillation_after: None, score: None }
    }
}

/// The least gain of the score within a number of iterations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreGain {
    /// By how much the best score has to improve.
    pub gain: f64,
    /// Within how many iterations that have a score.
    pub within: u64,
    /// Whether smaller scores are better.
    pub is_lower_better: bool,
}

/// Halts a run whose iterations bring nothing new.
///
/// It compares marks of each judged step: the fingerprint of its files, the fingerprint of the check's output
/// ([`CHECK_MARK`]), the files that were judged ([`JUDGED_MARK`]), the files that were put back ([`PUT_BACK_MARK`]) and the score. A step without a check's output, such
/// as a failed one, neither counts nor interrupts. After a person resumed a run that ended [blockably](Halt::blockable),
/// the counts start anew.
///
/// Clones share their state. An evaluator that holds one can [`nudge`](Self::nudge) the agent before the run halts.
///
/// ```
/// use loop_core::{EvaluationContext, IterationContext, Loop, StopReason, Verdict, evaluator_fn, iteration_fn};
/// use loop_guardrails::{Stagnation, StagnationRules, evaluator_passed, stagnation};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let idle = iteration_fn(async |cx: IterationContext<()>| Ok(cx.mark("files", 7)));
/// let check = evaluator_fn(async |cx: EvaluationContext<()>| {
///     cx.mark(stagnation::CHECK_MARK, stagnation::fingerprint("1 failed in 0.03s"));
///     Ok(Verdict::fail())
/// });
/// let stagnation = Stagnation::new(StagnationRules::default(), "files", "score");
/// let run = Loop::new(idle).evaluate(check).until(evaluator_passed()).at_most(20).guard(stagnation);
/// let report = run.run().await?;
/// assert_eq!((report.reason(), report.iterations()), (Some(&StopReason::Stagnated), 8));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Stagnation {
    rules: StagnationRules,
    files_mark: &'static str,
    score_mark: &'static str,
    fold: Arc<Mutex<Fold>>,
}

impl Stagnation {
    /// Follows these rules. `files_mark` names the marks with the fingerprint of the files, and `score_mark` those with
    /// the bits of the score, an `f64`.
    pub fn new(rules: StagnationRules, files_mark: &'static str, score_mark: &'static str) -> Self {
        Self { rules, files_mark, score_mark, fold: Arc::default() }
    }

    /// Returns whether the iteration in progress has left a fingerprint of its files. Without one, the fingerprint of the
    /// check should also contain what the agent said.
    pub fn knows_files(&self) -> bool {
        self.state().knows_files()
    }

    /// Returns how many steps in a row have this result, with the present one: its files, and a check with this
    /// [`fingerprint`].
    pub fn repetitions(&self, check: u64) -> u64 {
        self.state().repetitions(check)
    }

    /// Returns what the agent has to know after a check with this [`fingerprint`], if it is time for that.
    pub fn nudge(&self, check: u64) -> Option<String> {
        let (count, halt_after) = (self.repetitions(check), self.rules.halt_after);
        (count >= self.rules.nudge_after && count < halt_after).then(|| {
            format!(
                "{count} iterations in a row {}. To do the same again will not help: try another approach. The run ends \
                 after {halt_after} such iterations",
                same_result(self.knows_files())
            )
        })
    }

    /// Returns whether the [`nudge`](Self::nudge) after this check is the first one in a row.
    pub fn is_first_nudge(&self, check: u64) -> bool {
        self.repetitions(check) == self.rules.nudge_after
    }

    fn state(&self) -> MutexGuard<'_, Fold> {
        self.fold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns why the run gets nowhere, if so.
    fn finding(&self) -> Option<String> {
        let (fold, rules) = (self.state(), &self.rules);
        if fold.same >= rules.halt_after {
            return Some(format!("{} iterations in a row {}", fold.same, same_result(fold.had_files())));
        }
        if fold.put_back >= PUT_BACK_LIMIT {
            return Some(format!(
                "{} iterations in a row made the same change to protected files, which were put back, and no other change",
                fold.put_back
            ));
        }
        if rules.oscillation_after.is_some_and(|limit| fold.returns >= limit) {
            return Some(format!("{} iterations in a row brought back earlier files", fold.returns));
        }
        let ScoreGain { gain, within, .. } = rules.score?;
        (fold.unimproved >= within)
            .then(|| format!("the best score did not improve by {gain} in {} iterations", fold.unimproved))
    }
}

fn same_result(has_files: bool) -> &'static str {
    match has_files {
        true => "left the same files and the same check output, apart from times and the like",
        false => "ended with the same answer and the same check output, apart from times and the like",
    }
}

impl Guardrail for Stagnation {
    fn name(&self) -> &str {
        "stagnation"
    }

    fn check(&self, _progress: &Progress) -> Decision {
        match self.finding() {
            Some(message) => Decision::Halt(Halt::new(StopReason::Stagnated, message)),
            None => Decision::Continue,
        }
    }

    fn observe(&mut self, event: &Event) {
        self.state().observe(event, self);
    }

    fn reopened(&mut self, ending: &Ending) {
        if ending.is_blockable() {
            self.state().start_anew();
        }
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        snapshot::write(self.name(), &*self.state())
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        *self.state() = snapshot::read(state)?;
        Ok(())
    }
}
