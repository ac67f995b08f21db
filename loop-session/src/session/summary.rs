//! Conversations that are too long.

use loop_agents::chat::{ContextMeasure, Fill, Message};
use loop_core::with_causes;
use loop_telemetry::{
    transcript::{Change, Entry},
    words::{
        self,
        style::{DIM, paint},
    },
};

use super::state::Session;
use crate::InputError;

/// How many of the last messages stay as they are when it happens by itself.
const KEPT: usize = 6;

impl Session {
    /// Has the model put in a few words what was said, but for the last `kept` messages.
    ///
    /// # Errors
    /// There is nothing to summarise, the model did not answer, or somebody ended it; all is as it was then.
    pub(crate) async fn summarise(&mut self, kept: usize) -> Result<(), InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let before = self.dialogue.chat.history().messages().to_vec();
        let stop = self.stop();
        let view =
            self.show(model.id(), "summarising".to_owned(), self.dialogue.pace.usual(), self.fullness());
        let done = self.dialogue.chat.summarise().keep(kept).cancel_on(stop).run().await;
        drop(view);
        let summary = done?;
        let change = Change::between(&before, self.dialogue.chat.history().messages());
        self.dialogue.usage += summary.usage;
        self.say(&format!(
            "{} were put in a few words; {}",
            words::count(summary.replaced as u64, "message"),
            self.measured()
        ));
        self.log.write(Entry::Summarised { summary: summary.text, change, usage: summary.usage });
        Ok(())
    }

    /// Makes room for this prompt if there is little, and says so before it is sent if there is none.
    ///
    /// # Errors
    /// [`Interrupted`]. If it cannot be summarised, what is sent is as long as it is.
    pub(crate) async fn make_room(&mut self, prompt: &Message) -> Result<(), InputError> {
        let measure = self.dialogue.chat.measure_with(prompt);
        if matches!(measure.fill(), Fill::Tight | Fill::Over) {
            self.say(&paint(DIM, format_args!("{measure}: the older messages are summarised")));
            match self.summarise(KEPT).await {
                Err(error) if error.is_interrupted() => return Err(error),
                Err(error) => self.warn(&format!("they stay as they are: {}", with_causes(&error))),
                Ok(()) => {}
            }
        }
        let measure = self.dialogue.chat.measure_with(prompt);
        if measure.fill() == Fill::Over {
            self.warn(&overfull(measure));
        }
        Ok(())
    }

    /// How full the context is, in words.
    pub(crate) fn measured(&self) -> String {
        self.dialogue.chat.measure().to_string()
    }

    /// The same for a status line, if its size is known.
    pub(crate) fn fullness(&self) -> Option<String> {
        share(self.dialogue.chat.measure())
    }
}

/// Returns the warning that a prompt may not fit into the context of the model.
pub fn overfull(measure: ContextMeasure) -> String {
    format!("{measure}: the model may refuse this, or forget its beginning; /clear makes room")
}

pub(crate) fn share(measure: ContextMeasure) -> Option<String> {
    let about = if measure.exact { "" } else { "about " };
    measure.percent().map(|percent| format!("context {about}{percent}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn what_is_not_known_of_the_context_is_not_shown() {
        for (input, expected) in cases::of("contextUsage") {
            let number = |key: &str| input[key].as_u64().unwrap();
            let shown = share(ContextMeasure::new(number("used"), false, Some(number("limit"))));
            let theirs = expected["message"].as_str().unwrap();
            assert_eq!(shown.is_some(), !theirs.is_empty());
            assert!(shown.is_none_or(|shown| shown == "context about 99%" && theirs.contains("99%")));
        }
    }
}
