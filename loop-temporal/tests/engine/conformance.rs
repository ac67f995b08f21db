//! The conformance kit of `loop-core`, whose scripted loops run on a worker in this process.

use std::{
    any::Any,
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use loop_core::{
    Action, ActionId, Answer, Ask, BoxError, Ceiling, Event, Input, Parts, Progress, Question, Report, Run,
    RunTime, Usage,
    conformance::{Recompose, ScriptedIteration, ScriptedLoop, cases},
};
use loop_temporal::{
    LONGEST_HISTORY, Link, LoopError, LoopWorkflow, Loops, PersonAnswer, RemoteRun, RunState, StepAnswer,
    StepLimits, StepRequest, Submission, UsageReports, Work, WorkerPlan, WorkspacePlace, run_worker, step_of,
    submit,
};
use temporalio_client::{Client, WorkflowSignalOptions};
use tokio::{runtime::Handle, sync::Mutex as AsyncMutex};

use crate::server::Server;

const QUEUE: &str = "conformance";

/// How often the script's own requests to end reach the workflow: they are made in this process and not on the server.
const POKE: Duration = Duration::from_millis(50);

/// The same while a question is open. The server refuses the end of a run if a signal arrived meanwhile, and these scripts
/// cannot be replayed.
const POKE_OF_QUESTION: Duration = Duration::from_millis(500);

/// The longest case, on a busy machine.
const CASE_TIME: Duration = Duration::from_secs(60);

/// A second of the server is a hundredth of a second of run time: the kit allows 30 ms for a step, and a server takes as
/// long for one message.
const SLOWNESS: u64 = 100;

/// A scripted run: what the workflow takes, what its steps use, and what came of it.
struct Scripted {
    run: Mutex<Option<Run<u64>>>,
    parts: AsyncMutex<WorkParts>,
    asks: Arc<AsyncMutex<Option<Box<dyn Ask>>>>,
    report: Mutex<Option<Report<u64>>>,
    recompose: Recompose,
    /// How often the run continued with a new history.
    moves: AtomicU32,
}

struct WorkParts {
    iteration: ScriptedIteration,
    evaluator: Option<Box<dyn loop_core::Evaluator<u64>>>,
    grace: Duration,
    overrun: Duration,
}

impl Scripted {
    fn new(parts: Parts<ScriptedIteration>, recompose: Recompose) -> Self {
        let Parts { run, iteration, evaluator, ask, grace, overrun, .. } = parts;
        Self {
            run: Mutex::new(Some(run)),
            parts: AsyncMutex::new(WorkParts { iteration, evaluator, grace, overrun }),
            asks: Arc::new(AsyncMutex::new(ask)),
            report: Mutex::default(),
            recompose,
            moves: AtomicU32::new(0),
        }
    }
}

#[derive(Clone)]
struct ScriptedLoops {
    runs: Arc<Mutex<HashMap<String, Arc<Scripted>>>>,
    client: Client,
    runtime: Handle,
}

impl ScriptedLoops {
    fn found(&self, run: &str) -> Arc<Scripted> {
        Arc::clone(&self.runs.lock().expect("runs")[run])
    }
}

#[async_trait]
impl Loops for ScriptedLoops {
    fn run(&self, _: &str, submission: &Submission) -> Result<Box<dyn RemoteRun>, LoopError> {
        let scripted = self.found(&submission.name);
        let run = match &submission.carried {
            None => scripted.run.lock().expect("a run").take(),
            Some(carried) => {
                scripted.moves.fetch_add(1, Ordering::Relaxed);
                let RunState { snapshot, output } = carried.state.clone();
                let output = output.map(serde_json::from_value).transpose().map_err(LoopError::new)?;
                let moved = (scripted.recompose)().resume_snapshot(snapshot.message, output);
                Some(moved.into_parts().map_err(LoopError::new)?.run)
            }
        };
        // A second call would be the replay of a run that a worker has lost.
        let run = run.ok_or_else(|| LoopError::new("the run was taken already"))?;
        Ok(Box::new(Slow { base: run.progress().now(), run }))
    }

    async fn perform(&self, request: StepRequest, link: Arc<dyn Link>) -> Result<StepAnswer, LoopError> {
        let scripted = self.found(&request.submission.name);
        let mut parts = scripted.parts.lock().await;
        let WorkParts { iteration, evaluator, grace, overrun } = &mut *parts;
        let left = Ceiling::from(request.work.left);
        let limits = StepLimits { left, grace: *grace, overrun: *overrun };
        let poking = poke(Arc::clone(&link), request.id);
        tokio::select! {
            done = step_of(&request, iteration, evaluator.as_deref_mut(), limits, link) => done,
            never = poking => never,
        }
    }

    fn asked(&self, run: &str, id: ActionId, question: &Question, progress: &Progress) {
        let handle = self.client.get_workflow_handle::<LoopWorkflow>(run);
        let (question, progress) = (question.clone(), progress.clone());
        let name = self.runs.lock().expect("runs").keys().next().cloned().expect("a run");
        let asks = Arc::clone(&self.found(&name).asks);
        self.runtime.spawn(async move {
            let mut asks = asks.lock().await;
            let ask = asks.as_mut().expect("somebody to ask");
            let mut answered = ask.ask(&question, &progress);
            loop {
                let given = tokio::time::timeout(POKE_OF_QUESTION, answered.as_mut()).await;
                let options = WorkflowSignalOptions::default();
                let Ok(answer) = given else {
                    let poke = UsageReports { id, reports: Vec::new() };
                    // The run may be over, and with it this task.
                    if handle.signal(LoopWorkflow::usage, poke, options).await.is_err() {
                        return;
                    }
                    continue;
                };
                let answer: Option<Answer> = answer;
                let answer = PersonAnswer { id: Some(id), answer };
                handle.signal(LoopWorkflow::answer, answer, options).await.expect("a signal");
                return;
            }
        });
    }

    fn finished(&self, _: &str, ended: Box<dyn RemoteRun>) {
        let ended: Box<dyn Any> = ended;
        let slow = ended.downcast::<Slow>().expect("a scripted run");
        let runs = self.runs.lock().expect("runs");
        let scripted = runs.values().next().expect("a run");
        *scripted.report.lock().expect("a report") = slow.run.into_report();
    }
}

async fn poke(link: Arc<dyn Link>, id: ActionId) -> Result<StepAnswer, LoopError> {
    loop {
        tokio::time::sleep(POKE).await;
        link.report(UsageReports { id, reports: Vec::new() }).await.map_err(LoopError::new)?;
    }
}

/// A run whose time passes slowly.
struct Slow {
    base: RunTime,
    run: Run<u64>,
}

impl Slow {
    fn slowed(&self, at: RunTime) -> RunTime {
        self.base.after(at.since(self.base) / u32::try_from(SLOWNESS).expect("a small number"))
    }
}

impl RemoteRun for Slow {
    fn begin(&mut self, at: RunTime) {
        let at = self.slowed(at);
        RemoteRun::begin(&mut self.run, at);
    }
    fn outstanding(&self) -> Option<(ActionId, Action)> {
        self.run.outstanding()
    }
    fn progress(&self) -> &Progress {
        self.run.progress()
    }
    fn look(&mut self, at: RunTime) {
        self.run.look(self.slowed(at));
    }
    fn wakes_at(&self) -> Option<RunTime> {
        let at = RemoteRun::wakes_at(&self.run)?.since(self.base);
        Some(self.base.after(at * u32::try_from(SLOWNESS).expect("a small number")))
    }
    fn handle(&mut self, at: RunTime, input: Input) {
        let at = self.slowed(at);
        RemoteRun::handle(&mut self.run, at, input);
    }
    fn report(&mut self, at: RunTime, usage: Usage) {
        self.run.report(self.slowed(at), usage);
    }
    fn work(&self) -> Result<Option<Work>, BoxError> {
        RemoteRun::work(&self.run)
    }
    fn state(&mut self) -> Result<Option<RunState>, BoxError> {
        self.run.state()
    }
    fn answer(&mut self, at: RunTime, id: ActionId, answer: StepAnswer) -> Result<(), BoxError> {
        self.run.answer(self.slowed(at), id, answer)
    }
    fn settle(&mut self, at: RunTime) {
        let at = self.slowed(at);
        RemoteRun::settle(&mut self.run, at);
    }
    fn take_events(&mut self) -> Vec<Event> {
        RemoteRun::take_events(&mut self.run)
    }
}

/// Runs a scripted loop on the server. Returns its report, and how often it continued with a new history.
async fn driven(
    loops: &ScriptedLoops,
    (run, recompose): (ScriptedLoop, Recompose),
    longest_history: u32,
) -> Result<(Report<u64>, u32), BoxError> {
    let name = "scripted".to_owned();
    let scripted = Arc::new(Scripted::new(run.into_parts()?, recompose));
    loops.runs.lock().expect("runs").insert(name.clone(), Arc::clone(&scripted));
    let submission = Submission {
        protocol: loop_temporal::PROTOCOL,
        version: "test".to_owned(),
        manifest: "loop.yaml".into(),
        text: String::new(),
        name,
        workspace: WorkspacePlace::Folder("/".into()),
        fleet: None,
        longest_history,
        carried: None,
    };
    let submitted = submit(&loops.client, QUEUE, None, vec![submission]).await?;
    let runs = loop_temporal::Runs::new(loops.client.clone());
    tokio::time::timeout(CASE_TIME, runs.outcome(&submitted.runs[0])).await??;
    let report = scripted.report.lock().expect("a report").take();
    let report = report.ok_or("the run gave no report")?;
    Ok((report, scripted.moves.load(Ordering::Relaxed)))
}

#[test]
fn the_engine_conforms() {
    assert_eq!(moves_of_conforming(LONGEST_HISTORY), 0);
}

#[test]
fn the_engine_conforms_if_each_iteration_has_a_history_of_its_own() {
    let moves = moves_of_conforming(1);
    assert!(moves >= 5, "only {moves} new histories");
}

/// Checks all cases, and returns how often their runs continued with a new history.
fn moves_of_conforming(longest_history: u32) -> u32 {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let server = Server::start();
    let client = runtime.block_on(server.client());
    let loops =
        ScriptedLoops { runs: Arc::default(), client: client.clone(), runtime: runtime.handle().clone() };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = loops.clone();
    let worker = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let plan = WorkerPlan {
            queue: QUEUE.to_owned(),
            name: "kit".to_owned(),
            place: "here".to_owned(),
            slots: 8,
        };
        runtime.block_on(run_worker(client, &plan, Arc::new(served), async { drop(stopped.await) }))
    });
    let (mut deviations, mut moves) = (Vec::new(), 0);
    for case in cases() {
        let found = case.check_moved(|run, recompose| {
            let (report, moved) = runtime.block_on(driven(&loops, (run, recompose), longest_history))?;
            moves += moved;
            Ok(report)
        });
        deviations.extend(found.err().map(|it| it.to_string()));
    }
    stop.send(()).expect("a worker");
    worker.join().expect("a thread").expect("a worker that ends");
    assert!(deviations.is_empty(), "{}", deviations.join("\n\n"));
    moves
}
