//! What an agent is told in each iteration, be it a command or a conversation.

use loop_core::{Ceiling, IterationContext, Step};

use super::{Placeholder, Template, Values};
use crate::output::{DEFAULT_EXCERPT_BYTES, MAX_NOTICE_BYTES, excerpt};

/// A goal, and the prompt that is made of it and of the iteration before.
#[derive(Debug)]
pub(crate) struct Briefing {
    pub(crate) goal: String,
    pub(crate) template: Template,
    /// How many bytes of the last output, and of the last verdict, go into a prompt.
    pub(crate) feedback_bytes: usize,
}

impl Default for Briefing {
    fn default() -> Self {
        Self { goal: String::new(), template: Template::new("{goal}"), feedback_bytes: DEFAULT_EXCERPT_BYTES }
    }
}

impl Briefing {
    /// What a first iteration is told.
    pub(crate) fn first(&self, left: Ceiling) -> Values<'_> {
        Values { goal: (&self.goal).into(), iteration: 1, left, ..Values::default() }
    }

    /// What an iteration is told. `said` is what the output before had to say, in at most so many bytes and a
    /// notice.
    pub(crate) fn values<'a, O>(
        &'a self,
        cx: &'a IterationContext<O>,
        said: impl FnOnce(&O, usize) -> String,
    ) -> Values<'a> {
        let mut values = Values {
            iteration: cx.iteration(),
            guidance: cx.guidance().map(Into::into),
            ..self.first(cx.left())
        };
        // Cutting texts takes its time, and most templates ask for one of them at most.
        let output = cx.previous().and_then(Step::output);
        if let Some(output) = output.filter(|_| self.template.mentions(Placeholder::PriorOutput)) {
            values.prior_output = said(output, self.feedback_bytes).into();
        }
        if let Some(verdict) = cx.previous().and_then(|step| step.verdict()) {
            // An evaluator with the same bound has cut its text already, with a notice in it.
            let bound = self.feedback_bytes.saturating_add(MAX_NOTICE_BYTES);
            values.evaluator_output = match verdict.text() {
                text if text.len() <= bound => text.into(),
                text => excerpt(text.as_bytes(), self.feedback_bytes).into(),
            };
        }
        values
    }
}
