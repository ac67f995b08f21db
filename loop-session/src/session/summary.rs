//! Summaries of conversations that are too long.

use loop_agents::chat::{ContextMeasure, Message};
use loop_core::with_causes;
use loop_telemetry::{
    transcript::{ConversationChange, TranscriptEntry},
    words::{
        self,
        style::{DIM, paint},
    },
};
use serde_json::json;

use super::state::Session;
use crate::InputError;

/// The words for a window of unknown size.
pub(crate) const UNKNOWN_WINDOW: &str = "unknown: in your settings, `[models.NAME]` with `model` and `context_tokens` sets it, and `/model NAME` uses it";

impl Session {
    /// Asks the model to summarise the conversation, except for the last `kept` messages.
    ///
    /// # Errors
    /// There is nothing to summarise, the model did not answer, or somebody interrupted it. The conversation stays
    /// unchanged.
    pub(crate) async fn summarise(&mut self, kept: usize) -> Result<(), InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let before = self.dialogue.chat.history().messages().to_vec();
        let stop = self.stop();
        let view = self.show(
            model.id(),
            "summarising".to_owned(),
            self.dialogue.turn_durations.mean(),
            self.context_share(),
        );
        let done = self.dialogue.chat.summarise().keep(kept).cancel_on(stop).run().await;
        drop(view);
        let summary = done?;
        let change = ConversationChange::between(&before, self.dialogue.chat.history().messages());
        self.dialogue.usage += summary.usage;
        self.say(&format!(
            "summarised {}; {}",
            words::count(summary.replaced as u64, "message"),
            self.context_fill()
        ));
        if let Some(log) = self.context.execution.debug_log() {
            let tokens = self.dialogue.chat.measure().tokens;
            log.write("summary", &json!({ "replaced_messages": summary.replaced, "tokens_left": tokens }));
        }
        self.log.write(TranscriptEntry::Summarised { summary: summary.text, change, usage: summary.usage });
        Ok(())
    }

    /// Summarises if little room is left for this prompt.
    ///
    /// # Errors
    /// Returns [`Interrupted`]. If the summary fails, the conversation goes out at its full length.
    pub(crate) async fn summarise_if_full(&mut self, prompt: &Message) -> Result<(), InputError> {
        let mut last = None;
        while let Some(keep) = self.dialogue.chat.summary_due(prompt, last) {
            last = Some(keep);
            let measure = self.dialogue.chat.measure_with(prompt);
            self.say(&paint(DIM, format_args!("{measure}: the older messages are summarised")));
            match self.summarise(keep).await {
                Err(error) if error.is_interrupted() => return Err(error),
                Err(error) => {
                    self.warn(&format!("they stay as they are: {}", with_causes(&error)));
                    break;
                }
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Returns about how many tokens each request has besides the messages.
    pub fn instruction_tokens(&self) -> u64 {
        self.dialogue.chat.instruction_tokens()
    }

    /// Returns the fill level of the context, in words.
    pub(crate) fn context_fill(&self) -> String {
        self.dialogue.chat.measure().to_string()
    }

    /// Returns the fill level for a status line, if the size of the context is known.
    pub(crate) fn context_share(&self) -> Option<String> {
        share(self.dialogue.chat.measure())
    }
}

/// Returns the warning that a prompt may not fit into the context of the model.
pub fn overflow_warning(measure: ContextMeasure) -> String {
    format!("{measure}: the model may refuse this, or forget its beginning; /clear makes room")
}

pub(crate) fn share(measure: ContextMeasure) -> Option<String> {
    let about = if measure.exact { "" } else { "about " };
    measure.percent().map(|percent| format!("context {about}{percent}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases;

    #[test]
    fn what_is_not_known_of_the_context_is_not_shown() {
        for (input, expected) in test_cases::of("contextUsage") {
            let number = |key: &str| input[key].as_u64().unwrap();
            let shown = share(ContextMeasure::new(number("used"), false, Some(number("limit"))));
            let theirs = expected["message"].as_str().unwrap();
            assert_eq!(shown.is_some(), !theirs.is_empty());
            assert!(shown.is_none_or(|shown| shown == "context about 99%" && theirs.contains("99%")));
        }
    }
}
