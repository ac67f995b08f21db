//! A worker: it takes runs from a queue, and performs their steps.

use std::{sync::Arc, time::Duration};

use temporalio_client::{Client, tonic::Request};
use temporalio_common::protos::temporal::api::workflowservice::v1::GetSystemInfoRequest;
use temporalio_sdk::{
    Runtime, RuntimeError, Worker, WorkerCreateError, WorkerOptions, WorkerRunError,
    WorkflowRegistrationError,
    runtime::worker_tuner::{FixedSizeSlotSupplier, TunerHolder},
};

use crate::{Claim, Contact, FleetWorkflow, LoopWorkflow, Loops, Steps};

/// The longest silence of the server after which a worker ends its agents. The server gives a step to nobody else before
/// 10 seconds without a heartbeat have passed.
const LONGEST_SILENCE: Duration = Duration::from_secs(6);

/// How long the agents of a worker that shuts down may take to end.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);

/// The settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerPlan {
    /// The queue from which it takes runs.
    pub queue: String,
    /// Its name, for people.
    pub name: String,
    /// The id of its [place](crate::WorkerPlace), which no other worker may have.
    pub place: String,
    /// The most steps at the same time.
    pub slots: usize,
}

impl WorkerPlan {
    /// Returns the queue for the steps of the runs that this worker has.
    pub fn own_queue(&self) -> String {
        format!("{}@{}@{}", self.queue, self.name, self.place)
    }
}

/// A worker that cannot run.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The runtime of the SDK cannot start.
    #[error("cannot start the worker: {0}")]
    Runtime(#[from] RuntimeError),
    /// The SDK refuses the workflow.
    #[error("cannot register the workflow: {0}")]
    Registration(#[from] WorkflowRegistrationError),
    /// The SDK refuses the settings.
    #[error("cannot create the worker: {0}")]
    Create(#[from] WorkerCreateError),
    /// The server refuses the worker, or went away.
    #[error("the worker ended: {0}")]
    Run(#[from] WorkerRunError),
}

/// Runs a worker until `end` resolves. Its steps are then cancelled, and run again on this worker when it is back.
///
/// # Errors
/// The server cannot be used.
pub async fn run_worker(
    client: Client,
    plan: &WorkerPlan,
    loops: Arc<dyn Loops>,
    end: impl Future<Output = ()>,
) -> Result<(), WorkerError> {
    let runtime = Runtime::from_current_tokio(Default::default())?;
    let contact = Arc::new(Contact::new(LONGEST_SILENCE));
    let watch = tokio::spawn(watch(client.clone(), Arc::clone(&contact)));
    let claim = Claim { worker: plan.name.clone(), queue: plan.own_queue() };
    let steps = || Steps::new(Arc::clone(&loops), claim.clone(), Arc::clone(&contact));
    let workflows = Arc::clone(&loops);
    let shared = WorkerOptions::new(plan.queue.as_str())
        .register_workflow_with_factory::<LoopWorkflow, _>(move || LoopWorkflow::new(Arc::clone(&workflows)))?
        .register_workflow::<FleetWorkflow>()?
        .register_activities(steps())
        .sticky_queue_schedule_to_start_timeout(Duration::from_secs(2))
        .build();
    let slots = FixedSizeSlotSupplier::new(plan.slots);
    let tuner = TunerHolder::builder()
        .workflow_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .activity_task_slot_supplier(slots)
        .local_activity_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .nexus_task_slot_supplier(FixedSizeSlotSupplier::new(1))
        .build();
    let own = WorkerOptions::new(plan.own_queue())
        .register_activities(steps())
        .tuner(tuner)
        // A cancellation arrives with a heartbeat.
        .max_heartbeat_throttle_interval(Duration::from_secs(1))
        .graceful_shutdown_period(SHUTDOWN_TIME)
        .build();
    let mut shared = Worker::new(&runtime, client.clone(), shared)?;
    let mut own = Worker::new(&runtime, client, own)?;
    let (end_shared, end_own) = (shared.shutdown_handle(), own.shutdown_handle());
    let ended = async {
        end.await;
        end_shared();
        end_own();
        std::future::pending().await
    };
    let done = tokio::select! {
        (shared, own) = async { tokio::join!(shared.run(), own.run()) } => shared.and(own),
        done = ended => done,
    };
    watch.abort();
    Ok(done?)
}

/// Asks the server once a second whether it is there.
async fn watch(client: Client, contact: Arc<Contact>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        let mut service = client.connection().workflow_service();
        let asked = service.get_system_info(Request::new(GetSystemInfoRequest::default()));
        if let Ok(Ok(_)) = tokio::time::timeout(Duration::from_secs(2), asked).await {
            contact.note();
        }
    }
}
