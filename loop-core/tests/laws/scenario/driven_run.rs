//! Drives the same scenarios with the tokio driver, on a paused clock.

use std::{
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::StreamExt;
use loop_core::{
    Answer, Ask, BuildError, CancellationToken, EvaluationContext, Evaluator, Event, EventKind, Halt,
    Iteration, IterationContext, JudgedStep, Loop, Meter, Progress, Question, Report, Stage, Step,
    StepRecord, StopCondition, Update, Usage, Verdict, WorkError, WorkResult, pace_fn,
};
use tokio::time::sleep;

use super::{
    Disk, End, GoalState, Job, Probe, Scenario, TestGuardrail, locked,
    read_mode::{ReadMode, ReaderPauses, StartedRun},
    report_log::ReportLog,
    simulator,
};

/// The results of a driven run.
pub(crate) struct DrivenRun {
    pub(crate) events: Vec<Event>,
    /// `None` if the run was dropped.
    pub(crate) report: Option<Report<u64>>,
    /// The usage that reached the run's meters before it ended.
    pub(crate) reported: Vec<Usage>,
    pub(crate) probes: Vec<Probe>,
}

/// Shorter than the grace time that many jobs need, so that some are dropped.
const GRACE: Duration = Duration::from_millis(40);

/// A stop condition for loops with and without an evaluator.
pub(crate) trait AnyGoal: StopCondition<Step<u64>> + StopCondition<JudgedStep<u64>> + 'static {}
impl<C: StopCondition<Step<u64>> + StopCondition<JudgedStep<u64>> + 'static> AnyGoal for C {}

impl DrivenRun {
    /// Runs a scenario from its start to its end.
    pub(crate) fn run(scenario: &Scenario) -> Self {
        Self::with(scenario, GoalState::new(&scenario.goal), &[], usize::MAX).expect("a new run begins")
    }

    /// Resumes a run with these events, and drops it after it has written `stop_after` more.
    pub(crate) fn with(
        scenario: &Scenario,
        goal: impl AnyGoal,
        before: &[Event],
        stop_after: usize,
    ) -> Result<Self, BuildError> {
        Self::drive(scenario, goal, before, (None, None), stop_after)
    }

    /// Runs a scenario whose iterations run in another way.
    pub(crate) fn within(scenario: &Scenario, within: Within) -> Self {
        let goal = GoalState::new(&scenario.goal);
        Self::drive(scenario, goal, &[], (None, Some(within)), usize::MAX).expect("a new run begins")
    }

    /// Begins or continues the run on this disk, and drops it after the run has written this many events.
    pub(crate) fn on_disk(scenario: &Scenario, disk: &Disk, stop_after: usize) -> Self {
        let goal = GoalState::new(&scenario.goal);
        let run = Self::drive(scenario, goal, &disk.events(), (Some(disk), None), stop_after);
        run.expect("the disk has a history")
    }

    fn drive(
        scenario: &Scenario,
        goal: impl AnyGoal,
        before: &[Event],
        (disk, within): (Option<&Disk>, Option<Within>),
        stop_after: usize,
    ) -> Result<Self, BuildError> {
        virtual_time(async {
            let parts = Parts { within, ..Parts::new(scenario, before).on(disk.cloned()) };
            let report_log = Arc::clone(&parts.report_log);
            let (begun, probes) = parts.begin(goal, before, &ReadMode::Stream(ReaderPauses::default()))?;
            let StartedRun::Stream(stream) = begun else { unreachable!("it is read as a stream") };
            let mut run = Self { events: before.to_vec(), report: None, reported: Vec::new(), probes };
            let mut updates = stream.take(stop_after);
            while let Some(update) = updates.next().await {
                match update {
                    Update::Event(event) => run.events.push(event),
                    Update::Report(report) => run.report = Some(*report),
                }
            }
            run.reported = locked(&report_log).reported.clone();
            Ok(run)
        })
    }
}

/// Runs a future on one thread, on a clock that stops while there is work.
pub(crate) fn virtual_time<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime is built").block_on(future)
}

/// Returns the output of the last iteration that succeeded, as a journal would have stored it.
pub(crate) fn last_output(events: &[Event]) -> Option<u64> {
    let mut iteration = 0;
    let mut output = None;
    for event in events {
        match &event.kind {
            EventKind::IterationStarted { iteration: begun, .. } => iteration = *begun,
            EventKind::IterationFinished { result: WorkResult::Done(()), .. } => {
                output = Some(iteration * 10);
            }
            _ => {}
        }
    }
    output
}

#[derive(Clone)]
pub(crate) struct Parts {
    scenario: Arc<Scenario>,
    pub(super) report_log: Arc<Mutex<ReportLog>>,
    tries: Arc<Mutex<HashMap<(u64, Stage), usize>>>,
    disk: Option<Disk>,
    /// Runs each iteration in another way: in a loop of its own, for example.
    within: Option<Within>,
}

/// Runs an iteration with parts that do the work.
pub(crate) type Within = Arc<
    dyn Fn(Parts, IterationContext<u64>) -> Pin<Box<dyn Future<Output = Result<u64, WorkError>> + Send>>
        + Send
        + Sync,
>;

impl Parts {
    pub(super) fn new(scenario: &Scenario, before: &[Event]) -> Self {
        let parts = Self {
            scenario: Arc::new(scenario.clone()),
            report_log: Arc::new(Mutex::new(ReportLog::new())),
            tries: Arc::default(),
            disk: None,
            within: None,
        };
        let progress = Progress::from_events(before).unwrap_or_default();
        let next = progress.current_step().map_or(0, StepRecord::iteration);
        for stage in [Stage::Iteration, Stage::Evaluation] {
            locked(&parts.tries).insert((next, stage), simulator::tries(before, stage));
        }
        parts
    }

    /// Stores the events on this disk.
    pub(super) fn on(self, disk: Option<Disk>) -> Self {
        Self { disk, ..self }
    }

    pub(super) fn begin(
        self,
        goal: impl AnyGoal,
        before: &[Event],
        mode: &ReadMode,
    ) -> Result<(StartedRun, Vec<Probe>), BuildError> {
        let scenario = Arc::clone(&self.scenario);
        let cancel = CancellationToken::new();
        if let Some(after) = scenario.cancel {
            let cancel = cancel.clone();
            if after.is_zero() {
                cancel.cancel();
            }
            tokio::spawn(async move {
                sleep(after).await;
                cancel.cancel();
            });
        }
        let delays = scenario.delays.clone();
        let report_log = Arc::clone(&self.report_log);
        let mut run = Loop::new(self.clone())
            .at_most(1_000)
            .pace(pace_fn(move |progress| delays[progress.iterations() as usize % delays.len()]))
            .on_ask(self.clone())
            .cancel_on(cancel)
            .grace(GRACE);
        if !matches!(mode, ReadMode::Nobody) {
            run = run.observe(move |event: &Event, _: &Progress| {
                locked(&report_log).over |= matches!(event.kind, EventKind::RunFinished { .. });
            });
        }
        let mut probes = Vec::new();
        for guardrail in &scenario.guardrails {
            let probe = Probe::default();
            run = run.guard(TestGuardrail::new(guardrail, Arc::clone(&probe)));
            probes.push(probe);
        }
        if let Some(disk) = &self.disk {
            run = run.resume_from(disk.clone());
        } else if !before.is_empty() {
            run = run.resume(before.to_vec(), last_output(before));
        }
        let begun = match scenario.evaluated {
            true if scenario.evaluates_first => {
                mode.begin(run.evaluate(self).evaluate_first(0).until(goal))?
            }
            true => mode.begin(run.evaluate(self).until(goal))?,
            false => mode.begin(run.until(goal))?,
        };
        Ok((begun, probes))
    }

    fn add(&self, meter: &Meter, usage: Usage) {
        meter.add(usage);
        locked(&self.report_log).add(usage);
    }

    /// Reports late usage from a separate task.
    fn strays(&self, iteration: u64, meter: &Meter) {
        for (after, usage) in self.scenario.strays.iter().cloned() {
            let (parts, meter) = (self.clone(), meter.clone());
            tokio::spawn(async move {
                sleep(Duration::from_millis(iteration * 7 + after as u64 * 11)).await;
                parts.add(&meter, usage);
            });
        }
    }

    /// Does a job. `Err` is how it ends without a result.
    async fn do_work(
        &self,
        job: &Job,
        meter: &Meter,
        tried: usize,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Verdict, WorkError> {
        if let Some(after) = job.deferrals.get(tried) {
            self.add(meter, job.notes.usage);
            return Err(WorkError::Later { after: *after });
        }
        let work = async {
            for (after, usage) in &job.reports {
                pass(*after).await;
                self.add(meter, *usage);
            }
            pass(job.last).await;
        };
        tokio::select! {
            biased;
            () = work => {}
            () = cancelled => {
                self.add(meter, job.in_grace.0);
                pass(job.in_grace.1).await;
            }
        }
        self.add(meter, job.notes.usage);
        match &job.end {
            End::Done(verdict) => Ok(verdict.clone()),
            End::Failed => Err(WorkError::failed("it broke")),
            End::Halted(reason) => Err(Halt::new(reason.clone(), "it cannot go on").into()),
        }
    }

    fn tried(&self, stage: Stage, iteration: u64) -> usize {
        let mut tries = locked(&self.tries);
        let tried = tries.entry((iteration, stage)).or_default();
        *tried += 1;
        *tried - 1
    }
}

/// Waits only for a nonzero time, so that some work is ready at once.
async fn pass(duration: Duration) {
    if !duration.is_zero() {
        sleep(duration).await;
    }
}

impl Parts {
    /// Does the work of the iteration with this index.
    pub(crate) async fn iterate(&self, index: u64, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        if let Some(disk) = &self.disk {
            disk.check_before_iteration();
        }
        locked(&self.report_log).call(Stage::Iteration, cx.left().time);
        let job = self.scenario.job(Stage::Iteration, index).clone();
        for mark in &job.notes.marks {
            cx.mark(&mark.name, mark.hash);
        }
        if let Some(fault) = &job.notes.fault {
            cx.fault(&**fault);
        }
        self.strays(index, &cx.meter());
        let tried = self.tried(Stage::Iteration, index);
        self.do_work(&job, &cx.meter(), tried, cx.cancelled()).await?;
        Ok(index * 10)
    }
}

#[async_trait::async_trait]
impl Iteration for Parts {
    type Output = u64;
    async fn run(&mut self, cx: IterationContext<u64>) -> Result<u64, WorkError> {
        let index = cx.iteration();
        let Some(within) = self.within.clone() else { return self.iterate(index, cx).await };
        let parts = Self { within: None, ..self.clone() };
        within(parts, cx).await
    }
}

#[async_trait::async_trait]
impl Evaluator<u64> for Parts {
    async fn evaluate(&mut self, cx: EvaluationContext<u64>) -> Result<Verdict, WorkError> {
        assert_eq!(*cx.output(), cx.iteration() * 10, "an output is judged that is not its own");
        locked(&self.report_log).call(Stage::Evaluation, cx.left().time);
        let job = self.scenario.job(Stage::Evaluation, cx.iteration()).clone();
        for mark in &job.notes.marks {
            cx.mark(&mark.name, mark.hash);
        }
        let tried = self.tried(Stage::Evaluation, cx.iteration());
        self.do_work(&job, &cx.meter(), tried, cx.cancelled()).await
    }
}

#[async_trait::async_trait]
impl Ask for Parts {
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer> {
        let hour = Duration::from_secs(3_600);
        sleep(hour).await;
        locked(&self.report_log).asked_time += hour;
        self.scenario.answer(question.text.parse().expect("a guardrail's id"), progress.iterations())
    }
}
