//! The destination of a run's lines: plain standard error, or above a panel at the bottom of the terminal. Nothing here
//! waits for the terminal.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loop_core::Progress;

use super::{input_echo, printer::PRINTER, run_panel::RunPanel};
use crate::{
    drive::DisplayOptions,
    view::{WARN, paint, redaction::redact, text},
};
use loop_manifest::plan::Limits;

/// The destination of a run's lines. Clones share the screen.
#[derive(Debug, Clone)]
pub(crate) struct RunScreen(Option<Arc<LiveScreen>>);

/// A terminal with a panel.
#[derive(Debug)]
struct LiveScreen {
    panel: Arc<Mutex<RunPanel>>,
    is_shown: AtomicBool,
}

impl RunScreen {
    /// Creates a screen, with a panel if standard error is a terminal that can move its cursor.
    pub(crate) fn new(limits: &Limits, audience: DisplayOptions) -> Self {
        let moves = std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let is_live = !audience.quiet && moves && io::stderr().is_terminal();
        let live =
            || LiveScreen { panel: Arc::new(Mutex::new(RunPanel::new(limits))), is_shown: false.into() };
        let screen = Self(is_live.then(|| Arc::new(live())));
        screen.show();
        screen
    }

    /// Creates a screen without a panel.
    pub(crate) const fn plain() -> Self {
        Self(None)
    }

    /// Prints a line permanently.
    pub(crate) fn line(&self, line: &str) {
        PRINTER.line(&redact(line));
    }

    /// Prints a warning about an agent's usage reports. A limit that cannot be enforced, for example for a model
    /// without a price, must be known before the run is over.
    pub(crate) fn usage_note(&self, note: &str) {
        let note = text::printable(note);
        self.line(&format!("{} the usage that the agent prints: {note}", paint(WARN, "warning:")));
    }

    /// Shows the current stage of the run.
    pub(crate) fn begin(&self, stage: &'static str, progress: &Progress) {
        self.change(|panel| {
            panel.status.begin(stage, progress);
            panel.tail.end_line();
        });
    }

    /// Updates the run's cost and time.
    pub(crate) fn update(&self, progress: &Progress) {
        self.change(|panel| panel.status.update(progress));
    }

    /// Returns whether temporary output is visible at all.
    pub(crate) const fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Shows output of an agent or a check until newer output replaces it.
    pub(crate) fn glimpse(&self, bytes: &[u8]) {
        self.change(|panel| panel.tail.push(bytes));
    }

    /// Shows the last verdict.
    pub(crate) fn verdict(&self, verdict: &str) {
        self.change(|panel| panel.verdict = redact(verdict).into_owned());
    }

    /// Shows how many files the last iteration changed.
    pub(crate) fn changed(&self, files: u64) {
        self.change(|panel| panel.changed = files);
    }

    /// Returns whether the panel is visible now.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.as_ref().is_some_and(|live| live.is_shown.load(Ordering::Relaxed))
    }

    /// Removes the panel, for a question or permanently.
    pub(crate) fn hide(&self) {
        if let Some(live) = &self.0 {
            live.hide();
        }
    }

    /// Excludes this time from the panel's clocks.
    pub(crate) fn skip(&self, time: Duration) {
        self.change(|panel| panel.status.skip(time));
    }

    /// Shows the panel again.
    pub(crate) fn show(&self) {
        if let Some(live) = &self.0 {
            input_echo::set(false);
            live.is_shown.store(true, Ordering::Relaxed);
            PRINTER.show(live.panel.clone());
        }
    }

    fn change(&self, change: impl FnOnce(&mut RunPanel)) {
        if let Some(live) = &self.0 {
            change(&mut live.lock());
            PRINTER.refresh();
        }
    }
}

impl LiveScreen {
    fn hide(&self) {
        // Restore the echo right away: the printer may not reach it before this process ends.
        input_echo::set(true);
        self.is_shown.store(false, Ordering::Relaxed);
        PRINTER.hide();
    }

    fn lock(&self) -> MutexGuard<'_, RunPanel> {
        self.panel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Restores the terminal, however the run ends.
impl Drop for LiveScreen {
    fn drop(&mut self) {
        self.hide();
    }
}
