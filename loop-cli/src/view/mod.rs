//! The display of a run. All of it goes to standard error: standard output is for results.

mod format;
mod live;
mod notification;
mod redaction;
mod result;

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use loop_manifest::{Diagnostics, Paint};
use loop_telemetry::words::{escaped_json, harmless};
pub(crate) use loop_telemetry::{
    OutputFilter,
    rows::IterationTable,
    words::{
        Utf8Decoder,
        markdown::{Markdown, fitted, wrapped},
        style::{ADDED, BAD, BOLD, DIM, GOOD, REMOVED, WARN, paint},
        table as columns,
    },
};

use self::live::PRINTER;
pub(crate) use self::{
    format::{CallRows, allow_hint, call_heading, text, tool_call_line, tool_error_line, unenforced_lines},
    live::{
        CommandOutput, EventWording, LaneReporter, LiveOutput, LiveOutputs, NoEchoGuard, OutputEnd,
        OutputTail, PanelContent, ReplySender, ReplyWriter, RunReporter, RunScreen, StatusBoard, ends_output,
        refresh_page, suspended,
    },
    notification::{call_back, notify},
    redaction::{redact_also, secrets, set_redactor},
    result::{IterationPage, resume_command, resume_hint, run_page, summary},
};

/// Prints to standard error, and waits until this text and all earlier output are printed, except on a stalled
/// terminal. Colours respect the terminal and `NO_COLOR`.
pub(crate) fn say(text: &str) {
    PRINTER.line(&redaction::redact(text));
    flush();
}

/// Waits until everything is printed, except on a stalled terminal.
pub(crate) fn flush() {
    PRINTER.flush();
}

/// The error for a failed write to standard output, for example on a full disk.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {0}")]
pub(crate) struct StdoutError(io::Error);

/// Whether a part of the result could not be written to standard output.
static IS_RESULT_LOST: AtomicBool = AtomicBool::new(false);

/// Returns whether a part of the result could not be written to standard output. A missing reader does not count.
pub(crate) fn is_result_lost() -> bool {
    IS_RESULT_LOST.load(Ordering::Relaxed)
}

/// Prints a result to standard output, without secrets. Returns whether anybody still reads it.
///
/// # Errors
/// The write failed for another reason than a missing reader, for example a full disk.
pub(crate) fn print(text: &str) -> Result<bool, StdoutError> {
    // Standard error may be the same terminal, so print all earlier output first.
    flush();
    let mut stdout = anstream::stdout();
    let redacted = redaction::redact(text);
    is_read(writeln!(stdout, "{}", harmless(redacted.trim_end())).and_then(|()| stdout.flush()))
}

/// Prints JSON that contains no [secrets] any more: they cannot be removed from encoded JSON. JSON escapes terminal
/// controls.
///
/// # Errors
/// As [`print()`].
pub(crate) fn print_json(json: &str) -> Result<bool, StdoutError> {
    flush();
    let mut stdout = io::stdout().lock();
    is_read(writeln!(stdout, "{}", escaped_json(json)).and_then(|()| stdout.flush()))
}

/// Like [`print()`], for a run. The run continues; a failed write is reported now, and by the
/// [exit code](crate::exit::of_command).
pub(crate) fn print_or_warn(text: &str) -> bool {
    warn_if_unwritten(print(text))
}

/// Like [`print_json`], for a run, with the errors of [`print_or_warn`].
pub(crate) fn print_json_or_warn(json: &str) -> bool {
    warn_if_unwritten(print_json(json))
}

/// Like [`print_json`], for a requested record. Returns whether the record was written; a missing reader counts as
/// success.
pub(crate) fn print_record(json: &str) -> bool {
    let printed = print_json(json);
    let is_written = printed.is_ok();
    warn_if_unwritten(printed);
    is_written
}

fn warn_if_unwritten(printed: Result<bool, StdoutError>) -> bool {
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
pub(crate) fn print_raw(bytes: &[u8]) -> Result<bool, StdoutError> {
    flush();
    is_read(hand_to(io::stdout().lock(), bytes))
}

/// Prints the error output of an agent or a check to standard error.
pub(crate) fn print_raw_errors(bytes: &[u8]) {
    flush();
    // There is nowhere else to report a failure.
    let _ = hand_to(io::stderr().lock(), bytes);
}

fn hand_to(mut to: impl Write + IsTerminal, bytes: &[u8]) -> io::Result<()> {
    let harmless = to.is_terminal().then(|| text::printable(&String::from_utf8_lossy(bytes)));
    to.write_all(harmless.as_deref().map_or(bytes, str::as_bytes))?;
    to.flush()
}

fn is_read(written: io::Result<()>) -> Result<bool, StdoutError> {
    match written {
        Ok(()) => Ok(true),
        // The reader has seen enough, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => {
            IS_RESULT_LOST.store(true, Ordering::Relaxed);
            Err(StdoutError(error))
        }
    }
}

/// Returns the columns for text on the terminal. The last one stays free: a sign there makes some terminals begin a new
/// row.
pub(crate) fn terminal_columns() -> usize {
    let (_, columns) = console::Term::stderr().size();
    usize::from(columns).saturating_sub(1).max(1)
}

/// Wraps a text at its words if standard error is a terminal. Programs and files get it as it is.
fn at_words(text: &str) -> Cow<'_, str> {
    if io::stderr().is_terminal() { fitted(text, terminal_columns()) } else { Cow::Borrowed(text) }
}

/// Prints an error and its causes.
pub(crate) fn error(error: &anyhow::Error) {
    say(&at_words(&error_text(error)));
}

pub(crate) fn error_text(error: &anyhow::Error) -> String {
    format!("{} {error:#}", paint(BAD, "error:"))
}

/// Formats the findings about a manifest or about settings, without secrets.
pub(crate) fn diagnostics(findings: &Diagnostics) -> String {
    // Most manifests have none, and building the search for secrets takes time.
    if findings.is_empty() {
        return String::new();
    }
    // The printer removes the colours where they are unwanted.
    findings.redacted(&secrets()).render(Paint::Coloured)
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    say(&at_words(&warning_text(text)));
}

pub(crate) fn warning_text(text: &str) -> String {
    format!("{} {text}", paint(WARN, "warning:"))
}
