//! And, or, not obey the boolean laws; every part observes every event exactly once.

use std::sync::{Arc, Mutex};

use loop_core::{Event, EventKind, Judged, Progress, Step, StepRecord, StopCondition, When};
use proptest::prelude::*;

use crate::world::{Goal, GoalState, Live, Sim, also_holds, holds, locked, settings, worlds};

/// A tree of conditions, as data.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(Goal),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Goal::Passed),
        (1..5_u64).prop_map(Goal::After),
        (0.0..1.0).prop_map(Goal::ScoreAtLeast),
        (1..3_u64).prop_map(Goal::Passes),
    ];
    leaf.prop_map(Tree::Leaf).prop_recursive(4, 12, 2, |tree| {
        let pair = (tree.clone(), tree.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Tree::And(Box::new(a), Box::new(b))),
            pair.prop_map(|(a, b)| Tree::Or(Box::new(a), Box::new(b))),
            tree.prop_map(|a| Tree::Not(Box::new(a))),
        ]
    })
}

type Boxed<S> = When<Box<dyn StopCondition<S>>>;
type Seen = Arc<Mutex<Vec<Event>>>;

/// A leaf that keeps what it was shown.
struct Leaf {
    state: GoalState,
    seen: Seen,
}

impl<S> StopCondition<S> for Leaf
where
    GoalState: StopCondition<S>,
{
    fn is_met(&self, step: &S, progress: &Progress) -> bool {
        self.state.is_met(step, progress)
    }
    fn observe(&mut self, event: &Event) {
        self.state.saw(event);
        locked(&self.seen).push(event.clone());
    }
}

impl Tree {
    /// The condition, and what its leaves are shown.
    fn build<S: 'static>(&self, leaves: &mut Vec<Seen>) -> Boxed<S>
    where
        GoalState: StopCondition<S>,
    {
        fn boxed<S>(condition: impl StopCondition<S> + 'static) -> Boxed<S> {
            When::new(Box::new(condition))
        }
        match self {
            Self::Leaf(goal) => {
                let seen = Seen::default();
                leaves.push(Arc::clone(&seen));
                boxed(Leaf { state: GoalState::new(goal), seen })
            }
            Self::And(a, b) => boxed(a.build(leaves).and(b.build(leaves))),
            Self::Or(a, b) => boxed(a.build(leaves).or(b.build(leaves))),
            Self::Not(a) => boxed(a.build(leaves).not()),
        }
    }

    /// What boolean logic makes of it.
    fn value(&self, step: &StepRecord, events: &[Event]) -> bool {
        match self {
            Self::Leaf(goal) => GoalState::restored(goal, events).holds(step),
            Self::And(a, b) => a.value(step, events) & b.value(step, events),
            Self::Or(a, b) => a.value(step, events) | b.value(step, events),
            Self::Not(a) => !a.value(step, events),
        }
    }
}

/// A condition that was shown these events, asked.
fn ask(tree: &Tree, step: &StepRecord, events: &[Event]) -> bool {
    let progress = Progress::from_events(&events).expect("a history");
    let mut condition = tree.build::<StepRecord>(&mut Vec::new());
    events.iter().for_each(|event| condition.observe(event));
    condition.is_met(step, &progress)
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

#[test]
fn condition_algebra() {
    holds((worlds(), trees(), trees(), trees()), |(world, a, b, c)| {
        let run = Sim::run(&world);
        // The first steps are enough: the laws hold for a step or they do not.
        for told in
            run.told.iter().filter(|told| matches!(told.input, loop_core::Input::Settled { .. })).take(3)
        {
            let step = told.before.current_step().expect("a step is settled");
            let seen = &run.events[..told.from];
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
        }
    });
}

/// The condition of a driven run: whichever step type the loop has, the same tree.
struct Either {
    plain: Boxed<Step<u64>>,
    judged: Boxed<Judged<u64>>,
    /// What the tree must say, asked again from scratch each time.
    tree: Tree,
    seen: Vec<Event>,
}

impl Either {
    fn new(tree: &Tree, leaves: &mut Vec<Seen>) -> Self {
        let (plain, judged) = (tree.build(leaves), tree.build(leaves));
        Self { plain, judged, tree: tree.clone(), seen: Vec::new() }
    }

    /// At the moment it is asked, it has seen all that the progress knows, and the step is the progress's.
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

impl StopCondition<Judged<u64>> for Either {
    fn is_met(&self, step: &Judged<u64>, progress: &Progress) -> bool {
        self.check(step, progress, self.judged.is_met(step, progress))
    }
    fn observe(&mut self, event: &Event) {
        StopCondition::<Step<u64>>::observe(self, event);
    }
}

#[test]
fn condition_algebra_observes_each_event_once() {
    also_holds(settings((trees(), 0..60_usize)), |(world, (tree, stop))| {
        let mut leaves = Vec::new();
        let live = Live::with(&world, Either::new(&tree, &mut leaves), &[], usize::MAX).expect("a run");
        for seen in &leaves {
            assert_eq!(*locked(seen), live.events);
        }
        // And when it is restored.
        let ended = live.events.iter().position(|event| matches!(event.kind, EventKind::RunFinished { .. }));
        let before = &live.events[..stop.min(ended.expect("it ended"))];
        let mut leaves = Vec::new();
        let resumed =
            Live::with(&world, Either::new(&tree, &mut leaves), before, usize::MAX).expect("it goes on");
        for seen in &leaves {
            assert_eq!(*locked(seen), resumed.events);
        }
        for probe in &resumed.probes {
            assert_eq!(locked(probe).events, resumed.events);
        }
    });
}
