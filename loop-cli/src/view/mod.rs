//! What a person sees of a run. Everything goes to standard error: standard output is for results.

mod board;
mod budget;
mod calls;
mod canvas;
pub(crate) mod changes;
mod concealed;
mod echo;
pub(crate) mod history;
pub(crate) mod iteration;
mod left;
mod lines;
mod output;
mod panel;
mod printer;
mod queue;
mod replying;
mod results;
mod resuming;
mod screen;
mod status;
mod summary;
mod table;
mod tail;
pub(crate) mod text;
mod usual;

use std::io::{self, IsTerminal, Write};

use loop_telemetry::words::{escaped_json, harmless};
pub(crate) use loop_telemetry::words::{
    style::{BAD, BOLD, DIM, GOOD, WARN, paint},
    table as columns,
};

use self::printer::PRINTER;
pub(crate) use self::{
    board::Board,
    calls::{called, refused},
    concealed::{CleanStream, conceal, learn, secrets},
    echo::Unechoed,
    left::Left,
    panel::Pinned,
    replying::{Replying, Teller},
    results::Results,
    resuming::resuming,
};
pub(crate) use self::{
    lines::{Lines, Wording},
    output::Output,
    screen::Screen,
    summary::summary,
    table::Table,
};

/// Prints to standard error, and waits until it is printed, with all that was to be printed before it; but
/// not for a terminal that is stalled. Colours are for terminals that want them (`NO_COLOR`).
pub(crate) fn say(text: &str) {
    PRINTER.line(&concealed::clean(text));
    flush();
}

/// Waits until all is printed, but not for a terminal that is stalled.
pub(crate) fn flush() {
    PRINTER.flush();
}

/// Standard output cannot be written: the disk is full, for example.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {0}")]
pub(crate) struct Unwritten(io::Error);

/// Prints a result to standard output, without secrets, and gives whether somebody still reads it.
///
/// # Errors
/// If it cannot be written, but for nobody reading it: the disk is full, say.
pub(crate) fn print(text: &str) -> Result<bool, Unwritten> {
    // Standard error may be the same terminal, and what was said before is to stand before it.
    flush();
    let mut stdout = anstream::stdout();
    let clean = concealed::clean(text);
    is_read(writeln!(stdout, "{}", harmless(clean.trim_end())).and_then(|()| stdout.flush()))
}

/// The same for JSON that has no [secrets] in it: out of JSON itself they cannot be taken. What could steer a terminal
/// is escaped in it.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json(json: &str) -> Result<bool, Unwritten> {
    flush();
    let mut stdout = io::stdout().lock();
    is_read(writeln!(stdout, "{}", escaped_json(json)).and_then(|()| stdout.flush()))
}

/// [`print()`] for a run, which goes on, and whose exit code does not depend on who reads: that it cannot be written
/// is said.
pub(crate) fn tell(text: &str) -> bool {
    said(print(text))
}

/// [`print_json`] for a run, as [`tell`].
pub(crate) fn tell_json(json: &str) -> bool {
    said(print_json(json))
}

/// [`print_json`] for a record that was asked for: gives whether it is written. That nobody reads it any more is as good.
pub(crate) fn told_json(json: &str) -> bool {
    let printed = print_json(json);
    let is_written = printed.is_ok();
    said(printed);
    is_written
}

fn said(printed: Result<bool, Unwritten>) -> bool {
    printed.unwrap_or_else(|error| {
        warning(&error.to_string());
        false
    })
}

/// Prints to standard output what an agent or a check printed: byte for byte, but for a terminal without what
/// could move its cursor or recolour it. Gives whether somebody still reads it.
///
/// # Errors
/// As [`print()`].
pub(crate) fn hand_over(bytes: &[u8]) -> Result<bool, Unwritten> {
    flush();
    is_read(hand_to(io::stdout().lock(), bytes))
}

/// The same for what they printed to their standard error, to ours.
pub(crate) fn hand_over_errors(bytes: &[u8]) {
    flush();
    // There is no other place to tell of it.
    let _ = hand_to(io::stderr().lock(), bytes);
}

fn hand_to(mut to: impl Write + IsTerminal, bytes: &[u8]) -> io::Result<()> {
    let harmless = to.is_terminal().then(|| text::printable(&String::from_utf8_lossy(bytes)));
    to.write_all(harmless.as_deref().map_or(bytes, str::as_bytes))?;
    to.flush()
}

fn is_read(written: io::Result<()>) -> Result<bool, Unwritten> {
    match written {
        Ok(()) => Ok(true),
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Unwritten(error)),
    }
}

/// Prints an error, with the errors beneath it.
pub(crate) fn error(error: &anyhow::Error) {
    say(&format!("{} {error:#}", paint(BAD, "error:")));
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    say(&format!("{} {text}", paint(WARN, "warning:")));
}
