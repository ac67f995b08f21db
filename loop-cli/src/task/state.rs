//! What is written into `.loop/task` for a person to look at.
//!
//! Nothing is ever read from there: the run's journal says how far it is, and a verdict that stands in a file is
//! nobody's. Each file is put in its place as a whole. They lie in the agents' reach, so no link leads out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loop_agents::review::{Account, Findings, Worked};
use loop_core::{Event, EventKind, Observer, Progress, WorkResult};
use loop_guardrails::policy::workspace::Workspace;
use loop_telemetry::Tokens;
use serde::Serialize;

use super::{Assignment, FOLDER};
use crate::{faults, view};

/// The files of one run. Clones write the same.
#[derive(Debug, Clone)]
pub(crate) struct StateFiles(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    workspace: Workspace,
    run: Run,
    /// The loop under way, from 1.
    number: u64,
    /// What the last loop that came to its end left behind.
    worked: Option<Worked>,
    /// All reviews that this process has seen.
    reviews: Vec<Review>,
    /// That a file cannot be written was said.
    has_warned: bool,
}

/// `run.toml`.
#[derive(Debug, Serialize)]
struct Run {
    run_id: String,
    created_at: String,
    workdir: String,
    task_file: String,
    executor: String,
    reviewer: String,
    loops: u64,
    rounds: u64,
    loops_completed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<String>,
    usage: Tokens,
}

/// `state.toml`.
#[derive(Debug, Serialize)]
struct State<'a> {
    run_id: &'a str,
    workdir: &'a str,
    task_file: &'a str,
    #[serde(rename = "loop")]
    number: u64,
    /// `idle`, `execution`, `review` or `done`.
    phase: &'a str,
    updated_at: String,
}

/// `execution.toml`.
#[derive(Debug, Serialize)]
struct Execution<'a> {
    run_id: &'a str,
    #[serde(rename = "loop")]
    number: u64,
    claims_complete: bool,
    words: &'a str,
    account: &'a Account,
}

/// `review_output.toml`, and one entry of `review.toml`.
#[derive(Debug, Clone, Serialize)]
struct Review {
    run_id: String,
    #[serde(rename = "loop")]
    number: u64,
    outcome: String,
    #[serde(flatten)]
    findings: Findings,
}

/// `review.toml`.
#[derive(Debug, Serialize)]
struct Reviews<'a> {
    review: &'a [Review],
}

impl StateFiles {
    pub(crate) fn new(
        workspace: Workspace,
        assignment: &Assignment,
        run: &str,
        began: jiff::Timestamp,
    ) -> Self {
        let run = Run {
            run_id: run.to_owned(),
            created_at: format!("{began:.3}"),
            workdir: workspace.root().display().to_string(),
            task_file: assignment.file.clone(),
            executor: assignment.executor.name().to_owned(),
            reviewer: assignment.reviewer.name().to_owned(),
            loops: assignment.loops.get(),
            rounds: assignment.rounds.get(),
            loops_completed: 0,
            stop_reason: None,
            usage: Tokens::default(),
        };
        let (reviews, has_warned) = (Vec::new(), false);
        Self(Arc::new(Mutex::new(Inner { workspace, run, number: 0, worked: None, reviews, has_warned })))
    }

    /// A loop has come to its end, and is to be reviewed.
    pub(crate) fn worked(&self, number: u64, worked: Worked) {
        let mut inner = self.inner();
        let (run_id, claims_complete) = (inner.run.run_id.clone(), worked.claims_complete());
        let (words, account) = (&worked.words, &worked.account);
        inner.write("execution", &Execution { run_id: &run_id, number, claims_complete, words, account });
        inner.worked = Some(worked);
    }

    /// What the last loop that came to its end left behind.
    pub(crate) fn last(&self) -> Option<Worked> {
        self.inner().worked.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn phase(&mut self, phase: &str) {
        let (run_id, workdir, task_file) =
            (self.run.run_id.clone(), self.run.workdir.clone(), self.run.task_file.clone());
        let updated_at = format!("{:.3}", faults::now());
        let number = self.number;
        let state =
            State { run_id: &run_id, workdir: &workdir, task_file: &task_file, number, phase, updated_at };
        self.write("state", &state);
    }

    fn reviewed(&mut self, outcome: String, findings: Findings) {
        let review = Review { run_id: self.run.run_id.clone(), number: self.number, outcome, findings };
        self.write("review_output", &review);
        self.reviews.push(review);
        let reviews = std::mem::take(&mut self.reviews);
        self.write("review", &Reviews { review: &reviews });
        self.reviews = reviews;
    }

    fn tally(&mut self, progress: &Progress) {
        self.run.loops_completed = progress.iterations();
        self.run.usage = Tokens::from(progress.usage());
        self.run.stop_reason = progress.ending().map(|ending| ending.reason().to_string());
        let run = toml::to_string(&self.run);
        self.put("run", run);
    }

    fn write(&mut self, name: &str, content: &impl Serialize) {
        self.put(name, toml::to_string(content));
    }

    fn put(&mut self, name: &str, text: Result<String, toml::ser::Error>) {
        let text =
            text.unwrap_or_else(|error| unreachable!("texts and numbers can be written as TOML: {error}"));
        let text = view::secrets().redact(&text).into_owned();
        let written = self.workspace.write(&format!("{FOLDER}/task/{name}.toml"), text.as_bytes());
        if let Err(error) = written
            && !std::mem::replace(&mut self.has_warned, true)
        {
            view::warning(&format!("what is kept for you in {FOLDER}/task cannot be written: {error}"));
        }
    }

    /// Keeps the folder out of what git shows. Who wants it there has a file of this name already.
    fn hide(&self) {
        let path = format!("{FOLDER}/.gitignore");
        if self.workspace.read(&path).is_err() {
            // Without it git shows a folder more.
            let _ = self.workspace.write(&path, b"*\n");
        }
    }

    /// What of the loop before would be taken for this one's.
    fn forget(&self) {
        for name in ["execution", "review_output"] {
            // Most often there is none.
            let _ = self.workspace.remove(&format!("{FOLDER}/task/{name}.toml"));
        }
    }
}

impl Observer for StateFiles {
    fn on_event(&mut self, event: &Event, progress: &Progress) {
        let mut inner = self.inner();
        match &event.kind {
            EventKind::RunStarted { .. } | EventKind::RunResumed {} => {
                inner.hide();
                inner.number = progress.iterations();
                inner.phase("idle");
                inner.tally(progress);
            }
            EventKind::IterationStarted { iteration, .. } => {
                inner.number = *iteration;
                inner.forget();
                inner.phase("execution");
            }
            EventKind::EvaluationStarted {} => {
                inner.number = progress.iterations();
                inner.phase("review");
            }
            EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } => {
                let Ok(findings) = verdict.text().parse();
                inner.reviewed(verdict.outcome().to_string(), findings);
            }
            EventKind::EvaluationFinished { result: WorkResult::Halted(halt), .. } => {
                let none: [&str; 0] = [];
                inner.reviewed(halt.reason.to_string(), Findings::new(none, &halt.message, ""));
            }
            EventKind::StepSettled { .. } => inner.tally(progress),
            EventKind::RunFinished { .. } => {
                inner.phase("done");
                inner.tally(progress);
            }
            _ => {}
        }
    }
}
