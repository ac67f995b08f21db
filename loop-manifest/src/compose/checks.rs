//! The check of a plan: a command, a number that the agent states, a model that judges, an agent that reviews, the
//! steps of a plan, or several of them.

use async_trait::async_trait;
use loop_agents::{
    judge::{ConfidenceEvaluator, JudgeEvaluator},
    shell::{CheckOutput, CommandEvaluator},
};
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict};
use loop_guardrails::Stagnation;
use loop_telemetry::rows::SCORE_MARK;

use super::{
    error::ComposeError,
    output::AgentOutput,
    parts::priced_model,
    pipeline::PipelineReplies,
    review::review,
    stagnation::{Checks, Nudge, WatchedEvaluator},
    steps,
    stop_condition::missing,
};
use crate::{
    context::ExecutionContext,
    plan::{ConfidencePlan, JudgePlan, Plan, ScorePlan},
    sealed::{SealedCheck, refused, shows_no_tests},
    stop_plan::StopPlan,
};

/// Returns all evaluators that have to pass, the cheapest first. The command gives `stagnation` its facts.
pub(super) fn all(
    plan: &Plan,
    stagnation: Option<&Stagnation>,
    cx: &ExecutionContext,
) -> Result<Checks, ComposeError> {
    let nudge = Nudge::default();
    let mut checks: Vec<Box<dyn Evaluator<AgentOutput>>> = Vec::new();
    if let Some(command) = command(plan, cx)? {
        let mut command = confirmed(plan, command);
        if let Some(score) = plan.evaluator.score.clone() {
            command = Box::new(MeasuringEvaluator { command, score });
        }
        if let Some(stagnation) = stagnation.cloned() {
            command =
                Box::new(WatchedEvaluator { command, stagnation, nudge: nudge.clone(), cx: cx.clone() });
        }
        checks.push(command);
    }
    if let Some(ConfidencePlan { at_least, key }) = &plan.evaluator.confidence {
        let evaluator = ConfidenceEvaluator::at_least(*at_least)
            .map_err(ComposeError::part("evaluator.confidence.at_least"))?;
        checks.push(Box::new(evaluator.key(key)));
    }
    if let Some(part) = &plan.evaluator.judge {
        checks.push(Box::new(judge(part, plan, cx)?));
    }
    if let Some(part) = &plan.evaluator.plan {
        checks.push(Box::new(steps::evaluator(part, plan, cx)?));
    }
    if let Some(part) = &plan.evaluator.pipeline {
        checks.push(Box::new(PipelineReplies::new(part.gate)));
    }
    if let Some(part) = &plan.evaluator.review {
        checks.push(Box::new(review(part, plan, cx)?));
    }
    Ok(Checks { chain: checks.into_iter().collect(), nudge })
}

/// Returns the command that judges, sealed if the plan says so.
fn command(
    plan: &Plan,
    cx: &ExecutionContext,
) -> Result<Option<Box<dyn Evaluator<AgentOutput>>>, ComposeError> {
    let (Some(seal), Some(line)) = (&plan.evaluator.seal, &plan.evaluator.command) else {
        return Ok(plan.check_command(cx)?.map(|command| Box::new(command) as _));
    };
    // Reports what is wrong with the command.
    plan.command_that_judges(line, cx)?;
    Ok(Some(Box::new(SealedCheck::new(plan, seal, line, cx)?)))
}

/// Lets a command pass only as often in a row as the plan says, and only if its test runner ran a test.
pub(crate) fn confirmed(
    plan: &Plan,
    mut command: Box<dyn Evaluator<AgentOutput>>,
) -> Box<dyn Evaluator<AgentOutput>> {
    // A sealed check has a rule of its own: `evaluator.min_tests`.
    if plan.evaluator.seal.is_none() {
        command = Box::new(TestingEvaluator { command });
    }
    match plan.evaluator.confirm {
        Some(times) => Box::new(ConfirmedEvaluator { command, times: times.get() }),
        None => command,
    }
}

/// A check that has to pass several times in a row.
struct ConfirmedEvaluator {
    command: Box<dyn Evaluator<AgentOutput>>,
    times: u64,
}

#[async_trait]
impl Evaluator<AgentOutput> for ConfirmedEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let mut passes = 0;
        loop {
            let verdict = self.command.evaluate(cx.clone()).await?;
            if !verdict.passed() && passes > 0 {
                let more = verdict.feedback().map(|feedback| format!("; {feedback}")).unwrap_or_default();
                let why = format!("the check passed {passes} of {} times in a row{more}", self.times);
                return Ok(verdict.with_feedback(why));
            }
            passes += 1;
            if !verdict.passed() || passes >= self.times || cx.is_cancelled() {
                return Ok(verdict);
            }
        }
    }
}

/// A check that does not pass if its output says that no tests ran. Nothing was checked then, for example because the tests
/// are in a form that the runner does not find.
struct TestingEvaluator {
    command: Box<dyn Evaluator<AgentOutput>>,
}

#[async_trait]
impl Evaluator<AgentOutput> for TestingEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        Ok(with_tests(self.command.evaluate(cx).await?))
    }
}

fn with_tests(verdict: Verdict) -> Verdict {
    let why = "the check exited with 0, but no tests ran: let `evaluator.command` run at least one test";
    if verdict.passed() && shows_no_tests(verdict.text()) { refused(&verdict, why) } else { verdict }
}

/// A command in whose output there is a number.
struct MeasuringEvaluator {
    command: Box<dyn Evaluator<AgentOutput>>,
    score: ScorePlan,
}

#[async_trait]
impl Evaluator<AgentOutput> for MeasuringEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let step = cx.clone();
        let verdict = self.command.evaluate(cx).await?;
        if let Some(score) = self.score.read(verdict.text()) {
            step.mark(SCORE_MARK, score.to_bits());
        }
        Ok(verdict)
    }
}

impl Plan {
    /// Makes all checks of the plan as one evaluator, without its agent and its loop.
    ///
    /// # Errors
    /// A check cannot work here, as for [`compose`](Self::compose).
    pub fn evaluator(&self, cx: &ExecutionContext) -> Result<Box<dyn Evaluator<AgentOutput>>, ComposeError> {
        Ok(Box::new(all(self, None, cx)?))
    }

    /// Makes the command that judges, if the plan has one.
    ///
    /// # Errors
    /// The command cannot run.
    pub fn check_command(&self, cx: &ExecutionContext) -> Result<Option<CommandEvaluator>, ComposeError> {
        let Some(line) = &self.evaluator.command else { return Ok(None) };
        self.limit_resources(cx)?;
        Ok(Some(observe_check_output(self.command_that_judges(line, cx)?, cx, |_| {})))
    }

    /// Judges the output of the check command as a run does: a pass without tests is refused, and its feedback is the reason.
    #[must_use]
    pub fn judge_output(&self, mut output: CheckOutput) -> CheckOutput {
        if self.evaluator.seal.is_none() {
            output.verdict = with_tests(output.verdict);
        }
        output
    }

    /// Makes a command with the settings of the check, to which nobody listens yet.
    pub(crate) fn command_that_judges(
        &self,
        line: &str,
        cx: &ExecutionContext,
    ) -> Result<CommandEvaluator, ComposeError> {
        let mut shell = super::review::check_shell(self, line, cx)?;
        if let Some(time) = self.evaluator.max_time {
            shell = shell.max_time(time);
        }
        let evaluator = CommandEvaluator::new(line)
            .map_err(ComposeError::part("evaluator.command"))?
            .shell(shell)
            .text_bytes(self.feedback_bytes)
            .costs(self.evaluator.is_uncounted);
        Ok(match &self.stop {
            // The evaluator looks for the match itself, because it sees all of its output; a condition would see only
            // the stored part.
            StopPlan::OutputMatches(pattern) => evaluator.matching(pattern.clone()),
            stop => {
                let goal = stop.clone();
                evaluator
                    .looking_for(stop.patterns().into_iter().cloned())
                    .map_err(ComposeError::part("stop_condition"))?
                    .advising(move |step| missing(&goal, step))
            }
        })
    }
}

/// Attaches the listeners to the check, and `note`, which gets its output too.
pub(crate) fn observe_check_output(
    check: CommandEvaluator,
    cx: &ExecutionContext,
    mut note: impl FnMut(&[u8]) + Send + 'static,
) -> CommandEvaluator {
    let sink = cx.sink();
    check.on_output(move |stream, bytes| {
        if let Some(sink) = &sink {
            sink.text(bytes);
            sink.raw(stream, bytes);
        }
        note(bytes);
    })
}

fn judge(part: &JudgePlan, plan: &Plan, cx: &ExecutionContext) -> Result<JudgeEvaluator, ComposeError> {
    let model = priced_model("evaluator.judge.model", &part.model, plan.agent.usage.prices.as_ref(), cx)?;
    let mut judge = JudgeEvaluator::new(model.boxed(cx.seed()), &part.criteria)
        .map_err(ComposeError::part("evaluator.judge.criteria"))?
        .goal(&plan.goal)
        .votes(part.votes)
        .text_bytes(plan.feedback_bytes);
    if let Some(prompt) = &part.prompt {
        judge = judge.instructions(prompt);
    }
    Ok(match plan.evaluator.max_time {
        Some(time) => judge.max_time(time),
        None => judge,
    })
}
