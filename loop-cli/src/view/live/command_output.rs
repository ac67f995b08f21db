//! Output of commands that is itself the result, streamed to standard output.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
};

use loop_agents::process::OutputStream;

use super::{
    canvas::{Canvas, TextStyle},
    printer::{PRINTER, Printer},
};
use crate::view::{OutputFilter, secrets, text};

/// The owner of standard output.
static STDOUT_PRINTER: LazyLock<Printer> = LazyLock::new(|| {
    thread::spawn(|| STDOUT_PRINTER.work(&io::stdout(), Canvas::new(TextStyle::Verbatim)));
    Printer::default()
});

/// Passes on the output of a command in each iteration: its output to our standard output, its errors to our standard
/// error. Clones share the streams.
#[derive(Debug, Clone)]
pub(crate) struct CommandOutput {
    output: Arc<Mutex<ForwardedStream>>,
    errors: Arc<Mutex<ForwardedStream>>,
}

/// One forwarded stream.
#[derive(Debug)]
struct ForwardedStream {
    to: &'static LazyLock<Printer>,
    /// The printer for the same terminal, whose earlier output must come first.
    before: &'static LazyLock<Printer>,
    redacted: OutputFilter,
    /// The beginning of an incomplete character.
    torn: Vec<u8>,
    /// True while a line is incomplete.
    in_line: bool,
    is_terminal: bool,
}

impl CommandOutput {
    pub(crate) fn new() -> Self {
        let forwarded = |to, before, is_terminal| {
            Arc::new(Mutex::new(ForwardedStream {
                to,
                before,
                redacted: if is_terminal {
                    OutputFilter::for_display(&secrets())
                } else {
                    OutputFilter::new(&secrets())
                },
                torn: Vec::new(),
                in_line: false,
                is_terminal,
            }))
        };
        Self {
            output: forwarded(&STDOUT_PRINTER, &PRINTER, io::stdout().is_terminal()),
            errors: forwarded(&PRINTER, &STDOUT_PRINTER, io::stderr().is_terminal()),
        }
    }

    /// Prints the next bytes of a stream without waiting. If a reader takes nothing for long, some bytes are dropped,
    /// with a notice in their place.
    pub(crate) fn feed(&self, stream: OutputStream, bytes: &[u8]) {
        let forwarded = if stream == OutputStream::Stderr { &self.errors } else { &self.output };
        lock(forwarded).feed(bytes);
    }

    /// Prints the held-back bytes, ends the line, and waits until everything is printed, except for a stalled reader.
    pub(crate) fn end(&self) {
        self.end_with(OutputFilter::rest);
    }

    /// Like [`end`](Self::end), for output that broke off.
    pub(crate) fn break_off(&self) {
        self.end_with(OutputFilter::cut);
    }

    fn end_with(&self, rest: fn(&mut OutputFilter) -> Vec<u8>) {
        lock(&self.output).end(rest);
        lock(&self.errors).end(rest);
    }
}

fn lock(forwarded: &Mutex<ForwardedStream>) -> MutexGuard<'_, ForwardedStream> {
    forwarded.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ForwardedStream {
    fn feed(&mut self, bytes: &[u8]) {
        if self.to.skips(bytes.len()) {
            self.torn.clear();
            return self.redacted.forget();
        }
        self.torn.extend_from_slice(self.redacted.push(bytes));
        let whole = match str::from_utf8(&self.torn) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.torn.len(),
        };
        let rest = self.torn.split_off(whole);
        let whole = std::mem::replace(&mut self.torn, rest);
        self.print(&whole);
    }

    fn print(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.in_line = *last != b'\n';
        let text = String::from_utf8_lossy(bytes);
        self.before.flush();
        self.to.output(if self.is_terminal { text::printable(&text) } else { text.into_owned() });
    }

    fn end(&mut self, rest: fn(&mut OutputFilter) -> Vec<u8>) {
        let rest = rest(&mut self.redacted);
        let rest = [std::mem::take(&mut self.torn), rest].concat();
        self.print(&rest);
        if self.in_line {
            self.print(b"\n");
        }
        self.to.flush();
    }
}
