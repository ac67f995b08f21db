//! The files in `.loop/task`, for people to read.
//!
//! The program never reads these files: the journal stores the progress of the run, and anybody could have written a
//! verdict in a file. Each file is replaced as a whole. The agents can reach them, so links out of the folder are not
//! followed.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use loop_agents::review::{ActionLog, Findings, TaskOutput};
use loop_core::{Event, EventKind, Observer, Progress, WorkResult};
use loop_guardrails::policy::{LocalPath, workspace::Workspace};
use loop_telemetry::{TokenTotals, clamped};
use serde::Serialize;

use super::{FOLDER, TaskError, TaskSpec, task_text::workspace};
use crate::context::ExecutionContext;

/// The files of one run. Clones write the same.
#[derive(Debug, Clone)]
pub(crate) struct StateFiles(Arc<Mutex<RunFiles>>);

#[derive(Debug)]
struct RunFiles {
    workspace: Workspace,
    /// The number of loops, without those granted later.
    loops: u64,
    run: RunFile,
    /// The loop under way, from 1.
    number: u64,
    /// The output of the last finished loop.
    task_output: Option<TaskOutput>,
    /// All reviews of the run.
    reviews: Vec<ReviewRecord>,
    /// The findings of the last review, even if it ended the run.
    found: Option<Findings>,
    /// A warning has said that a file cannot be written.
    has_warned: bool,
    /// Has the clock, hears warnings, and takes secrets out.
    cx: ExecutionContext,
}

/// `run.toml`.
#[derive(Debug, Serialize)]
struct RunFile {
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
    usage: TokenTotals,
}

/// `state.toml`.
#[derive(Debug, Serialize)]
struct StateFile<'a> {
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
struct ExecutionFile<'a> {
    run_id: &'a str,
    #[serde(rename = "loop")]
    number: u64,
    claims_complete: bool,
    words: &'a str,
    account: &'a ActionLog,
}

/// `review_output.toml`, and one entry of `review.toml`.
#[derive(Debug, Clone, Serialize)]
struct ReviewRecord {
    run_id: String,
    #[serde(rename = "loop")]
    number: u64,
    outcome: String,
    #[serde(flatten)]
    findings: Findings,
}

/// `review.toml`.
#[derive(Debug, Serialize)]
struct ReviewsFile<'a> {
    review: &'a [ReviewRecord],
}

/// A time as the files have it.
fn time(time: SystemTime) -> String {
    format!("{:.3}", clamped(time))
}

impl StateFiles {
    pub(super) fn new(spec: &TaskSpec, cx: &ExecutionContext) -> Result<Self, TaskError> {
        let workspace = workspace(cx.folder())?;
        let run = RunFile {
            run_id: cx.supervisor().run().to_owned(),
            created_at: time(cx.now()),
            workdir: workspace.root().display().to_string(),
            task_file: spec.file.clone(),
            executor: spec.executor.name().to_owned(),
            reviewer: spec.reviewer.name().to_owned(),
            loops: spec.loops.get(),
            rounds: spec.rounds.get(),
            loops_completed: 0,
            stop_reason: None,
            usage: TokenTotals::default(),
        };
        Ok(Self(Arc::new(Mutex::new(RunFiles {
            workspace,
            loops: spec.loops.get(),
            run,
            number: 0,
            task_output: None,
            reviews: Vec::new(),
            found: None,
            has_warned: false,
            cx: cx.clone(),
        }))))
    }

    /// Sets the time at which the run began.
    pub(super) fn began(&self, began: SystemTime) {
        self.inner().run.created_at = time(began);
    }

    /// Takes in what the run's journal says of an earlier process; nothing is written.
    pub(crate) fn recall(&self, event: &Event, progress: &Progress, task_output: Option<TaskOutput>) {
        let mut inner = self.inner();
        inner.number = progress.iterations();
        inner.task_output = task_output.or_else(|| inner.task_output.take());
        if let Some(review) = inner.review(event) {
            inner.reviews.push(review);
        }
    }

    /// Records a finished loop, which is reviewed next.
    pub(crate) fn record_output(&self, number: u64, task_output: TaskOutput) {
        let mut inner = self.inner();
        let (run_id, claims_complete) = (inner.run.run_id.clone(), task_output.claims_complete());
        let (words, account) = (&task_output.words, &task_output.actions);
        inner.write("execution", &ExecutionFile { run_id: &run_id, number, claims_complete, words, account });
        inner.task_output = Some(task_output);
    }

    /// Returns the output of the last finished loop.
    pub(crate) fn last(&self) -> Option<TaskOutput> {
        self.inner().task_output.clone()
    }

    /// A review has ended, and found this.
    pub(crate) fn reviewed(&self, found: Option<&Findings>) {
        self.inner().found = found.cloned();
    }

    /// Returns the findings of the run's last review, as far as they are known.
    pub(crate) fn known(&self) -> Findings {
        self.inner().reviews.last().map(|review| review.findings.clone()).unwrap_or_default()
    }

    /// Returns the findings of the last review in this process.
    pub(crate) fn found(&self) -> Option<Findings> {
        self.inner().found.clone()
    }

    fn inner(&self) -> MutexGuard<'_, RunFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunFiles {
    fn phase(&mut self, phase: &str) {
        let (run_id, workdir, task_file) =
            (self.run.run_id.clone(), self.run.workdir.clone(), self.run.task_file.clone());
        let updated_at = time(self.cx.now());
        let number = self.number;
        let state = StateFile {
            run_id: &run_id,
            workdir: &workdir,
            task_file: &task_file,
            number,
            phase,
            updated_at,
        };
        self.write("state", &state);
    }

    /// The review that has ended with this event, if one has.
    fn review(&self, event: &Event) -> Option<ReviewRecord> {
        let EventKind::EvaluationFinished { result, .. } = &event.kind else { return None };
        let (outcome, findings) = match result {
            WorkResult::Done(verdict) => {
                let Ok(findings) = verdict.text().parse();
                (verdict.outcome().to_string(), findings)
            }
            WorkResult::Halted(halt) => {
                let findings = || Findings::new([""; 0], &halt.message, "");
                (halt.reason.to_string(), self.found.clone().unwrap_or_else(findings))
            }
            _ => return None,
        };
        Some(ReviewRecord { run_id: self.run.run_id.clone(), number: self.number, outcome, findings })
    }

    fn reviewed(&mut self, review: ReviewRecord) {
        self.write("review_output", &review);
        self.reviews.push(review);
        let reviews = std::mem::take(&mut self.reviews);
        self.write("review", &ReviewsFile { review: &reviews });
        self.reviews = reviews;
    }

    fn tally(&mut self, progress: &Progress) {
        self.run.loops = self.loops.saturating_add(progress.granted().map_or(0, |grant| grant.iterations));
        self.run.loops_completed = progress.iterations();
        self.run.usage = TokenTotals::from(progress.usage());
        self.run.stop_reason = progress.ending().map(|ending| ending.name().to_owned());
        let run = toml::to_string(&self.run);
        self.put("run", run);
    }

    fn write(&mut self, name: &str, content: &impl Serialize) {
        self.put(name, toml::to_string(content));
    }

    fn put(&mut self, name: &str, text: Result<String, toml::ser::Error>) {
        let text =
            text.unwrap_or_else(|error| unreachable!("texts and numbers can be written as TOML: {error}"));
        let text = (self.cx.redaction())(&text);
        let path = format!("{FOLDER}/task/{name}.toml");
        let written = self.own(&path).write(&path, text.as_bytes());
        if let Err(error) = written
            && !std::mem::replace(&mut self.has_warned, true)
        {
            self.cx.warn(&format!("cannot write the files for you in {FOLDER}/task: {error}"));
        }
    }

    /// The workspace in which this file of ours may be written: agents may not.
    fn own(&self, path: &str) -> Workspace {
        self.workspace.approving(LocalPath::new(path))
    }

    /// Hides the folder from git. A person who wants it visible already has a file with this name.
    fn hide(&self) {
        let path = format!("{FOLDER}/.gitignore");
        if self.workspace.read(&path).is_err() {
            // Without it git shows a folder more.
            let _ = self.own(&path).write(&path, b"*\n");
        }
    }

    /// Removes the files of the previous loop, which could be mistaken for those of this one.
    fn forget(&self) {
        for name in ["execution", "review_output"] {
            // Usually there is no such file.
            let path = format!("{FOLDER}/task/{name}.toml");
            let _ = self.own(&path).remove(&path);
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
            EventKind::EvaluationFinished { .. } => {
                if let Some(review) = inner.review(event) {
                    inner.reviewed(review);
                }
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
