//! A run is a success only if its stop condition held for a step that it settled, whatever agents, evaluators and
//! guardrails say, and however they call it.

use loop_core::{Ending, Event, EventKind, Halt, StopReason};
use proptest::prelude::*;

use crate::world::{
    Live, Sim, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, worlds,
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
    holds(worlds(), |world| is_earned(&Sim::run(&world).events));
}

#[test]
fn success_is_earned_when_driven() {
    also_holds(worlds(), |world| {
        let live = Live::run(&world);
        is_earned(&live.events);
        let report = live.report.expect("a report");
        assert_eq!(report.is_success(), report.reason().is_none());
    });
}

#[test]
fn success_is_earned_under_nonsense() {
    also_holds(settings(nonsense()), |(world, nonsense)| is_earned(&Ruin::of(&world, &nonsense).events));
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
            // And it is not printed as one.
            let success = Ending::goal_met("").to_string();
            let text = ending.to_string();
            let rest = text.trim_start().strip_prefix(&*success);
            prop_assert!(rest.is_none_or(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')), "{}", text);
        }
    }
}
