//! How often the rule about stagnation is right, on labelled runs.
//!
//! `stagnation/runs.jsonl` has one run in each line: the state of the files and the check's output after each iteration.
//! Programs played the agent, and real test runners were the check; only the output of go and of the checks named `script`
//! comes from programs that imitate it. Lines that a run repeats are stored once. The label `stuck` says whether a person
//! who knows what the agent does would end the run, and was written before the rule ran.

use std::{collections::BTreeMap, path::Path};

use loop_core::{
    Decision, Event, EventKind, Guardrail, Halt, Notes, Progress, RunTime, StopReason, Verdict, WorkResult,
};
use loop_guardrails::{
    Stagnation, StagnationRules,
    stagnation::{CHECK_MARK, fingerprint},
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Run {
    name: String,
    kind: String,
    stuck: bool,
    lines: Vec<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    tree: String,
    /// Indexes of lines.
    output: Vec<usize>,
}

impl Run {
    fn output(&self, step: &Step) -> String {
        step.output.iter().map(|line| self.lines[*line].as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the iteration after which the rule halts the run.
    fn halt(&self, rules: StagnationRules) -> Option<usize> {
        let mut stagnation = Stagnation::new(rules, "tree", "score");
        for (index, step) in self.steps.iter().enumerate() {
            let check = fingerprint(&self.output(step));
            let kinds = [
                EventKind::IterationStarted { iteration: index as u64 + 1, attempt: 1 },
                EventKind::IterationFinished {
                    result: WorkResult::Done(()),
                    notes: Notes::default().with_mark("tree", fingerprint(&step.tree)).boxed(),
                },
                EventKind::EvaluationStarted {},
                EventKind::EvaluationFinished {
                    result: WorkResult::Done(Verdict::fail()),
                    notes: Notes::default().with_mark(CHECK_MARK, check).boxed(),
                },
                EventKind::StepSettled { met: false, by: None },
            ];
            kinds.into_iter().for_each(|kind| stagnation.observe(&Event::new(RunTime::ZERO, kind)));
            let decision = stagnation.check(&Progress::default());
            if matches!(decision, Decision::Halt(Halt { reason: StopReason::Stagnated, .. })) {
                return Some(index + 1);
            }
        }
        None
    }
}

fn runs() -> Vec<Run> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stagnation/runs.jsonl");
    let text = std::fs::read_to_string(file).expect("the file is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect()
}

/// The runs of one kind by what became of them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    stuck_and_halted: u64,
    stuck_and_missed: u64,
    moving_and_halted: u64,
    moving_and_left: u64,
}

fn judge(rules: StagnationRules) -> (BTreeMap<String, Counts>, Vec<String>) {
    let (mut kinds, mut wrong) = (BTreeMap::<String, Counts>::new(), Vec::new());
    for run in runs() {
        let counts = kinds.entry(run.kind.clone()).or_default();
        let halt = run.halt(rules).is_some();
        *match (run.stuck, halt) {
            (true, true) => &mut counts.stuck_and_halted,
            (true, false) => &mut counts.stuck_and_missed,
            (false, true) => &mut counts.moving_and_halted,
            (false, false) => &mut counts.moving_and_left,
        } += 1;
        if run.stuck != halt {
            wrong.push(run.name);
        }
    }
    (kinds, wrong)
}

const fn counts(stuck: (u64, u64), moving: (u64, u64)) -> Counts {
    Counts {
        stuck_and_halted: stuck.0,
        stuck_and_missed: stuck.1,
        moving_and_halted: moving.0,
        moving_and_left: moving.1,
    }
}

/// The book states these numbers.
#[test]
fn the_default_is_right_this_often() {
    let (kinds, wrong) = judge(StagnationRules::default());
    let expected = [
        ("flaky", counts((3, 2), (0, 3))),
        ("oscillating", counts((0, 14), (0, 7))),
        ("slow", counts((0, 0), (2, 23))),
        ("stuck", counts((27, 5), (0, 0))),
    ];
    assert_eq!(kinds, expected.map(|(kind, counts)| (kind.to_owned(), counts)).into());
    let wrong: Vec<_> = wrong.iter().filter(|name| !is_circle(name)).collect();
    assert_eq!(
        wrong,
        [
            // The files change.
            "notes-pytest",
            "notes-tsc",
            "comments-unittest",
            "comments-eslint",
            // The output has a random count.
            "count-noise-pytest",
            // The agent finds the solution after nine iterations without a change.
            "recovers-late-node",
            // A test fails by chance.
            "flaky-stuck-pytest",
            "flaky-stuck-node",
            // The work is elsewhere, and the check does not show it.
            "outside-silent-script",
        ]
    );
}

/// Returns whether the agent of this run goes in a circle, which the default does not look for.
fn is_circle(name: &str) -> bool {
    ["two-states", "three-states", "breaks", "styles"].iter().any(|prefix| name.starts_with(prefix))
}

#[test]
fn a_limit_on_oscillation_finds_circles() {
    let mut rules = StagnationRules::default();
    rules.oscillation_after = Some(6);
    let (kinds, wrong) = judge(rules);
    assert_eq!(kinds["oscillating"], counts((13, 1), (0, 7)));
    let circles: Vec<_> = wrong.iter().filter(|name| is_circle(name)).collect();
    assert_eq!(circles, ["two-states-notes-pytest"], "its notes change");
    assert_eq!((kinds["slow"].moving_and_halted, kinds["stuck"].stuck_and_halted), (2, 27));
}

#[test]
fn a_halt_comes_after_eight_iterations_of_the_same() {
    for run in runs().iter().filter(|run| run.name.starts_with("nothing-")) {
        // A compiler says more the first time.
        let halt = run.halt(StagnationRules::default());
        assert!(matches!(halt, Some(8 | 9)), "{}: {halt:?}", run.name);
    }
}
