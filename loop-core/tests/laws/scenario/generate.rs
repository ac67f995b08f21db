//! Strategies for scenarios.

use std::time::Duration;

use loop_core::{Answer, Cost, CostQuality, Mark, Notes, StopReason, Usage, Usd, Verdict};
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::{End, Goal, GuardrailSpec, Job, Rule, Scenario};

/// Returns a few milliseconds, sometimes with nanoseconds, often zero.
pub(crate) fn times() -> BoxedStrategy<Duration> {
    prop_oneof![
        2 => Just(Duration::ZERO),
        4 => (0..120_u64).prop_map(Duration::from_millis),
        1 => (0..5_000_000_u64).prop_map(Duration::from_nanos),
    ]
    .boxed()
}

/// Returns usage with unknown fields.
pub(crate) fn usages() -> BoxedStrategy<Usage> {
    let tokens = || option::of(0..500_u64);
    let qualities = select(vec![CostQuality::Known, CostQuality::Estimated, CostQuality::Partial]);
    let cost = (0..500_000_u64, qualities);
    let cost = option::of(cost.prop_map(|(nanos, quality)| Cost::new(Usd::nanos(nanos), quality)));
    (tokens(), tokens(), tokens(), cost)
        .prop_map(|(input, cached, output, cost)| {
            let mut usage = Usage::unknown();
            (usage.input_tokens, usage.cached_input_tokens) = (input, cached);
            (usage.output_tokens, usage.cost) = (output, cost);
            usage
        })
        .boxed()
}

pub(crate) fn verdicts() -> BoxedStrategy<Verdict> {
    let outcome = prop_oneof![2 => Just(Verdict::pass()), 3 => Just(Verdict::fail()), 1 => Just(Verdict::inconclusive())];
    let text = || option::of(select(&["", "2 failed", "déjà \"vu\"\n"][..]));
    (outcome, option::of(any::<f64>()), text(), text())
        .prop_map(|(mut verdict, score, text, feedback)| {
            if let Some(score) = score {
                verdict = verdict.with_score(score.abs().fract());
            }
            if let Some(text) = text {
                verdict = verdict.with_text(text);
            }
            match feedback {
                Some(feedback) => verdict.with_feedback(feedback),
                None => verdict,
            }
        })
        .boxed()
}

pub(crate) fn notes() -> BoxedStrategy<Notes> {
    let mark = (select(&["tree", "output"][..]), 0..2_u64)
        .prop_map(|(name, hash)| Mark::new(name, hash.wrapping_sub(1)));
    let fault = option::weighted(0.2, Just("exit code 1".into()));
    (usages(), vec(mark, 0..3), fault)
        .prop_map(|(usage, marks, fault)| {
            let mut notes = Notes::default().with_usage(usage);
            (notes.marks, notes.fault) = (marks, fault);
            notes
        })
        .boxed()
}

fn ends() -> BoxedStrategy<End> {
    let reason = select(vec![StopReason::AgentUnavailable, "goal_met".to_owned().into(), StopReason::Failed]);
    prop_oneof![
        12 => verdicts().prop_map(End::Done),
        3 => Just(End::Failed),
        1 => reason.prop_map(End::Halted),
    ]
    .boxed()
}

fn jobs() -> BoxedStrategy<Job> {
    let deferrals = prop_oneof![4 => Just(Vec::new()), 1 => vec(times(), 1..3)];
    (deferrals, vec((times(), usages()), 0..4), times(), ends(), notes(), (usages(), times()))
        .prop_map(|(deferrals, reports, last, end, notes, in_grace)| Job {
            deferrals,
            reports,
            last,
            end,
            notes,
            in_grace,
        })
        .boxed()
}

fn goals() -> BoxedStrategy<Goal> {
    prop_oneof![
        2 => Just(Goal::Never),
        2 => Just(Goal::Passed),
        1 => (1..6_u64).prop_map(Goal::After),
        1 => (0.0..1.0).prop_map(Goal::ScoreAtLeast),
        1 => (1..4_u64).prop_map(Goal::Passes),
    ]
    .boxed()
}

/// Returns rules that depend on neither time nor usage.
fn timeless_rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        2 => (1..4_u64).prop_map(Rule::AskEvery),
        1 => (1..7_u64).prop_map(Rule::Iterations),
        1 => (1..4_u64).prop_map(Rule::Failures),
        1 => (1..5_u64).prop_map(Rule::Stagnant),
        1 => (1..6_u64).prop_map(Rule::Settled),
    ]
}

fn limiting_rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        (0..600_u64).prop_map(|limit| Rule::Elapsed(Duration::from_millis(limit))),
        (0..900_000_u64).prop_map(|limit| Rule::Elapsed(Duration::from_micros(limit))),
        (0..3_000_u64).prop_map(|limit| Rule::Cost(Usd::micros(limit))),
        (0..6_000_u64).prop_map(Rule::Tokens),
        (0..6_000_u64).prop_map(Rule::TokenCeiling),
        (0..8_u64).prop_map(Rule::Reports),
    ]
}

/// Returns guardrails in any order, with duplicate names, and with a bound somewhere among them.
fn guardrails(rules: impl Strategy<Value = Rule>) -> impl Strategy<Value = Vec<GuardrailSpec>> {
    let bound = (1..8_u64).prop_map(Rule::Iterations);
    let rules =
        (vec(rules, 0..5), bound, any::<prop::sample::Index>()).prop_map(|(mut rules, bound, place)| {
            rules.insert(place.index(rules.len() + 1), bound);
            rules
        });
    (rules, vec(select(&["one", "two", "three"][..]), 6)).prop_map(|(rules, names)| {
        let named = rules.into_iter().zip(names).zip(0..);
        named.map(|((rule, name), id)| GuardrailSpec { id, name, rule }).collect()
    })
}

pub(crate) fn answers() -> BoxedStrategy<Option<Answer>> {
    prop_oneof![
        8 => Just(Some(Answer::Continue { guidance: None })),
        4 => Just(Some(Answer::Continue { guidance: Some("look at the logs".into()) })),
        1 => Just(Some(Answer::Stop)),
        1 => Just(None),
    ]
    .boxed()
}

fn scenarios_of(
    rules: impl Strategy<Value = Rule>,
    cancel: impl Strategy<Value = Option<Duration>>,
) -> impl Strategy<Value = Scenario> {
    (
        (any::<bool>(), any::<bool>(), goals(), vec(jobs(), 1..6), vec(jobs(), 1..6)),
        (guardrails(rules), vec(times(), 1..4), vec(answers(), 1..5)),
        (cancel, vec((0..20_usize, usages()), 0..3)),
    )
        .prop_map(
            |(
                (evaluated, evaluates_first, goal, agent, judge),
                (guardrails, delays, answers),
                (cancel, strays),
            )| {
                let cancel_at_question = None;
                Scenario {
                    evaluated,
                    evaluates_first,
                    goal,
                    agent,
                    judge,
                    guardrails,
                    delays,
                    answers,
                    cancel,
                    cancel_at_question,
                    strays,
                }
            },
        )
}

/// Sets the time limit of some scenarios to the exact end of an iteration.
fn to_the_point(mut scenario: Scenario, iteration: Option<u64>) -> Scenario {
    if let Some(iteration) = iteration {
        let end = scenario.end_of(iteration);
        for guardrail in &mut scenario.guardrails {
            if let Rule::Elapsed(limit) = &mut guardrail.rule {
                *limit = end;
            }
        }
    }
    scenario
}

/// Returns arbitrary scenarios.
pub(crate) fn scenarios() -> impl Strategy<Value = Scenario> {
    let cancel = option::weighted(0.3, (0..900_u64).prop_map(Duration::from_millis));
    let scenarios = scenarios_of(prop_oneof![timeless_rules(), limiting_rules()], cancel);
    (scenarios, option::weighted(0.3, 1..4_u64)).prop_map(|(scenario, end)| to_the_point(scenario, end))
}

/// Returns scenarios in which nothing depends on time or usage, and that are not cancelled.
pub(crate) fn unlimited() -> impl Strategy<Value = Scenario> {
    scenarios_of(timeless_rules(), Just(None))
}

/// Returns scenarios together with some other generated setting.
pub(crate) fn settings<T: Strategy>(with: T) -> impl Strategy<Value = (Scenario, T::Value)> {
    (scenarios(), with)
}
