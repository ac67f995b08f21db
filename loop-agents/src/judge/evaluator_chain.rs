//! Several evaluators, one after the other.

use std::fmt;

use async_trait::async_trait;
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict, WorkError};

/// Several evaluators, all of which must pass.
///
/// They run in order, up to the first that does not pass, whose verdict counts. So put a free check first, and no judge
/// costs money for work that does not even compile. If all pass, the last verdict counts, with the feedback of the last
/// one that gave any.
///
/// ```
/// use loop_agents::{judge::{ConfidenceEvaluator, EvaluatorChain}, shell::{CommandEvaluator, ShellAgent}};
/// use loop_core::{Loop, evaluator_passed};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = ShellAgent::new(r#"echo '{"confidence": 1}'"#)?;
/// let both = EvaluatorChain::new(CommandEvaluator::new("true")?).then(ConfidenceEvaluator::at_least(0.8)?);
/// let report = Loop::new(agent).evaluate(both).until(evaluator_passed()).at_most(3).run().await?;
/// assert!(report.is_success());
/// # Ok(()) }
/// ```
pub struct EvaluatorChain<O> {
    evaluators: Vec<Box<dyn Evaluator<O>>>,
}

impl<O: Send + Sync + 'static> EvaluatorChain<O> {
    /// Starts with this evaluator.
    pub fn new(first: impl Evaluator<O> + 'static) -> Self {
        Self { evaluators: vec![Box::new(first)] }
    }

    /// Adds an evaluator that runs after the earlier ones have passed.
    #[must_use]
    pub fn then(mut self, next: impl Evaluator<O> + 'static) -> Self {
        self.evaluators.push(Box::new(next));
        self
    }
}

/// Keeps the order of the iterator. Without any evaluator it does not pass.
impl<O> FromIterator<Box<dyn Evaluator<O>>> for EvaluatorChain<O> {
    fn from_iter<I: IntoIterator<Item = Box<dyn Evaluator<O>>>>(evaluators: I) -> Self {
        Self { evaluators: evaluators.into_iter().collect() }
    }
}

impl<O> fmt::Debug for EvaluatorChain<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvaluatorChain").field("evaluators", &self.evaluators.len()).finish()
    }
}

#[async_trait]
impl<O: Send + Sync + 'static> Evaluator<O> for EvaluatorChain<O> {
    async fn evaluate(&mut self, cx: EvaluationContext<O>) -> Result<Verdict, EvaluatorError> {
        let mut verdict = Verdict::inconclusive();
        for evaluator in &mut self.evaluators {
            if cx.is_cancelled() {
                return Err(WorkError::failed("interrupted"));
            }
            let earlier = std::mem::replace(&mut verdict, evaluator.evaluate(cx.clone()).await?);
            if !verdict.passed() {
                break;
            }
            if let (Some(advice), None) = (earlier.feedback(), verdict.feedback()) {
                verdict = verdict.with_feedback(advice);
            }
        }
        Ok(verdict)
    }
}
