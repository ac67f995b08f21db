//! Several loops at once, each in its own copy of the folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use loop_agents::judge::OutputText;
use loop_core::{
    Bounded, BoxError, EvaluationContext, Evaluator, EvaluatorError, Grant, Halt, Iteration,
    IterationContext, IterationError, JudgedStep, LaneReports, Loop, Report, StopReason, Verdict, best_of,
    race, with_causes,
};
use loop_snapshots::FolderCopy;
use loop_telemetry::rows::measured_score;

use super::{
    agent::PlannedAgent,
    checks,
    error::ComposeError,
    lane_limits::LaneLimits,
    lane_places::{LanePlace, LanePlaces},
    lanes_output::{LaneOutput, LanesOutput},
    output::AgentOutput,
    pace,
    stop_condition::stop_condition,
};
use crate::{
    context::{ExecutionContext, discard_lanes},
    plan::{ParallelPlan, Pick, Plan},
};

/// A loop that runs beside others.
type LaneLoop = Loop<PlannedAgent, JudgedStep<AgentOutput>, Bounded>;

/// The most bytes of an agent's last words that the record of its loop keeps.
const WORDS_BYTES: usize = 4 << 10;

/// Runs the loop of a plan several times at once, as one iteration.
#[derive(Debug)]
pub(super) struct Lanes {
    plan: Plan,
    parallel: ParallelPlan,
    cx: ExecutionContext,
    places: LanePlaces,
    limits: LaneLimits,
}

impl Lanes {
    /// Prepares the loops of this plan.
    ///
    /// # Errors
    /// The context has no folder for the copies, or the agent cannot work here.
    pub(super) fn new(
        plan: &Plan,
        parallel: ParallelPlan,
        limits: LaneLimits,
        cx: &ExecutionContext,
    ) -> Result<Self, ComposeError> {
        let copies = cx.copies().ok_or(ComposeError::NoCopies)?;
        if let Some(repository) = outside_repository(cx.folder()) {
            return Err(ComposeError::SharedRepository { folder: cx.folder().to_owned(), repository });
        }
        // Nothing else says before the copies are made whether the agent can work.
        plan.agent(cx)?;
        // Each loop works with the bare check, and the sealed one judges the result.
        let mut plan = plan.clone();
        plan.evaluator.seal = None;
        let places = LanePlaces { folder: cx.folder().to_owned(), copies, count: parallel.count };
        Ok(Self { plan, parallel, cx: cx.clone(), places, limits })
    }

    /// Opens the places of loops that were cut off, or makes new ones.
    async fn places(&self) -> Result<Vec<LanePlace>, Halt> {
        let (places, cx) = (self.places.clone(), self.cx.clone());
        let opened = blocking(move || places.open(&cx)).await;
        let (places, lost) =
            opened.map_err(|why| failed(&format!("the loops have no place to work: {why}")))?;
        if let Some(why) = lost {
            self.cx.warn(&format!("the loops begin anew, because their work cannot continue: {why}"));
        }
        Ok(places)
    }

    /// Makes the loop with this number, which works in this copy. It has all limits of the plan, of which the run around
    /// it enforces those that all loops share.
    fn lane(&self, number: usize, copy: &FolderCopy) -> Result<LaneLoop, ComposeError> {
        let cx = self.cx.in_copy(copy.folder()).map_err(ComposeError::part("parallel"))?;
        let stagnation = self.plan.stagnation();
        let limits = self.limits.now();
        let lane = Loop::new(self.plan.agent(&cx)?)
            .evaluate(checks::all(&self.plan, stagnation.as_ref(), &cx)?)
            .until(stop_condition(&self.plan.stop))
            .at_most(limits.max_iterations.get())
            .pace(pace(self.plan.pace, cx.seed().wrapping_add(number as u64)))
            .observe(self.cx.lane_listener(number));
        let lane = limits.guardrails().into_iter().fold(lane, Loop::guard);
        Ok(stagnation.into_iter().fold(lane, Loop::guard))
    }

    /// Puts the result of the winner, from 0, into the folder. The copies stay until the result is recorded: a run that is
    /// cut before that finds the loops at their ends, and does this once more.
    async fn hand_back(&self, mut copies: Vec<FolderCopy>, winner: usize) -> Result<(), IterationError> {
        let copy = copies.swap_remove(winner);
        let place = copy.folder().to_owned();
        let handed = blocking(move || Ok(copy.hand_back()?)).await;
        handed.map(drop).map_err(|why| {
            let why = format!("the result of loop {} stays in {}: {why}", winner + 1, place.display());
            failed(&why).blockable(true).into()
        })
    }

    /// Returns the place of the loop whose result the folder gets.
    fn winner(&self, ended: &LaneReports<AgentOutput>) -> Option<usize> {
        if self.parallel.pick == Pick::First {
            return ended.winner_index();
        }
        let is_higher = |one: f64, other: f64| match &self.plan.evaluator.score {
            Some(plan) => plan.is_better(one, other),
            None => one > other,
        };
        let is_better = |one: &Report<_>, other: &Report<_>| match (score(one), score(other)) {
            (Some(one), Some(other)) if one != other => is_higher(one, other),
            (found, missing) if found.is_some() != missing.is_some() => found.is_some(),
            _ => one.is_success() && !other.is_success(),
        };
        let reports = ended.reports().iter().enumerate();
        reports
            .filter(|(_, report)| score(report).is_some() || report.is_success())
            .reduce(|best, next| if is_better(next.1, best.1) { next } else { best })
            .map(|(index, _)| index)
    }
}

/// Returns the repository of a work tree, if it is not in the folder: `.git` is a link or a file that names it.
fn outside_repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let is_file = git.symlink_metadata().ok()?.is_file();
    let named = match is_file {
        true => folder.join(fs::read_to_string(&git).ok()?.strip_prefix("gitdir:")?.trim()),
        false => git.clone(),
    };
    let repository = fs::canonicalize(named).ok()?;
    // A relative path within the folder leads into each copy.
    let is_absolute_link = fs::read_link(git).is_ok_and(|to| to.is_absolute());
    (is_absolute_link || !repository.starts_with(folder)).then_some(repository)
}

/// Returns the score of the state that a loop has left: what its check measured last, or how sure that was.
fn score(report: &Report<AgentOutput>) -> Option<f64> {
    let step = report.last_step()?;
    measured_score(step.marks()).or(step.score())
}

#[async_trait]
impl Iteration for Lanes {
    type Output = LanesOutput;

    async fn run(&mut self, cx: IterationContext<LanesOutput>) -> Result<LanesOutput, IterationError> {
        let places = self.places().await?;
        let grant = cx.guidance().map_or_else(Grant::default, |note| Grant::default().with_note(note));
        let lanes = (1..).zip(places).map(|(number, place)| {
            let lane = self.lane(number, &place.copy)?;
            Ok(place.attach_to(if self.limits.are_raised() { lane.grant(grant.clone()) } else { lane }))
        });
        let lanes = lanes.collect::<Result<Vec<_>, ComposeError>>();
        let (copies, lanes): (Vec<_>, Vec<_>) =
            lanes.map_err(|error| failed(&with_causes(&error)))?.into_iter().unzip();
        let lanes = match self.parallel.pick {
            Pick::First => race(lanes),
            // The agent's own measure is compared, and a check that is sure of it has a score of 1.
            Pick::Best => best_of(lanes).wait_for_all(),
        };
        let ended = lanes.run_within(&cx).await;
        if cx.is_cancelled() {
            // This iteration counts as cut, so the folder must not change any more.
            self.cx.warn(&format!("the work of the loops is in {}", self.places.copies.display()));
            return Err(failed("interrupted").into());
        }
        let ended = ended?;
        let winner = self.winner(&ended);
        if let Some(winner) = winner {
            self.hand_back(copies, winner).await?;
        }
        let cut_work = winner.and_then(|index| ended.reports().get(index)?.last_step()?.cut_work());
        cut_work.into_iter().for_each(|work| cx.cut_work(work));
        let lanes = ended.reports().iter().map(lane_output).collect();
        let copies = winner.is_none().then(|| self.places.copies.clone());
        Ok(LanesOutput { lanes, winner: winner.map(|index| index + 1), copies })
    }
}

fn lane_output(report: &Report<AgentOutput>) -> LaneOutput {
    LaneOutput {
        is_success: report.is_success(),
        ending: report.ending().to_string(),
        iterations: report.iterations(),
        score: score(report),
        usage: *report.usage(),
        words: report.last_output().map(|output| output.last_words(WORDS_BYTES)).unwrap_or_default(),
    }
}

/// Judges the folder after the result of a loop was put into it, and deletes the copies, which nothing needs any more.
/// Without a result there is nothing to judge, and the copies stay: a grant continues their loops.
pub(super) struct AfterLanes<E> {
    pub(super) check: E,
    pub(super) copies: Option<PathBuf>,
}

#[async_trait]
impl<E: Evaluator<AgentOutput>> Evaluator<AgentOutput> for AfterLanes<E> {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        match cx.output() {
            AgentOutput::Lanes(output) if output.winner.is_none() => {
                Ok(Verdict::fail().with_text(output.to_string()))
            }
            AgentOutput::Lanes(_) => {
                if let Some(copies) = self.copies.clone() {
                    let deleted = blocking(move || Ok(discard_lanes(&copies)?)).await;
                    deleted.map_err(|why| {
                        failed(&format!("the copies of the loops cannot be deleted: {why}"))
                    })?;
                }
                self.check.evaluate(cx).await
            }
            _ => self.check.evaluate(cx).await,
        }
    }
}

fn failed(why: &str) -> Halt {
    Halt::new(StopReason::Failed, why)
}

/// Does work with files on a thread for it. The error is in words.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| with_causes(&*error)),
        Err(error) => Err(with_causes(&error)),
    }
}
