//! Builds the loop's stop condition from a plan.

use std::borrow::Cow;

use loop_agents::shell::has_match;
use loop_core::{
    BoxError, Condition, Event, JudgedStep, Outcome, Progress, SnapshotError, Step, StepRecord,
    StopCondition, all, any, at_least, condition_fn, evaluator_passed,
};

use crate::{plan::Plan, stop_plan::StopPlan};

/// A condition on the steps of a loop whose agent outputs an `O`.
type BoxCondition<O> = Box<dyn StopCondition<JudgedStep<O>>>;

/// The name of a condition shows this many characters of its pattern.
const NAME_CHARS: usize = 60;

/// The condition of a plan.
pub(super) fn stop_condition<O: Send + Sync + 'static>(stop: &StopPlan) -> BoxCondition<O> {
    match stop {
        // The evaluator looks for it itself: without a match its verdict is no pass.
        StopPlan::OutputMatches(pattern) => Box::new(evaluator_passed().named(name(pattern.as_str()))),
        StopPlan::EvaluatorPass => part(stop, stop),
        stop => Box::new(AfterVerdict(part(stop, stop))),
    }
}

/// A condition that is met only after a verdict that is a pass or a fail. A check that ran into its time limit has
/// said nothing, and must not meet a condition by not passing.
struct AfterVerdict<C>(C);

impl<O, C: StopCondition<JudgedStep<O>>> StopCondition<JudgedStep<O>> for AfterVerdict<C> {
    fn is_met(&self, step: &JudgedStep<O>, progress: &Progress) -> bool {
        let is_conclusive = step.verdict().is_some_and(|verdict| verdict.outcome() != Outcome::Inconclusive);
        is_conclusive && self.0.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.0.observe(event);
    }
    fn snapshot(&self) -> Result<String, SnapshotError> {
        self.0.snapshot()
    }
    fn restore(&mut self, state: &str) -> Result<(), BoxError> {
        self.0.restore(state)
    }
    fn name(&self) -> Cow<'_, str> {
        self.0.name()
    }
    fn decided_by(&self, step: &JudgedStep<O>, progress: &Progress) -> String {
        self.0.decided_by(step, progress)
    }
}

/// The condition of `stop`, which is the whole or a part of it. The evaluator looks for the patterns of the whole.
fn part<O: Send + Sync + 'static>(stop: &StopPlan, whole: &StopPlan) -> BoxCondition<O> {
    let parts =
        |list: &[StopPlan]| list.iter().map(|stop| part(stop, whole)).collect::<Vec<BoxCondition<O>>>();
    match stop {
        StopPlan::EvaluatorPass => Box::new(evaluator_passed()),
        StopPlan::OutputMatches(pattern) => {
            let index = whole.patterns().iter().position(|known| known.as_str() == pattern.as_str());
            let is_matched =
                move |step: &JudgedStep<O>, _: &Progress| index.is_some_and(|index| has_match(step, index));
            Box::new(evaluator_passed().and(condition_fn(is_matched)).named(name(pattern.as_str())))
        }
        StopPlan::All(list) => Box::new(all(parts(list))),
        StopPlan::Any(list) => Box::new(any(parts(list))),
        StopPlan::AtLeast(needed, list) => Box::new(at_least(*needed, parts(list))),
        StopPlan::Not(stop) => Box::new(Condition::new(part(stop, whole)).not()),
    }
}

/// Returns what keeps this step from meeting the goal, in words for the agent; `None` if nothing does.
pub(super) fn missing(stop: &StopPlan, step: &StepRecord) -> Option<String> {
    let mut found = Vec::new();
    obstacles(stop, stop, &JudgedStep::new(Step::new(step.clone(), None)), true, &mut found);
    (!found.is_empty()).then(|| found.join(", and "))
}

/// Collects the single conditions whose answer keeps `stop` from being as `wanted`, each once.
fn obstacles(
    stop: &StopPlan,
    whole: &StopPlan,
    step: &JudgedStep<()>,
    wanted: bool,
    found: &mut Vec<String>,
) {
    if part::<()>(stop, whole).is_met(step, &Progress::default()) == wanted {
        return;
    }
    let obstacle = match stop {
        StopPlan::EvaluatorPass if wanted => "it did not pass".to_owned(),
        StopPlan::EvaluatorPass => "the goal needs it to fail".to_owned(),
        StopPlan::OutputMatches(pattern) if wanted => {
            format!("nothing in its output matches `{}`", pattern.as_str())
        }
        StopPlan::OutputMatches(pattern) => format!("its output matches `{}`", pattern.as_str()),
        StopPlan::Not(stop) => return obstacles(stop, whole, step, !wanted, found),
        StopPlan::All(parts) | StopPlan::Any(parts) | StopPlan::AtLeast(_, parts) => {
            return parts.iter().for_each(|stop| obstacles(stop, whole, step, wanted, found));
        }
    };
    if !found.contains(&obstacle) {
        found.push(obstacle);
    }
}

fn name(pattern: &str) -> String {
    let cut: String = pattern.chars().take(NAME_CHARS).collect();
    let rest = if cut.len() < pattern.len() { "…" } else { "" };
    format!("output_matches /{cut}{rest}/")
}

impl Plan {
    /// Returns whether a step whose evaluation left this record would meet the goal.
    pub fn is_met_by(&self, step: StepRecord) -> bool {
        stop_condition::<()>(&self.stop).is_met(&JudgedStep::new(Step::new(step, None)), &Progress::default())
    }
}

#[cfg(test)]
mod tests {
    use loop_agents::{output::Pattern, shell::EVALUATOR_MATCHES_MARK};
    use loop_core::Verdict;
    use proptest::{
        collection::vec,
        prelude::{Just, Strategy, prop_assert_eq, prop_oneof, proptest},
    };

    use super::*;

    fn matches(pattern: &str) -> StopPlan {
        StopPlan::OutputMatches(Pattern::new(pattern).unwrap())
    }

    fn not(stop: StopPlan) -> StopPlan {
        StopPlan::Not(Box::new(stop))
    }

    /// Names the deciding evaluator of this step, if the goal is met.
    fn decides(stop: &StopPlan, step: StepRecord) -> Option<String> {
        let (goal, step) = (stop_condition::<()>(stop), JudgedStep::new(Step::new(step, None)));
        let progress = Progress::default();
        goal.is_met(&step, &progress).then(|| goal.decided_by(&step, &progress))
    }

    /// A step with this verdict, whose check found the patterns at these places.
    fn judged(verdict: Verdict, found: &[u32]) -> StepRecord {
        let bits = found.iter().map(|place| 1 << place).sum();
        StepRecord::new(1).with_verdict(verdict).with_mark(EVALUATOR_MATCHES_MARK, bits)
    }

    #[test]
    fn a_condition_of_patterns_is_met_as_its_words_say() {
        let stop = StopPlan::All(vec![
            not(matches("a")),
            StopPlan::AtLeast(2, vec![matches("b"), matches("c"), matches("b")]),
        ]);
        let after = |verdict: Verdict, found: &[u32]| decides(&stop, judged(verdict, found));
        let both = "not (output_matches /a/) and output_matches /b/, output_matches /b/";
        assert_eq!(after(Verdict::pass(), &[1]).as_deref(), Some(both));
        assert_eq!(after(Verdict::pass(), &[2]), None);
        assert_eq!(after(Verdict::pass(), &[0, 1, 2]), None);
        assert_eq!(after(Verdict::fail(), &[1, 2]), None);
        let any = StopPlan::Any(vec![matches("x"), StopPlan::EvaluatorPass]);
        assert_eq!(decides(&any, judged(Verdict::pass(), &[])).as_deref(), Some("evaluator_passed"));
        assert_eq!(decides(&any, judged(Verdict::fail(), &[0])), None);
    }

    #[test]
    fn the_agent_hears_what_is_missing() {
        let goal = StopPlan::All(vec![
            StopPlan::EvaluatorPass,
            not(matches("0 tests")),
            StopPlan::Any(vec![matches("ok"), StopPlan::AtLeast(2, vec![matches("a"), matches("b")])]),
        ]);
        let missing = |goal: &StopPlan, found: &[u32]| missing(goal, &judged(Verdict::pass(), found));
        // The patterns are numbered in the order of their first place: 0 tests, ok, a, b.
        assert_eq!(missing(&goal, &[1]), None);
        assert_eq!(missing(&goal, &[2, 3]), None);
        assert_eq!(missing(&goal, &[0, 1]).as_deref(), Some("its output matches `0 tests`"));
        assert_eq!(
            missing(&goal, &[2]).as_deref(),
            Some("nothing in its output matches `ok`, and nothing in its output matches `b`")
        );
        let twice = StopPlan::All(vec![matches("a"), not(not(matches("a")))]);
        assert_eq!(missing(&twice, &[]).as_deref(), Some("nothing in its output matches `a`"));
        assert_eq!(missing(&not(StopPlan::EvaluatorPass), &[]).as_deref(), Some("the goal needs it to fail"));
    }

    fn stops() -> impl Strategy<Value = StopPlan> {
        let leaf = prop_oneof![
            1 => Just(StopPlan::EvaluatorPass),
            4 => (0..4_u8).prop_map(|letter| matches(["a", "b", "c", "d"][usize::from(letter)])),
        ];
        let stops = leaf.prop_recursive(3, 12, 3, |part| {
            let list = vec(part.clone(), 1..4);
            prop_oneof![
                list.clone().prop_map(StopPlan::All),
                list.clone().prop_map(StopPlan::Any),
                (list, 0..3_usize).prop_map(|(list, more)| StopPlan::AtLeast(1 + more % list.len(), list)),
                part.prop_map(not),
            ]
        });
        // The evaluator looks for a single pattern itself.
        stops.prop_filter("combined", |stop| !stop.is_plain())
    }

    proptest! {
        #[test]
        fn something_is_missing_if_the_goal_is_not_met(stop in stops(), found in 0..16_u64) {
            let step = StepRecord::new(1)
                .with_verdict(Verdict::pass())
                .with_mark(EVALUATOR_MATCHES_MARK, found);
            let is_missing = missing(&stop, &step).is_some();
            prop_assert_eq!(is_missing, decides(&stop, step).is_none());
        }
    }

    #[test]
    fn a_pattern_alone_is_the_evaluators_affair() {
        let stop = matches("0 failed");
        let decided = decides(&stop, StepRecord::new(1).with_verdict(Verdict::pass()));
        assert_eq!(decided.as_deref(), Some("output_matches /0 failed/"));
        assert_eq!(
            decides(&StopPlan::EvaluatorPass, judged(Verdict::pass(), &[])).unwrap(),
            "evaluator_passed"
        );
    }

    #[test]
    fn a_step_that_was_not_judged_meets_nothing_by_not_passing() {
        let failed_once = not(StopPlan::EvaluatorPass);
        let decided = decides(&failed_once, judged(Verdict::fail(), &[]));
        assert_eq!(decided.as_deref(), Some("not evaluator_passed"));
        assert_eq!(decides(&failed_once, judged(Verdict::inconclusive(), &[])), None);
        assert_eq!(decides(&failed_once, StepRecord::new(1).with_failure("it took too long")), None);
    }

    #[test]
    fn a_long_pattern_is_cut_in_its_name() {
        let name = name(&"é".repeat(100));
        assert_eq!(name.chars().count(), "output_matches /…/".chars().count() + NAME_CHARS);
        assert!(name.ends_with("é…/"));
    }
}
