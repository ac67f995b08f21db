//! A custom guardrail beside ready ones: after three iterations without a better score, the run ends.
//!
//! The guardrail derives its state from the events, so a resumed run decides as it did before.
//!
//! Run it with `cargo run -p loop-guardrails --example custom_guardrail`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{
    error::Error,
    sync::{Arc, Mutex},
};

use loop_core::{
    Cost, Decision, Ending, EvaluationContext, Event, EventKind, Guardrail, Halt, IterationContext, Loop,
    Progress, StopReason, Usage, Usd, Verdict, WorkResult, evaluator_fn, iteration_fn,
};
use loop_guardrails::{ConsecutiveFailures, MaxCost, score_at_least};

/// Halts when the score has not risen above the best one for `patience` iterations.
struct Plateau {
    patience: u32,
    best: f64,
    without_gain: u32,
}

impl Plateau {
    const fn after(patience: u32) -> Self {
        Self { patience, best: f64::NEG_INFINITY, without_gain: 0 }
    }
}

impl Guardrail for Plateau {
    fn name(&self) -> &str {
        "plateau"
    }

    fn check(&self, _progress: &Progress) -> Decision {
        if self.without_gain < self.patience {
            return Decision::Continue;
        }
        let message = format!("no better than {:.2} for {} iterations", self.best, self.without_gain);
        Decision::Halt(Halt::new(StopReason::Stagnated, message))
    }

    fn observe(&mut self, event: &Event) {
        let EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } = &event.kind else {
            return;
        };
        let score = verdict.score().unwrap_or(f64::NEG_INFINITY);
        self.without_gain = if score > self.best { 0 } else { self.without_gain + 1 };
        self.best = self.best.max(score);
    }

    /// Resuming counts as a human review, so the loop gets as many tries again.
    fn reopened(&mut self, _ending: &Ending) {
        self.without_gain = 0;
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let agent = || {
        iteration_fn(async |cx: IterationContext<f64>| {
            cx.meter().add(Usage::unknown().with_cost(Cost::known(Usd::micros(20_000))));
            // The score rises for four iterations, and then stays the same.
            Ok((cx.iteration() as f64 / 10.0).min(0.4))
        })
    };
    let judge =
        || evaluator_fn(async |cx: EvaluationContext<f64>| Ok(Verdict::fail().with_score(*cx.output())));

    let run = || {
        let goal = score_at_least(0.9)?;
        Ok::<_, Box<dyn Error>>(
            Loop::new(agent()).evaluate(judge()).until(goal).at_most(50).guard(Plateau::after(3)),
        )
    };
    let history = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&history);
    let report = run()?
        .guard(MaxCost::new(Usd::dollars(1)))
        .guard(ConsecutiveFailures::new(3))
        .observe(move |event: &Event, _: &Progress| log.lock().expect("no panic").push(event.clone()))
        .run()
        .await?;

    println!("{}", report.ending());
    assert_eq!(report.reason(), Some(&StopReason::Stagnated));
    assert_eq!(report.ending().guardrail(), Some("plateau"));
    assert_eq!(report.iterations(), 7);

    // A resumed run tries three more times.
    let events = history.lock().expect("no panic").clone();
    let resumed = run()?.resume(events, report.last_output().copied()).run().await?;
    assert_eq!((resumed.reason(), resumed.iterations()), (Some(&StopReason::Stagnated), 10));
    Ok(())
}
