//! Makes room for a prompt of a conversation that nobody watches.
//!
//! A person can clear a conversation that is too long. A repeated prompt would grow past the window, and the server
//! would silently cut off its beginning.

use loop_core::{CancellationToken, Meter, WorkError};

use super::{
    super::{Chat, Message, TurnEvent},
    ContextFill, ContextMeasure, DEFAULT_KEPT_MESSAGES, SummaryError,
};

/// How many recent messages each attempt keeps: first as many as usual, then the last turn, then none.
const KEPT: [usize; 3] = [DEFAULT_KEPT_MESSAGES, 2, 0];

impl Chat {
    /// Summarises older turns if little room is left for this prompt. Nothing happens if the window is unknown.
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
        for keep in KEPT {
            let measure = self.measure_with(prompt);
            // The last turn gives way only if the prompt would not fit otherwise.
            match measure.fill() {
                ContextFill::Over => {}
                ContextFill::Tight if keep > 0 => {}
                _ => break,
            }
            if self.history.turns_from(keep) == 0 {
                continue;
            }
            on_event(TurnEvent::Summarising(measure));
            match self.summarise().keep(keep).meter(meter.clone()).cancel_on(cancel.clone()).run().await {
                Ok(summary) => on_event(TurnEvent::Summarised {
                    replaced: summary.replaced,
                    measure: self.measure_with(prompt),
                }),
                Err(SummaryError::NothingOlder) => {}
                Err(error) => {
                    on_event(TurnEvent::Unsummarised(&error));
                    if measure.fill() == ContextFill::Over {
                        return Err(WorkError::failed(NoRoom(measure)));
                    }
                    break;
                }
            }
        }
        let measure = self.measure_with(prompt);
        if measure.fill() == ContextFill::Over {
            on_event(TurnEvent::Full(measure));
        }
        Ok(())
    }
}

/// The conversation and the next prompt do not fit into the window of the model.
#[derive(Debug, thiserror::Error)]
#[error("the prompt was not sent, because the conversation is too long for the model: {0}")]
struct NoRoom(ContextMeasure);
