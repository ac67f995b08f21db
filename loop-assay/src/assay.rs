//! An assay: all runs of all cases.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use loop_core::{
    Bounded, CancellationToken, Ceiling, Halt, Loop, SharedBudget, Step, StopReason, Usd, best_of,
    condition_fn,
};
use loop_manifest::{ExecutionContext, Plan};
use loop_snapshots::FolderCopy;

use crate::{
    case::{Case, Cases},
    case_run::CaseRun,
    check::Check,
    error::{AssayError, CaseErrors},
    iteration::CaseIteration,
    journals,
    measured::CaseResult,
    options::AssayOptions,
    place,
    plans::{self, Planner},
    report::{AssayEnd, AssayReport},
};

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
    pub(crate) on_run: Box<OnRun>,
    /// The share of the budget for each run.
    pub(crate) share: Option<Usd>,
    pub(crate) check_time: Duration,
    /// The runs in a row without a cost, of each subject that should report one.
    unmetered: Mutex<BTreeMap<String, u64>>,
}

type OnRun = dyn Fn(&str, &CaseRun) + Send + Sync;

impl Shared {
    /// Describes a run in words: its case, its subject, and its number.
    pub(crate) fn describe(&self, index: usize) -> String {
        let PlannedCase { case, subject, .. } = &self.cases[index / self.runs];
        format!("{}, {subject}, run {} of {}", case.name, index % self.runs + 1, self.runs)
    }

    /// Counts a run that was made.
    pub(crate) fn count(&self, case: &PlannedCase, made: &CaseRun) {
        if made.iterations > 0 && case.plan.agent.reports_usage() {
            let mut unmetered = self.unmetered.lock().unwrap_or_else(PoisonError::into_inner);
            let silent = unmetered.entry(case.subject.clone()).or_default();
            *silent = if made.cost().is_some() { 0 } else { *silent + 1 };
        }
    }

    /// Returns why there is no further run of this case: a budget cannot be enforced if its server does not report costs.
    pub(crate) fn halt(&self, case: &PlannedCase) -> Option<Halt> {
        let unmetered = self.unmetered.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = unmetered.get(&case.subject).copied().unwrap_or_default();
        (self.share.is_some() && silent >= MAX_UNMETERED).then(|| {
            let message = format!("the last {silent} runs of {} did not report a cost", case.subject);
            Halt::new(StopReason::Unmetered, message)
        })
    }
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
    /// `places` is the folder of all assays that are not complete: each has a folder for its journals and copies there.
    ///
    /// # Errors
    /// Everything that is wrong with the cases: a manifest that does not build, a model that is not known here, a check
    /// that the agent cannot have, or a program that is missing.
    pub fn new(
        cases: Cases,
        options: &AssayOptions,
        cx: ExecutionContext,
        places: &Path,
    ) -> Result<Self, CaseErrors> {
        let subjects: Vec<_> = match options.subjects.as_slice() {
            [] => vec![None],
            subjects => subjects.iter().map(Some).collect(),
        };
        let cases = cases.into_vec();
        let count = (cases.len() * subjects.len()).saturating_mul(options.runs()) as u64;
        let share = options.budget.map(|budget| Usd::nanos(budget.as_nanos() / count.max(1)));
        let (mut planned, mut errors, mut planner) = (Vec::new(), Vec::new(), Planner::default());
        for case in cases.into_iter().map(Arc::new) {
            for subject in &subjects {
                let plan = planner.plan(&case, *subject, options.run_time);
                let plan = plan.and_then(|plan| {
                    planner.try_out(&case, &plan, &cx, options.check_time)?;
                    Ok(plan)
                });
                match plan {
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
        let place = places.join(place::key(options, &planned, &cx)?);
        let shared = Shared {
            cases: planned,
            runs: options.runs(),
            cx,
            place,
            on_event: Arc::new(|| ()),
            on_run: Box::new(|_, _| ()),
            share,
            check_time: options.check_time,
            unmetered: Mutex::default(),
        };
        let (jobs, budget) = (options.jobs.max(1), options.budget);
        Ok(Self { shared, jobs, budget, cancel: CancellationToken::new() })
    }

    /// Sets the token that cancels the assay. Finished runs are kept.
    #[must_use]
    pub fn cancel_on(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// Sets the listener to finished runs, each with a description: its case, its subject, and its number. A run may be
    /// reported again if the process dies before its result is recorded.
    #[must_use]
    pub fn on_run(mut self, listener: impl Fn(&str, &CaseRun) + Send + Sync + 'static) -> Self {
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
        self.shared.cases.len().saturating_mul(self.shared.runs)
    }

    /// Returns the subjects that report no cost, so that no budget limits them.
    pub fn unmetered(&self) -> BTreeSet<&str> {
        let cases = self.shared.cases.iter();
        cases.filter(|case| !case.plan.agent.reports_usage()).map(|case| case.subject.as_str()).collect()
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
            let made = journals::outputs::<CaseRun>(&lane_place(&shared, first))?;
            made.iter().for_each(|run| shared.count(&shared.cases[run.index / shared.runs], run));
            if made.last().is_none_or(|last| last.index + jobs < count) {
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
                Some(StopReason::Unmetered) => end = end.max(AssayEnd::Unmetered),
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

/// The number of runs in a row without a cost after which a budget counts as not enforceable.
const MAX_UNMETERED: u64 = 3;

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
    let secrets = shared.cx.redactor();
    let mut runs: Vec<BTreeMap<usize, &CaseRun>> = vec![BTreeMap::new(); shared.cases.len()];
    for run in made {
        runs[run.index / shared.runs].insert(run.index % shared.runs + 1, run);
    }
    let result = |(planned, made): (&PlannedCase, BTreeMap<_, _>)| {
        let (case, subject) = (secrets.redact(&planned.case.name), secrets.redact(&planned.subject));
        CaseResult::new(&case, &subject, shared.runs, &made)
    };
    shared.cases.iter().zip(runs).map(result).collect()
}

/// For messages about its folder.
impl std::fmt::Debug for Assay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place: &Path = &self.shared.place;
        f.debug_struct("Assay").field("runs", &self.count()).field("place", &place).finish_non_exhaustive()
    }
}
