//! A page of any kind at the bottom of the terminal, under permanently printed lines.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex},
};

use super::{input_echo, printer::PRINTER, run_panel::PanelContent};
use crate::view::redaction::redact;

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
            PRINTER.show(page.clone());
        }
    }

    /// Removes the page.
    pub(crate) fn hide(&self) {
        if self.is_live() {
            input_echo::set(true);
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
