//! A session, shown at the terminal.

use loop_session::{SessionHost, SessionOutput, Work, WorkView};

use super::screen::{Live, Status};
use crate::{clock, view};

/// Shows a session at the terminal.
struct Terminal;

impl SessionOutput for Terminal {
    fn say(&self, text: &str) {
        view::say(text);
    }

    fn warn(&self, text: &str) {
        view::warning(text);
    }

    fn show(&self, work: Work) -> Box<dyn WorkView> {
        let Work { model, doing, usual, context, .. } = work;
        Box::new(Live::begin(&model, Status::new(doing, usual, context)))
    }
}

/// Returns the host of a session: this terminal, the clock, and the known secrets.
pub(super) fn host() -> SessionHost {
    SessionHost::new(Terminal).with_clock(clock::now).with_secrets(view::secrets)
}
