//! Guardrails of every kind: limits, questions, and rules on a state that is folded from events.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use loop_core::{
    BoxError, Ceiling, Decision, Event, EventKind, Guardrail, Halt, MaxElapsed, MaxIterations, Progress,
    Question, SnapshotError, StopReason, Usd,
};

use super::locked;

/// A guardrail as data. Names may repeat, ids do not.
#[derive(Debug, Clone)]
pub(crate) struct GuardrailSpec {
    pub(crate) id: u64,
    pub(crate) name: &'static str,
    pub(crate) rule: Rule,
}

#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Iterations(u64),
    Elapsed(Duration),
    Cost(Usd),
    Tokens(u64),
    /// The same limit, shown only by its ceiling.
    TokenCeiling(u64),
    /// Asks before every nth iteration.
    AskEvery(u64),
    Failures(u64),
    Stagnant(u64),
    /// Halts once this many steps are settled, which it counts itself.
    Settled(u64),
    /// Allows this many usage reports, which it counts itself, so that the usage does not predict its ceiling.
    Reports(u64),
}

/// The inputs of a guardrail.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(crate) events: Vec<Event>,
    /// For each call: the number of events that it had observed, and the progress.
    pub(crate) checks: Vec<(usize, Progress)>,
}

pub(crate) type Probe = Arc<Mutex<Observations>>;

pub(crate) struct TestGuardrail {
    spec: GuardrailSpec,
    settled: u64,
    reports: u64,
    probe: Probe,
}

impl TestGuardrail {
    pub(crate) fn new(spec: &GuardrailSpec, probe: Probe) -> Self {
        Self { spec: spec.clone(), settled: 0, reports: 0, probe }
    }

    /// Returns the guardrail in its state after these events.
    pub(crate) fn restored(spec: &GuardrailSpec, events: &[Event]) -> Self {
        let mut guard = Self::new(spec, Probe::default());
        events.iter().for_each(|event| guard.observe(event));
        guard
    }

    fn halt_if(over: bool, reason: StopReason) -> Decision {
        if over { Decision::Halt(Halt::new(reason, "over")) } else { Decision::Continue }
    }
}

impl Guardrail for TestGuardrail {
    fn name(&self) -> &str {
        self.spec.name
    }

    fn check(&self, progress: &Progress) -> Decision {
        let mut shown = locked(&self.probe);
        let seen = shown.events.len();
        shown.checks.push((seen, progress.clone()));
        let done = progress.iterations();
        match &self.spec.rule {
            Rule::Iterations(count) => MaxIterations::new(*count).check(progress),
            Rule::Elapsed(limit) => MaxElapsed::new(*limit).check(progress),
            Rule::Cost(limit) => {
                let spent = progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd);
                Self::halt_if(spent >= *limit, StopReason::BudgetExceeded)
            }
            Rule::Tokens(limit) => {
                Self::halt_if(progress.usage().tokens().unwrap_or(0) >= *limit, StopReason::TokensExceeded)
            }
            Rule::AskEvery(every) if done > 0 && done.is_multiple_of(*every) => {
                let unanswered = Halt::new(StopReason::HitlCheckpoint, "nobody was there");
                Decision::Ask(Question::new(self.spec.id.to_string(), unanswered))
            }
            Rule::AskEvery(_) | Rule::TokenCeiling(_) => Decision::Continue,
            Rule::Failures(limit) => {
                Self::halt_if(progress.consecutive_failures() >= *limit, StopReason::ConsecutiveFailures)
            }
            Rule::Stagnant(limit) => {
                Self::halt_if(progress.unchanged("tree") >= Some(*limit), StopReason::Stagnated)
            }
            Rule::Settled(limit) => Self::halt_if(self.settled >= *limit, StopReason::custom("goal_met")),
            Rule::Reports(limit) => {
                Self::halt_if(self.reports >= *limit, StopReason::custom("enough_reports"))
            }
        }
    }

    fn ceiling(&self, progress: &Progress) -> Ceiling {
        match &self.spec.rule {
            Rule::Elapsed(limit) => MaxElapsed::new(*limit).ceiling(progress),
            Rule::Cost(limit) => {
                Ceiling::cost(limit.saturating_sub(progress.usage().cost.map_or(Usd::ZERO, |cost| cost.usd)))
            }
            Rule::Tokens(limit) | Rule::TokenCeiling(limit) => {
                Ceiling::tokens(limit.saturating_sub(progress.usage().tokens().unwrap_or(0)))
            }
            Rule::Reports(limit) if self.reports >= *limit => Ceiling::tokens(0),
            _ => Ceiling::NONE,
        }
    }

    fn observe(&mut self, event: &Event) {
        match event.kind {
            EventKind::StepSettled { .. } => self.settled += 1,
            EventKind::UsageReported { .. } => self.reports += 1,
            _ => {}
        }
        locked(&self.probe).events.push(event.clone());
    }

    fn snapshot(&self) -> Result<String, SnapshotError> {
        Ok(format!("{} {}", self.settled, self.reports))
    }

    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        let (settled, reports) = state.split_once(' ').ok_or("no two counts")?;
        (self.settled, self.reports) = (settled.parse()?, reports.parse()?);
        Ok(())
    }
}
