//! Progress reports of a repetition, in order with its output.

use crate::view::{self, Replying, Results};

/// Passes on the output of iterations and the reports about them, in one order.
pub(in crate::command) enum Mouth {
    /// Nobody sees the output.
    Shut,
    OfCommands(Results),
    OfTurns(Replying),
}

impl Mouth {
    /// Returns a function that prints a line after all earlier output.
    pub(super) fn says(&self) -> Box<dyn Fn(String) + Send> {
        match self {
            Self::Shut => Box::new(|line| view::say(&line)),
            Self::OfCommands(results) => {
                let results = results.clone();
                Box::new(move |line| {
                    results.end();
                    view::say(&line);
                })
            }
            Self::OfTurns(reply) => {
                let teller = reply.teller();
                Box::new(move |line| teller.note(line))
            }
        }
    }

    /// Waits until everything is printed. No more reports are possible afterwards.
    pub(super) async fn close(self) {
        match self {
            Self::Shut => {}
            Self::OfCommands(results) => results.end(),
            Self::OfTurns(reply) => reply.end().await,
        }
    }
}
