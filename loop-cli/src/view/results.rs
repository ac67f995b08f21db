//! Output of what is run that is itself the result, and goes to standard output as it comes.

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

/// Who owns standard output.
static RESULTS: LazyLock<Printer> = LazyLock::new(|| {
    thread::spawn(|| RESULTS.work(&io::stdout(), Canvas::new(Ink::Given)));
    Printer::default()
});

/// What a command prints in each of its iterations: its output to ours, its errors to ours. Clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Results {
    output: Arc<Mutex<Passed>>,
    errors: Arc<Mutex<Passed>>,
}

/// One stream that is passed on.
#[derive(Debug)]
struct Passed {
    to: &'static LazyLock<Printer>,
    /// What goes to the same terminal, and was said before.
    before: &'static LazyLock<Printer>,
    clean: CleanStream,
    /// The beginning of a character whose end is still to come.
    torn: Vec<u8>,
    /// A line has begun that has not ended.
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

    /// Prints the next bytes of a stream; nobody waits for it. If a reader takes nothing for long, some are left
    /// out, and the place says so.
    pub(crate) fn feed(&self, stream: Stream, bytes: &[u8]) {
        let passed = if stream == Stream::Stderr { &self.errors } else { &self.output };
        lock(passed).feed(bytes);
    }

    /// Prints what was held back and ends the line, and waits until all is printed; but not for a reader that is stalled.
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
