//! A run is a success only if its stop condition held for a settled step, whatever agents, evaluators and guardrails
//! report, and however they name it.

use loop_core::{Ending, Event, EventKind, Halt, StopReason};
use proptest::prelude::*;

use crate::scenario::{
    DrivenRun, Simulator, also_holds, holds,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings,
};

fn is_earned(events: &[Event]) {
    let mut met = false;
    for event in events {
        match &event.kind {
            EventKind::StepSettled { met: now, .. } => met = *now,
            EventKind::RunFinished { ending } => assert_eq!(ending.is_success(), met, "{ending}"),
            _ => {}
        }
    }
}

#[test]
fn success_is_earned() {
    holds(scenarios(), |scenario| is_earned(&Simulator::run(&scenario).events));
}

#[test]
fn success_is_earned_when_driven() {
    also_holds(scenarios(), |scenario| {
        let live = DrivenRun::run(&scenario);
        is_earned(&live.events);
        let report = live.report.expect("a report");
        assert_eq!(report.is_success(), report.reason().is_none());
    });
}

#[test]
fn success_is_earned_under_random_inputs() {
    also_holds(settings(random_inputs()), |(scenario, random_inputs)| {
        is_earned(&RandomRun::of(&scenario, &random_inputs).events);
    });
}

proptest! {
    /// A halt is never a success, whatever its name, also after it was serialised and read again.
    #[test]
    fn no_name_makes_a_halt_a_success(name in "goal_met|[ \n]?goal_met\\PC{0,3}|[a-z_]{0,12}|\\PC{0,8}", guardrail in any::<bool>()) {
        for reason in [StopReason::custom(name.clone()), name.parse().unwrap()] {
            let halt = Halt::new(reason, name.clone());
            let ending = if guardrail { Ending::halted_by(name.clone(), halt) } else { Ending::halted(halt) };
            let json = serde_json::to_string(&ending).unwrap();
            let read: Ending = serde_json::from_str(&json).unwrap();
            prop_assert!(!ending.is_success() && !read.is_success() && read == ending);
            // It does not print like a success either.
            let success = Ending::goal_met("").to_string();
            let text = ending.to_string();
            let rest = text.trim_start().strip_prefix(&*success);
            prop_assert!(rest.is_none_or(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')), "{}", text);
        }
    }
}
