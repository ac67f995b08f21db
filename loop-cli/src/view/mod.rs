//! The display of a run. All of it goes to standard error: standard output is for results.

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

/// Prints to standard error, and waits until this text and all earlier output are printed, except on a stalled
/// terminal. Colours respect the terminal and `NO_COLOR`.
pub(crate) fn say(text: &str) {
    PRINTER.line(&concealed::clean(text));
    flush();
}

/// Waits until everything is printed, except on a stalled terminal.
pub(crate) fn flush() {
    PRINTER.flush();
}

/// The error for a failed write to standard output, for example on a full disk.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {0}")]
pub(crate) struct Unwritten(io::Error);

/// Prints a result to standard output, without secrets. Returns whether anybody still reads it.
///
/// # Errors
/// The write failed for another reason than a missing reader, for example a full disk.
pub(crate) fn print(text: &str) -> Result<bool, Unwritten> {
    // Standard error may be the same terminal, so print all earlier output first.
    flush();
    let mut stdout = anstream::stdout();
    let clean = concealed::clean(text);
    is_read(writeln!(stdout, "{}", harmless(clean.trim_end())).and_then(|()| stdout.flush()))
}

/// Prints JSON that contains no [secrets] any more: they cannot be removed from encoded JSON. JSON escapes terminal
/// controls.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json(json: &str) -> Result<bool, Unwritten> {
    flush();
    let mut stdout = io::stdout().lock();
    is_read(writeln!(stdout, "{}", escaped_json(json)).and_then(|()| stdout.flush()))
}

/// Like [`print()`], for a run. The run continues, and its exit code does not depend on readers; a failed write is only
/// reported.
pub(crate) fn tell(text: &str) -> bool {
    said(print(text))
}

/// Like [`print_json`], for a run, with the errors of [`tell`].
pub(crate) fn tell_json(json: &str) -> bool {
    said(print_json(json))
}

/// Like [`print_json`], for a requested record. Returns whether the record was written; a missing reader counts as
/// success.
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

/// Prints the output of an agent or a check to standard output, byte for byte. On a terminal, removes controls that
/// could move the cursor or change colours. Returns whether anybody still reads it.
///
/// # Errors
/// As [`print()`].
pub(crate) fn hand_over(bytes: &[u8]) -> Result<bool, Unwritten> {
    flush();
    is_read(hand_to(io::stdout().lock(), bytes))
}

/// Prints the error output of an agent or a check to standard error.
pub(crate) fn hand_over_errors(bytes: &[u8]) {
    flush();
    // There is nowhere else to report a failure.
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

/// Prints an error and its causes.
pub(crate) fn error(error: &anyhow::Error) {
    say(&format!("{} {error:#}", paint(BAD, "error:")));
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    say(&format!("{} {text}", paint(WARN, "warning:")));
}
