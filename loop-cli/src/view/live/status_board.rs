//! A page of any kind at the bottom of the terminal, under permanently printed lines.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex, PoisonError},
};

use super::{input_echo, printer::PRINTER, run_panel::PanelContent};
use crate::view::redaction::redact;

/// The page that is shown now.
static SHOWN: Mutex<Option<Arc<Mutex<dyn PanelContent>>>> = Mutex::new(None);

/// Removes the page and gives the terminal its usual modes while `stop` stops this process.
pub(crate) fn suspended(stop: impl FnOnce()) {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if shown.is_some() {
        PRINTER.hide();
    }
    // Later output would interfere with the shell.
    PRINTER.flush();
    input_echo::suspended(stop);
    if let Some(page) = shown {
        input_echo::set(false);
        PRINTER.show(page);
    }
}

/// Redraws the page that is shown, if there is one.
pub(crate) fn refresh_page() {
    PRINTER.refresh();
}

/// Prints lines, with a page below them if standard error is a terminal that can move its cursor.
#[derive(Debug)]
pub(crate) struct StatusBoard(Option<Arc<Mutex<dyn PanelContent>>>);

impl StatusBoard {
    /// Pins `page` to the bottom from now on.
    pub(crate) fn new(page: Arc<Mutex<dyn PanelContent>>) -> Self {
        let board = Self(Some(page));
        board.show();
        board
    }

    /// Creates a board without a page.
    pub(crate) const fn plain() -> Self {
        Self(None)
    }

    /// Returns whether the terminal supports a page.
    pub(crate) fn is_possible() -> bool {
        std::env::var_os("TERM").is_some_and(|term| term != "dumb") && io::stderr().is_terminal()
    }

    /// Returns whether there is a page.
    pub(crate) const fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Prints a line permanently.
    pub(crate) fn line(&self, line: &str) {
        PRINTER.line(&redact(line));
    }

    /// Redraws the page.
    pub(crate) fn refresh(&self) {
        if self.is_live() {
            PRINTER.refresh();
        }
    }

    /// Shows the page again.
    pub(crate) fn show(&self) {
        if let Some(page) = &self.0 {
            input_echo::set(false);
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(page.clone());
            PRINTER.show(page.clone());
        }
    }

    /// Removes the page.
    pub(crate) fn hide(&self) {
        if self.is_live() {
            input_echo::set(true);
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
            PRINTER.hide();
        }
    }
}

/// Restores the terminal, however the program ends.
impl Drop for StatusBoard {
    fn drop(&mut self) {
        self.hide();
    }
}
