//! Submits runs.

use std::path::{Path, PathBuf};

use loop_manifest::{
    Overrides, Plan, Source,
    plan::{OnHalt, SnapshotMode},
};
use temporalio_client::{Client, WorkflowIdReusePolicy, WorkflowStartOptions, errors::WorkflowStartError};
use uuid::Uuid;

use crate::{LoopWorkflow, PROTOCOL, Submission, WorkspacePlace};

/// The longest manifest. The server refuses messages of more than 2 MB, and each step carries the manifest.
const LONGEST_MANIFEST: usize = 256 * 1024;

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
        let plan =
            Plan::of(source).and_then(loop_manifest::LoadedPlan::finished).map_err(manifest_error)?.plan;
        if has_secret {
            return Err(SubmitError::Secret { manifest: manifest() });
        }
        if text.len() > LONGEST_MANIFEST {
            return Err(SubmitError::TooLong { manifest: manifest(), bytes: text.len() });
        }
        if let Some(part) = unsupported(&plan) {
            return Err(SubmitError::Unsupported { manifest: manifest(), part });
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

/// Submits the runs, and returns their ids.
///
/// # Errors
/// The server refuses a run.
pub async fn submit(client: &Client, queue: &str, runs: Vec<Submission>) -> Result<Vec<String>, SubmitError> {
    let mut submitted = Vec::new();
    for submission in runs {
        let run = Uuid::now_v7().to_string();
        let options = WorkflowStartOptions::new(queue, run.as_str())
            .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
            .static_summary(submission.name.as_str())
            .build();
        match client.start_workflow(LoopWorkflow::run, submission, options).await {
            Ok(_) => submitted.push(run),
            Err(error) => {
                let error = Box::new(error);
                return Err(SubmitError::Server { run, submitted: submitted.len(), error });
            }
        }
    }
    Ok(submitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(text: &str, each: &[&str]) -> Result<Vec<Submission>, SubmitError> {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = folder.path().join("loop.yaml");
        std::fs::write(&manifest, text).expect("a manifest");
        let workspace = WorkspacePlace::Folder(folder.path().to_owned());
        let each = each.iter().map(ToString::to_string).collect();
        Batch { manifest, queue: "q".to_owned(), workspace, each, count: 3 }.submissions()
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
