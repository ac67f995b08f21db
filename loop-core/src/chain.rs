//! Several iterations in order, as one.

use std::{
    fmt, mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::{
    BoxError, Decision, EvaluationContext, Evaluator, EvaluatorError, Event, EventKind, Halt, Iteration,
    IterationContext, IterationError, Journal, JudgedStep, Loop, Phase, Progress, Report, Step, StepRecord,
    StopCondition, StopReason, Verdict, WorkError, guardrail_fn, with_causes, work::Outer,
};

type BoxIteration<O> = Box<dyn Iteration<Output = O>>;
type Gates<O> = Vec<Option<Box<dyn Evaluator<O>>>>;
type Journals<O> = Box<dyn FnMut(u64) -> Result<Box<dyn Journal<O>>, BoxError> + Send>;

/// Iterations that run in order as one iteration: the output of each is the input of the next.
///
/// One pass through all parts is one iteration of the loop around it. Each part finds the output of the part before it
/// in [`last_output`](IterationContext::last_output), and that part's step, with the verdict of its gate, in
/// [`previous`](IterationContext::previous). The first part finds the previous pass there. All parts see the index of
/// the pass as [`iteration`](IterationContext::iteration), and its [guidance](IterationContext::guidance). The usage,
/// marks, faults and cut work of all parts and gates count for the pass.
///
/// A part may have a [gate](Self::gate). If the gate does not pass, or a part fails, the pass is a failed iteration:
/// its failure names the part and the verdict's feedback, and the next pass begins with the first part. To repeat a
/// part until its gate passes, let the part [run a loop](Loop::run_within).
///
/// A pass is itself a [loop within the iteration](Loop::run_within), so deferrals, interrupts and halts behave as
/// described there. With a [journal](Self::record), a resumed run starts at the part that was cut.
///
/// # Default
/// No parts and no journal. A chain without parts halts its loop as [`Failed`](StopReason::Failed).
///
/// ```
/// use loop_core::{
///     Chain, EvaluationContext, IterationContext, Loop, Step, Verdict, condition_fn, evaluator_fn, iteration_fn,
/// };
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), loop_core::BuildError> {
/// let plan = iteration_fn(async |_: IterationContext<String>| Ok("plan".to_owned()));
/// let is_short = evaluator_fn(async |cx: EvaluationContext<String>| {
///     Ok(if cx.output().len() < 9 { Verdict::pass() } else { Verdict::fail() })
/// });
/// let code = iteration_fn(async |cx: IterationContext<String>| {
///     Ok(format!("{}, code", cx.last_output().cloned().unwrap_or_default()))
/// });
/// let done = condition_fn(|step: &Step<String>, _| step.output().is_some());
/// let report = Loop::new(Chain::new().then(plan).gate(is_short).then(code)).until(done).at_most(3).run().await?;
/// assert_eq!(report.output().map(String::as_str), Some("plan, code"));
/// assert_eq!(report.iterations(), 1);
/// # Ok(())
/// # }
/// ```
#[must_use = "a chain does nothing until a loop runs it"]
pub struct Chain<O> {
    parts: Vec<BoxIteration<O>>,
    gates: Arc<Mutex<Gates<O>>>,
    /// The gates while the chain is composed.
    new_gates: Gates<O>,
    journals: Option<Journals<O>>,
    is_gate_first: bool,
    has_run: bool,
}

impl<O: Clone + Send + Sync + 'static> Chain<O> {
    /// Creates a chain without parts.
    pub fn new() -> Self {
        Self {
            parts: Vec::new(),
            gates: Arc::default(),
            new_gates: Vec::new(),
            journals: None,
            is_gate_first: false,
            has_run: false,
        }
    }

    /// Adds a part after the others.
    pub fn then(mut self, part: impl Iteration<Output = O> + 'static) -> Self {
        self.parts.push(Box::new(part));
        self.new_gates.push(None);
        self
    }

    /// Sets the gate of the last part: the next part begins only if this evaluator passes the output. A second call
    /// replaces the gate. A gate before the first part halts the loop as [`Failed`](StopReason::Failed).
    pub fn gate(mut self, gate: impl Evaluator<O> + 'static) -> Self {
        match self.new_gates.last_mut() {
            Some(last) => *last = Some(Box::new(gate)),
            None => self.is_gate_first = true,
        }
        self
    }

    /// Records each pass in a journal of its own, which `journal` opens for the index of the pass. A resumed run
    /// continues the recorded pass at the part that was cut. If the pass was cancelled or reached a limit of the loop,
    /// its index is used up, and the next index continues it. The journals belong to one run: another run needs others.
    ///
    /// A journal that cannot be opened or written halts the loop as [`Failed`](StopReason::Failed).
    pub fn record<J: Journal<O> + 'static>(
        mut self,
        mut journal: impl FnMut(u64) -> Result<J, BoxError> + Send + 'static,
    ) -> Self {
        self.journals = Some(Box::new(move |pass| Ok(Box::new(journal(pass)?))));
        self
    }

    /// Opens the journal of this pass, or of the pass that it continues. `settled` is the index of the last settled step, if
    /// it is known.
    fn open_pass(&mut self, pass: u64, settled: Option<u64>) -> Result<Option<Box<dyn Journal<O>>>, Halt> {
        if self.is_gate_first || self.parts.is_empty() {
            let message = "the chain has no part before its gate, or no part at all: call `then` first";
            return Err(Halt::new(StopReason::Failed, message));
        }
        let Some(open) = &mut self.journals else { return Ok(None) };
        let first = settled.unwrap_or(0) + 1;
        // A process that has begun a pass has continued whatever an earlier process left.
        if mem::replace(&mut self.has_run, true) || first >= pass {
            return open_journal(open, pass).map(Some);
        }
        // An index that continued an earlier pass has an empty journal, so the search goes past it.
        for earlier in (first..=pass).rev() {
            let progress = recorded(open, earlier)?;
            if progress.phase() != Phase::New {
                // A pass with a result that no step has got is not done yet.
                let continues = earlier == pass || settled.is_some() || is_unfinished(&progress);
                return open_journal(open, if continues { earlier } else { pass }).map(Some);
            }
        }
        open_journal(open, pass).map(Some)
    }
}

fn open_journal<O>(open: &mut Journals<O>, pass: u64) -> Result<Box<dyn Journal<O>>, Halt> {
    open(pass).map_err(|error| unreadable(pass, &with_causes(&*error)))
}

fn unreadable(pass: u64, why: &str) -> Halt {
    Halt::new(StopReason::Failed, format!("the journal of pass {pass} of the chain cannot be used: {why}"))
}

/// Returns the recorded progress of a pass.
fn recorded<O>(open: &mut Journals<O>, pass: u64) -> Result<Progress, Halt> {
    let mut progress = Progress::default();
    let mut damage = None;
    let loaded = open_journal(open, pass)?.load(&mut |event| {
        damage = damage.take().or_else(|| progress.apply(event).err());
    });
    match (loaded, damage) {
        (Err(error), _) => Err(unreadable(pass, &with_causes(&*error))),
        (_, Some(damage)) => Err(unreadable(pass, &damage.to_string())),
        _ => Ok(progress),
    }
}

/// Returns whether a pass began and has no result.
fn is_unfinished(pass: &Progress) -> bool {
    let has_result = |ending| Outer::propagated(ending, pass).is_none();
    pass.phase() != Phase::New && !pass.ending().is_some_and(has_result)
}

impl<O: Clone + Send + Sync + 'static> Default for Chain<O> {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl<O: Clone + Send + Sync + 'static> Iteration for Chain<O> {
    type Output = O;

    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        let journal = self.open_pass(cx.iteration(), cx.settled())?;
        self.gates.lock().await.append(&mut self.new_gates);
        let position = Position::default();
        let goal = AllPassed { position: position.clone(), count: self.parts.len() };
        let gates = GateKeeper { gates: Arc::clone(&self.gates), position: position.clone() };
        let pass = Pass { parts: &mut self.parts, position: position.clone(), cx: &cx };
        let stops = guardrail_fn("chain", |progress| match progress.last_step() {
            Some(step) if !is_passed(step) => {
                Decision::Halt(Halt::new(StopReason::custom("part_failed"), ""))
            }
            _ => Decision::Continue,
        });
        let notes = cx.part::<O>();
        // Every iteration passes a part or ends the pass, so the parts are the bound. A cut part begins once more.
        let run = Loop::new(pass)
            .evaluate(gates)
            .until(goal)
            .at_most(u64::MAX)
            .guard(stops)
            .observe(move |event: &Event, _: &Progress| pass_on_notes(event, &notes));
        let run = match journal {
            Some(journal) => run.resume_from(journal),
            None => run,
        };
        let report = run.run_within(&cx).await?;
        outcome(report, position.get())
    }
}

fn is_passed(step: &StepRecord) -> bool {
    step.verdict().is_some_and(Verdict::passed)
}

/// The number of parts of the pass that are done. An index of the pass's loop is no such number, because a cut part
/// uses up an index.
#[derive(Clone, Default)]
struct Position(Arc<AtomicUsize>);

impl Position {
    fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

/// The goal of a pass: all parts have passed. It also keeps the position, because it sees recorded events too.
struct AllPassed {
    position: Position,
    count: usize,
}

impl<O> StopCondition<JudgedStep<O>> for AllPassed {
    fn is_met(&self, step: &JudgedStep<O>, _: &Progress) -> bool {
        is_passed(step) && self.position.get() + 1 == self.count
    }

    fn observe(&mut self, event: &Event) {
        if let EventKind::StepSettled { .. } = event.kind {
            self.position.0.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// Passes the marks, the fault and the cut work of a part on to the pass.
fn pass_on_notes<O>(event: &Event, cx: &IterationContext<O>) {
    if let EventKind::IterationFinished { notes: Some(notes), .. }
    | EventKind::EvaluationFinished { notes: Some(notes), .. } = &event.kind
    {
        notes.marks.iter().for_each(|mark| cx.mark(&mark.name, mark.hash));
        notes.fault.iter().for_each(|fault| cx.fault(&**fault));
        notes.cut_work.iter().for_each(|work| cx.cut_work(&**work));
    }
}

/// Returns the output of the last part, or the reason why the pass has none.
fn outcome<O: Clone>(report: Report<O>, part: usize) -> Result<O, WorkError> {
    let halt = match report.ending().halt() {
        None => {
            let output = report.last_step().and_then(Step::shared_output);
            drop(report);
            return output.map(Arc::unwrap_or_clone).ok_or_else(|| {
                WorkError::failed("the journal of the pass lacks the output of its last part")
            });
        }
        Some(halt) => halt,
    };
    let Some(step) = report.last_step().filter(|step| !is_passed(step)) else {
        return Err(halt.clone().into());
    };
    let message = match (step.failure(), step.verdict()) {
        (Some(failure), _) => format!("part {part} of the chain failed: {failure}"),
        (None, verdict) => {
            let words = verdict.map(|verdict| verdict.feedback().unwrap_or_else(|| verdict.text()));
            match words.filter(|words| !words.is_empty()) {
                Some(words) => format!("part {part} of the chain did not pass its gate: {words}"),
                None => format!("part {part} of the chain did not pass its gate"),
            }
        }
    };
    Err(WorkError::failed(message))
}

/// The parts of a pass, as the iteration of a loop: its index chooses the part.
struct Pass<'p, O> {
    parts: &'p mut [BoxIteration<O>],
    position: Position,
    cx: &'p IterationContext<O>,
}

#[async_trait]
impl<O: Clone + Send + Sync + 'static> Iteration for Pass<'_, O> {
    type Output = O;

    async fn run(&mut self, cx: IterationContext<O>) -> Result<O, IterationError> {
        let index = self.position.get();
        let part = self.parts.get_mut(index).ok_or_else(|| {
            WorkError::from(Halt::new(StopReason::Failed, "the recorded pass has more parts than this chain"))
        })?;
        part.run(cx.within_pass(self.cx, index == 0)).await
    }
}

/// Asks the gate of the part that made the output. A part without a gate passes.
struct GateKeeper<O> {
    gates: Arc<Mutex<Gates<O>>>,
    position: Position,
}

#[async_trait]
impl<O: Send + Sync + 'static> Evaluator<O> for GateKeeper<O> {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        match self.gates.lock().await.get_mut(self.position.get()) {
            Some(Some(gate)) => gate.evaluate(cx).await,
            _ => Ok(Verdict::pass()),
        }
    }
}

impl<O> fmt::Debug for Chain<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}
