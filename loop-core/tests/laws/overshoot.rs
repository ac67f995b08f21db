//! The action after a report that crosses a ceiling is `Interrupt`, and no other report cuts anything.

use std::time::Duration;

use loop_core::{Action, Input, Phase, Usage};

use crate::world::{
    Rule, Sim, Told, World, also_holds,
    chaos::{Ruin, nonsense},
    holds, settings, usage_of, worlds,
};

/// Whether the world's rails leave nothing of something, by a reckoning of our own.
fn exhausted(world: &World, told: &[Told], at: Duration) -> bool {
    let heard = || told.iter().filter(|told| told.events > told.from).map(|told| usage_of(&told.input));
    let total = |of: fn(Usage) -> Option<u64>| heard().filter_map(of).sum::<u64>();
    world.rails.iter().any(|rail| match rail.rule {
        Rule::Elapsed(limit) => at >= limit,
        Rule::Cost(limit) => total(|usage| usage.cost.map(|cost| cost.usd.as_nanos())) >= limit.as_nanos(),
        Rule::Tokens(limit) | Rule::TokenCeiling(limit) => {
            total(|usage| usage.input_tokens) + total(|usage| usage.output_tokens) >= limit
        }
        Rule::Reports(limit) => {
            told.iter().filter(|told| matches!(told.input, Input::Reported { .. })).count() as u64 >= limit
        }
        _ => false,
    })
}

fn cuts_at_once(world: &World, all: &[Told]) {
    let mut interrupted = false;
    for (index, told) in all.iter().enumerate() {
        let working = matches!(told.before.phase(), Phase::Working(_));
        let waiting = matches!(told.before.phase(), Phase::Waiting(_));
        if matches!(told.input, Input::Reported { .. } | Input::DeadlinePassed) {
            let crossed = exhausted(world, &all[..=index], told.after.elapsed());
            match &told.action {
                Some(Action::Interrupt { .. }) => assert!(working && crossed && !interrupted, "{told:?}"),
                Some(Action::Finish(_)) => assert!(waiting && crossed, "{told:?}"),
                Some(other) => panic!("{other:?} after {:?}", told.input),
                None => assert!(!crossed || interrupted || !(working || waiting), "not cut: {told:?}"),
            }
        }
        interrupted |= matches!(told.action, Some(Action::Interrupt { .. }));
        interrupted &= matches!(told.after.phase(), Phase::Working(_));
    }
}

#[test]
fn overshoot() {
    holds(worlds(), |world| {
        let run = Sim::run(&world);
        cuts_at_once(&world, &run.told);
    });
}

#[test]
fn overshoot_under_nonsense() {
    also_holds(settings(nonsense()), |(mut world, nonsense)| {
        // Nonsense is reported in phases that ignore it as well; counting that would count twice.
        world.rails.retain(|rail| !matches!(rail.rule, Rule::Reports(_)));
        cuts_at_once(&world, &Ruin::of(&world, &nonsense).told);
    });
}

/// What a driver is told about a report beforehand is what happens when it makes the report.
#[test]
fn overshoot_is_foreseen() {
    also_holds(settings(crate::world::usages()), |(mut world, usage)| {
        world.rails.retain(|rail| !matches!(rail.rule, Rule::Reports(_)));
        world.strays.clear();
        world.cancel = None;
        let (mut machine, _) = crate::world::sim_machine(&world);
        let begun = machine.handle(loop_core::RunTime::ZERO, Input::Started);
        if let Some(Action::Iterate { .. }) = begun {
            let foreseen = machine.would_cross(&usage);
            let action = machine.handle(loop_core::RunTime::ZERO, Input::Reported { usage });
            assert_eq!(foreseen, matches!(action, Some(Action::Interrupt { .. })));
        }
    });
}
