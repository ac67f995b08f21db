//! Progress reports of a repetition, in order with its output.

use crate::view::{self, CommandOutput, ReplyWriter};

/// Passes on the output of iterations and the reports about them, in one order.
pub(crate) enum RepetitionOutput {
    /// Nobody sees the output.
    Hidden,
    Commands(CommandOutput),
    Turns(ReplyWriter),
}

impl RepetitionOutput {
    /// Returns a function that prints a line after all earlier output.
    pub(super) fn line_printer(&self) -> Box<dyn Fn(String) + Send> {
        match self {
            Self::Hidden => Box::new(|line| view::say(&line)),
            Self::Commands(results) => {
                let results = results.clone();
                Box::new(move |line| {
                    results.end();
                    view::say(&line);
                })
            }
            Self::Turns(reply) => {
                let sender = reply.sender();
                Box::new(move |line| sender.note(line))
            }
        }
    }

    /// Waits until everything is printed. No more reports are possible afterwards.
    pub(super) async fn close(self) {
        match self {
            Self::Hidden => {}
            Self::Commands(results) => results.end(),
            Self::Turns(reply) => reply.end().await,
        }
    }
}
