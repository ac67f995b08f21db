//! The file of a plan.

use std::fmt::{self, Write as _};

use jiff::Timestamp;

use super::{
    PlanError, StepValidation,
    annotation::{Annotation, annotations},
    lines::{self, StepLine},
};

/// The most steps of a plan.
pub const MAX_STEPS: usize = 50;

/// The comments that hold the times.
const CREATED: &str = "<!-- created: ";
const UPDATED: &str = "<!-- updated: ";

/// The state of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepState {
    /// The step is still to be performed: `[ ]`.
    Open,
    /// The step is done: `[x]`.
    Done,
    /// The step failed, or cannot be performed: `[!]`.
    Blocked,
}

impl StepState {
    pub(super) const fn sign(self) -> char {
        match self {
            Self::Open => ' ',
            Self::Done => 'x',
            Self::Blocked => '!',
        }
    }

    const fn of(sign: u8) -> Self {
        match sign {
            b'x' | b'X' => Self::Done,
            b'!' => Self::Blocked,
            _ => Self::Open,
        }
    }
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanStep {
    /// The title for the model: without `[model: NAME]`, with its validations.
    pub title: String,
    /// The state.
    pub state: StepState,
    /// The model that performs the step, if the title names one.
    pub model: Option<String>,
    /// The validations in order. All have to pass.
    pub validations: Vec<StepValidation>,
    /// The line in the file, from 1.
    pub line: usize,
    /// The position of the state's character.
    mark: usize,
}

/// A plan and its text. Marking a step changes one character and the time of the last update; every other byte stays.
///
/// ```
/// use loop_agents::plan::{PlanDocument, StepState};
///
/// let now = "2026-11-26T10:00:00Z".parse()?;
/// let reply = "Here it is:\n1. Write a test [validate: command cargo test]\n2. Fix the bug";
/// let mut plan = PlanDocument::of_reply(reply, "Repair the parser", now)?;
/// assert_eq!(plan.goal(), "Repair the parser");
/// assert_eq!(plan.next(), Some(0));
///
/// plan.mark(0, StepState::Done, now);
/// assert_eq!(plan.next(), Some(1));
/// assert!(plan.text().ends_with("- [x] Write a test [validate: command cargo test]\n- [ ] Fix the bug\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDocument {
    text: String,
    goal: String,
    steps: Vec<PlanStep>,
}

impl PlanDocument {
    /// Makes a plan of a model's reply.
    ///
    /// - The goal is the heading `Plan: X` or `Goal: X` of level 1 to 3, or else the task.
    /// - The steps are the lines `- [ ] Title`, in any list and at any indentation, with `x` or `!` in the box for a step
    ///   that is done or blocked. If there are none, the steps are the numbered lines.
    /// - Lines inside a fence count only if there is no step outside of a fence.
    ///
    /// # Errors
    /// There are no steps or more than [`MAX_STEPS`], or a step has a validation that does not exist.
    pub fn of_reply(reply: &str, task: &str, now: Timestamp) -> Result<Self, PlanError> {
        let goal = lines::goal(reply).map_or_else(|| one_line(task), str::to_owned);
        let mut text = format!("# Plan: {goal}\n\n{CREATED}{now} -->\n{UPDATED}{now} -->\n\n");
        for StepLine { mark, title, .. } in lines::steps(reply) {
            let state = mark.map_or(StepState::Open, |at| StepState::of(reply.as_bytes()[at]));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "- [{}] {}", state.sign(), &reply[title]);
        }
        Self::parse(text, task)
    }

    /// Reads a plan's file. Its goal is its heading, or else the task.
    ///
    /// # Errors
    /// As [`of_reply`](Self::of_reply).
    pub fn parse(text: impl Into<String>, task: &str) -> Result<Self, PlanError> {
        let text = text.into();
        let lines = lines::steps(&text);
        match lines.iter().filter(|line| line.mark.is_some()).count() {
            0 => return Err(PlanError::NoSteps),
            1..=MAX_STEPS => {}
            steps => return Err(PlanError::TooManySteps(steps)),
        }
        let steps = lines.iter().filter_map(|line| step(&text, line)).collect::<Result<_, _>>()?;
        let goal = lines::goal(&text).map_or_else(|| one_line(task), str::to_owned);
        Ok(Self { text, goal, steps })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the goal.
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// Returns the time in the comment `created`, as written.
    pub(super) fn created(&self) -> Option<&str> {
        self.text.split_once(CREATED)?.1.split_once(" -->").map(|(time, _)| time)
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }

    /// Returns the index of the first open step.
    pub fn next(&self) -> Option<usize> {
        self.steps.iter().position(|step| step.state == StepState::Open)
    }

    /// Returns the number of steps in this state.
    pub fn count(&self, state: StepState) -> usize {
        self.steps.iter().filter(|step| step.state == state).count()
    }

    /// Puts step `index` of `before` back in the place of the first step that is new, if it is gone. Returns whether it
    /// did.
    pub(super) fn put_back(&mut self, before: &Self, index: usize) -> bool {
        let is_in = |steps: &[PlanStep], step: &PlanStep| steps.iter().any(|other| other.title == step.title);
        let Some(gone) = before.steps.get(index).filter(|gone| !is_in(&self.steps, gone)) else {
            return false;
        };
        let Some(new) = self.steps.iter().find(|step| !is_in(&before.steps, step)) else { return false };
        let Some(line) = before.text.lines().nth(gone.line - 1) else { return false };
        let mut lines: Vec<_> = self.text.split_inclusive('\n').collect();
        let line = format!("{line}{}", if lines[new.line - 1].ends_with('\n') { "\n" } else { "" });
        lines[new.line - 1] = &line;
        let plan = Self::parse(lines.concat(), &self.goal);
        plan.map(|plan| *self = plan).is_ok()
    }

    /// Sets the state of a step, and the time of the last update if the file has one.
    ///
    /// # Panics
    /// There is no step of this index.
    pub fn mark(&mut self, index: usize, state: StepState, now: Timestamp) {
        let step = &mut self.steps[index];
        step.state = state;
        let at = step.mark;
        // All signs are one byte long, so no other position changes.
        self.text.replace_range(at..=at, state.sign().encode_utf8(&mut [0; 4]));
        let first = self.steps.iter().map(|step| step.mark).min().unwrap_or(0);
        let head = &self.text[..first];
        let Some(start) = head.find(UPDATED).map(|at| at + UPDATED.len()) else { return };
        let Some(length) = head[start..].find(" -->") else { return };
        let (before, time) = (self.text.len(), now.to_string());
        self.text.replace_range(start..start + length, &time);
        for step in &mut self.steps {
            step.mark = step.mark + self.text.len() - before;
        }
    }
}

/// The progress in two lines: the counts, and the next step.
impl fmt::Display for PlanDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [done, blocked, open] =
            [StepState::Done, StepState::Blocked, StepState::Open].map(|state| self.count(state));
        write!(f, "{done} of {} done, {blocked} blocked, {open} open", self.steps.len())?;
        match self.next() {
            Some(index) => write!(f, "\nnext: step {}, {}", index + 1, self.steps[index].title),
            None => Ok(()),
        }
    }
}

fn step(text: &str, line: &StepLine) -> Option<Result<PlanStep, PlanError>> {
    let mark = line.mark?;
    let (annotations, title) = annotations(&text[line.title.clone()]);
    let (mut model, mut validations) = (None, Vec::new());
    for annotation in annotations {
        match annotation {
            Annotation::Model("") => {}
            Annotation::Model(name) => model = model.or_else(|| Some(name.to_owned())),
            Annotation::Validate(written) => match StepValidation::parse(written) {
                Ok(validation) => validations.push(validation),
                Err(problem) => {
                    let text = written.to_owned();
                    return Some(Err(PlanError::Validation { line: line.number, text, problem }));
                }
            },
        }
    }
    let state = StepState::of(text.as_bytes()[mark]);
    Some(Ok(PlanStep { title, state, model, validations, line: line.number, mark }))
}

/// Returns a text on one line, for a heading.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
