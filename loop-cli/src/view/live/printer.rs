//! The owner of standard error or standard output: one thread that prints everything.
//!
//! A write to a stopped terminal (Ctrl+S, a suspended ssh) blocks until somebody continues it, perhaps the next
//! morning. If the run itself wrote there, it could enforce no limit and record nothing meanwhile. So the run only
//! queues its output, which never blocks. Callers that must know their text was shown wait only while the terminal
//! makes progress.

use std::{
    io,
    os::fd::AsFd,
    sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use console::Term;
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::{Errno, retry_on_intr, write},
};

use super::{
    canvas::{Canvas, TextStyle},
    print_queue::{PrintAction, PrintQueue},
    run_panel::PanelContent,
};

/// The printer of this process. Its thread starts with the first output.
pub(in crate::view) static PRINTER: LazyLock<Printer> = LazyLock::new(|| {
    thread::spawn(|| {
        let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        let ink = if coloured { TextStyle::Coloured } else { TextStyle::Plain };
        PRINTER.work(&io::stderr(), Canvas::new(ink));
    });
    Printer::default()
});

/// How long a reader may take nothing before it counts as stalled, so that nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The maximum size of one write, in bytes. Small writes make the progress of a slow reader visible.
const CHUNK: usize = 2048;

/// The minimum time between two draws of the panel for new content.
const FRAME: Duration = Duration::from_millis(50);

/// The interval at which the panel's clocks update.
const TICK: Duration = Duration::from_secs(1);

/// A queue and the thread that empties it.
#[derive(Debug, Default)]
pub(in crate::view) struct Printer {
    state: Mutex<PrinterState>,
    /// Signals new work.
    news: Condvar,
    /// Signals finished work.
    done: Condvar,
}

#[derive(Debug, Default)]
struct PrinterState {
    queue: PrintQueue,
    /// True if the panel's content is outdated.
    is_stale: bool,
    /// The time since which the reader has taken nothing of the pending output.
    waiting_since: Option<Instant>,
}

impl Printer {
    /// Permanently prints a text as a line.
    pub(in crate::view) fn line(&self, text: &str) {
        self.push(PrintAction::Text(format!("{}\n", text.trim_end())));
    }

    /// Sends a control sequence that moves no cursor.
    pub(in crate::view) fn control(&self, sequence: String) {
        self.push(PrintAction::Control(sequence));
    }

    /// Permanently prints complete lines of output.
    pub(super) fn output(&self, lines: String) {
        self.push(PrintAction::Text(lines));
    }

    /// Drops this many bytes of output if too much is pending. Returns whether it did.
    pub(super) fn skips(&self, bytes: usize) -> bool {
        let mut state = self.lock();
        let is_full = state.queue.is_full();
        if is_full {
            state.queue.lose(bytes);
        }
        is_full
    }

    /// Keeps a panel below all later output.
    pub(super) fn show(&self, panel: Arc<Mutex<dyn PanelContent>>) {
        self.push(PrintAction::Show(panel));
    }

    /// Removes the panel.
    pub(super) fn hide(&self) {
        self.push(PrintAction::Hide);
    }

    /// Marks the panel's content as changed.
    pub(super) fn refresh(&self) {
        let mut state = self.lock();
        if !state.is_stale {
            state.is_stale = true;
            self.news.notify_one();
        }
    }

    /// Waits until everything is printed, except for a reader that has taken nothing for [`PATIENCE`].
    pub(in crate::view) fn flush(&self) {
        let mut state = self.lock();
        while let Some(since) = state.waiting_since {
            let left = PATIENCE.saturating_sub(since.elapsed());
            if left.is_zero() {
                return;
            }
            (state, _) = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn push(&self, item: PrintAction) {
        let mut state = self.lock();
        state.queue.push(item);
        state.waiting_since.get_or_insert_with(Instant::now);
        self.news.notify_one();
    }

    /// Prints all output forever.
    pub(super) fn work(&self, to: &impl AsFd, mut canvas: Canvas) {
        loop {
            let items = self.next(canvas.drawn_at());
            let frame = canvas.draw(items, || Term::stderr().size());
            self.write(to, frame.as_bytes());
        }
    }

    /// Waits for the next items. Returns none if the panel, drawn at `drawn`, only needs another draw.
    fn next(&self, drawn: Option<Instant>) -> Vec<PrintAction> {
        let mut state = self.lock();
        loop {
            let age = drawn.map(|drawn| drawn.elapsed());
            let due = if state.is_stale { FRAME } else { TICK };
            if !state.queue.is_empty() || age.is_some_and(|age| age >= due) {
                state.is_stale = false;
                state.waiting_since.get_or_insert_with(Instant::now);
                return state.queue.take();
            }
            state.waiting_since = None;
            self.done.notify_all();
            state = match age {
                Some(age) => {
                    self.news.wait_timeout(state, due - age).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.news.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Writes without the lock of [`io::stderr`], which would stay locked while the reader is stalled. A panic's
    /// message needs that lock too.
    fn write(&self, to: &impl AsFd, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let chunk = &bytes[..bytes.len().min(CHUNK)];
            match retry_on_intr(|| write(to, chunk)) {
                Ok(written) => bytes = &bytes[written..],
                // Another user of the terminal made it non-blocking. Wait for it all the same.
                Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(to, PollFlags::OUT)], None)),
                // The error itself could not be reported either.
                Err(_) => return,
            }
            self.lock().waiting_since = Some(Instant::now());
            self.done.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, PrinterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn nobody_waits_for_a_reader_who_reads_later_and_misses_nothing() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let printer = Arc::new(Printer::default());
        let works = Arc::clone(&printer);
        thread::spawn(move || works.work(&writer, Canvas::new(TextStyle::Plain)));
        // More than fits into a pipe.
        let lines = || (0..100_000).map(|number| format!("line {number}\n"));
        lines().for_each(|line| printer.line(&line));

        let mut read = vec![0; lines().map(|line| line.len()).sum()];
        reader.read_exact(&mut read).expect("all of it");
        assert!(read == lines().collect::<String>().as_bytes());
        printer.flush();
        assert!(printer.lock().queue.is_empty());
    }

    #[test]
    fn who_is_gone_is_not_waited_for() {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let printer = Arc::new(Printer::default());
        let works = Arc::clone(&printer);
        thread::spawn(move || works.work(&writer, Canvas::new(TextStyle::Plain)));
        printer.line("nobody hears this");
        printer.flush();
        assert!(printer.lock().queue.is_empty());
    }
}
