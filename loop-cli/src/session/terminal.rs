//! A session's output to the terminal.

use loop_session::{Activity, ActivityView, SessionHost, SessionOutput};

use super::screen::{TurnStatus, TurnView};
use crate::{clock, view};

/// Shows a session at the terminal.
struct TerminalOutput;

impl SessionOutput for TerminalOutput {
    fn say(&self, text: &str) {
        view::say(text);
    }

    fn warn(&self, text: &str) {
        view::warning(text);
    }

    fn show(&self, work: Activity) -> Box<dyn ActivityView> {
        let Activity { model, doing, mean_duration, context, .. } = work;
        Box::new(TurnView::begin(&model, TurnStatus::new(doing, mean_duration, context)))
    }
}

/// Returns the host of a session: this terminal, the clock, and the known secrets.
pub(crate) fn host() -> SessionHost {
    SessionHost::new(TerminalOutput).with_clock(clock::now).with_secrets(view::secrets)
}
