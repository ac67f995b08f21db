//! The evaluator that validates a step and sets its state.

use async_trait::async_trait;
use jiff::Timestamp;
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Halt, StopReason, Verdict};

use super::{
    FailedCheck, PlanDocument, PlanFile, PlanStep, StepChecks, StepOutput, StepState, StepValidation,
    execution::unusable,
};

/// The stop reason of a run whose plan has a step that failed.
pub const BLOCKED: &str = "blocked";

/// The request at the end of the feedback about a step.
const AGAIN: &str = "If something is still to be done for this step, do it now.";

/// The most repairs of a step.
pub const MAX_REPAIRS: u64 = 1000;

/// The default number of repairs of a step.
pub const DEFAULT_REPAIRS: u64 = 2;

/// Validates the step that a [`PlanExecution`](super::PlanExecution) performed, and sets its state in the plan's file.
///
/// - A step with validations is done once all of them pass. Otherwise the next iteration repairs it; when its repairs
///   are used up, it is blocked.
/// - A step without validations is done, unless one of its calls failed and did not succeed later. If there was no call,
///   the agent is asked once whether anything is to be done, and the step is blocked if it still calls nothing.
///
/// The verdict passes when no step is open and none is blocked. A blocked step ends the run with the reason
/// [`BLOCKED`].
///
/// # Default
/// [`DEFAULT_REPAIRS`], all steps, and a halt at the first step that is blocked.
#[derive(Debug)]
pub struct PlanEvaluator<C> {
    file: PlanFile,
    checks: C,
    repairs: u64,
    keep_going: bool,
    one_step: bool,
}

/// The result of a step.
enum StepResult {
    Done,
    Blocked(String),
    /// It is not done yet, and the text says to the agent why.
    Again(String),
}

impl<C: StepChecks> PlanEvaluator<C> {
    /// Creates an evaluator for the plan in this file.
    pub fn new(file: PlanFile, checks: C) -> Self {
        let (repairs, keep_going, one_step) = (DEFAULT_REPAIRS, false, false);
        Self { file, checks, repairs, keep_going, one_step }
    }

    /// Sets how often a step is repaired at most.
    #[must_use]
    pub fn repairs(self, repairs: u64) -> Self {
        Self { repairs, ..self }
    }

    /// Performs the steps after a blocked one as well, and ends the run after the last.
    #[must_use]
    pub fn keep_going(self, keep_going: bool) -> Self {
        Self { keep_going, ..self }
    }

    /// Passes as soon as one step is done.
    #[must_use]
    pub fn one_step(self, one_step: bool) -> Self {
        Self { one_step, ..self }
    }

    /// Judges the output of a step; `None` judges the plan as it is now.
    ///
    /// # Errors
    /// A [`Halt`] if the plan is blocked, or if its file cannot be used.
    pub async fn judge(&self, output: Option<&StepOutput>) -> Result<Verdict, EvaluatorError> {
        let plan = self.file.read().map_err(unusable)?;
        let Some(output) = output.filter(|output| output.step > 0) else { return self.of_plan(&plan, "") };
        let Some(index) = place(&plan, output) else {
            return self
                .of_plan(&plan, &format!("step {} is gone from the plan: {}", output.step, output.title));
        };
        let name = format!("step {} of {}", index + 1, plan.steps().len());
        let note = output.restored.as_ref().map(|note| format!("\n{note}")).unwrap_or_default();
        match self.result(&plan.steps()[index], output).await {
            StepResult::Again(feedback) => {
                let text = format!("{feedback}{note}\n{name} is not done yet: {}", output.title);
                let feedback = format!("{feedback}\n\n{AGAIN}");
                Ok(score(&plan, Verdict::fail()).with_text(text).with_feedback(feedback))
            }
            StepResult::Done => {
                let plan = self.mark(output, StepState::Done)?;
                let text = format!("{name} is done: {}{note}", output.title);
                match self.one_step {
                    true => Ok(score(&plan, Verdict::pass()).with_text(text)),
                    false => self.of_plan(&plan, &text),
                }
            }
            StepResult::Blocked(reason) => {
                let plan = self.mark(output, StepState::Blocked)?;
                let text = format!("{name} is blocked: {}\n{reason}{note}", output.title);
                match self.keep_going && !self.one_step {
                    true => self.of_plan(&plan, &text),
                    false => Err(self.blocked(&text).into()),
                }
            }
        }
    }

    /// Sets the state of the performed step, and returns the plan. A person may have edited the file during the validation,
    /// so this reads it again.
    fn mark(&self, output: &StepOutput, state: StepState) -> Result<PlanDocument, EvaluatorError> {
        let marked = self.file.update(|plan| {
            let index = place(plan, output).filter(|index| plan.steps()[*index].state != state);
            index.map(|index| plan.mark(index, state, Timestamp::now())).is_some()
        });
        marked.map_err(unusable)
    }

    /// Judges the plan after a step with this result.
    fn of_plan(&self, plan: &PlanDocument, step: &str) -> Result<Verdict, EvaluatorError> {
        let line = |text: &str| if step.is_empty() { text.to_owned() } else { format!("{step}\n{text}") };
        let blocked = plan.steps().iter().position(|step| step.state == StepState::Blocked);
        if let Some(index) = blocked
            && plan.next().is_some_and(|open| open > index)
            && !self.keep_going
            && !self.one_step
        {
            let text = line(&format!("step {} is blocked: {}", index + 1, plan.steps()[index].title));
            return Err(self.blocked(&text).into());
        }
        match (plan.count(StepState::Open), plan.count(StepState::Blocked)) {
            (0, 0) => {
                let text = line(&format!("the plan is complete: {}", plural(plan.steps().len())));
                Ok(score(plan, Verdict::pass()).with_text(text))
            }
            (0, blocked) => {
                let text = line(&format!("{} blocked, no other one is open", plural(blocked)));
                Err(self.blocked(&text).into())
            }
            (open, blocked) => {
                let text = line(&format!("{open} open, {blocked} blocked"));
                Ok(score(plan, Verdict::fail()).with_text(text))
            }
        }
    }

    fn blocked(&self, text: &str) -> Halt {
        let path = self.file.path().display();
        let advice = format!("To try the step again, write `[ ]` in front of it in {path}");
        Halt::new(StopReason::custom(BLOCKED), format!("{text}\n{advice}")).blockable(true)
    }

    async fn result(&self, step: &PlanStep, output: &StepOutput) -> StepResult {
        if step.validations.is_empty() {
            return without_validations(output, step.state);
        }
        for validation in &step.validations {
            let Err(why) = self.validate(validation, output).await else { continue };
            return match why {
                FailedCheck::Refused(why) => {
                    let text = "cannot be made. No repair would change that";
                    StepResult::Blocked(format!("The validation `{validation}` {text}:\n{why}"))
                }
                FailedCheck::NotMet(why) => {
                    let text = format!("The validation `{validation}` does not pass:\n{why}");
                    // A run that ended here and is resumed gets one more try: a person has looked at the step.
                    match output.turn <= self.repairs || output.is_stored && step.state == StepState::Open {
                        true => StepResult::Again(text),
                        false => StepResult::Blocked(text),
                    }
                }
            };
        }
        StepResult::Done
    }

    async fn validate(&self, validation: &StepValidation, output: &StepOutput) -> Result<(), FailedCheck> {
        let not_met = |why: String| Err(FailedCheck::NotMet(why));
        match validation {
            StepValidation::Command(line) => self.checks.command(line).await,
            StepValidation::Custom(name) => self.checks.custom(name).await,
            StepValidation::FileExists(path) => match self.checks.exists(path)? {
                true => Ok(()),
                false => not_met(format!("{path} does not exist")),
            },
            StepValidation::FileNotExists(path) => match self.checks.exists(path)? {
                true => not_met(format!("{path} exists")),
                false => Ok(()),
            },
            StepValidation::NoErrors if output.failed.is_empty() => Ok(()),
            StepValidation::NoErrors => not_met(failed_calls(output)),
            StepValidation::Regex(_) | StepValidation::Contains(_) | StepValidation::NotContains(_) => {
                match validation.on_reply(&output.words) {
                    Some(true) => Ok(()),
                    _ => not_met("this was compared with the last reply of the step".to_owned()),
                }
            }
        }
    }
}

#[async_trait]
impl<C: StepChecks> Evaluator<StepOutput> for PlanEvaluator<C> {
    async fn evaluate(&mut self, cx: EvaluationContext<StepOutput>) -> Result<Verdict, EvaluatorError> {
        // Before the first iteration nothing was done.
        self.judge((cx.iteration() > 0).then(|| cx.output())).await
    }
}

fn without_validations(output: &StepOutput, state: StepState) -> StepResult {
    let is_tried_again = output.is_stored && state == StepState::Open;
    match output.calls {
        _ if !output.failed.is_empty() && is_tried_again => StepResult::Again(failed_calls(output)),
        _ if !output.failed.is_empty() => StepResult::Blocked(failed_calls(output)),
        Some(0) if output.turn == 1 || is_tried_again => {
            StepResult::Again("You made no call, so nothing was done.".to_owned())
        }
        Some(0) => StepResult::Blocked("nothing was done: the agent made no call".to_owned()),
        _ => StepResult::Done,
    }
}

fn failed_calls(output: &StepOutput) -> String {
    let calls: Vec<_> = output.failed.iter().map(|call| format!("  {call}")).collect();
    format!("calls failed, and did not succeed later:\n{}", calls.join("\n"))
}

/// Returns the place of the performed step in the plan, which may have been edited since.
fn place(plan: &PlanDocument, output: &StepOutput) -> Option<usize> {
    let is_it = |step: &PlanStep| step.title == output.title;
    let expected = output.step - 1;
    match plan.steps().get(expected) {
        Some(step) if is_it(step) => Some(expected),
        _ => plan.steps().iter().position(is_it),
    }
}

/// Adds the share of done steps.
fn score(plan: &PlanDocument, verdict: Verdict) -> Verdict {
    #[expect(clippy::cast_precision_loss, reason = "a plan has at most 50 steps")]
    let share = plan.count(StepState::Done) as f64 / plan.steps().len() as f64;
    verdict.with_score(share)
}

fn plural(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}
