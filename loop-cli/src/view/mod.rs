//! What a person sees of a run. Everything goes to standard error: standard output is for results.

mod echo;
mod lines;
mod output;
mod screen;
mod summary;
mod table;
pub(crate) mod text;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

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

/// Prints to standard error. Colours are for terminals that want them (`NO_COLOR`).
pub(crate) fn say(text: &str) {
    // There is nobody left to tell that there is nobody left.
    let _ = print(&mut anstream::stderr(), text);
}

/// Prints a result to standard output. Neither the run nor its exit code depends on who reads it.
pub(crate) fn tell(text: &str) {
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
