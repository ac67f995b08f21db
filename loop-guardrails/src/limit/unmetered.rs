//! A limit on iterations that do not report their usage.
//!
//! A limit on tokens or money counts what is reported. A server that leaves the figures out of its replies, or an
//! agent whose hook has broken, spends without them: the limit never binds, and all iterations run. One iteration
//! without figures may be an accident. Several in a row mean that the limit does not hold.

use loop_core::{
    BoxError, CostQuality, Decision, Ending, Event, EventKind, Guardrail, Halt, Progress, SnapshotError,
    StopReason, Usage, WorkResult,
};

use crate::snapshot;

/// Halts after several iterations in a row that did not report what a limit counts.
///
/// Use it together with [`MaxCost`](crate::MaxCost), [`SpendingRate`](crate::SpendingRate) or
/// [`MaxTokens`](crate::MaxTokens):
///
/// - An iteration is metered if it reports an amount, known or estimated. A reported zero is an amount. A lower bound
///   of a cost, or of a number of tokens, is not an amount, because the unknown part may be anything. Nor are tokens an
///   amount of a cost. An amount that an evaluation reports does not count for the iteration, but a lower bound does,
///   and so do tokens without a cost: a judge without figures is as silent as an agent without them.
/// - An iteration with a [fault](loop_core::IterationContext::fault), such as an exit code, counts like any other. One
///   that failed or was cut may have had no chance to report. It does not count, and it does not start the count again
///   either, unless it reported a lower bound: then its work may have used anything.
///   [`ConsecutiveFailures`](crate::ConsecutiveFailures) limits failures.
/// - If the run ended for this reason, resuming it resets the count, because resuming counts as a human review.
///
/// A limit of zero halts before the first iteration.
///
/// ```
/// use loop_core::{IterationContext, Loop, StopReason, iteration_fn};
/// use loop_guardrails::{MaxTokens, UnmeteredIterations, after};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let silent = iteration_fn(async |_: IterationContext<()>| Ok(()));
/// let run = Loop::new(silent).until(after(100)).at_most(100);
/// let report = run.guard(MaxTokens::new(5_000)).guard(UnmeteredIterations::tokens(3)).run().await?;
/// assert_eq!(report.reason(), Some(&StopReason::Unmetered));
/// assert_eq!(report.iterations(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmeteredIterations {
    amount: Amount,
    limit: u64,
    /// Iterations in a row without the amount.
    silent: u64,
    /// The silent iterations in a row before the last iteration that ended.
    silent_before: u64,
    /// The usage reported since the last iteration ended, without reports from evaluations.
    reported: Usage,
    /// The usage that the current evaluation reported.
    evaluated: Usage,
    is_evaluating: bool,
}

/// The quantity that a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Cost,
    Tokens,
}

impl UnmeteredIterations {
    /// Halts after `limit` iterations in a row that did not report a cost.
    pub const fn cost(limit: u64) -> Self {
        Self::new(Amount::Cost, limit)
    }

    /// Halts after `limit` iterations in a row that did not report tokens.
    pub const fn tokens(limit: u64) -> Self {
        Self::new(Amount::Tokens, limit)
    }

    const fn new(amount: Amount, limit: u64) -> Self {
        let (reported, evaluated) = (Usage::unknown(), Usage::unknown());
        Self { amount, limit, silent: 0, silent_before: 0, reported, evaluated, is_evaluating: false }
    }

    /// Returns whether the amount in this usage is a lower bound. Tokens without a cost had some price.
    fn is_partial(&self, usage: &Usage) -> bool {
        match self.amount {
            Amount::Cost => match usage.cost {
                Some(cost) => cost.quality == CostQuality::Partial,
                None => usage.tokens().is_some() || usage.are_tokens_partial,
            },
            Amount::Tokens => usage.are_tokens_partial,
        }
    }

    /// Records the end of an iteration that could report.
    fn ended(&mut self) {
        let is_metered = match self.amount {
            Amount::Cost => self.reported.cost.is_some() && !self.is_partial(&self.reported),
            Amount::Tokens => self.reported.is_counted(),
        };
        self.silent_before = self.silent;
        self.silent = if is_metered { 0 } else { self.silent.saturating_add(1) };
    }
}

impl Guardrail for UnmeteredIterations {
    fn name(&self) -> &str {
        match self.amount {
            Amount::Cost => "unmetered_cost",
            Amount::Tokens => "unmetered_tokens",
        }
    }

    fn check(&self, _progress: &Progress) -> Decision {
        if self.silent < self.limit {
            return Decision::Continue;
        }
        let what = match self.amount {
            Amount::Cost => "its whole cost",
            Amount::Tokens => "all tokens that it used",
        };
        let iterations = match self.silent {
            1 => "the last iteration did".to_owned(),
            silent => format!("the last {silent} iterations in a row did"),
        };
        let message = format!("{iterations} not report {what}, so a limit on it cannot be enforced");
        Decision::Halt(Halt::new(StopReason::Unmetered, message))
    }

    fn observe(&mut self, event: &Event) {
        if let EventKind::EvaluationStarted {} = event.kind {
            self.is_evaluating = true;
        }
        if let Some(usage) = event.kind.usage() {
            *if self.is_evaluating { &mut self.evaluated } else { &mut self.reported } += *usage;
        }
        match &event.kind {
            EventKind::IterationFinished { result, notes } => {
                let quality = notes.as_ref().and_then(|notes| notes.cost_quality);
                if let (Some(cost), Some(quality)) = (&mut self.reported.cost, quality) {
                    // The quality of the agent's total also applies to the sum of its parts.
                    cost.quality = quality;
                }
                if matches!(result, WorkResult::Done(()))
                    || (matches!(result, WorkResult::Failed(_)) && self.is_partial(&self.reported))
                {
                    self.ended();
                }
                if !matches!(result, WorkResult::Later { .. }) {
                    self.reported = Usage::unknown();
                }
            }
            EventKind::EvaluationFinished { .. } => {
                if self.is_partial(&self.evaluated) {
                    self.silent = self.silent_before.saturating_add(1);
                }
                (self.is_evaluating, self.evaluated) = (false, Usage::unknown());
            }
            EventKind::RunResumed {} => self.is_evaluating = false,
            EventKind::WorkCut { .. } => {
                self.is_evaluating = false;
                (self.reported, self.evaluated) = (Usage::unknown(), Usage::unknown());
            }
            _ => {}
        }
    }

    fn reopened(&mut self, ending: &Ending) {
        if ending.reason() == Some(&StopReason::Unmetered) {
            (self.silent, self.silent_before) = (0, 0);
        }
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        let Self { silent, silent_before, reported, evaluated, is_evaluating, .. } = self;
        snapshot::write(self.name(), &(silent, silent_before, reported, evaluated, is_evaluating))
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        (self.silent, self.silent_before, self.reported, self.evaluated, self.is_evaluating) =
            snapshot::read(state)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use loop_core::{Cost, Ending, Notes, RunTime, Usd};
    use proptest::prelude::*;

    use super::*;

    fn event(kind: EventKind) -> Event {
        Event::new(RunTime::ZERO, kind)
    }

    fn notes(usage: Usage) -> Option<Box<Notes>> {
        Some(Box::new(Notes::default().with_usage(usage)))
    }

    fn iterate(rails: &mut [UnmeteredIterations], usage: Usage, result: &WorkResult<()>) {
        let events = [
            EventKind::IterationStarted { iteration: 1, attempt: 1 },
            EventKind::IterationFinished { result: result.clone(), notes: notes(usage) },
        ];
        see(rails, events);
    }

    fn see(rails: &mut [UnmeteredIterations], events: impl IntoIterator<Item = EventKind>) {
        for event in events.into_iter().map(event) {
            rails.iter_mut().for_each(|rail| rail.observe(&event));
        }
    }

    fn halts(rail: &UnmeteredIterations) -> bool {
        matches!(rail.check(&Progress::default()), Decision::Halt(_))
    }

    fn both() -> [UnmeteredIterations; 2] {
        [UnmeteredIterations::cost(3), UnmeteredIterations::tokens(3)]
    }

    #[test]
    fn an_amount_is_what_its_limit_counts() {
        let cost = |cost| Usage::unknown().with_cost(cost);
        let cases = [
            (Usage::unknown(), [true, true]),
            (Usage::unknown().with_tokens(0, 0), [true, false]),
            (cost(Cost::known(Usd::ZERO)), [false, true]),
            (cost(Cost::estimated(Usd::nanos(1))), [false, true]),
            (cost(Cost::at_least(Usd::nanos(1))), [true, true]),
            (cost(Cost::at_least(Usd::dollars(1))).with_tokens(1, 1), [true, false]),
            (cost(Cost::at_least(Usd::ZERO)), [true, true]),
            (cost(Cost::known(Usd::ZERO)).with_tokens(1, 1).with_partial_tokens(), [false, true]),
            (Usage::unknown().with_partial_tokens(), [true, true]),
            (cost(Cost::known(Usd::nanos(1))).with_tokens(1, 1), [false, false]),
        ];
        for (usage, expected) in cases {
            let mut rails = both();
            for _ in 0..3 {
                assert_eq!(rails.each_ref().map(halts), [false, false]);
                iterate(&mut rails, usage, &WorkResult::Done(()));
            }
            assert_eq!(rails.each_ref().map(halts), expected, "{usage:?}");
        }
    }

    #[test]
    fn a_lower_bound_that_the_agents_total_confirms_is_an_amount() {
        let mut rail = [UnmeteredIterations::cost(3)];
        let usage = Usage::unknown().with_cost(Cost::at_least(Usd::micros(5)));
        let confirmed = Notes::default().with_usage(usage).with_cost_quality(CostQuality::Known);
        for _ in 0..3 {
            let notes = Some(Box::new(confirmed.clone()));
            see(&mut rail, [EventKind::IterationFinished { result: WorkResult::Done(()), notes }]);
        }
        assert!(!halts(&rail[0]));
    }

    #[test]
    fn what_an_evaluation_reports_is_not_the_iterations() {
        let mut rails = both();
        let told = Usage::unknown().with_tokens(5, 5).with_cost(Cost::known(Usd::dollars(1)));
        for _ in 0..3 {
            iterate(&mut rails, Usage::unknown(), &WorkResult::Done(()));
            let verdict = WorkResult::Done(loop_core::Verdict::fail());
            see(
                &mut rails,
                [
                    EventKind::EvaluationStarted {},
                    EventKind::UsageReported { usage: told },
                    EventKind::EvaluationFinished { result: verdict, notes: notes(told) },
                ],
            );
        }
        assert_eq!(rails.each_ref().map(halts), [true, true]);
    }

    #[test]
    fn a_judge_without_figures_makes_its_iteration_unmetered() {
        let agent = Usage::unknown().with_tokens(5, 5).with_cost(Cost::known(Usd::dollars(1)));
        let judges = [
            (Usage::unknown(), [false, false]),
            (Usage::unknown().with_partial_tokens(), [true, true]),
            (Usage::unknown().with_tokens(5, 5), [true, false]),
            (agent, [false, false]),
        ];
        for (judge, expected) in judges {
            let mut rails = both();
            for _ in 0..3 {
                assert_eq!(rails.each_ref().map(halts), [false, false]);
                iterate(&mut rails, agent, &WorkResult::Done(()));
                let result = WorkResult::Done(loop_core::Verdict::fail());
                let finished = EventKind::EvaluationFinished { result, notes: notes(judge) };
                see(&mut rails, [EventKind::EvaluationStarted {}, finished]);
            }
            assert_eq!(rails.each_ref().map(halts), expected, "{judge:?}");
        }
    }

    #[test]
    fn a_run_that_is_resumed_after_this_ending_has_another_try_and_no_other_run_has() {
        let mut rails = both();
        for _ in 0..3 {
            iterate(&mut rails, Usage::unknown(), &WorkResult::Done(()));
        }
        for (reason, still) in [(StopReason::Cancelled, true), (StopReason::Unmetered, false)] {
            let ending = Ending::halted(Halt::new(reason, ""));
            rails.iter_mut().for_each(|rail| rail.reopened(&ending));
            assert_eq!(rails.each_ref().map(halts), [still, still]);
        }
    }

    proptest! {
        /// It halts if, and only if, the last three iterations that could report did not.
        #[test]
        fn only_silence_in_a_row_counts(steps in prop::collection::vec((0..3_u8, any::<bool>()), 0..20)) {
            let mut rail = [UnmeteredIterations::tokens(3)];
            let mut heard = Vec::new();
            for (kind, is_late) in steps {
                let usage = Usage::unknown().with_tokens(1, 0);
                match kind {
                    0 => iterate(&mut rail, Usage::unknown(), &WorkResult::Failed("no".into())),
                    1 => iterate(&mut rail, Usage::unknown(), &WorkResult::Done(())),
                    _ if is_late => {
                        see(&mut rail, [EventKind::UsageReported { usage }]);
                        iterate(&mut rail, Usage::unknown(), &WorkResult::Done(()));
                    }
                    _ => iterate(&mut rail, usage, &WorkResult::Done(())),
                }
                heard.extend((kind > 0).then_some(kind == 2));
                let in_a_row = heard.iter().rev().take_while(|is_heard| !**is_heard).count();
                prop_assert_eq!(halts(&rail[0]), in_a_row >= 3);
            }
        }
    }
}
