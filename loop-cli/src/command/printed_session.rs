//! A session without a conversation on the screen: one line or one prompt, and its result.

use loop_session::{SessionHost, SessionOutput};

use crate::{
    clock,
    view::{self, secrets},
};

/// Returns a host that prints results and replies, and everything else to standard error.
pub(super) fn printed_host() -> SessionHost {
    SessionHost::new(PrintedOutput).with_clock(clock::now).with_secrets(secrets)
}

struct PrintedOutput;

impl SessionOutput for PrintedOutput {
    fn say(&self, text: &str) {
        view::say(text);
    }

    fn warn(&self, text: &str) {
        view::warning(text);
    }

    fn reply(&self, text: &str) {
        view::print_or_warn(text);
    }

    fn result(&self, text: &str) {
        view::print_or_warn(text);
    }
}
