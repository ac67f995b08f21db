//! Looks at submitted runs, answers their questions and cancels them.

use std::time::{Duration, SystemTime};

use futures::TryStreamExt;
use loop_core::{Answer, BoxError, Grant};
use temporalio_client::{
    Client, WorkflowCancelOptions, WorkflowDescribeOptions, WorkflowExecutionDescription,
    WorkflowExecutionStatus, WorkflowGetResultOptions, WorkflowIdReusePolicy, WorkflowListOptions,
    WorkflowQueryOptions, WorkflowSignalOptions, WorkflowStartOptions, schedules::DeleteScheduleOptions,
};

use temporalio_common::protos::temporal::api::enums::v1::PendingActivityState;

use crate::{FleetState, FleetWorkflow, LoopWorkflow, Outcome, PersonAnswer, RunStatus, Waits};

/// The query for runs. A run that continued with a new history is listed once.
const RUNS: &str = "WorkflowType = 'LoopWorkflow' AND ExecutionStatus != 'ContinuedAsNew'";

/// How long a worker may take to answer a query.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// The submitted runs of a namespace.
#[derive(Debug, Clone)]
pub struct Runs(Client);

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The id of the run.
    pub run: String,
    /// Its queue.
    pub queue: String,
    /// Whether it is over.
    pub is_over: bool,
    /// The name of its state on the server.
    pub state: &'static str,
    /// When it was submitted.
    pub submitted: Option<SystemTime>,
}

/// A request that the server or the run refuses.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// The server refuses the request.
    #[error("the server refused to {asked}: {error}")]
    Server {
        /// The request.
        asked: &'static str,
        /// The cause.
        #[source]
        error: BoxError,
    },
    /// The run is in progress, or failed on the server.
    #[error("only a run that is over can be resumed; the state of {0} is `{1}`")]
    NotOver(String, &'static str),
    /// The run cannot be restored.
    #[error("the run {0} has no state from which it can continue: submit its manifest again")]
    NoState(String),
    /// No question is open.
    #[error("the run {0} asks nothing now: its state is `{1}`")]
    NoQuestion(String, String),
}

fn refused<E: Into<BoxError>>(asked: &'static str) -> impl Fn(E) -> RunsError {
    move |error| RunsError::Server { asked, error: error.into() }
}

impl Runs {
    /// Returns the runs in the namespace of this client.
    pub const fn new(client: Client) -> Self {
        Self(client)
    }

    /// Lists the latest runs, at most `limit`.
    ///
    /// # Errors
    /// The server refuses.
    pub async fn list(&self, limit: usize) -> Result<Vec<RunRow>, RunsError> {
        let options = WorkflowListOptions::builder().limit(limit).build();
        let stream = self.0.list_workflows(RUNS, options);
        let found: Vec<_> = stream.try_collect().await.map_err(refused("list the runs"))?;
        let row = |found: &temporalio_client::WorkflowExecution| RunRow {
            run: found.id().to_owned(),
            queue: found.task_queue().to_owned(),
            is_over: found.status() != WorkflowExecutionStatus::Running,
            state: state(found.status()),
            submitted: found.start_time(),
        };
        Ok(found.iter().map(row).collect())
    }

    /// Returns the state of a run. While it runs, a worker answers.
    ///
    /// # Errors
    /// There is no such run, or no worker.
    pub async fn status(&self, run: &str) -> Result<RunStatus, RunsError> {
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let described = handle.describe(WorkflowDescribeOptions::default()).await;
        let described = described.map_err(refused("describe the run"))?;
        if described.status() == WorkflowExecutionStatus::Completed {
            return Ok(self.outcome(run).await?.status);
        }
        let asked = handle.query(LoopWorkflow::status, (), WorkflowQueryOptions::default());
        let status = match tokio::time::timeout(ANSWER_TIME, asked).await {
            Ok(Ok(status)) => RunStatus { waits: waits(&described), ..status },
            Ok(Err(error)) if waits(&described).is_none() => {
                return Err(refused("ask the run for its state")(error));
            }
            // Only workers can read the state of a run.
            _ => RunStatus {
                name: described.static_summary().unwrap_or_default().to_owned(),
                phase: "a worker".to_owned(),
                waits: Some(Waits::Queue(described.task_queue().to_owned())),
                ..RunStatus::default()
            },
        };
        Ok(status)
    }

    /// Returns the state of a budget, and `None` if this is the id of a run.
    ///
    /// # Errors
    /// There is no such budget, or no worker.
    pub async fn fleet(&self, id: &str) -> Result<Option<FleetState>, RunsError> {
        let handle = self.0.get_workflow_handle::<FleetWorkflow>(id);
        let described = handle.describe(WorkflowDescribeOptions::default()).await;
        let described = described.map_err(refused("describe the run"))?;
        if described.workflow_type() != "FleetWorkflow" {
            return Ok(None);
        }
        if described.status() == WorkflowExecutionStatus::Completed {
            let ended = handle.get_result(WorkflowGetResultOptions::default()).await;
            return ended.map(Some).map_err(refused("read the budget"));
        }
        let asked = handle.query(FleetWorkflow::state, (), WorkflowQueryOptions::default());
        asked.await.map_err(refused("ask the budget for its state"))
    }

    /// Waits for the end of a run.
    ///
    /// # Errors
    /// There is no such run, or it failed on the server.
    pub async fn outcome(&self, run: &str) -> Result<Outcome, RunsError> {
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let ended = handle.get_result(WorkflowGetResultOptions::default()).await;
        ended.map_err(refused("wait for the run"))
    }

    /// Answers the open question of a run.
    ///
    /// # Errors
    /// No question is open.
    pub async fn answer(&self, run: &str, answer: Answer) -> Result<(), RunsError> {
        let status = self.status(run).await?;
        if status.question.is_none() {
            return Err(RunsError::NoQuestion(run.to_owned(), status.phase));
        }
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let answer = PersonAnswer { id: status.asked, answer: Some(answer) };
        let sent = handle.signal(LoopWorkflow::answer, answer, WorkflowSignalOptions::default()).await;
        sent.map_err(refused("pass the answer on"))
    }

    /// Continues a run that is over, with additions to its limits. It no longer belongs to a shared budget.
    ///
    /// # Errors
    /// The run is not over, or has no state.
    pub async fn resume(&self, run: &str, grant: Grant) -> Result<(), RunsError> {
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let described = handle.describe(WorkflowDescribeOptions::default()).await;
        let described = described.map_err(refused("describe the run"))?;
        if described.status() != WorkflowExecutionStatus::Completed {
            let state = state(described.status());
            return Err(RunsError::NotOver(run.to_owned(), state));
        }
        let resumable = self.outcome(run).await?.resumable;
        let mut submission = *resumable.ok_or_else(|| RunsError::NoState(run.to_owned()))?;
        submission.fleet = None;
        if let Some(carried) = &mut submission.carried {
            carried.resumed = Some(grant);
        }
        let options = WorkflowStartOptions::new(described.task_queue(), run)
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .static_summary(submission.name.as_str())
            .build();
        let started = self.0.start_workflow(LoopWorkflow::run, submission, options).await;
        started.map(drop).map_err(refused("resume the run"))
    }

    /// Takes a run from its worker, and gives it to another one of its queue. An agent that is still there ends first.
    ///
    /// # Errors
    /// There is no such run, or it is over.
    pub async fn reassign(&self, run: &str) -> Result<(), RunsError> {
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let sent = handle.signal(LoopWorkflow::reassign, (), WorkflowSignalOptions::default()).await;
        sent.map_err(refused("reassign the run"))
    }

    /// Asks a run to end. Its agent is ended too. A schedule is deleted.
    ///
    /// # Errors
    /// There is no such run.
    pub async fn cancel(&self, run: &str) -> Result<(), RunsError> {
        let handle = self.0.get_workflow_handle::<LoopWorkflow>(run);
        let Err(error) = handle.cancel(WorkflowCancelOptions::default()).await else { return Ok(()) };
        let schedule = self.0.get_schedule_handle(run);
        match schedule.delete(DeleteScheduleOptions::default()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(refused("cancel the run")(error)),
        }
    }
}

/// Returns what a run waits for, from what the server knows of its activities.
fn waits(described: &WorkflowExecutionDescription) -> Option<Waits> {
    let raw = described.raw();
    let is_new = raw.pending_workflow_task.as_ref().is_some_and(|task| task.started_time.is_none());
    let pending = raw.pending_activities.iter().find(|it| it.state() == PendingActivityState::Scheduled);
    let Some(pending) = pending else {
        return is_new.then(|| Waits::Queue(described.task_queue().to_owned()));
    };
    let is_claim = pending.activity_type.as_ref().is_some_and(|kind| kind.name.ends_with("claim"));
    if is_claim {
        return Some(Waits::Queue(described.task_queue().to_owned()));
    }
    let since = pending.scheduled_time.as_ref().and_then(|time| SystemTime::try_from(*time).ok());
    let seconds = since.and_then(|since| since.elapsed().ok()).unwrap_or_default().as_secs();
    Some(Waits::Host { seconds })
}

const fn state(status: WorkflowExecutionStatus) -> &'static str {
    match status {
        WorkflowExecutionStatus::Running => "running",
        WorkflowExecutionStatus::Completed => "over",
        WorkflowExecutionStatus::Failed => "failed",
        WorkflowExecutionStatus::Canceled => "cancelled",
        WorkflowExecutionStatus::Terminated => "terminated",
        WorkflowExecutionStatus::ContinuedAsNew => "continued",
        WorkflowExecutionStatus::TimedOut => "timed out",
        _ => "unknown",
    }
}
