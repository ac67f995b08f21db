//! Drives a machine through a scenario, in virtual time.

use std::{sync::Arc, time::Duration};

use loop_core::{
    Action, Event, EventKind, Halt, Input, Machine, Progress, RunTime, Stage, Usage, WorkResult, pace_fn,
};

use super::{
    End, GoalState, Job, Probe, Scenario, TestGuardrail,
    tell::{addressed, some_id},
};

/// One exchange with the machine.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) at: RunTime,
    pub(crate) input: Input,
    /// The progress before it.
    pub(crate) before: Progress,
    /// The number of events before it.
    pub(crate) from: usize,
    pub(crate) action: Option<Action>,
    pub(crate) after: Progress,
    /// The number of events after it.
    pub(crate) events: usize,
}

/// A finished run.
pub(crate) struct Run {
    pub(crate) events: Vec<Event>,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) progress: Progress,
    pub(crate) machine: Machine,
    pub(crate) probes: Vec<Probe>,
    pub(crate) goal: GoalState,
}

/// A machine in a scenario.
pub(crate) struct Simulator<'w> {
    scenario: &'w Scenario,
    machine: Machine,
    probes: Vec<Probe>,
    goal: GoalState,
    now: RunTime,
    events: Vec<Event>,
    exchanges: Vec<Exchange>,
    cancel: Option<RunTime>,
    actions: usize,
    questions: usize,
}

/// A run with more inputs than this is not bounded.
const ENDLESS: usize = 20_000;

impl<'w> Simulator<'w> {
    /// Creates a run that has not begun.
    pub(crate) fn new(scenario: &'w Scenario) -> Self {
        let (machine, probes) = machine(scenario);
        Self {
            scenario,
            machine,
            probes,
            goal: GoalState::new(&scenario.goal),
            now: RunTime::ZERO,
            events: Vec::new(),
            exchanges: Vec::new(),
            cancel: scenario.cancel.map(RunTime::from),
            actions: 0,
            questions: 0,
        }
    }

    /// Runs a scenario from its start to its end.
    pub(crate) fn run(scenario: &'w Scenario) -> Run {
        Self::new(scenario).go(Input::Started)
    }

    /// Resumes a run with these events.
    pub(crate) fn resume(scenario: &'w Scenario, events: &[Event]) -> Run {
        let mut simulator = Self::new(scenario);
        simulator.machine.restore(events).expect("a history");
        simulator.goal = GoalState::restored(&scenario.goal, events);
        simulator.events = events.to_vec();
        simulator.now = simulator.machine.progress().now();
        match events {
            [] => simulator.go(Input::Started),
            _ => simulator.go(Input::Resumed),
        }
    }

    fn go(mut self, begin: Input) -> Run {
        let mut action = self.begin(begin);
        loop {
            action = match action.expect("the machine says how to go on") {
                Action::Iterate { iteration, .. } => self.work(Stage::Iteration, iteration),
                Action::Evaluate => {
                    let step = self.machine.progress().current_step().expect("a step is evaluated");
                    self.work(Stage::Evaluation, step.iteration())
                }
                Action::Settle => self.settle(),
                Action::Wait(duration) => self.wait(duration),
                Action::Ask(question) => {
                    let id = question.text.parse().expect("a guardrail's id");
                    let answer = self.scenario.answer(id, self.machine.progress().iterations());
                    self.stray();
                    let nth = self.questions;
                    self.questions += 1;
                    match self.scenario.cancel_at_question == Some(nth) {
                        true => self.tell(Input::Cancelled),
                        false => self.tell(Input::Answered { id: some_id(), answer }),
                    }
                }
                Action::Finish(_) => break,
                other => panic!("not an action between two pieces of work: {other:?}"),
            };
        }
        Run {
            progress: self.machine.progress().clone(),
            events: self.events,
            exchanges: self.exchanges,
            machine: self.machine,
            probes: self.probes,
            goal: self.goal,
        }
    }

    /// An earlier cancellation goes first, so that nothing starts after it.
    fn begin(&mut self, begin: Input) -> Option<Action> {
        if self.due_cancel(self.now)
            && let Some(finish @ Action::Finish(_)) = self.tell(Input::Cancelled)
        {
            return Some(finish);
        }
        self.tell(begin)
    }

    /// Passes an input to the machine now.
    fn tell(&mut self, input: Input) -> Option<Action> {
        assert!(self.exchanges.len() < ENDLESS, "the run does not end");
        let before = self.machine.progress().clone();
        let input = addressed(&self.machine, input);
        let action =
            self.machine.handle(self.now, input.clone()).expect("the answer to the outstanding action");
        let from = self.events.len();
        self.events.extend(self.machine.take_events());
        self.events[from..].iter().for_each(|event| self.goal.record(event));
        self.exchanges.push(Exchange {
            at: self.now,
            input,
            before,
            from,
            action: action.clone(),
            after: self.machine.progress().clone(),
            events: self.events.len(),
        });
        action
    }

    /// Returns whether a cancellation is due that the machine does not know.
    fn due_cancel(&mut self, by: RunTime) -> bool {
        self.cancel.take_if(|at| *at <= by).is_some()
    }

    /// Reports usage without work.
    fn stray(&mut self) -> Option<Action> {
        let now = self.actions;
        self.actions += 1;
        let usages = self.scenario.strays.iter().filter(|(at, _)| *at == now);
        let usage = usages.map(|(_, usage)| *usage).reduce(|a, b| a + b)?;
        self.tell(Input::Reported { usage })
    }

    /// Lets time pass, with its events. Stops at the first action.
    fn pass(&mut self, duration: Duration, interrupted: bool) -> Option<Action> {
        let until = self.now.after(duration);
        loop {
            let deadline = self.machine.deadline().filter(|at| *at <= until && !interrupted);
            let cancel = self.cancel.filter(|at| *at <= until);
            let (at, input) = match (deadline, cancel) {
                (Some(at), cancel) if cancel.is_none_or(|cancel| at < cancel) => (at, Input::DeadlinePassed),
                (_, Some(at)) => {
                    self.cancel = None;
                    (at, Input::Cancelled)
                }
                (_, None) => {
                    self.now = until;
                    return None;
                }
            };
            self.now = self.now.max(at);
            if let Some(action) = self.tell(input) {
                return Some(action);
            }
        }
    }

    fn wait(&mut self, duration: Duration) -> Option<Action> {
        if let Some(action) = self.stray() {
            return Some(action);
        }
        self.pass(duration, false).or_else(|| self.tell(Input::Waited { id: some_id() }))
    }

    fn settle(&mut self) -> Option<Action> {
        self.stray();
        if self.due_cancel(self.now) {
            self.tell(Input::Cancelled);
        }
        let step = self.machine.progress().current_step().expect("a step is settled");
        let met = self.goal.holds(step);
        self.tell(Input::Settled { id: some_id(), met, by: met.then(|| "the goal".into()) })
    }

    fn work(&mut self, stage: Stage, iteration: u64) -> Option<Action> {
        let job = self.scenario.job(stage, iteration);
        let tries = tries(&self.events, stage);
        let interrupted = match job.deferrals.get(tries) {
            Some(_) => self.stray().is_some(),
            None => self.stray().is_some() || self.do_work(job),
        };
        if interrupted {
            let (usage, takes) = job.in_grace;
            assert_eq!(self.tell(Input::Reported { usage }), None);
            assert_eq!(self.pass(takes, true), None);
        }
        let notes = job.notes.clone();
        let later = job.deferrals.get(tries).copied();
        self.tell(match stage {
            Stage::Iteration => {
                Input::Iterated { id: some_id(), result: result(job, later, |_| ()), notes: notes.boxed() }
            }
            Stage::Evaluation => Input::Evaluated {
                id: some_id(),
                result: result(job, later, Clone::clone),
                notes: notes.boxed(),
            },
        })
    }

    /// Does the middle of the work. Returns true if it is interrupted.
    fn do_work(&mut self, job: &Job) -> bool {
        for (after, usage) in &job.reports {
            let action = self.pass(*after, false).or_else(|| self.tell(Input::Reported { usage: *usage }));
            if action.is_some() {
                return true;
            }
        }
        self.pass(job.last, false).is_some()
    }
}

/// Returns the result of a job as data.
fn result<T>(job: &Job, later: Option<Duration>, done: impl Fn(&loop_core::Verdict) -> T) -> WorkResult<T> {
    if let Some(after) = later {
        return WorkResult::Later { after };
    }
    match &job.end {
        End::Done(verdict) => WorkResult::Done(done(verdict)),
        End::Failed => WorkResult::Failed(Arc::from("it broke")),
        End::Halted(reason) => WorkResult::Halted(Halt::new(reason.clone(), "it cannot go on")),
    }
}

/// Creates a machine with the scenario's parts.
pub(crate) fn machine(scenario: &Scenario) -> (Machine, Vec<Probe>) {
    let probes: Vec<Probe> = scenario.guardrails.iter().map(|_| Probe::default()).collect();
    let guards = scenario.guardrails.iter().zip(&probes);
    let guards = guards
        .map(|(guardrail, probe)| Box::new(TestGuardrail::new(guardrail, Arc::clone(probe))) as _)
        .collect();
    let delays = scenario.delays.clone();
    let pace = pace_fn(move |progress| delays[progress.iterations() as usize % delays.len()]);
    let mut machine = Machine::new(guards, Box::new(pace), scenario.evaluated);
    if scenario.evaluates_first {
        machine.evaluate_first();
    }
    (machine, probes)
}

/// Returns how often work of this stage was deferred since its index first began.
pub(crate) fn tries(events: &[Event], stage: Stage) -> usize {
    let mut tries = 0;
    for event in events {
        match &event.kind {
            EventKind::IterationFinished { result: WorkResult::Later { .. }, .. } => {
                tries += usize::from(stage == Stage::Iteration);
            }
            EventKind::EvaluationFinished { result: WorkResult::Later { .. }, .. } => {
                tries += usize::from(stage == Stage::Evaluation);
            }
            EventKind::IterationFinished { .. }
            | EventKind::StepSettled { .. }
            | EventKind::WorkCut { .. } => {
                tries = 0;
            }
            _ => {}
        }
    }
    tries
}

/// Returns the usage that an input reports.
pub(crate) fn usage_of(input: &Input) -> Usage {
    match input {
        Input::Reported { usage } => *usage,
        Input::Iterated { notes, .. } | Input::Evaluated { notes, .. } => {
            notes.as_ref().map_or(Usage::unknown(), |notes| notes.usage)
        }
        _ => Usage::unknown(),
    }
}
