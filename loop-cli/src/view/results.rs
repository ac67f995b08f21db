//! Output of commands that is itself the result, streamed to standard output.

use std::{
    io::{self, IsTerminal},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
};

use loop_agents::process::Stream;

use super::{
    canvas::{Canvas, Ink},
    concealed::CleanStream,
    printer::{PRINTER, Printer},
    text,
};

/// The owner of standard output.
static RESULTS: LazyLock<Printer> = LazyLock::new(|| {
    thread::spawn(|| RESULTS.work(&io::stdout(), Canvas::new(Ink::Given)));
    Printer::default()
});

/// Passes on the output of a command in each iteration: its output to our standard output, its errors to our standard
/// error. Clones share the streams.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    output: Arc<Mutex<Passed>>,
    errors: Arc<Mutex<Passed>>,
}

/// One forwarded stream.
#[derive(Debug)]
struct Passed {
    to: &'static LazyLock<Printer>,
    /// The printer for the same terminal, whose earlier output must come first.
    before: &'static LazyLock<Printer>,
    clean: CleanStream,
    /// The beginning of an incomplete character.
    torn: Vec<u8>,
    /// True while a line is incomplete.
    in_line: bool,
    is_terminal: bool,
}

impl Results {
    pub(crate) fn new() -> Self {
        let passed = |to, before, is_terminal| {
            Arc::new(Mutex::new(Passed {
                to,
                before,
                clean: if is_terminal { CleanStream::for_eyes() } else { CleanStream::new() },
                torn: Vec::new(),
                in_line: false,
                is_terminal,
            }))
        };
        Self {
            output: passed(&RESULTS, &PRINTER, io::stdout().is_terminal()),
            errors: passed(&PRINTER, &RESULTS, io::stderr().is_terminal()),
        }
    }

    /// Prints the next bytes of a stream without waiting. If a reader takes nothing for long, some bytes are dropped,
    /// with a notice in their place.
    pub(crate) fn feed(&self, stream: Stream, bytes: &[u8]) {
        let passed = if stream == Stream::Stderr { &self.errors } else { &self.output };
        lock(passed).feed(bytes);
    }

    /// Prints the held-back bytes, ends the line, and waits until everything is printed, except for a stalled reader.
    pub(crate) fn end(&self) {
        lock(&self.output).end();
        lock(&self.errors).end();
    }
}

fn lock(passed: &Mutex<Passed>) -> MutexGuard<'_, Passed> {
    passed.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Passed {
    fn feed(&mut self, bytes: &[u8]) {
        if self.to.skips(bytes.len()) {
            self.torn.clear();
            return self.clean.forget();
        }
        self.torn.extend_from_slice(self.clean.push(bytes));
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

    fn end(&mut self) {
        let rest = self.clean.rest();
        let rest = [std::mem::take(&mut self.torn), rest].concat();
        self.print(&rest);
        if self.in_line {
            self.print(b"\n");
        }
        self.to.flush();
    }
}
