//! A session's output to the terminal.

use std::sync::atomic::{AtomicBool, Ordering};

use loop_session::{Activity, ActivityView, ExchangePart, SessionHost, SessionOutput};

use super::screen::{TurnStatus, TurnView, TypedLines, last_exchange};
use crate::{
    clock,
    command::records_to_mine,
    view::{self, terminal_columns as columns},
};

/// Shows a session at the terminal.
struct TerminalOutput {
    /// True if tool calls are shown as JSON, with their whole results.
    is_verbose: AtomicBool,
    typed: TypedLines,
    /// True if the terminal calls the person back.
    notifies: bool,
}

impl SessionOutput for TerminalOutput {
    fn columns(&self) -> usize {
        columns()
    }

    fn call_back(&self, text: &str) {
        if self.notifies {
            view::call_back(text);
        }
    }

    fn say(&self, text: &str) {
        view::say(&view::fitted(text, columns()));
    }

    fn warn(&self, text: &str) {
        self.say(&view::warning_text(text));
    }

    fn last_exchange(&self, parts: &[ExchangePart]) {
        last_exchange(parts, columns()).iter().for_each(|row| view::say(row));
    }

    fn verbose(&self, on: Option<bool>) -> Option<bool> {
        on.inspect(|on| self.is_verbose.store(*on, Ordering::Relaxed));
        Some(self.is_verbose.load(Ordering::Relaxed))
    }

    fn show(&self, work: Activity) -> Box<dyn ActivityView> {
        let Activity { model, doing, mean_duration, context, .. } = work;
        Box::new(TurnView::begin(
            &model,
            TurnStatus::new(doing, mean_duration, context),
            self.typed.clone(),
            self.is_verbose.load(Ordering::Relaxed),
        ))
    }
}

/// Shows the error of a line.
pub(super) fn error(error: &anyhow::Error) {
    view::say(&view::fitted(&view::error_text(error), columns()));
}

/// Returns the host of a session: this terminal, the clock, and the known secrets. `typed` are the lines typed during a
/// turn, `is_verbose` shows tool calls as JSON, and `notifies` calls back a person who looks at something else.
pub(super) fn host(typed: TypedLines, is_verbose: bool, notifies: bool) -> SessionHost {
    let is_verbose = is_verbose.into();
    SessionHost::new(TerminalOutput { is_verbose, typed, notifies })
        .with_clock(clock::now)
        .with_secrets(view::secrets)
        .with_records(records_to_mine)
}
