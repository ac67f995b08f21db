//! Combinations obey the boolean laws; every part observes every event exactly once; and only leaves that hold decide.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
};

use loop_core::{
    Condition, Event, EventKind, JudgedStep, Progress, Step, StepRecord, StopCondition, all, any, at_least,
};
use proptest::prelude::*;

use crate::scenario::{
    DrivenRun, Goal, GoalState, Simulator, also_holds, holds, locked, scenarios, settings,
};

/// A tree of conditions, as data.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(Goal),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
    AtLeast(usize, Vec<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Goal::Passed),
        (1..5_u64).prop_map(Goal::After),
        (0.0..1.0).prop_map(Goal::ScoreAtLeast),
        (1..3_u64).prop_map(Goal::Passes),
    ];
    leaf.prop_map(Tree::Leaf).prop_recursive(4, 12, 3, |tree| {
        let pair = (tree.clone(), tree.clone());
        let list = prop::collection::vec(tree.clone(), 0..4);
        prop_oneof![
            list.clone().prop_map(Tree::All),
            list.clone().prop_map(Tree::Any),
            (0..5_usize, list).prop_map(|(needed, list)| Tree::AtLeast(needed, list)),
            pair.clone().prop_map(|(a, b)| Tree::And(Box::new(a), Box::new(b))),
            pair.prop_map(|(a, b)| Tree::Or(Box::new(a), Box::new(b))),
            tree.prop_map(|a| Tree::Not(Box::new(a))),
        ]
    })
}

type Boxed<S> = Condition<Box<dyn StopCondition<S>>>;
type Seen = Arc<Mutex<Vec<Event>>>;

/// A leaf that records its inputs.
struct Leaf {
    state: GoalState,
    seen: Seen,
    name: String,
}

impl<S> StopCondition<S> for Leaf
where
    GoalState: StopCondition<S>,
{
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.state.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.state.record(event);
        locked(&self.seen).push(event.clone());
    }
    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }
}

impl Tree {
    /// Builds the condition, and adds the records of its leaves. Leaves are named by their positions.
    fn build<S: 'static>(&self, leaves: &mut Vec<Seen>) -> Boxed<S>
    where
        GoalState: StopCondition<S>,
    {
        match self {
            Self::Leaf(goal) => {
                let (seen, name) = (Seen::default(), format!("leaf{}", leaves.len()));
                leaves.push(Arc::clone(&seen));
                Condition::new(Leaf { state: GoalState::new(goal), seen, name }).boxed()
            }
            Self::And(a, b) => a.build(leaves).and(b.build(leaves)).boxed(),
            Self::Or(a, b) => a.build(leaves).or(b.build(leaves)).boxed(),
            Self::Not(a) => a.build(leaves).not().boxed(),
            Self::All(list) => all(list.iter().map(|part| part.build(leaves))).boxed(),
            Self::Any(list) => any(list.iter().map(|part| part.build(leaves))).boxed(),
            Self::AtLeast(needed, list) => {
                at_least(*needed, list.iter().map(|part| part.build(leaves))).boxed()
            }
        }
    }

    /// Evaluates the tree with boolean logic.
    fn value(&self, step: &StepRecord, events: &[Event]) -> bool {
        match self {
            Self::Leaf(goal) => GoalState::restored(goal, events).holds(step),
            Self::And(a, b) => a.value(step, events) & b.value(step, events),
            Self::Or(a, b) => a.value(step, events) | b.value(step, events),
            Self::Not(a) => !a.value(step, events),
            Self::All(list) => list.iter().fold(true, |all, part| all & part.value(step, events)),
            Self::Any(list) => list.iter().fold(false, |any, part| any | part.value(step, events)),
            Self::AtLeast(needed, list) => {
                list.iter().map(|part| usize::from(part.value(step, events))).sum::<usize>() >= *needed
            }
        }
    }

    /// Returns its leaves in the order in which they are built.
    fn leaves(&self) -> Vec<&Goal> {
        match self {
            Self::Leaf(goal) => vec![goal],
            Self::And(a, b) | Self::Or(a, b) => [a.leaves(), b.leaves()].concat(),
            Self::Not(a) => a.leaves(),
            Self::All(list) | Self::Any(list) | Self::AtLeast(_, list) => {
                list.iter().flat_map(Self::leaves).collect()
            }
        }
    }
}

/// Returns the name of the deciding condition, if a condition with these observed events is met.
fn decided_by(tree: &Tree, step: &StepRecord, events: &[Event]) -> Option<String> {
    let progress = Progress::from_events(events).expect("a history");
    let mut condition = tree.build::<StepRecord>(&mut Vec::new());
    events.iter().for_each(|event| condition.observe(event));
    condition.is_met(step, &progress).then(|| condition.decided_by(step, &progress))
}

/// Asks a condition with these observed events.
fn ask(tree: &Tree, step: &StepRecord, events: &[Event]) -> bool {
    decided_by(tree, step, events).is_some()
}

/// Returns the positions of the leaves that `decision` names outside `not`. A negated name is a single word or has
/// parentheses around it.
fn deciding(decision: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut depth, mut negated) = (0_usize, false);
    for word in decision.split([' ', ',']).filter(|word| !word.is_empty()) {
        let opened = word.len() - word.trim_start_matches('(').len();
        let closed = word.len() - word.trim_end_matches(')').len();
        let name = word.trim_matches(['(', ')']);
        let inside = negated || depth > 0;
        if let (false, Some(place)) = (inside, name.strip_prefix("leaf")) {
            places.push(place.parse().expect("a place"));
        }
        // Outside `not` there are no parentheses.
        assert!(inside || opened == 0, "{decision}");
        depth = depth + opened - closed;
        negated = depth == 0 && name == "not";
    }
    places
}

fn and(a: &Tree, b: &Tree) -> Tree {
    Tree::And(Box::new(a.clone()), Box::new(b.clone()))
}

fn or(a: &Tree, b: &Tree) -> Tree {
    Tree::Or(Box::new(a.clone()), Box::new(b.clone()))
}

fn not(a: &Tree) -> Tree {
    Tree::Not(Box::new(a.clone()))
}

/// Checks the laws of lists: `[a, b, c]` in this order, and in another.
fn lists_obey(list: &[Tree; 3], same: impl Fn(&Tree, &Tree)) {
    let [a, b, c] = list.clone();
    let (parts, none) = (list.to_vec(), Vec::new());
    let (all, any, at_least) = (Tree::All, Tree::Any, |needed| Tree::AtLeast(needed, list.to_vec()));
    let (always, never) = (all(none.clone()), any(none.clone()));
    let negated = || list.iter().map(not).collect::<Vec<_>>();
    // De Morgan.
    same(&not(&all(parts.clone())), &any(negated()));
    same(&not(&any(parts.clone())), &all(negated()));
    same(&not(&at_least(2)), &Tree::AtLeast(2, negated()));
    // A list equals nested pairs.
    same(&all(parts.clone()), &and(&a, &and(&b, &c)));
    same(&any(parts.clone()), &or(&a, &or(&b, &c)));
    same(&all(vec![all(vec![a.clone(), b.clone()]), c.clone()]), &all(parts.clone()));
    same(&any(vec![a.clone(), any(vec![b.clone(), c.clone()])]), &any(parts.clone()));
    // Counts.
    same(&at_least(0), &always);
    same(&at_least(1), &any(parts.clone()));
    same(&at_least(2), &or(&or(&and(&a, &b), &and(&a, &c)), &and(&b, &c)));
    same(&at_least(3), &all(parts.clone()));
    same(&at_least(4), &never);
    same(&always, &Tree::AtLeast(0, none.clone()));
    same(&never, &Tree::AtLeast(1, none));
    same(&not(&always), &never);
    // The order does not matter.
    let turned = vec![c.clone(), a.clone(), b.clone()];
    let swapped = vec![b, a, c];
    for other in [turned, swapped] {
        same(&all(parts.clone()), &all(other.clone()));
        same(&any(parts.clone()), &any(other.clone()));
        same(&at_least(2), &Tree::AtLeast(2, other));
    }
}

#[test]
fn condition_algebra() {
    holds((scenarios(), trees(), trees(), trees()), |(scenario, a, b, c)| {
        let run = Simulator::run(&scenario);
        // A few steps are enough, because each law is about a single step.
        for exchange in run
            .exchanges
            .iter()
            .filter(|exchange| matches!(exchange.input, loop_core::Input::Settled { .. }))
            .take(3)
        {
            let step = exchange.before.current_step().expect("a step is settled");
            let seen = &run.events[..exchange.from];
            let same = |left: &Tree, right: &Tree| {
                assert_eq!(ask(left, step, seen), ask(right, step, seen), "{left:?} is not {right:?}");
            };
            assert_eq!(ask(&a, step, seen), a.value(step, seen), "{a:?}");
            same(&not(&not(&a)), &a);
            same(&and(&a, &a), &a);
            same(&or(&a, &a), &a);
            same(&and(&a, &b), &and(&b, &a));
            same(&or(&a, &b), &or(&b, &a));
            same(&and(&a, &and(&b, &c)), &and(&and(&a, &b), &c));
            same(&or(&a, &or(&b, &c)), &or(&or(&a, &b), &c));
            same(&and(&a, &or(&b, &c)), &or(&and(&a, &b), &and(&a, &c)));
            same(&or(&a, &and(&b, &c)), &and(&or(&a, &b), &or(&a, &c)));
            same(&not(&and(&a, &b)), &or(&not(&a), &not(&b)));
            same(&not(&or(&a, &b)), &and(&not(&a), &not(&b)));
            assert!(ask(&or(&a, &not(&a)), step, seen));
            assert!(!ask(&and(&a, &not(&a)), step, seen));
            lists_obey(&[a.clone(), b.clone(), c.clone()], same);
            let whole = Tree::AtLeast(1, vec![a.clone(), b.clone(), c.clone()]);
            if let Some(decision) = decided_by(&whole, step, seen) {
                let leaves = whole.leaves();
                for place in deciding(&decision) {
                    let held = GoalState::restored(leaves[place], seen).holds(step);
                    assert!(held, "leaf{place} of {whole:?} decided as {decision}");
                }
            }
        }
    });
}

/// The condition of a driven run: the same tree for either step type of the loop.
struct Either {
    plain: Boxed<Step<u64>>,
    judged: Boxed<JudgedStep<u64>>,
    /// The expected answer is computed from this tree, from scratch each time.
    tree: Tree,
    seen: Vec<Event>,
}

impl Either {
    fn new(tree: &Tree, leaves: &mut Vec<Seen>) -> Self {
        let (plain, judged) = (tree.build(leaves), tree.build(leaves));
        Self { plain, judged, tree: tree.clone(), seen: Vec::new() }
    }

    /// When it is asked, it has observed all events of the progress, and the step is the one in the progress.
    fn check(&self, step: &StepRecord, progress: &Progress, met: bool) -> bool {
        assert_eq!(&Progress::from_events(&self.seen).expect("a history"), progress);
        assert_eq!(Some(step), progress.current_step());
        assert_eq!(met, self.tree.value(step, &self.seen));
        met
    }
}

impl StopCondition<Step<u64>> for Either {
    fn is_met(&self, step: &Step<u64>, progress: &Progress) -> bool {
        self.check(step, progress, self.plain.is_met(step, progress))
    }
    fn observe(&mut self, event: &Event) {
        self.plain.observe(event);
        self.judged.observe(event);
        self.seen.push(event.clone());
    }
}

impl StopCondition<JudgedStep<u64>> for Either {
    fn is_met(&self, step: &JudgedStep<u64>, progress: &Progress) -> bool {
        self.check(step, progress, self.judged.is_met(step, progress))
    }
    fn observe(&mut self, event: &Event) {
        StopCondition::<Step<u64>>::observe(self, event);
    }
}

#[test]
fn condition_algebra_observes_each_event_once() {
    also_holds(settings((trees(), 0..60_usize)), |(scenario, (tree, stop))| {
        let mut leaves = Vec::new();
        let live =
            DrivenRun::with(&scenario, Either::new(&tree, &mut leaves), &[], usize::MAX).expect("a run");
        for seen in &leaves {
            assert_eq!(*locked(seen), live.events);
        }
        // The same holds for a restored condition.
        let ended = live.events.iter().position(|event| matches!(event.kind, EventKind::RunFinished { .. }));
        let before = &live.events[..stop.min(ended.expect("it ended"))];
        let mut leaves = Vec::new();
        let resumed = DrivenRun::with(&scenario, Either::new(&tree, &mut leaves), before, usize::MAX)
            .expect("it goes on");
        for seen in &leaves {
            assert_eq!(*locked(seen), resumed.events);
        }
        for probe in &resumed.probes {
            assert_eq!(locked(probe).events, resumed.events);
        }
    });
}
