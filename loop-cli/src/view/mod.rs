//! What a person sees of a run. Everything goes to standard error: standard output is for results.

mod lines;
mod summary;
pub(crate) mod text;

use std::io::Write;

use anstyle::{AnsiColor, Style};

pub(crate) use self::{lines::Lines, summary::summary};

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
    print(&mut anstream::stderr(), text);
}

/// Prints a result to standard output.
pub(crate) fn tell(text: &str) {
    print(&mut anstream::stdout(), text);
}

fn print(to: &mut impl Write, text: &str) {
    // Who reads may have gone, `| head` for example; the run and its exit code do not depend on it.
    let _ = writeln!(to, "{}", text.trim_end()).and_then(|()| to.flush());
}

/// Prints an error, with the errors beneath it.
pub(crate) fn error(error: &anyhow::Error) {
    say(&format!("{} {error:#}", paint(BAD, "error:")));
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    say(&format!("{} {text}", paint(WARN, "warning:")));
}
