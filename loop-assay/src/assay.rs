//! An assay: all runs of all cases.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use loop_core::{
    Bounded, CancellationToken, Ceiling, Loop, SharedBudget, Step, StopReason, Usd, best_of, condition_fn,
};
use loop_manifest::{ExecutionContext, Plan};
use loop_snapshots::FolderCopy;
use sha2::{Digest as _, Sha256};

use crate::{
    case::{Case, CaseWork, Cases},
    case_run::CaseRun,
    check::Check,
    error::{AssayError, CaseError, CaseErrors},
    iteration::CaseIteration,
    journals,
    measured::CaseResult,
    plans::{self, RunLimits, Subject},
};

/// The subjects, the numbers and the limits of an assay.
///
/// # Default
/// One run of each case, one at a time, ten minutes for each, no budget, and no subjects: each manifest names its agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AssayOptions {
    /// The models and agents. Each of them makes each case.
    pub subjects: Vec<Subject>,
    /// How often each subject makes each case; 0 counts as 1.
    pub runs: usize,
    /// How many runs are made at once; 0 counts as 1.
    pub jobs: usize,
    /// The budget of the assay. No run may cost more than its share.
    pub budget: Option<Usd>,
    /// The longest time of a run whose case and manifest have no limit.
    pub run_time: Duration,
}

impl Default for AssayOptions {
    fn default() -> Self {
        Self { subjects: Vec::new(), runs: 1, jobs: 1, budget: None, run_time: Duration::from_mins(10) }
    }
}

impl AssayOptions {
    /// Returns a name for this assay of these cases: the same for the same files, subjects and numbers. It names the
    /// folder in which a later process finds what this one has done.
    pub fn key(&self, cases: &Cases) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        for case in cases.all() {
            let path = fs::canonicalize(&case.path).unwrap_or_else(|_: io::Error| case.path.clone());
            add(&path.to_string_lossy());
            add(&case.text);
            if let CaseWork::Manifest(path) = &case.work {
                // A manifest that cannot be read ends the assay before it begins.
                add(&fs::read_to_string(path).unwrap_or_default());
            }
        }
        self.subjects.iter().for_each(|subject| add(&format!("{subject:?}")));
        add(&format!("{} {}", self.runs(), self.jobs.max(1)));
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn runs(&self) -> usize {
        self.runs.max(1)
    }
}

/// A case with one of the subjects.
#[derive(Debug)]
pub(crate) struct PlannedCase {
    pub(crate) case: Arc<Case>,
    pub(crate) subject: String,
    pub(crate) plan: Plan,
}

impl PlannedCase {
    pub(crate) fn checks(&self) -> &[Check] {
        &self.case.checks
    }
}

/// The parts that all runs of an assay share.
pub(crate) struct Shared {
    pub(crate) cases: Vec<PlannedCase>,
    pub(crate) runs: usize,
    pub(crate) cx: ExecutionContext,
    /// The folder for journals and copies.
    pub(crate) place: PathBuf,
    pub(crate) on_event: Arc<dyn Fn() + Send + Sync>,
    pub(crate) on_run: Box<dyn Fn(&CaseRun) + Send + Sync>,
}

/// An assay that is ready to run.
///
/// It is `jobs` loops at once, which share the budget. Each of their iterations is the loop of one case, and all of them
/// have journals. So an assay that was cut off continues where it was: create it again with the same cases and the same
/// place.
pub struct Assay {
    shared: Shared,
    jobs: usize,
    budget: Option<Usd>,
    cancel: CancellationToken,
}

impl Assay {
    /// Plans all runs. Nothing runs, and nothing is written. `cx` has the settings and the variables of all runs, and
    /// `place` is the folder for journals and copies.
    ///
    /// # Errors
    /// Everything that is wrong with the cases: a manifest that does not build, a model that is not known here, a check
    /// that the agent cannot have, or a program that is missing.
    pub fn new(
        cases: Cases,
        options: &AssayOptions,
        cx: ExecutionContext,
        place: PathBuf,
    ) -> Result<Self, CaseErrors> {
        let subjects: Vec<_> = match options.subjects.as_slice() {
            [] => vec![None],
            subjects => subjects.iter().map(Some).collect(),
        };
        let cases = cases.into_vec();
        let count = (cases.len() * subjects.len() * options.runs()) as u64;
        let cost = options.budget.map(|budget| Usd::nanos(budget.as_nanos() / count.max(1)));
        let limits = RunLimits { time: options.run_time, cost };
        let (mut planned, mut errors) = (Vec::new(), Vec::new());
        for case in cases.into_iter().map(Arc::new) {
            for subject in &subjects {
                match plans::plan(&case, *subject, limits).and_then(|plan| tried(&case, plan, &cx)) {
                    Ok(plan) => {
                        let subject = plans::subject(&plan);
                        planned.push(PlannedCase { case: Arc::clone(&case), subject, plan });
                    }
                    Err(CaseErrors(found)) => errors.extend(found),
                }
            }
        }
        if !errors.is_empty() {
            errors.dedup();
            return Err(CaseErrors(errors));
        }
        let shared = Shared {
            cases: planned,
            runs: options.runs(),
            cx,
            place,
            on_event: Arc::new(|| ()),
            on_run: Box::new(|_| ()),
        };
        let (jobs, budget) = (options.jobs.max(1), options.budget);
        Ok(Self { shared, jobs, budget, cancel: CancellationToken::new() })
    }

    /// Sets the token that cancels the assay. Finished runs are kept.
    #[must_use]
    pub fn cancel_on(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Sets the listener to finished runs. A run may be reported again if the process dies before its result is recorded.
    #[must_use]
    pub fn on_run(mut self, listener: impl Fn(&CaseRun) + Send + Sync + 'static) -> Self {
        self.shared.on_run = Box::new(listener);
        self
    }

    /// Sets the listener to each event of each loop, after it was recorded.
    #[must_use]
    pub fn on_event(mut self, listener: impl Fn() + Send + Sync + 'static) -> Self {
        self.shared.on_event = Arc::new(listener);
        self
    }

    /// Returns the number of all runs.
    pub fn count(&self) -> usize {
        self.shared.cases.len() * self.shared.runs
    }

    /// Describes a run in words: its case, its subject, and its number.
    pub fn describe(&self, index: usize) -> String {
        let Shared { cases, runs, .. } = &self.shared;
        let PlannedCase { case, subject, .. } = &cases[index / runs];
        format!("{}, {subject}, run {} of {runs}", case.name, index % runs + 1)
    }

    /// Makes all runs that are not made yet, and returns the results. If all are made, their files are removed.
    ///
    /// # Errors
    /// A journal cannot be used, or the loop of the assay fails.
    ///
    /// # Cancel safety
    /// Dropping the future drops the work in progress without grace time. Everything else is kept.
    pub async fn run(self) -> Result<AssayReport, AssayError> {
        let (count, jobs) = (self.count(), self.jobs.min(self.count()));
        let Self { shared, budget, cancel, .. } = self;
        let shared = Arc::new(shared);
        let budget = budget.map(|usd| SharedBudget::new(Ceiling::cost(usd)));
        let mut lanes = Vec::new();
        for first in 0..jobs {
            let last = journals::outputs::<CaseRun>(&lane_place(&shared, first))?.pop();
            if last.is_none_or(|last| last.index + jobs < count) {
                let lane = lane(&shared, first, jobs)?.cancel_on(cancel.clone());
                lanes.push(match &budget {
                    Some(budget) => lane.share(budget),
                    None => lane,
                });
            }
        }
        let mut end = AssayEnd::Complete;
        for report in best_of(lanes).run().await?.reports() {
            match report.reason() {
                None => {}
                Some(StopReason::Cancelled) => end = AssayEnd::Cancelled,
                Some(StopReason::SharedBudgetExceeded) => end = end.max(AssayEnd::OutOfBudget),
                Some(_) => return Err(AssayError::Failed(report.ending().to_string())),
            }
        }
        let mut made = Vec::new();
        for first in 0..jobs {
            made.extend(journals::outputs::<CaseRun>(&lane_place(&shared, first))?);
        }
        made.sort_by_key(|run| run.index);
        let results = results(&shared, &made);
        if end == AssayEnd::Complete && shared.place.exists() {
            let removed = FolderCopy::discard(&shared.place);
            let source = |error| io::Error::other(error);
            removed
                .map_err(|error| AssayError::File { path: shared.place.clone(), source: source(error) })?;
        }
        Ok(AssayReport { results, end })
    }
}

/// Tries to build what a run needs, in the folder from which the case starts.
fn tried(case: &Case, plan: Plan, cx: &ExecutionContext) -> Result<Plan, CaseErrors> {
    let failed = |why: String| CaseError::new(&case.path, why);
    let folder = case.folder.as_deref().unwrap_or(cx.folder());
    let cx = cx.in_copy(folder).map_err(|error| failed(error.to_string()))?.on_warning(|_| ());
    let mut errors: Vec<_> = plan.missing_agents(folder, cx.variables()).into_iter().map(failed).collect();
    let mut all = vec![plan.compose(&cx).map(drop)];
    all.extend(case.checks.iter().filter_map(|check| Some(check.evaluator(&plan)?.evaluator(&cx).map(drop))));
    errors
        .extend(all.into_iter().filter_map(Result::err).map(|error| failed(loop_core::with_causes(&error))));
    if errors.is_empty() { Ok(plan) } else { Err(CaseErrors(errors)) }
}

fn lane_place(shared: &Shared, first: usize) -> PathBuf {
    shared.place.join("lanes").join(first.to_string())
}

/// Returns the loop that makes every `jobs`-th run.
fn lane(
    shared: &Arc<Shared>,
    first: usize,
    jobs: usize,
) -> Result<Loop<CaseIteration, Step<CaseRun>, Bounded>, AssayError> {
    let count = shared.cases.len() * shared.runs;
    let is_last =
        move |step: &Step<CaseRun>, _: &_| step.output().is_some_and(|run| run.index + jobs >= count);
    let journal = journals::open(&lane_place(shared, first), &shared.cx)?;
    let on_event = Arc::clone(&shared.on_event);
    // Every iteration makes a run or ends the loop, so the runs are the bound. A cut run begins once more.
    let lane = Loop::new(CaseIteration { assay: Arc::clone(shared), first, jobs })
        .until(condition_fn(is_last))
        .at_most(u64::MAX)
        .observe(move |_: &_, _: &_| on_event());
    Ok(lane.resume_from(journal))
}

fn results(shared: &Shared, made: &[CaseRun]) -> Vec<CaseResult> {
    let result = |(index, planned): (usize, &PlannedCase)| {
        let made = made.iter().filter(|run| run.index / shared.runs == index);
        let made: Vec<_> = made.map(|run| (run.index % shared.runs + 1, run)).collect();
        CaseResult::new(&planned.case.name, &planned.subject, shared.runs, &made)
    };
    shared.cases.iter().enumerate().map(result).collect()
}

/// How an assay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AssayEnd {
    /// All runs were made, as far as possible.
    Complete,
    /// The budget was used up before all runs were made.
    OutOfBudget,
    /// It was cancelled.
    Cancelled,
}

/// The results of an assay.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AssayReport {
    /// The results by case and subject, in the order of the cases.
    pub results: Vec<CaseResult>,
    /// How the assay ended.
    pub end: AssayEnd,
}

impl AssayReport {
    /// Returns whether at least one run passed or failed.
    pub fn has_measured(&self) -> bool {
        self.results.iter().any(|result| result.measured() > 0)
    }

    /// Returns whether each case passed in at least this share of its runs.
    pub fn reaches(&self, least: f64) -> bool {
        self.results.iter().all(|result| result.share().is_some_and(|share| share >= least))
    }

    /// Returns the results as lines of JSON.
    pub fn json_lines(&self) -> Vec<String> {
        self.results.iter().map(CaseResult::json).collect()
    }
}

/// For messages about its folder.
impl std::fmt::Debug for Assay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place: &Path = &self.shared.place;
        f.debug_struct("Assay").field("runs", &self.count()).field("place", &place).finish_non_exhaustive()
    }
}
