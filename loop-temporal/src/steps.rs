//! The activities of a run.
#![expect(missing_docs, missing_debug_implementations, reason = "of the items that the macro makes")]

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use loop_core::BoxError;
use temporalio_client::WorkflowSignalOptions;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

use crate::{Claim, Link, LoopWorkflow, Loops, StepAnswer, StepRequest, UsageReports};

/// How often a step in progress reports that its worker is alive, and hears whether it has to end.
pub(crate) const HEARTBEAT: Duration = Duration::from_millis(500);

/// The activities, on a worker that makes these loops.
pub struct Steps {
    loops: Arc<dyn Loops>,
    claim: Claim,
    contact: Arc<Contact>,
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").field("claim", &self.claim).finish_non_exhaustive()
    }
}

impl Steps {
    /// Creates the activities of the worker that answers claims with `claim`.
    pub fn new(loops: Arc<dyn Loops>, claim: Claim, contact: Arc<Contact>) -> Self {
        Self { loops, claim, contact }
    }
}

#[activities]
impl Steps {
    /// Gives the run to this worker.
    ///
    /// # Errors
    /// Never.
    #[activity]
    pub async fn claim(self: Arc<Self>, _: ActivityContext, _: ()) -> Result<Claim, ActivityError> {
        Ok(self.claim.clone())
    }

    /// Performs a step of a run.
    ///
    /// # Errors
    /// This worker cannot perform it.
    #[activity]
    pub async fn step(
        self: Arc<Self>,
        cx: ActivityContext,
        request: StepRequest,
    ) -> Result<StepAnswer, ActivityError> {
        let beats = tokio::spawn(beat(cx.clone()));
        let link = ActivityLink { cx, contact: Arc::clone(&self.contact) };
        let performed = self.loops.perform(request, Arc::new(link)).await;
        beats.abort();
        performed.map_err(|error| ActivityError::from(anyhow::Error::from(error)))
    }
}

async fn beat(cx: ActivityContext) {
    let mut ticks = tokio::time::interval(HEARTBEAT);
    loop {
        ticks.tick().await;
        // Without a heartbeat the server gives the step up, which is the right consequence.
        let _ = cx.record_heartbeat(()).await;
    }
}

/// The time at which the server answered last.
#[derive(Debug)]
pub struct Contact {
    last: Mutex<Instant>,
    longest_silence: Duration,
}

impl Contact {
    /// Creates the contact of a worker whose steps end after this much silence of the server.
    pub fn new(longest_silence: Duration) -> Self {
        Self { last: Mutex::new(Instant::now()), longest_silence }
    }

    /// Notes that the server has just answered.
    pub fn note(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Resolves when the server has been silent for too long.
    pub async fn lost(&self) {
        loop {
            let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let end = last + self.longest_silence;
            if Instant::now() >= end {
                return;
            }
            tokio::time::sleep_until(end.into()).await;
        }
    }
}

struct ActivityLink {
    cx: ActivityContext,
    contact: Arc<Contact>,
}

#[async_trait]
impl Link for ActivityLink {
    async fn cancelled(&self) {
        tokio::select! {
            () = self.cx.cancelled() => {}
            // The server will give this step to another worker, and two agents must not work in one folder.
            () = self.contact.lost() => {}
        }
    }

    async fn report(&self, reports: UsageReports) -> Result<(), BoxError> {
        let workflow = self.cx.workflow_handle::<LoopWorkflow>().ok_or("the step belongs to no workflow")?;
        workflow.signal(LoopWorkflow::usage, reports, WorkflowSignalOptions::default()).await?;
        Ok(())
    }
}
