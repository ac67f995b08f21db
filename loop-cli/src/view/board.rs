//! A page of any kind at the bottom of the terminal, under permanently printed lines.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex},
};

use super::{concealed::clean, echo, panel::Pinned, printer::PRINTER};

/// Prints lines, with a page below them if standard error is a terminal that can move its cursor.
#[derive(Debug)]
pub(crate) struct Board(Option<Arc<Mutex<dyn Pinned>>>);

impl Board {
    /// Pins `page` to the bottom from now on.
    pub(crate) fn new(page: Arc<Mutex<dyn Pinned>>) -> Self {
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
        PRINTER.line(&clean(line));
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
            echo::set(false);
            PRINTER.show(page.clone());
        }
    }

    /// Removes the page.
    pub(crate) fn hide(&self) {
        if self.is_live() {
            echo::set(true);
            PRINTER.hide();
        }
    }
}

/// Restores the terminal, however the program ends.
impl Drop for Board {
    fn drop(&mut self) {
        self.hide();
    }
}
