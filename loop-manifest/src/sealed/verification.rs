//! The check of a run, run again in a fresh place.
//!
//! The verdict of a run is a line in its journal. A person who relies on it can run the check again: on the stored state that
//! the check judged, in a place that nothing of the run has touched.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use loop_core::{EvaluationContext, Evaluator, Verdict, Work, WorkError, with_causes};
use loop_snapshots::{Error, Origin, PathFacts, Protection as _, SealedTree, SnapshotId};

use super::{
    check::SealedCheck,
    moving::moved_plan,
    named::{NamedPaths, Subject},
    protected::ProtectedPaths,
    tree::topmost,
};
use crate::{
    compose::{AgentOutput, ComposeError, confirmed},
    context::{ExecutionContext, discard, verified_place},
    plan::{MinTests, OnProtectedChange, Plan, SealPlan, SnapshotMode},
    snapshots::{FolderSnapshots, SnapshotError, state},
};

/// The verdict of a check in a fresh place.
#[derive(Debug)]
#[non_exhaustive]
pub struct FreshVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the check was sealed.
    pub is_sealed: bool,
    /// The files that judge, if the run changed or deleted any of them. In a sealed check they are as they were before the
    /// run; in another one they are as the run left them.
    pub changed: Vec<PathBuf>,
}

/// The reason why there is no second verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerificationError {
    /// The plan has no command that judges.
    #[error("the run has no `evaluator.command`, and nothing else can judge its result again")]
    NoCommand,
    /// A state of the folder is not stored, or not any more.
    #[error(
        "there is no snapshot of {}: it was dropped, or the run took none (`snapshots: on` requires them; \
         `snapshots.max_bytes` says how much a folder keeps)", state(*number)
    )]
    NoSnapshot {
        /// The number of the snapshot.
        number: u64,
    },
    /// The check passed before the first iteration, and nothing needed a snapshot of that state.
    #[error(
        "the check passed before the first iteration, and a run whose check is not sealed takes no snapshot of that state \
         alone: `evaluator.sealed: true` takes one, and `loop check --run` tries the check on the folder as it is now"
    )]
    OnlyFirstCheck,
    /// The stored state is another one than the run captured.
    #[error("the snapshot of {} is not the one that the run took, so somebody replaced it", state(*number))]
    OtherSnapshot {
        /// The number of the snapshot.
        number: u64,
    },
    /// The snapshots cannot be used.
    #[error(transparent)]
    Snapshots(#[from] SnapshotError),
    /// The check cannot run here.
    #[error(transparent)]
    Compose(#[from] ComposeError),
    /// The check came to no verdict.
    #[error("the check came to no verdict: {0}")]
    NoVerdict(String),
}

/// The longest time of a check that runs again, if the manifest limits neither the check nor the run.
const MAX_TIME: Duration = Duration::from_hours(1);

impl Plan {
    /// Runs the command of the check again, on the stored state after this iteration of the run of `cx`. A sealed check first
    /// judges the state before the first iteration, as in the run. Other judges are not asked.
    ///
    /// The tree of the check is in the folder for copies, and is deleted afterwards. Ignored files, which no snapshot has, are
    /// copied from the folder as it is now. Nothing is written to the folder, and no snapshot is taken.
    ///
    /// Each run of the command may take `evaluator.max_seconds`, or else `guardrails.max_seconds`, or else an hour.
    ///
    /// `captured` is the fingerprint of the state in the run's journal, its [snapshot mark](loop_telemetry::rows::SNAPSHOT_MARK),
    /// if it has one.
    ///
    /// # Errors
    /// The plan has no command, a snapshot is missing or another one than was captured, or the check comes to no verdict.
    ///
    /// # Cancel safety
    /// Dropping the future kills the check at once. Its tree stays until the next call, or until
    /// [`discard_copies`](crate::discard_copies).
    pub async fn verify(
        &self,
        cx: &ExecutionContext,
        iteration: u64,
        captured: Option<u64>,
    ) -> Result<FreshVerdict, VerificationError> {
        let Some(line) = self.evaluator.command.as_deref() else { return Err(VerificationError::NoCommand) };
        if self.snapshots.mode == SnapshotMode::Off {
            return Err(VerificationError::NoSnapshot { number: iteration });
        }
        let folder = cx.snapshots(&self.snapshots).ok_or(ComposeError::NoSnapshots)?.without_captures();
        let place = cx.copies().map(|copies| verified_place(&copies)).ok_or(ComposeError::NoPlaceForSeal)?;
        let mut plan = self.clone();
        plan.evaluator.max_time = self.evaluator.max_time.or(self.limits.max_time).or(Some(MAX_TIME));
        let fresh = FreshPlace { plan: &plan, line, cx, folder, place, iteration };
        fresh.discard().await?;
        fresh.expect(captured).await?;
        let judged = match &self.evaluator.seal {
            Some(seal) => fresh.judge_sealed(seal).await,
            None => fresh.judge_plainly().await,
        };
        // What the check left behind could write to the tree while it is deleted.
        cx.supervisor().end_async().await;
        let discarded = fresh.discard().await;
        let judged = judged?;
        discarded?;
        Ok(judged)
    }
}

/// A place for one verification.
struct FreshPlace<'a> {
    plan: &'a Plan,
    line: &'a str,
    cx: &'a ExecutionContext,
    folder: FolderSnapshots,
    place: PathBuf,
    iteration: u64,
}

impl FreshPlace<'_> {
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderSnapshots, &str) -> Result<T, SnapshotError> + Send + 'static,
    ) -> Result<T, SnapshotError> {
        self.folder.blocking(self.cx.supervisor().run(), work).await
    }

    /// Finds out whether the state is stored, before any check runs, and compares it with the fingerprint of the one that the
    /// run captured.
    async fn expect(&self, captured: Option<u64>) -> Result<(), VerificationError> {
        let number = self.iteration;
        let stored = self.blocking(move |folder, run| {
            let store = folder.existing()?.ok_or_else(|| SnapshotError::NoSnapshots(run.to_owned()))?;
            Ok(store.snapshot(&SnapshotId::new(run, number)?)?.root.prefix())
        });
        let is_plain = self.plan.evaluator.seal.is_none();
        let explained = |error| match without_snapshot(error, number) {
            VerificationError::NoSnapshot { number: 0 } if is_plain => VerificationError::OnlyFirstCheck,
            error => error,
        };
        match stored.await.map_err(explained)? {
            stored if captured.is_none_or(|captured| captured == stored) => Ok(()),
            _ => Err(VerificationError::OtherSnapshot { number }),
        }
    }

    async fn discard(&self) -> Result<(), SnapshotError> {
        let place = self.place.clone();
        self.blocking(move |_, _| Ok(discard(&place)?)).await
    }

    /// Makes a tree that equals a stored state of the folder.
    async fn restored(&self, number: u64, name: &str) -> Result<SealedTree, VerificationError> {
        let place = self.place.join(name);
        let made = self.blocking(move |folder, run| restore(folder, run, number, &place)).await;
        made.map_err(|error| without_snapshot(error, number))
    }

    async fn judge_sealed(&self, seal: &SealPlan) -> Result<FreshVerdict, VerificationError> {
        let start = self.restored(0, "start").await?;
        let number = self.iteration;
        let check = SealedCheck::new(self.plan, seal, self.line, self.cx)?;
        let named = named_in(Subject::of(self.plan, seal, self.line), &start);
        let check = check.in_fresh_place(self.folder.clone(), self.place.join("judged"), named);
        let mut check = confirmed(self.plan, Box::new(check));
        let mut verdict = evaluate(&mut *check, 0).await?;
        if number > 0 {
            verdict = evaluate(&mut *check, number).await?;
        }
        let changed = self.changed(&start).await?;
        Ok(FreshVerdict { verdict, is_sealed: true, changed })
    }

    async fn judge_plainly(&self) -> Result<FreshVerdict, VerificationError> {
        let tree = self.restored(self.iteration, "judged").await?;
        let temporary = tree.folder().with_file_name("tmp");
        fs::create_dir(&temporary)
            .map_err(|source| SnapshotError::Store(Error::File { path: temporary.clone(), source }))?;
        let cx = self.cx.in_sealed(&tree.folder(), &temporary, tree.relocation());
        let plan = moved_plan(self.plan, tree.relocation());
        let Some(command) = plan.check_command(&cx)? else { return Err(VerificationError::NoCommand) };
        let mut check = confirmed(&plan, Box::new(command));
        let verdict = evaluate(&mut *check, self.iteration).await?;
        let changed = self.changed(&tree).await?;
        Ok(FreshVerdict { verdict, is_sealed: false, changed })
    }

    /// Returns the files that judge, and that the run changed or deleted, as far as snapshots and the command say so. `tree`
    /// has a state of the folder.
    async fn changed(&self, tree: &SealedTree) -> Result<Vec<PathBuf>, SnapshotError> {
        let range = (0, self.iteration);
        let changes = self.blocking(move |folder, run| {
            let numbers: Vec<_> = folder.of_run(run)?.iter().map(|snapshot| snapshot.id.number()).collect();
            if numbers.contains(&0) { folder.changes(run, range, &[]) } else { Ok(Vec::new()) }
        });
        let changes = changes.await?;
        let default = SealPlan {
            protect: Vec::new(),
            min_tests: MinTests::Off,
            on_change: OnProtectedChange::Keep,
            setup: None,
        };
        let seal = self.plan.evaluator.seal.as_ref().unwrap_or(&default);
        let named = named_in(Subject::of(self.plan, seal, self.line), tree);
        let protected = ProtectedPaths::of(seal, &named, self.cx);
        let judges = |path: &PathBuf| protected.origin(path, PathFacts::KNOWN) == Origin::First;
        let changed = changes.into_iter().filter(|change| change.before.is_some()).map(|change| change.path);
        let mut changed: Vec<_> = changed.filter(judges).collect();
        changed.sort();
        Ok(topmost(&changed))
    }
}

/// Says which state is missing, if that is the error.
fn without_snapshot(error: SnapshotError, number: u64) -> VerificationError {
    match error {
        SnapshotError::NoSnapshots(_) | SnapshotError::Store(Error::NotFound(_)) => {
            VerificationError::NoSnapshot { number }
        }
        error => error.into(),
    }
}

/// Returns what judges in a tree that equals the folder.
fn named_in(subject: Subject, tree: &SealedTree) -> NamedPaths {
    NamedPaths::of(&subject.moved(tree.relocation()), &tree.folder())
}

/// Makes a tree at `place` that equals a stored state, without build output.
fn restore(
    folder: &FolderSnapshots,
    run: &str,
    number: u64,
    place: &Path,
) -> Result<SealedTree, SnapshotError> {
    let Some(mut store) = folder.existing()? else { return Err(SnapshotError::NoSnapshots(run.to_owned())) };
    let state = store.snapshot(&SnapshotId::new(run, number)?)?;
    let nothing = ProtectedPaths::nothing(folder.folder());
    let mut tree = SealedTree::create(&mut store, &state, place, Box::new(nothing))?;
    tree.renew(&mut store, &state)?;
    Ok(tree)
}

/// Asks a check about the state after an iteration, outside of a loop.
pub(super) async fn evaluate(
    check: &mut dyn Evaluator<AgentOutput>,
    iteration: u64,
) -> Result<Verdict, VerificationError> {
    let cx = EvaluationContext::new(&Work::new(), iteration, Arc::new(AgentOutput::None));
    check.evaluate(cx).await.map_err(|error| {
        let why = match error {
            WorkError::Failed(error) => with_causes(&*error),
            error => error.to_string(),
        };
        VerificationError::NoVerdict(why)
    })
}
