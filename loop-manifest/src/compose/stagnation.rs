//! Whether a run still gets anywhere: the guardrail, and the evaluators that give it facts and tell the agent.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use loop_agents::judge::{EvaluatorChain, OutputText};
use loop_core::{EvaluationContext, Evaluator, EvaluatorError, Verdict};
use loop_guardrails::{
    Stagnation,
    stagnation::{CHECK_MARK, fingerprint},
};
use loop_telemetry::rows::{SCORE_MARK, SNAPSHOT_MARK};

use super::output::AgentOutput;
use crate::{context::ExecutionContext, plan::Plan, sealed::with_more};

/// The most bytes of an agent's last words that are compared where nothing captures the folder.
const WORDS_BYTES: usize = 4 << 10;

impl Plan {
    /// Makes the guardrail, for one loop, if the plan has it.
    pub(super) fn stagnation(&self) -> Option<Stagnation> {
        Some(Stagnation::new(self.stagnation?, SNAPSHOT_MARK, SCORE_MARK))
    }
}

/// What the present step has to tell the agent.
pub(super) type Nudge = Arc<Mutex<Option<String>>>;

/// A command whose output is compared with that of earlier steps.
pub(super) struct WatchedEvaluator {
    pub(super) command: Box<dyn Evaluator<AgentOutput>>,
    pub(super) stagnation: Stagnation,
    pub(super) nudge: Nudge,
    pub(super) cx: ExecutionContext,
}

#[async_trait]
impl Evaluator<AgentOutput> for WatchedEvaluator {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let step = cx.clone();
        let verdict = self.command.evaluate(cx).await?;
        let check = match self.stagnation.knows_files() {
            true => fingerprint(verdict.text()),
            false => fingerprint(&format!("{}\n{}", verdict.text(), step.output().last_words(WORDS_BYTES))),
        };
        step.mark(CHECK_MARK, check);
        let nudge = self.stagnation.nudge(check);
        if let Some(nudge) = nudge.as_ref().filter(|_| self.stagnation.is_first_nudge(check)) {
            self.cx.warn(&format!("the next prompt says: {nudge}"));
        }
        *self.nudge.lock().unwrap_or_else(PoisonError::into_inner) = nudge;
        Ok(verdict)
    }
}

/// All evaluators of a plan. Whichever verdict counts, it has the nudge.
pub(super) struct Checks {
    pub(super) chain: EvaluatorChain<AgentOutput>,
    pub(super) nudge: Nudge,
}

#[async_trait]
impl Evaluator<AgentOutput> for Checks {
    async fn evaluate(&mut self, cx: EvaluationContext<AgentOutput>) -> Result<Verdict, EvaluatorError> {
        let verdict = self.chain.evaluate(cx).await?;
        let nudge = self.nudge.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(with_more(verdict, nudge))
    }
}
