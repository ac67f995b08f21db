//! Evaluators for work that no command can judge.
//!
//! No exit code tells whether a text answers its question. A model can tell, but it fails in its own ways: it refuses,
//! it forgets a criterion, it contradicts itself, it believes an output that praises itself. A loop that accepts any of
//! these as a pass stops too early, and nobody looks again. So here **unclear means not passed**: a [`JudgeEvaluator`]
//! counts a vote only if it answers everything once and without contradiction, and a [`ConfidenceEvaluator`] accepts a
//! number only in its proper place. There are no defaults for missing answers.
//!
//! | evaluator | judges | passes |
//! | --- | --- | --- |
//! | [`JudgeEvaluator`] | by criteria, with a model that sees the output and nothing else | if enough votes say that all criteria are met |
//! | [`ConfidenceEvaluator`] | by the confidence that the agent reports | from a threshold on |
//! | [`EvaluatorChain`] | with several evaluators, one after the other | if all of them pass |
//!
//! All of them read an output as [`OutputText`].

mod confidence;
mod evaluator;
mod evaluator_chain;
mod judge_prompt;
mod output_text;
mod verdict_schema;
mod verdict_text;
mod votes;

#[cfg(feature = "pipeline")]
pub(crate) use self::confidence::confidence;
pub use self::{
    confidence::{ConfidenceEvaluator, DEFAULT_CONFIDENCE_KEY, ThresholdError},
    evaluator::{CriteriaError, JudgeEvaluator, MAX_CRITERIA},
    evaluator_chain::EvaluatorChain,
    output_text::OutputText,
    votes::{MAX_VOTES, VotePolicy, VotePolicyError},
};
