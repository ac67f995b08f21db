//! Loops of manifests.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use loop_agents::process::Supervisor;
use loop_core::{Ceiling, Parts, WorkResult};
use loop_manifest::{
    ExecutionContext, Plan, PlannedAgent, Source, settings::Settings, snapshots::WithSnapshots,
};
use loop_telemetry::{Redactor, StateDir};
use tokio::sync::Mutex as AsyncMutex;

use crate::{
    Link, LoopError, Loops, RemoteRun, RunState, StepAnswer, StepKind, StepLimits, StepRequest, Submission,
    WorkspacePlace,
    outputs::{Outputs, shorten},
    step_of,
    step_of::change_texts,
    workspace::GitWorkspace,
};

type PlannedParts = Parts<WithSnapshots<PlannedAgent>>;

/// Makes loops from the manifests in submissions. One supervisor has the processes of all of them.
pub struct PlannedLoops {
    supervisor: Supervisor,
    variables: Vec<(OsString, OsString)>,
    /// The agents of the runs that this worker has: some remember what they did.
    agents: Mutex<HashMap<String, (u32, AgentPlace)>>,
}

/// The place of an agent, which is empty before its first step.
type AgentPlace = Arc<AsyncMutex<Option<Agent>>>;

/// The parts of a run that work.
struct Agent {
    parts: PlannedParts,
    redactor: Redactor,
    clone: Option<GitWorkspace>,
    outputs: Outputs,
}

impl std::fmt::Debug for PlannedLoops {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlannedLoops").field("supervisor", &self.supervisor).finish_non_exhaustive()
    }
}

impl PlannedLoops {
    /// Creates the loops of a worker. Agents see those of the variables that their manifest lets them see.
    pub fn new(supervisor: Supervisor, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self { supervisor, variables: variables.into_iter().collect(), agents: Mutex::default() }
    }

    /// Makes the loop of a submission.
    fn parts(
        &self,
        submission: &Submission,
        folder: &Path,
        supervisor: Supervisor,
    ) -> Result<(PlannedParts, Redactor), LoopError> {
        let plan = plan(submission)?;
        let cx = ExecutionContext::new(folder, supervisor).map_err(LoopError::new)?;
        let settings = Settings::load(folder, |name| self.variable(name));
        let cx = cx.with_variables(self.variables.iter().cloned()).with_settings(settings);
        let mut composed = plan.compose(&cx).map_err(LoopError::new)?;
        if let Some(carried) = &submission.carried {
            if let Some(grant) = carried.resumed.clone() {
                composed = composed.grant(grant);
            }
            let RunState { snapshot, output } = carried.state.clone();
            let output = output.map(serde_json::from_value).transpose().map_err(LoopError::new)?;
            composed = composed.resume_snapshot(snapshot.message, output);
        }
        Ok((composed.into_parts().map_err(LoopError::new)?, cx.redactor()))
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        self.variables.iter().find(|(key, _)| key.to_str() == Some(name)).map(|(_, value)| value.clone())
    }

    /// Returns the place of a run's agent. A run that was elsewhere meanwhile gets a new one.
    fn place(&self, request: &StepRequest) -> AgentPlace {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        let (claim, place) = agents.entry(request.run.clone()).or_default();
        if *claim != request.claim {
            (*claim, *place) = (request.claim, AgentPlace::default());
        }
        Arc::clone(place)
    }

    /// Prepares the files of a run, and makes its agent.
    async fn prepared(&self, request: &StepRequest) -> Result<Agent, LoopError> {
        let StepRequest { run, claim, submission, .. } = request;
        let (folder, clone) = match &submission.workspace {
            WorkspacePlace::Folder(folder) => (folder.clone(), None),
            WorkspacePlace::Git(place) => {
                let state = StateDir::from_env_with(|name| self.variable(name)).map_err(LoopError::new)?;
                let clone = GitWorkspace::open(&state.path().join("engine"), run, *claim, place).await?;
                (clone.files().join(&place.folder), Some(clone))
            }
        };
        if !folder.is_dir() {
            return Err(LoopError::new(format!(
                "there is no folder {} on this worker: create it, or start the worker on a host that has it",
                folder.display()
            )));
        }
        let (parts, redactor) = self.parts(submission, &folder, self.supervisor.clone())?;
        Ok(Agent { parts, redactor, clone, outputs: Outputs::default() })
    }
}

/// Reads the plan of a submission.
///
/// # Errors
/// The manifest is not valid for this version.
pub(crate) fn plan(submission: &Submission) -> Result<Plan, LoopError> {
    let source = Source::from_bytes(&submission.manifest, submission.text.clone().into_bytes());
    let loaded = source.and_then(Plan::of).map_err(|findings| LoopError::new(findings.to_string()))?;
    Ok(loaded.plan)
}

#[async_trait]
impl Loops for PlannedLoops {
    fn run(&self, run: &str, submission: &Submission) -> Result<Box<dyn RemoteRun>, LoopError> {
        // Its name is the seed of the waits, so it has to be that of the run. It supervises nothing.
        let folder = match &submission.workspace {
            WorkspacePlace::Folder(folder) => folder,
            // Its files are on another host.
            WorkspacePlace::Git(_) => Path::new("/"),
        };
        let (parts, _) = self.parts(submission, folder, Supervisor::new(run))?;
        Ok(Box::new(parts.run))
    }

    async fn perform(&self, mut request: StepRequest, link: Arc<dyn Link>) -> Result<StepAnswer, LoopError> {
        let place = self.place(&request);
        let mut place = place.lock().await;
        let agent = match place.take() {
            Some(agent) => agent,
            None => tokio::select! {
                agent = self.prepared(&request) => agent?,
                () = link.cancelled() => return Err(LoopError::new("the step ended before its files were there")),
            },
        };
        let Agent { parts, redactor, clone, outputs } = place.insert(agent);
        outputs.restore(&mut request.work);
        let left = Ceiling::from(request.work.left);
        let limits = StepLimits { left, grace: parts.grace, overrun: parts.overrun };
        let evaluator = parts.evaluator.as_deref_mut();
        let mut answer = step_of(&request, &mut parts.iteration, evaluator, limits, link).await?;
        if let Some(clone) = clone.as_ref().filter(|_| request.work.kind == StepKind::Iterate) {
            let message = format!("{}: iteration {}", request.submission.name, request.work.iteration);
            answer.branch = Some(clone.publish(&message).await);
        }
        match (&mut answer.result, request.work.kind) {
            (WorkResult::Done(output), StepKind::Iterate) => outputs.shorten(request.work.iteration, output),
            (WorkResult::Done(verdict), StepKind::Evaluate) => shorten(verdict),
            _ => {}
        }
        redact(&mut answer, redactor);
        Ok(answer)
    }

    fn finished(&self, run: &str, _: Box<dyn RemoteRun>) {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }
}

/// Takes the secrets of this worker out of a message, which the server stores in clear text.
fn redact(answer: &mut StepAnswer, redactor: &Redactor) {
    let redacted = |text: &str| redactor.redact(text).into_owned();
    match &mut answer.result {
        WorkResult::Done(value) => change_texts(value, &redacted),
        WorkResult::Failed(message) => *message = redacted(message).into(),
        _ => {}
    }
    let notes = &mut answer.notes;
    for text in [&mut notes.fault, &mut notes.cut_work].into_iter().flatten() {
        *text = redacted(text).into();
    }
}
