//! Styles of text in a terminal.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// The style of headings.
pub const BOLD: Style = Style::new().bold();
/// The style of less important text.
pub const DIM: Style = Style::new().dimmed();
/// The style of a success.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style of a failure.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style of a warning.
pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// The style of an added line.
pub const ADDED: Style = AnsiColor::Green.on_default();
/// The style of a removed line.
pub const REMOVED: Style = AnsiColor::Red.on_default();

/// Puts a text in a style, with the escape sequences of a terminal. [`plain`](super::plain) removes them.
pub fn paint(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
