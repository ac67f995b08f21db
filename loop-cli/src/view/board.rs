//! A page of any kind that stays at the bottom of the terminal, under the lines that are printed for good.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex},
};

use super::{concealed::clean, echo, panel::Pinned, printer::PRINTER};

/// Where lines go, and what stays beneath them, if standard error is a terminal that can move its cursor.
#[derive(Debug)]
pub(crate) struct Board(Option<Arc<Mutex<dyn Pinned>>>);

impl Board {
    /// Keeps `page` at the bottom from now on.
    pub(crate) fn new(page: Arc<Mutex<dyn Pinned>>) -> Self {
        let board = Self(Some(page));
        board.show();
        board
    }

    /// Lines alone.
    pub(crate) const fn plain() -> Self {
        Self(None)
    }

    /// Whether there is a terminal for a page.
    pub(crate) fn is_possible() -> bool {
        std::env::var_os("TERM").is_some_and(|term| term != "dumb") && io::stderr().is_terminal()
    }

    /// Whether there is a page.
    pub(crate) const fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Prints a line for good.
    pub(crate) fn line(&self, line: &str) {
        PRINTER.line(&clean(line));
    }

    /// Draws the page anew.
    pub(crate) fn refresh(&self) {
        if self.is_live() {
            PRINTER.refresh();
        }
    }

    /// Brings the page back.
    pub(crate) fn show(&self) {
        if let Some(page) = &self.0 {
            echo::set(false);
            PRINTER.show(page.clone());
        }
    }

    /// Takes the page away.
    pub(crate) fn hide(&self) {
        if self.is_live() {
            echo::set(true);
            PRINTER.hide();
        }
    }
}

/// However it ends, the terminal is left as it was.
impl Drop for Board {
    fn drop(&mut self) {
        self.hide();
    }
}
