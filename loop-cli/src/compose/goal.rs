//! From a plan's stop condition to the loop's.

use loop_agents::shell::has_match;
use loop_core::{
    Judged, Progress, Step, StepRecord, StopCondition, When, all, any, at_least, condition_fn,
    evaluator_passed,
};

use crate::manifest::{Plan, goal::StopPlan};

/// A condition on the steps of a loop whose agent leaves an `O` behind.
type Condition<O> = Box<dyn StopCondition<Judged<O>>>;

/// How many characters of a pattern stand in the name of its condition.
const NAME_CHARS: usize = 60;

/// The condition of a plan.
pub(super) fn goal<O: Send + Sync + 'static>(stop: &StopPlan) -> Condition<O> {
    match stop {
        // The evaluator looks for it itself: without a match its verdict is no pass.
        StopPlan::OutputMatches(pattern) => Box::new(evaluator_passed().named(name(pattern.as_str()))),
        stop => part(stop, stop),
    }
}

/// The condition of `stop`, which is the whole or a part of it. The evaluator looks for the patterns of the whole.
fn part<O: Send + Sync + 'static>(stop: &StopPlan, whole: &StopPlan) -> Condition<O> {
    let parts = |list: &[StopPlan]| list.iter().map(|stop| part(stop, whole)).collect::<Vec<Condition<O>>>();
    match stop {
        StopPlan::EvaluatorPass => Box::new(evaluator_passed()),
        StopPlan::OutputMatches(pattern) => {
            let index = whole.patterns().iter().position(|known| known.as_str() == pattern.as_str());
            let is_matched =
                move |step: &Judged<O>, _: &Progress| index.is_some_and(|index| has_match(step, index));
            Box::new(evaluator_passed().and(condition_fn(is_matched)).named(name(pattern.as_str())))
        }
        StopPlan::All(list) => Box::new(all(parts(list))),
        StopPlan::Any(list) => Box::new(any(parts(list))),
        StopPlan::AtLeast(needed, list) => Box::new(at_least(*needed, parts(list))),
        StopPlan::Not(stop) => Box::new(When::new(part(stop, whole)).not()),
    }
}

fn name(pattern: &str) -> String {
    let cut: String = pattern.chars().take(NAME_CHARS).collect();
    let rest = if cut.len() < pattern.len() { "…" } else { "" };
    format!("output_matches /{cut}{rest}/")
}

/// Whether a step whose evaluation left this behind would meet the plan's goal.
pub(crate) fn is_met(plan: &Plan, step: StepRecord) -> bool {
    goal::<()>(&plan.stop).is_met(&Judged::new(Step::new(step, None)), &Progress::default())
}
