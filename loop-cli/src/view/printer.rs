//! Who owns standard error, or standard output: one thread, which prints what it is handed.
//!
//! A write to a terminal that was stopped (Ctrl+S, a suspended ssh) takes until somebody lets it go on, which
//! may be the next morning. If the run itself wrote there, no limit would bind meanwhile, and nothing would
//! be recorded. So the run only hands over what is to be said, which never waits; and who has to know that it
//! was seen waits no longer than for a terminal that shows signs of life.

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
    canvas::{Canvas, Ink},
    panel::Pinned,
    queue::{Item, Queue},
};

/// The printer of this process. Its thread starts with the first thing to be said.
pub(super) static PRINTER: LazyLock<Printer> = LazyLock::new(|| {
    thread::spawn(|| {
        let coloured = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        let ink = if coloured { Ink::Coloured } else { Ink::Plain };
        PRINTER.work(&io::stderr(), Canvas::new(ink));
    });
    Printer::default()
});

/// How long a reader may take nothing before it counts as stalled, and is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much is written at once, in bytes: a slow reader shows signs of life every so many.
const CHUNK: usize = 2048;

/// How long the panel stands at least before it is drawn with what is new.
const FRAME: Duration = Duration::from_millis(50);

/// How often the panel's clocks move.
const TICK: Duration = Duration::from_secs(1);

/// A queue and the thread at its end.
#[derive(Debug, Default)]
pub(super) struct Printer {
    state: Mutex<State>,
    /// There is something to do.
    news: Condvar,
    /// Something was done.
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: Queue,
    /// The panel shows what is no longer so.
    is_stale: bool,
    /// Since when the reader has taken nothing although there is something.
    waiting_since: Option<Instant>,
}

impl Printer {
    /// Prints a text for good, and ends its line.
    pub(super) fn line(&self, text: &str) {
        self.push(Item::Text(format!("{}\n", text.trim_end())));
    }

    /// Prints whole lines of output for good.
    pub(super) fn output(&self, lines: String) {
        self.push(Item::Text(lines));
    }

    /// Leaves out this many bytes of output if too much waits; gives whether it did.
    pub(super) fn skips(&self, bytes: usize) -> bool {
        let mut state = self.lock();
        let is_full = state.queue.is_full();
        if is_full {
            state.queue.lose(bytes);
        }
        is_full
    }

    /// Keeps a panel beneath all that is printed from now on.
    pub(super) fn show(&self, panel: Arc<Mutex<dyn Pinned>>) {
        self.push(Item::Show(panel));
    }

    /// Takes the panel away.
    pub(super) fn hide(&self) {
        self.push(Item::Hide);
    }

    /// The panel has something new to show.
    pub(super) fn refresh(&self) {
        let mut state = self.lock();
        if !state.is_stale {
            state.is_stale = true;
            self.news.notify_one();
        }
    }

    /// Waits until all is printed; but not for a reader that has taken nothing for [`PATIENCE`].
    pub(super) fn flush(&self) {
        let mut state = self.lock();
        while let Some(since) = state.waiting_since {
            let left = PATIENCE.saturating_sub(since.elapsed());
            if left.is_zero() {
                return;
            }
            (state, _) = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn push(&self, item: Item) {
        let mut state = self.lock();
        state.queue.push(item);
        state.waiting_since.get_or_insert_with(Instant::now);
        self.news.notify_one();
    }

    /// Prints all that comes, for ever.
    pub(super) fn work(&self, to: &impl AsFd, mut canvas: Canvas) {
        loop {
            let items = self.next(canvas.drawn_at());
            let frame = canvas.draw(items, || Term::stderr().size());
            self.write(to, frame.as_bytes());
        }
    }

    /// Waits for the next things to be done. There are none if it is only time to draw the panel again, which
    /// was drawn at `drawn`.
    fn next(&self, drawn: Option<Instant>) -> Vec<Item> {
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

    /// Writes without the lock of [`io::stderr`]: it would be held while the reader is stalled, and a panic's
    /// message wants it too.
    fn write(&self, to: &impl AsFd, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let chunk = &bytes[..bytes.len().min(CHUNK)];
            match retry_on_intr(|| write(to, chunk)) {
                Ok(written) => bytes = &bytes[written..],
                // Somebody who shares the terminal wanted it so. It is waited for all the same.
                Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(to, PollFlags::OUT)], None)),
                // There is nobody left to tell that there is nobody left.
                Err(_) => return,
            }
            self.lock().waiting_since = Some(Instant::now());
            self.done.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
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
        thread::spawn(move || works.work(&writer, Canvas::new(Ink::Plain)));
        // More than a pipe holds.
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
        thread::spawn(move || works.work(&writer, Canvas::new(Ink::Plain)));
        printer.line("nobody hears this");
        printer.flush();
        assert!(printer.lock().queue.is_empty());
    }
}
