//! Submits runs.

use std::path::{Path, PathBuf};

use loop_core::{BoxError, Usd};
use loop_manifest::{
    Overrides, Plan, Source,
    plan::{OnHalt, SnapshotMode},
};
use temporalio_client::{
    Client, WorkflowIdReusePolicy, WorkflowSignalOptions, WorkflowStartOptions,
    errors::WorkflowStartError,
    schedules::{CreateScheduleOptions, ScheduleAction, ScheduleOverlapPolicy, ScheduleSpec},
};
use uuid::Uuid;

use crate::{
    FleetShare, FleetState, FleetWorkflow, Ledger, LoopWorkflow, PROTOCOL, Submission, WorkspacePlace,
};

/// The longest manifest. The server refuses messages of more than 2 MB, and each step carries the manifest.
const LONGEST_MANIFEST: usize = 256 * 1024;

/// The longest history of a run. The server warns at 10,240 events, and ends a run at 51,200.
pub const LONGEST_HISTORY: u32 = 8_000;

/// Runs that are submitted together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The manifest.
    pub manifest: PathBuf,
    /// The queue of the workers.
    pub queue: String,
    /// Where the agents work.
    pub workspace: WorkspacePlace,
    /// One run for each of these texts, which is the value of the variable `file`; without any, `count` runs.
    pub each: Vec<String>,
    /// The number of runs, if `each` is empty.
    pub count: usize,
    /// The budget of all these runs together.
    pub budget: Option<Usd>,
    /// The number of events after which a run continues with a new history.
    pub longest_history: u32,
}

/// Runs that were submitted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Submitted {
    /// Their ids.
    pub runs: Vec<String>,
    /// The id of their budget.
    pub fleet: Option<String>,
}

/// Runs that cannot be submitted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The manifest is not valid.
    #[error("{0}")]
    Manifest(String),
    /// The manifest contains a secret, which the server would store.
    #[error(
        "{manifest} contains the value of a secret, and the server would store it: let the agent see a variable of the \
         worker instead (`agent.env`)"
    )]
    Secret {
        /// The manifest.
        manifest: PathBuf,
    },
    /// The manifest is too long for a message.
    #[error("{manifest} has {bytes} bytes; a manifest for the engine has at most {LONGEST_MANIFEST}")]
    TooLong {
        /// The manifest.
        manifest: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// The plan has a part that needs the whole machine.
    #[error("{manifest} has {part}, which works on one machine only: use `loop run`")]
    Unsupported {
        /// The manifest.
        manifest: PathBuf,
        /// The part.
        part: &'static str,
    },
    /// The server refused a schedule.
    #[error("the server refused the schedule `{cron}`: {error}")]
    Schedule {
        /// The cron expression.
        cron: String,
        /// The cause.
        #[source]
        error: BoxError,
    },
    /// The folder has no commit that workers can clone.
    #[error("`--workspace git` needs a commit that workers can clone: {0}")]
    Workspace(String),
    /// The agent does not report its costs, or the budget is not valid.
    #[error("a budget needs an agent that reports its costs: {0}")]
    Budget(String),
    /// The server refused a run. Those before it are submitted.
    #[error("the server refused the run {run}: {error}; {submitted} runs before it are submitted")]
    Server {
        /// The run.
        run: String,
        /// The number of submitted runs.
        submitted: usize,
        /// The cause.
        #[source]
        error: Box<WorkflowStartError>,
    },
}

impl Batch {
    /// Reads and checks all submissions, before the first run is submitted.
    ///
    /// # Errors
    /// A manifest is not valid, contains a secret, is too long, or has a part that no worker supports.
    pub fn submissions(&self) -> Result<Vec<Submission>, SubmitError> {
        let source = Source::open(&self.manifest).map_err(manifest_error)?;
        let one = |overrides: Overrides| self.submission(&source, overrides);
        match self.each.as_slice() {
            [] => {
                let submission = one(Overrides::default())?;
                Ok(vec![submission; self.count])
            }
            files => files
                .iter()
                .map(|file| one(Overrides::new("loop submit").with("--var", &format!("file={file}"))))
                .collect(),
        }
    }

    fn submission(&self, source: &Source, overrides: Overrides) -> Result<Submission, SubmitError> {
        let manifest = || self.manifest.clone();
        let is_changed = !overrides.is_empty();
        let source = source.clone().overridden(overrides);
        let text = source.effective().map_err(manifest_error)?;
        let has_secret = !source.secrets_in(&text).is_empty();
        let plan = Plan::of(source.clone())
            .and_then(loop_manifest::LoadedPlan::finished)
            .map_err(manifest_error)?
            .plan;
        if has_secret {
            return Err(SubmitError::Secret { manifest: manifest() });
        }
        if text.len() > LONGEST_MANIFEST {
            return Err(SubmitError::TooLong { manifest: manifest(), bytes: text.len() });
        }
        if let Some(part) = unsupported(&plan) {
            return Err(SubmitError::Unsupported { manifest: manifest(), part });
        }
        if let Some(budget) = self.budget {
            check_costs(&source, budget)?;
        }
        let file_name = Path::new(self.manifest.file_name().unwrap_or_default());
        let name = if is_changed { file_name.with_extension("json") } else { file_name.to_owned() };
        Ok(Submission {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            manifest: name,
            text,
            name: plan.name,
            workspace: self.workspace.clone(),
            fleet: None,
            longest_history: self.longest_history,
            carried: None,
        })
    }
}

/// Returns the part of a plan that needs more than a worker offers.
fn unsupported(plan: &Plan) -> Option<&'static str> {
    let parts = [
        (plan.parallel.is_some(), "`parallel`"),
        (!plan.resources.is_empty(), "`limits`"),
        (plan.on_finish.is_some(), "`on_finish`"),
        (plan.evaluator.seal.is_some(), "a sealed check"),
        (plan.on_halt != OnHalt::Keep, "`on_halt`"),
        (plan.on_regression, "`on_regression`"),
        (plan.snapshots.mode == SnapshotMode::On, "`snapshots: on`"),
    ];
    parts.into_iter().find(|(has, _)| *has).map(|(_, part)| part)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
fn manifest_error(findings: loop_manifest::Diagnostics) -> SubmitError {
    SubmitError::Manifest(findings.to_string())
}

/// Checks that the agent reports its costs: a manifest with a limit on them has the same demand.
fn check_costs(source: &Source, budget: Usd) -> Result<(), SubmitError> {
    let limit = Overrides::new("loop submit").with("--max-cost", &budget.as_f64().to_string());
    let limited = Plan::of(source.clone().overridden(limit)).and_then(loop_manifest::LoadedPlan::finished);
    limited.map(drop).map_err(|findings| SubmitError::Budget(findings.to_string()))
}

/// Submits runs, with the budget that they share.
///
/// # Errors
/// The server refuses the budget or a run.
pub async fn submit(
    client: &Client,
    queue: &str,
    budget: Option<Usd>,
    mut runs: Vec<Submission>,
) -> Result<Submitted, SubmitError> {
    let mut submitted = Submitted::default();
    if let Some(budget) = budget {
        let (fleet, count) = (Uuid::now_v7().to_string(), u64::try_from(runs.len()).unwrap_or(u64::MAX));
        let longest_history = runs.first().map_or(LONGEST_HISTORY, |run| run.longest_history);
        let state = FleetState { runs: count, ledger: Ledger::new(budget.as_nanos()), longest_history };
        let started =
            client.start_workflow(FleetWorkflow::run, state, options(queue, &fleet, "budget")).await;
        started.map_err(|error| refused(&fleet, 0, error))?;
        // All of them can work at the same time.
        let reserve = (budget.as_nanos() / count.max(1)).max(1);
        for run in &mut runs {
            run.fleet = Some(FleetShare { fleet: fleet.clone(), reserve });
        }
        submitted.fleet = Some(fleet);
    }
    for submission in runs {
        let run = Uuid::now_v7().to_string();
        let options = options(queue, &run, &submission.name);
        if let Err(error) = client.start_workflow(LoopWorkflow::run, submission, options).await {
            let count = submitted.runs.len();
            if let Some(fleet) = &submitted.fleet {
                let fleet = client.get_workflow_handle::<FleetWorkflow>(fleet.as_str());
                let runs = u64::try_from(count).unwrap_or(u64::MAX);
                // Otherwise the budget waits for runs that do not exist, which costs nothing.
                let _ = fleet.signal(FleetWorkflow::runs, runs, WorkflowSignalOptions::default()).await;
            }
            return Err(refused(&run, count, error));
        }
        submitted.runs.push(run);
    }
    Ok(submitted)
}

/// Submits a run at the times of a cron expression, until the schedule is deleted. While a run is in progress, its schedule
/// starts no other one. Returns the id of the schedule.
///
/// # Errors
/// The server refuses the expression or the time zone.
pub async fn schedule(
    client: &Client,
    queue: &str,
    (cron, time_zone): (&str, &str),
    submission: Submission,
) -> Result<String, SubmitError> {
    let id = Uuid::now_v7().to_string();
    let action = ScheduleAction::start_workflow(LoopWorkflow::run, submission, queue, id.as_str());
    let spec = ScheduleSpec::builder().cron_strings(vec![cron.to_owned()]).timezone_name(time_zone).build();
    let options = CreateScheduleOptions::builder()
        .action(action)
        .spec(spec)
        .overlap_policy(ScheduleOverlapPolicy::Skip)
        .build();
    match client.create_schedule(id.as_str(), options).await {
        Ok(_) => Ok(id),
        Err(error) => Err(SubmitError::Schedule { cron: cron.to_owned(), error: error.into() }),
    }
}

fn options(queue: &str, id: &str, summary: &str) -> WorkflowStartOptions {
    WorkflowStartOptions::new(queue, id)
        .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
        .static_summary(summary)
        .build()
}

fn refused(run: &str, submitted: usize, error: WorkflowStartError) -> SubmitError {
    SubmitError::Server { run: run.to_owned(), submitted, error: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(text: &str, each: &[&str]) -> Result<Vec<Submission>, SubmitError> {
        batch_within(text, each, None)
    }

    fn batch_within(text: &str, each: &[&str], budget: Option<Usd>) -> Result<Vec<Submission>, SubmitError> {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = folder.path().join("loop.yaml");
        std::fs::write(&manifest, text).expect("a manifest");
        let workspace = WorkspacePlace::Folder(folder.path().to_owned());
        let each = each.iter().map(ToString::to_string).collect();
        let (queue, longest_history) = ("q".to_owned(), LONGEST_HISTORY);
        Batch { manifest, queue, workspace, each, count: 3, budget, longest_history }.submissions()
    }

    const MANIFEST: &str = "goal: x\nagent: {command: 'true', prompt: x}\nevaluator: {command: 'true'}\n\
                            guardrails: {max_iterations: 3}\n";

    #[test]
    fn a_file_becomes_a_variable() {
        let text = format!("{MANIFEST}vars: {{file: none}}\n").replace("prompt: x", "prompt: 'fix {file}'");
        let runs = batch(&text, &["a.rs", "b.rs"]).expect("submissions");
        assert_eq!(runs.len(), 2);
        assert!(runs[1].text.contains("\"b.rs\""), "{}", runs[1].text);
        assert_eq!(runs[1].manifest, Path::new("loop.json"));
        let plan = crate::planned::plan(&runs[0]).expect("the worker reads it again");
        assert!(plan.named_values().any(|value| value == ("file", "a.rs")));
    }

    #[test]
    fn several_runs_of_one_manifest_are_equal() {
        let runs = batch(MANIFEST, &[]).expect("submissions");
        assert_eq!((runs.len(), &runs[0]), (3, &runs[2]));
        assert_eq!((runs[0].text.as_str(), runs[0].name.as_str()), (MANIFEST, "loop"));
    }

    #[test]
    fn a_budget_needs_an_agent_that_reports_its_costs() {
        let error = batch_within(MANIFEST, &[], Some(Usd::dollars(1))).expect_err("no costs").to_string();
        assert!(error.starts_with("a budget needs an agent that reports its costs"), "{error}");
        let text = MANIFEST.replace("prompt: x}", "prompt: x, format: usage-file}");
        batch_within(&text, &[], Some(Usd::dollars(1))).expect("submissions");
    }

    #[test]
    fn what_no_worker_can_do_is_refused_before_anything_is_submitted() {
        let cases = [
            (format!("{MANIFEST}on_finish: 'true'\n"), "`on_finish`, which works on one machine only"),
            (format!("{MANIFEST}parallel: {{n: 2}}\n"), "`parallel`, which works on one machine only"),
            (format!("{MANIFEST}on_halt: restore_start\n"), "`on_halt`, which works on one machine only"),
            (format!("{MANIFEST}snapshots: 'on'\n"), "`snapshots: on`, which works on one machine only"),
            (
                MANIFEST
                    .replace("evaluator: {command: 'true'}", "evaluator: {command: 'false', sealed: true}"),
                "a sealed check, which works on one machine only",
            ),
            (format!("{MANIFEST}vars: {{api_key: hunter2hunter2}}\n"), "contains the value of a secret"),
            ("goal: x\n".to_owned(), "loop.yaml"),
            (format!("{MANIFEST}# {}\n", "x".repeat(LONGEST_MANIFEST)), "has at most 262144"),
        ];
        for (text, part) in cases {
            let error = batch(&text, &[]).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
