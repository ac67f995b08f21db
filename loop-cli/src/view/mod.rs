//! What a person sees of a run. Everything goes to standard error: standard output is for results.

mod budget;
mod canvas;
mod echo;
mod lines;
mod output;
mod panel;
mod printer;
mod queue;
mod screen;
mod status;
mod summary;
mod table;
mod tail;
pub(crate) mod text;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use self::printer::PRINTER;
pub(crate) use self::{lines::Lines, output::Output, screen::Screen, summary::summary, table::Table};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();

/// Text in a style.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints to standard error, and waits until it is printed, with all that was to be printed before it; but
/// not for a terminal that is stalled. Colours are for terminals that want them (`NO_COLOR`).
pub(crate) fn say(text: &str) {
    PRINTER.line(text);
    flush();
}

/// Waits until all is printed, but not for a terminal that is stalled.
pub(crate) fn flush() {
    PRINTER.flush();
}

/// Prints a result to standard output. Neither the run nor its exit code depends on who reads it.
pub(crate) fn tell(text: &str) {
    // Standard error may be the same terminal, and what was said before is to stand before it.
    flush();
    match print(&mut anstream::stdout(), text) {
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => warning(&format!("standard output cannot be written: {error}")),
        Ok(()) => {}
    }
}

fn print(to: &mut impl Write, text: &str) -> io::Result<()> {
    writeln!(to, "{}", text.trim_end())?;
    to.flush()
}

/// Prints an error, with the errors beneath it.
pub(crate) fn error(error: &anyhow::Error) {
    say(&format!("{} {error:#}", paint(BAD, "error:")));
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    say(&format!("{} {text}", paint(WARN, "warning:")));
}
