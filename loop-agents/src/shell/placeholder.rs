//! The placeholders of a prompt.

use std::borrow::Cow;

use loop_core::{Ceiling, Usd};

use crate::process::Exit;

/// A name in braces that a [`Template`](super::Template) replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placeholder {
    /// `{goal}`: the goal of the work.
    Goal,
    /// `{prior_output}`: the agent's output in the previous iteration.
    PriorOutput,
    /// `{evaluator_output}`: the evaluator's output in the previous iteration. If the evaluator's command exited with 0
    /// but something is missing, such as a match of a pattern, the verdict's feedback follows.
    EvaluatorOutput,
    /// `{iteration}`: the number of this iteration, from 1.
    Iteration,
    /// `{agent_exit_code}`: the agent's exit code in the previous iteration.
    AgentExitCode,
    /// `{evaluator_exit_code}`: the evaluator's exit code in the previous iteration.
    EvaluatorExitCode,
    /// `{guidance}`: a person's note in answer to a question.
    Guidance,
    /// `{memory}`: what earlier work taught about the goal and the last verdict.
    Memory,
    /// `{seconds_left}`: the whole seconds that the guardrails leave, or `unlimited`.
    SecondsLeft,
    /// `{budget_usd_left}`: the dollars that the guardrails leave, or `unlimited`.
    BudgetUsdLeft,
}

impl Placeholder {
    /// All placeholders.
    pub const ALL: [Self; 10] = [
        Self::Goal,
        Self::PriorOutput,
        Self::EvaluatorOutput,
        Self::Iteration,
        Self::AgentExitCode,
        Self::EvaluatorExitCode,
        Self::Guidance,
        Self::Memory,
        Self::SecondsLeft,
        Self::BudgetUsdLeft,
    ];

    /// Returns the name without the braces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::PriorOutput => "prior_output",
            Self::EvaluatorOutput => "evaluator_output",
            Self::Iteration => "iteration",
            Self::AgentExitCode => "agent_exit_code",
            Self::EvaluatorExitCode => "evaluator_exit_code",
            Self::Guidance => "guidance",
            Self::Memory => "memory",
            Self::SecondsLeft => "seconds_left",
            Self::BudgetUsdLeft => "budget_usd_left",
        }
    }

    /// Returns the placeholder with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|placeholder| placeholder.name() == name)
    }
}

/// The values of one iteration's placeholders. The default is for a first iteration without a goal and without limits:
/// all texts about the past are empty.
#[derive(Debug, Clone, Default)]
pub struct PromptValues<'a> {
    /// The goal of the work.
    pub goal: Cow<'a, str>,
    /// The agent's output in the previous iteration.
    pub prior_output: Cow<'a, str>,
    /// The evaluator's output in the previous iteration.
    pub evaluator_output: Cow<'a, str>,
    /// The number of this iteration, from 1.
    pub iteration: u64,
    /// How the agent ended in the previous iteration, shown as the number that a shell would show.
    pub agent_exit: Option<Exit>,
    /// The evaluator's exit code in the previous iteration, as a shell would show it.
    pub evaluator_exit_code: Option<i32>,
    /// A person's note.
    pub guidance: Option<Cow<'a, str>>,
    /// The memories of earlier work.
    pub memory: Cow<'a, str>,
    /// The remaining budget of the guardrails.
    pub left: Ceiling,
    /// A note of `loop` itself about the previous iteration. It follows the prompt, and has no placeholder.
    pub notice: Cow<'a, str>,
}

impl PromptValues<'_> {
    pub(super) fn of(&self, placeholder: Placeholder) -> Cow<'_, str> {
        fn shown<T: ToString>(value: Option<T>, none: &str) -> Cow<'_, str> {
            value.map_or(Cow::Borrowed(none), |value| Cow::Owned(value.to_string()))
        }
        match placeholder {
            Placeholder::Goal => Cow::Borrowed(&self.goal),
            Placeholder::PriorOutput => Cow::Borrowed(&self.prior_output),
            Placeholder::EvaluatorOutput => Cow::Borrowed(&self.evaluator_output),
            Placeholder::Iteration => Cow::Owned(self.iteration.to_string()),
            Placeholder::AgentExitCode => shown(self.agent_exit.map(Exit::shell_code), ""),
            Placeholder::EvaluatorExitCode => shown(self.evaluator_exit_code, ""),
            Placeholder::Guidance => Cow::Borrowed(self.guidance.as_deref().unwrap_or_default()),
            Placeholder::Memory => Cow::Borrowed(&self.memory),
            Placeholder::SecondsLeft => shown(self.left.time.map(|time| time.as_secs()), UNLIMITED),
            Placeholder::BudgetUsdLeft => shown(self.left.cost.map(plain_dollars), UNLIMITED),
        }
    }
}

/// Formats an amount without its dollar sign, for a program.
pub(super) fn plain_dollars(amount: Usd) -> String {
    amount.to_string().replacen('$', "", 1)
}

/// A word, because an empty text would look as if nothing were left.
const UNLIMITED: &str = "unlimited";
