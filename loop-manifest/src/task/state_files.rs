//! The files in `.loop/task`, for people to read.
//!
//! The program never reads these files: the journal stores the progress of the run, and anybody could have written a
//! verdict in a file. Each file is replaced as a whole, except that the [log of a phase](super::phase_log) grows. The
//! agents can reach them, so a link in the place of a file is replaced, and links out of the folder are not followed.

use std::{
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use loop_agents::review::{BLOCKED, CallEvent, CallListener, Findings, TaskOutput, is_without_verdict};
use loop_core::{Event, EventKind, Observer, Progress, WorkResult};
use loop_guardrails::policy::{LocalPath, workspace::Workspace};
use loop_telemetry::TokenTotals;
use serde::Serialize;

use super::{
    FOLDER, TaskError, TaskSpec,
    phase_log::{PhaseLog, as_toml},
    state_records::{LogHead, ReviewRecord, RunFile, StateFile, time},
    task_text::workspace,
};
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
    /// The last review of the run.
    review: Option<ReviewRecord>,
    /// The number of reviews without a verdict since the last one with a verdict.
    without_verdict: u64,
    /// The log of the current phase.
    log: Option<PhaseLog>,
    /// The findings of the last review, even if it ended the run.
    found: Option<Findings>,
    /// A warning has said that a file cannot be written.
    has_warned: bool,
    /// Has the clock, hears warnings, and takes secrets out.
    cx: ExecutionContext,
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
            review: None,
            without_verdict: 0,
            log: None,
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
            inner.review = Some(review);
        }
        inner.count_verdict(event);
    }

    /// Takes the output of a finished loop, which is reviewed next.
    pub(crate) fn record_output(&self, task_output: TaskOutput) {
        self.inner().task_output = Some(task_output);
    }

    /// Returns a listener that writes calls into the log of the current phase.
    pub(crate) fn call_listener(&self) -> CallListener {
        let files = self.clone();
        CallListener::new(move |event| files.inner().log_call(event))
    }

    /// Returns the number of reviews without a verdict since the last one with a verdict, in all processes of the run.
    pub(crate) fn without_verdict(&self) -> u64 {
        self.inner().without_verdict
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
        self.inner().review.as_ref().map(|review| review.findings.clone()).unwrap_or_default()
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
        self.log(|log, now| log.verdict(now, &review.outcome, &review.findings.to_string()));
        self.review = Some(review);
    }

    /// Counts the reviews without a verdict. A deferred or failed review, and one that ended the run for lack of
    /// verdicts, is repeated or counted elsewhere.
    fn count_verdict(&mut self, event: &Event) {
        let EventKind::EvaluationFinished { result, notes } = &event.kind else { return };
        match result {
            WorkResult::Done(_) if notes.as_ref().is_some_and(|notes| is_without_verdict(&notes.marks)) => {
                self.without_verdict += 1;
            }
            WorkResult::Done(_) => self.without_verdict = 0,
            WorkResult::Halted(halt) if halt.reason.as_str() == BLOCKED => self.without_verdict = 0,
            _ => {}
        }
    }

    /// Begins the log of a phase, in place of the phase's log in the loop before.
    fn begin_log(&mut self, phase: &str) {
        let is_review = phase == "review";
        let agent = if is_review { &self.run.reviewer } else { &self.run.executor };
        let started_at = time(self.cx.now());
        let head = LogHead { run_id: &self.run.run_id, number: self.number, phase, agent, started_at };
        let path = format!("{FOLDER}/task/{phase}.toml");
        match PhaseLog::begin(&self.own(&path), &path, &head, self.cx.redaction()) {
            Ok(log) => self.log = Some(log),
            Err(error) => {
                self.log = None;
                self.warn(&error);
            }
        }
    }

    fn log_call(&mut self, event: CallEvent<'_>) {
        self.log(|log, now| log.on_call(now, event));
    }

    /// Writes into the log. If that fails, the log ends here: one with a gap would be misleading.
    fn log(&mut self, write: impl FnOnce(&mut PhaseLog, &str) -> io::Result<()>) {
        let now = time(self.cx.now());
        let Some(log) = &mut self.log else { return };
        if let Err(error) = write(log, &now) {
            self.log = None;
            self.warn(&error);
        }
    }

    fn tally(&mut self, progress: &Progress) {
        self.run.loops = self.loops.saturating_add(progress.granted().map_or(0, |grant| grant.iterations));
        self.run.loops_completed = progress.iterations();
        self.run.usage = TokenTotals::from(progress.usage());
        self.run.stop_reason = progress.ending().map(|ending| ending.name().to_owned());
        let run = as_toml(&self.run);
        self.put("run", &run);
    }

    fn write(&mut self, name: &str, content: &impl Serialize) {
        self.put(name, &as_toml(content));
    }

    fn put(&mut self, name: &str, text: &str) {
        let text = (self.cx.redaction())(text);
        let path = format!("{FOLDER}/task/{name}.toml");
        if let Err(error) = self.own(&path).replace(&path, text.as_bytes()) {
            self.warn(&error);
        }
    }

    fn warn(&mut self, error: &dyn fmt::Display) {
        if !std::mem::replace(&mut self.has_warned, true) {
            self.cx.warn(&format!(
                "cannot write the files for you in {FOLDER}/task, so they are incomplete: {error}. Check the \
                 permissions of the folder and the free space on its disk; the run goes on without them"
            ));
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

    /// Removes files of an earlier loop or run, which could be mistaken for those of this one.
    fn forget(&self, names: &[&str]) {
        for name in names {
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
                if matches!(event.kind, EventKind::RunStarted { .. }) {
                    inner.forget(&["execution", "review"]);
                }
                inner.number = progress.iterations();
                inner.phase("idle");
                inner.tally(progress);
            }
            EventKind::IterationStarted { iteration, .. } => {
                inner.number = *iteration;
                inner.forget(&["review_output"]);
                inner.phase("execution");
                inner.begin_log("execution");
            }
            EventKind::EvaluationStarted {} => {
                inner.number = progress.iterations();
                inner.phase("review");
                inner.begin_log("review");
            }
            EventKind::EvaluationFinished { .. } => {
                if let Some(review) = inner.review(event) {
                    inner.reviewed(review);
                }
                inner.count_verdict(event);
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
