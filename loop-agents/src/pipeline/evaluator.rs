//! The evaluator that compares the confidence of a reply with the threshold.

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Halt, StopReason, Verdict};

use super::{ConfidenceGate, PipelineOutput};

/// The stop reason of a run whose pipeline has a reply that is not confident enough.
pub const NOT_PASSED: &str = "not_passed";

/// Passes a reply that is confident enough, in one line with the step, the file, the score and the method.
///
/// A reply that is not fails while its step can be repeated. After that, the run ends with the reason [`NOT_PASSED`].
#[derive(Debug, Clone, Copy)]
pub struct PipelineEvaluator(ConfidenceGate);

impl PipelineEvaluator {
    /// Creates an evaluator with this gate.
    pub const fn new(gate: ConfidenceGate) -> Self {
        Self(gate)
    }

    /// Judges the reply of a step.
    ///
    /// # Errors
    /// A [`Halt`] if the reply does not pass and its step cannot be repeated.
    pub fn judge(&self, output: &PipelineOutput) -> Result<Verdict, EvaluatorError> {
        let score = &output.score;
        let obstacle = self.0.obstacle(output);
        let passed = match &obstacle {
            None => "passed".to_owned(),
            Some(why) => format!("not passed: {why}"),
        };
        let line = format!("{output}: {:.2} ({}), {passed}", score.value, score.method);
        let reason = score.reason.as_ref().map(|reason| format!("{reason}\n")).unwrap_or_default();
        let cut = if output.is_cut { "only the beginning and the end of the reply are kept\n" } else { "" };
        let text = format!("{reason}{cut}{line}");
        match obstacle {
            None => Ok(Verdict::pass().with_score(score.value).with_text(text)),
            // A run that ended here and is resumed tries the step again: a person has looked at it.
            Some(why) if output.is_stored || self.0.can_repeat(output.turn) => {
                let why = score.reason.clone().unwrap_or(why);
                Ok(Verdict::fail().with_score(score.value).with_text(text).with_feedback(why))
            }
            Some(_) => {
                Err(Halt::new(StopReason::custom(NOT_PASSED), format!("{line}\n{reason}{cut}").trim_end())
                    .blockable(true)
                    .into())
            }
        }
    }
}

#[async_trait]
impl Evaluator<PipelineOutput> for PipelineEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<PipelineOutput>) -> Result<Verdict, EvaluatorError> {
        self.judge(cx.output())
    }
}
