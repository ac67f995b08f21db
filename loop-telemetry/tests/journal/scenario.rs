//! Runs with journals in files.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use futures::StreamExt;
use jiff::Timestamp;
use loop_core::{
    Ending, EvaluationContext, Evaluator, Event, EventKind, Iteration, IterationContext, JudgedStep, Loop,
    Progress, Report, StopCondition, Update, Usage, Verdict, WorkError, async_trait, condition_fn,
};
use loop_telemetry::{FileJournal, JournalReader};

/// The behaviour of an iteration, by its index.
#[derive(Debug, Clone)]
pub(crate) enum ScriptedStep {
    /// Makes an output with this number of bytes.
    Makes(usize),
    Fails,
    /// Makes an output, with a fault, a mark and usage.
    Notes(u64),
}

#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) turns: Vec<ScriptedStep>,
    pub(crate) goal: u64,
}

/// The bound of all runs.
const BOUND: u64 = 12;

/// The parts of a run. They remember which iterations began.
#[derive(Clone)]
struct Parts {
    scenario: Scenario,
    begun: Arc<Mutex<Vec<u64>>>,
}

fn output(iteration: u64, bytes: usize) -> String {
    format!("{iteration} {}", "\"x\n".repeat(bytes / 3))
}

#[async_trait]
impl Iteration for Parts {
    type Output = String;
    async fn run(&mut self, cx: IterationContext<String>) -> Result<String, WorkError> {
        let iteration = cx.iteration();
        self.begun.lock().unwrap().push(iteration);
        // The previous step has the same output, also after a resume.
        if let Some(before) = cx.previous().and_then(|step| step.output()) {
            assert!(before.starts_with(&format!("{} ", iteration - 1)), "{iteration} found {before}");
        }
        match &self.scenario.turns[iteration as usize % self.scenario.turns.len()] {
            ScriptedStep::Makes(bytes) => Ok(output(iteration, *bytes)),
            ScriptedStep::Fails => Err(WorkError::failed("it broke")),
            ScriptedStep::Notes(hash) => {
                cx.fault("exit code 1");
                cx.mark("tree", *hash);
                cx.meter().add(Usage::unknown().with_tokens(iteration, 2));
                Ok(output(iteration, 3))
            }
        }
    }
}

#[async_trait]
impl Evaluator<String> for Parts {
    async fn evaluate(&mut self, cx: EvaluationContext<String>) -> Result<Verdict, WorkError> {
        assert!(cx.output().starts_with(&format!("{} ", cx.iteration())), "another's output is judged");
        Ok(Verdict::fail().with_text(format!("checked {}", cx.output().len())))
    }
}

pub(crate) struct FinishedRun {
    pub(crate) report: Option<Report<String>>,
    pub(crate) begun: Vec<u64>,
}

/// Runs a world with this journal, and drops the run after this number of updates.
pub(crate) async fn run(scenario: &Scenario, journal: FileJournal<String>, stop_after: usize) -> FinishedRun {
    let goal = scenario.goal;
    let met = condition_fn(move |step: &JudgedStep<String>, _: &Progress| step.iteration() >= goal);
    run_until(scenario, met, journal, stop_after).await
}

async fn run_until(
    scenario: &Scenario,
    goal: impl StopCondition<JudgedStep<String>> + 'static,
    journal: FileJournal<String>,
    stop_after: usize,
) -> FinishedRun {
    let parts = Parts { scenario: scenario.clone(), begun: Arc::default() };
    let begun = Arc::clone(&parts.begun);
    let run = Loop::new(parts.clone()).evaluate(parts).until(goal).at_most(BOUND).resume_from(journal);
    let mut updates = run.stream().unwrap().take(stop_after);
    let mut report = None;
    while let Some(update) = updates.next().await {
        if let Update::Report(last) = update {
            report = Some(*last);
        }
    }
    drop(updates);
    let begun = begun.lock().unwrap().clone();
    FinishedRun { report, begun }
}

pub(crate) fn create(folder: &Path) -> FileJournal<String> {
    FileJournal::create(folder, Timestamp::now).unwrap().without_sync()
}

pub(crate) fn open(folder: &Path) -> FileJournal<String> {
    FileJournal::open(folder, Timestamp::now).unwrap().without_sync()
}

pub(crate) fn read(folder: &Path) -> Vec<Event> {
    let mut reader = JournalReader::open(folder).unwrap();
    let mut events = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        events.push(entry.event);
    }
    events
}

/// Returns the settled steps, without times and usage.
pub(crate) fn settled(events: &[Event]) -> Vec<String> {
    let mut progress = Progress::default();
    let mut steps = Vec::new();
    for event in events {
        progress.apply(event).expect("it follows");
        if let (EventKind::StepSettled { met, .. }, Some(step)) = (&event.kind, progress.last_step()) {
            let (verdict, marks) = (step.verdict(), step.marks());
            let faults = (step.failure(), step.fault(), progress.consecutive_failures());
            steps.push(format!("{} {met} {verdict:?} {marks:?} {faults:?}", step.iteration()));
        }
    }
    steps
}

pub(crate) fn ending(events: &[Event]) -> Ending {
    let progress = Progress::from_events(events).expect("a history");
    progress.ending().expect("the run is over").clone()
}
