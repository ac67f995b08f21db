//! The contents of an agent's prompt in each iteration, for commands and for conversations.

use loop_core::{Ceiling, IterationContext, Step};

use super::{EVALUATOR_EXIT_MARK, Placeholder, PromptMemory, PromptValues, Template};
use crate::output::{DEFAULT_EXCERPT_BYTES, MAX_NOTICE_BYTES, excerpt};

/// A goal, and the template that combines it with the result of the previous iteration.
#[derive(Debug)]
pub(crate) struct AgentPrompt {
    pub(crate) goal: String,
    pub(crate) template: Template,
    /// The number of bytes of the last output, and of the last verdict, to include in a prompt.
    pub(crate) feedback_bytes: usize,
    /// The source of `{memory}`, if there is one.
    pub(crate) memory: Option<PromptMemory>,
}

impl Default for AgentPrompt {
    fn default() -> Self {
        Self {
            goal: String::new(),
            template: Template::new("{goal}"),
            feedback_bytes: DEFAULT_EXCERPT_BYTES,
            memory: None,
        }
    }
}

impl AgentPrompt {
    /// Returns the values for a first iteration.
    pub(crate) fn first(&self, left: Ceiling) -> PromptValues<'_> {
        PromptValues { goal: (&self.goal).into(), iteration: 1, left, ..PromptValues::default() }
    }

    /// Returns the values for an iteration. `said` returns the text of the previous output, in at most this many bytes
    /// and a notice.
    pub(crate) fn values<'a, O>(
        &'a self,
        cx: &'a IterationContext<O>,
        said: impl FnOnce(&O, usize) -> String,
    ) -> PromptValues<'a> {
        let mut values = PromptValues {
            iteration: cx.iteration(),
            guidance: cx.guidance().map(Into::into),
            ..self.first(cx.left())
        };
        // Cutting texts takes time, and most templates need at most one of them.
        let output = cx.previous().and_then(Step::output);
        if let Some(output) = output.filter(|_| self.template.mentions(Placeholder::PriorOutput)) {
            values.prior_output = said(output, self.feedback_bytes).into();
        }
        if let Some((step, verdict)) = cx.previous().and_then(|step| Some((step, step.verdict()?))) {
            // An evaluator with the same bound has cut its text already, with a notice in it.
            let bound = self.feedback_bytes.saturating_add(MAX_NOTICE_BYTES);
            values.evaluator_output = match verdict.text() {
                text if text.len() <= bound => text.into(),
                text => excerpt(text.as_bytes(), self.feedback_bytes).into(),
            };
            // The output of a command that succeeded does not show what is still missing.
            let succeeded =
                step.marks().iter().any(|mark| &*mark.name == EVALUATOR_EXIT_MARK && mark.hash == 0);
            let is_new = |advice: &&str| advice.split("; ").any(|part| !verdict.text().contains(part));
            if let Some(advice) = verdict.feedback().filter(|_| succeeded).filter(is_new) {
                let text = values.evaluator_output.to_mut();
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(&excerpt(advice.as_bytes(), self.feedback_bytes));
                text.push('\n');
            }
        }
        if let Some(memory) = self.memory.as_ref().filter(|_| self.template.mentions(Placeholder::Memory)) {
            values.memory = memory.recall(&self.goal, &values.evaluator_output).into();
        }
        values
    }
}
