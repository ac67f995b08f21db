//! Who says how far a repetition is, between what it prints.

use crate::view::{self, Replying, Results};

/// What iterations print goes through this, and so does what is said of them, in one order.
pub(in crate::command) enum Mouth {
    /// Nobody sees what they print.
    Shut,
    OfCommands(Results),
    OfTurns(Replying),
}

impl Mouth {
    /// Says a line after all that was printed before.
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

    /// Waits until all is printed. Nobody can say anything any more.
    pub(super) async fn close(self) {
        match self {
            Self::Shut => {}
            Self::OfCommands(results) => results.end(),
            Self::OfTurns(reply) => reply.end().await,
        }
    }
}
