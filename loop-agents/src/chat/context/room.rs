//! Makes room for a prompt of a conversation that nobody watches.
//!
//! A person can clear a conversation that is too long. A repeated prompt would grow past the window, and the server
//! would silently cut off its beginning.

use loop_core::{CancellationToken, Meter, WorkError};

use super::super::{Chat, Message, TurnError, TurnEvent};

impl Chat {
    /// Summarises older turns if little room is left for this prompt, as a turn [sends](Chat::as_sent) it. Nothing happens if the window is unknown.
    ///
    /// # Errors
    /// The prompt does not fit, and no summary could be made. The conversation stays as it was.
    pub(in crate::chat) async fn make_room(
        &mut self,
        prompt: &Message,
        meter: &Meter,
        cancel: &CancellationToken,
        on_event: &mut (dyn FnMut(TurnEvent<'_>) + Send),
    ) -> Result<(), WorkError> {
        let mut last = None;
        while let Some(keep) = self.summary_due(prompt, last) {
            last = Some(keep);
            let measure = self.measure_with(prompt);
            on_event(TurnEvent::Summarising(measure));
            match self.summarise().keep(keep).meter(meter.clone()).cancel_on(cancel.clone()).run().await {
                Ok(summary) => on_event(TurnEvent::Summarised {
                    replaced: summary.replaced,
                    measure: self.measure_with(prompt),
                }),
                Err(error) => {
                    on_event(TurnEvent::Unsummarised(&error));
                    return self.check_room(measure).map_err(TurnError::into_work_error);
                }
            }
        }
        Ok(())
    }
}
