//! A report that crosses a ceiling leads to `Interrupt`, and no other report cuts work.

use std::time::Duration;

use loop_core::{Action, Input, Phase, Usage};

use crate::scenario::{
    Exchange, Rule, Scenario, Simulator, also_holds, holds,
    random_inputs::{RandomRun, random_inputs},
    scenarios, settings,
    tell::tell,
    usage_of,
};

/// Returns whether the guardrails leave nothing in some dimension, computed independently.
fn exhausted(scenario: &Scenario, exchanges: &[Exchange], at: Duration) -> bool {
    let heard = || {
        exchanges
            .iter()
            .filter(|exchange| exchange.events > exchange.from)
            .map(|exchange| usage_of(&exchange.input))
    };
    let total = |of: fn(Usage) -> Option<u64>| heard().filter_map(of).sum::<u64>();
    scenario.guardrails.iter().any(|guardrail| match guardrail.rule {
        Rule::Elapsed(limit) => at >= limit,
        Rule::Cost(limit) => total(|usage| usage.cost.map(|cost| cost.usd.as_nanos())) >= limit.as_nanos(),
        Rule::Tokens(limit) | Rule::TokenCeiling(limit) => {
            total(|usage| usage.input_tokens) + total(|usage| usage.output_tokens) >= limit
        }
        Rule::Reports(limit) => {
            exchanges.iter().filter(|exchange| matches!(exchange.input, Input::Reported { .. })).count()
                as u64
                >= limit
        }
        _ => false,
    })
}

fn cuts_at_once(scenario: &Scenario, all: &[Exchange]) {
    let mut interrupted = false;
    for (index, exchange) in all.iter().enumerate() {
        let working = matches!(exchange.before.phase(), Phase::Working(_));
        let waiting = matches!(exchange.before.phase(), Phase::Waiting(_));
        if matches!(exchange.input, Input::Reported { .. } | Input::DeadlinePassed) {
            let crossed = exhausted(scenario, &all[..=index], exchange.after.elapsed());
            match &exchange.action {
                Some(Action::Interrupt { .. }) => assert!(working && crossed && !interrupted, "{exchange:?}"),
                Some(Action::Finish(_)) => assert!(waiting && crossed, "{exchange:?}"),
                Some(other) => panic!("{other:?} after {:?}", exchange.input),
                None => assert!(!crossed || interrupted || !(working || waiting), "not cut: {exchange:?}"),
            }
        }
        interrupted |= matches!(exchange.action, Some(Action::Interrupt { .. }));
        interrupted &= matches!(exchange.after.phase(), Phase::Working(_));
    }
}

#[test]
fn overshoot() {
    holds(scenarios(), |scenario| {
        let run = Simulator::run(&scenario);
        cuts_at_once(&scenario, &run.exchanges);
    });
}

#[test]
fn overshoot_under_random_inputs() {
    also_holds(settings(random_inputs()), |(mut scenario, random_inputs)| {
        // Random inputs report usage in phases that ignore it, so such a guardrail would count differently.
        scenario.guardrails.retain(|guardrail| !matches!(guardrail.rule, Rule::Reports(_)));
        cuts_at_once(&scenario, &RandomRun::of(&scenario, &random_inputs).exchanges);
    });
}

/// `would_cross` predicts correctly what a report does.
#[test]
fn overshoot_is_foreseen() {
    also_holds(settings(crate::scenario::usages()), |(mut scenario, usage)| {
        scenario.guardrails.retain(|guardrail| !matches!(guardrail.rule, Rule::Reports(_)));
        scenario.strays.clear();
        scenario.cancel = None;
        let (mut machine, _) = crate::scenario::simulator_machine(&scenario);
        let begun = tell(&mut machine, loop_core::RunTime::ZERO, Input::Started);
        if let Some(Action::Iterate { .. }) = begun {
            let foreseen = machine.would_cross(&usage);
            let action = tell(&mut machine, loop_core::RunTime::ZERO, Input::Reported { usage });
            assert_eq!(foreseen, matches!(action, Some(Action::Interrupt { .. })));
        }
    });
}
