//! `loop verify`: compares a run's journal with its record, and runs its check again in a fresh place.

mod other_record;
mod words;

use std::{path::PathBuf, process::ExitCode};

use anyhow::anyhow;
use loop_core::{EventKind, Outcome, Progress, WorkResult};
use loop_manifest::{FreshVerdict, Plan, VerificationError};
use loop_telemetry::{ChainState, RunEntry, RunLock, RunStore, StoreError, rows::SNAPSHOT_MARK};
use serde::Serialize;

use self::{
    other_record::has_other_record,
    words::{about_check, about_journal, row},
};
use super::{
    Failure, OrFail,
    environment::{block_on, dir, execution_context, unless_signalled},
    every,
    run_lifecycle::{
        preflight::show,
        run_spec::as_begun,
        stored_runs::{choose_run, journal, read_on, store},
    },
    runs::json,
    snapshots::folder_of,
    usage,
};
use crate::{
    args::VerifyArgs,
    exit, persistence, task,
    view::{self, text},
};

pub(crate) fn exec(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let store = store()?;
    let run = choose_run(&store, args.run.as_deref())?;
    // Nobody resumes or removes the run meanwhile.
    let _lock = hold(&store, &run.id)?;
    let chain = store.check_chain(&run, args.head.as_deref())?;
    let has_other_record = has_other_record(&run)?;
    let check = match &chain {
        ChainState::Broken { .. } => Ok(None),
        _ => check_again(&store, &run),
    };
    let result = match check {
        Ok(check) => VerifiedRun {
            run: &run,
            chain,
            check,
            obstacle: None,
            has_other_snapshot: false,
            has_other_record,
        },
        // The user ended it.
        Err(Obstacle::Signal(code)) => return Ok(code),
        Err(Obstacle::Failure(failure)) if failure.exit_code() == exit::USAGE => {
            let has_other_snapshot =
                matches!(failure, Failure::Verification(VerificationError::OtherSnapshot { .. }));
            let obstacle = Some(format!("{:#}", anyhow::Error::from(failure)));
            VerifiedRun { run: &run, chain, check: None, obstacle, has_other_snapshot, has_other_record }
        }
        Err(Obstacle::Failure(failure)) => return Err(failure),
    };
    if args.json {
        view::print_json(&json(&result.json()))?;
    } else {
        view::print(&result.lines().join("\n"))?;
        if let Some(check) = result.check.as_ref().filter(|check| check.agrees() == Some(false)) {
            show("the check's output", &text::printable(check.fresh.verdict.text()));
        }
    }
    Ok(ExitCode::from(match result.is_verified() {
        Some(true) => exit::OK,
        Some(false) => exit::DIFFERS,
        None => exit::UNVERIFIED,
    }))
}

fn hold(store: &RunStore, id: &str) -> Result<Option<RunLock>, Failure> {
    store.hold(id).map_err(|error| match error {
        StoreError::Alive { id } => Failure::Busy(anyhow!(
            "the run {id} is still running: verify it after its end (`loop tail {id}` follows it)"
        )),
        other => other.into(),
    })
}

/// The reason why the check did not run again.
enum Obstacle {
    Signal(ExitCode),
    Failure(Failure),
}

impl<E: Into<Failure>> From<E> for Obstacle {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

/// A check that ran again.
struct CheckedAgain {
    /// The iteration whose state it judged.
    iteration: u64,
    recorded: Outcome,
    /// Whether the recorded verdict is that of the command alone.
    is_alone: bool,
    fresh: FreshVerdict,
}

impl CheckedAgain {
    /// Returns whether both verdicts agree; `None` if another judge may be the reason for the difference.
    fn agrees(&self) -> Option<bool> {
        let passed = (self.recorded == Outcome::Pass, self.fresh.verdict.passed());
        match passed {
            (false, true) if !self.is_alone => None,
            (recorded, now) => Some(recorded == now),
        }
    }
}

/// Runs the check of a run again.
fn check_again(store: &RunStore, run: &RunEntry) -> Result<Option<CheckedAgain>, Obstacle> {
    let info = store.info(&run.id)?;
    if info
        .manifest
        .as_ref()
        .is_some_and(|kept| kept.path == every::STORED_AS || kept.path == task::STORED_AS)
    {
        return Err(usage!(
            "only the journal can be verified: the verdicts of tasks and repetitions are not those of a command alone"
        )
        .into());
    }
    let Some((iteration, captured, recorded)) = last_verdict(store, run)? else {
        return Err(usage!("the run has no verdict: it ended before its check").into());
    };
    let folder = dir(Some(&folder_of(run)?)).or_setup(|| "the run's folder no longer exists")?;
    let info = info.located_in(&folder);
    let spec = as_begun(&info)?;
    let cx = execution_context(folder, run.id.clone())?.executing(spec.manifest.clone());
    view::set_redactor(persistence::redactor(spec.plan.named_values(), cx.variables()));
    let mut fresh = None;
    let code = block_on(unless_signalled(async {
        fresh = Some(spec.plan.verify(&cx, iteration, captured).await?);
        Ok(())
    }))?;
    let fresh = fresh.ok_or(Obstacle::Signal(code))?;
    Ok(Some(CheckedAgain { iteration, recorded, is_alone: is_alone(&spec.plan), fresh }))
}

/// Returns whether nobody but the command judges.
const fn is_alone(plan: &Plan) -> bool {
    let evaluator = &plan.evaluator;
    evaluator.confidence.is_none()
        && evaluator.judge.is_none()
        && evaluator.plan.is_none()
        && evaluator.pipeline.is_none()
        && evaluator.review.is_none()
}

/// Returns the last verdict of a run, with its iteration and the fingerprint of the state that it judges.
fn last_verdict(store: &RunStore, run: &RunEntry) -> Result<Option<(u64, Option<u64>, Outcome)>, Failure> {
    let (mut iteration, mut captured, mut last) = (0, None, None);
    read_on(&mut journal(store, run)?, &mut Progress::default(), |line, _| {
        match &line.event.kind {
            EventKind::IterationStarted { iteration: begun, .. } => (iteration, captured) = (*begun, None),
            EventKind::IterationFinished { notes, .. } => {
                let marks = notes.iter().flat_map(|notes| &notes.marks);
                captured =
                    marks.filter(|mark| &*mark.name == SNAPSHOT_MARK).map(|mark| mark.hash).next_back();
            }
            EventKind::EvaluationFinished { result: WorkResult::Done(verdict), .. } => {
                last = Some((iteration, captured, verdict.outcome()));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(last)
}

/// The result.
struct VerifiedRun<'a> {
    run: &'a RunEntry,
    chain: ChainState,
    check: Option<CheckedAgain>,
    /// Why the check did not run again.
    obstacle: Option<String>,
    /// The check could not run on the state that the run captured, because another one is in its place.
    has_other_snapshot: bool,
    /// The file of the records has another record of the run than the run itself.
    has_other_record: bool,
}

/// The result for programs.
#[derive(Serialize)]
struct VerifiedJson<'a> {
    run_id: &'a str,
    /// `null` if there is nothing to compare with.
    verified: Option<bool>,
    journal: JournalJson<'a>,
    /// Whether `telemetry.jsonl` has another end of the run than the run itself.
    record_changed: bool,
    check: Option<CheckJson<'a>>,
    /// Why there is no check.
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct JournalJson<'a> {
    state: &'static str,
    lines: Option<u64>,
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    sealed: bool,
    iteration: u64,
    recorded: String,
    now: String,
    changed_files: &'a [PathBuf],
}

impl VerifiedRun<'_> {
    /// Returns whether the run is what its record says; `None` if that cannot be known.
    fn is_verified(&self) -> Option<bool> {
        if self.has_other_snapshot || self.has_other_record {
            return Some(false);
        }
        let agrees = self.check.as_ref().and_then(CheckedAgain::agrees);
        match (&self.chain, agrees) {
            (ChainState::Broken { .. }, _) | (_, Some(false)) => Some(false),
            (ChainState::Intact { .. }, agrees) => agrees,
            _ => None,
        }
    }

    fn json(&self) -> VerifiedJson<'_> {
        let (state, lines, why) = match &self.chain {
            ChainState::Intact { lines, .. } => ("intact", Some(*lines), None),
            ChainState::Unrecorded { lines } => ("unrecorded", Some(*lines), None),
            ChainState::NotChained { lines } => ("not_chained", Some(*lines), None),
            ChainState::Broken { why } => ("broken", None, Some(why.as_str())),
            _ => ("unknown", None, None),
        };
        let check = self.check.as_ref().map(|check| CheckJson {
            sealed: check.fresh.is_sealed,
            iteration: check.iteration,
            recorded: check.recorded.to_string(),
            now: check.fresh.verdict.outcome().to_string(),
            changed_files: &check.fresh.changed,
        });
        VerifiedJson {
            run_id: &self.run.id,
            verified: self.is_verified(),
            journal: JournalJson { state, lines, why },
            record_changed: self.has_other_record,
            check,
            why: self.obstacle.as_deref(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines =
            vec![row("run", &self.run.id), row("journal", &about_journal(&self.chain, &self.run.id))];
        if self.has_other_record {
            let why = "changed: `telemetry.jsonl` has another end of this run than the run's own files; a backup of the \
                       state directory may have the original";
            lines.push(row("record", why));
        }
        if let Some(check) = &self.check {
            lines.extend(about_check(check));
        } else {
            let why = "not run again: the verdict in a changed journal proves nothing".to_owned();
            lines.push(row("check", self.obstacle.as_ref().unwrap_or(&why)));
        }
        lines.push(row(
            "result",
            match self.is_verified() {
                Some(true) => "verified",
                Some(false) => "differs from the record",
                None => "cannot be verified",
            },
        ));
        lines
    }
}
