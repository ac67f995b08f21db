//! Conversations that are too long.

use anyhow::anyhow;
use loop_agents::chat::{ContextMeasure, Fill, Message, SummaryError};
use loop_core::with_causes;
use loop_telemetry::transcript::{Change, Entry};

use super::{
    Interrupted, Session,
    screen::{Live, Status},
    turn::no_model,
};
use crate::view;

/// How many of the last messages stay as they are when it happens by itself.
const KEPT: usize = 6;

impl Session {
    /// Has the model put in a few words what was said, but for the last `kept` messages.
    ///
    /// # Errors
    /// There is nothing to summarise, the model did not answer, or somebody ended it; all is as it was then.
    pub(super) async fn summarise(&mut self, kept: usize) -> anyhow::Result<()> {
        let Some(model) = &self.model else { return Err(no_model()) };
        let before = self.chat.history().messages().to_vec();
        let stop = self.stop();
        let live = Live::begin(model.id(), Status::new("summarising", self.pace.usual(), self.fullness()));
        let done = self.chat.summarise().keep(kept).cancel_on(stop).run().await;
        drop(live);
        let summary = match done {
            Ok(summary) => summary,
            Err(SummaryError::Cancelled) => return Err(Interrupted.into()),
            Err(error) => return Err(anyhow!(with_causes(&error))),
        };
        let change = Change::between(&before, self.chat.history().messages());
        self.usage += summary.usage;
        self.say(&format!(
            "{} were put in a few words; {}",
            view::text::count(summary.replaced as u64, "message"),
            self.measured()
        ));
        self.log.write(Entry::Summarised { summary: summary.text, change, usage: summary.usage });
        Ok(())
    }

    /// Makes room for this prompt if there is little, and says so before it is sent if there is none.
    ///
    /// # Errors
    /// [`Interrupted`]. If it cannot be summarised, what is sent is as long as it is.
    pub(super) async fn make_room(&mut self, prompt: &Message) -> anyhow::Result<()> {
        let measure = self.chat.measure_with(prompt);
        if matches!(measure.fill(), Fill::Tight | Fill::Over) {
            view::say(&view::paint(view::DIM, format_args!("{measure}: the older messages are summarised")));
            match self.summarise(KEPT).await {
                Err(error) if error.is::<Interrupted>() => return Err(error),
                Err(error) => view::warning(&format!("they stay as they are: {error:#}")),
                Ok(()) => {}
            }
        }
        let measure = self.chat.measure_with(prompt);
        if measure.fill() == Fill::Over {
            view::warning(&overfull(measure));
        }
        Ok(())
    }

    /// How full the context is, in words.
    pub(super) fn measured(&self) -> String {
        self.chat.measure().to_string()
    }

    /// The same for a status line, if its size is known.
    pub(super) fn fullness(&self) -> Option<String> {
        share(self.chat.measure())
    }
}

/// What is said before something is sent that may not fit.
pub(super) fn overfull(measure: ContextMeasure) -> String {
    format!("{measure}: the model may refuse this, or forget its beginning; /clear makes room")
}

pub(super) fn share(measure: ContextMeasure) -> Option<String> {
    let about = if measure.exact { "" } else { "about " };
    measure.percent().map(|percent| format!("context {about}{percent}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::cases;

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
