//! Asking a person at the terminal.

use std::{
    io::{self, BufRead, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use loop_core::{Answer, Ask, Progress, Question};
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::{Notify, oneshot};

use crate::view::{BOLD, paint, say, text};

/// Whether somebody is there to be asked: a terminal to read from, and one to show the question on.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Ctrl+C while a question stands is an answer to it: no.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declining(Arc<(AtomicBool, Notify)>);

impl Declining {
    /// Answers no to the question that stands, if one does.
    pub(crate) fn decline(&self) -> bool {
        let asking = self.0.0.load(Ordering::Relaxed);
        if asking {
            self.0.1.notify_one();
        }
        asking
    }
}

/// Asks at the terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    declining: Declining,
    max_iterations: u64,
}

impl Terminal {
    pub(crate) const fn new(declining: Declining, max_iterations: u64) -> Self {
        Self { declining, max_iterations }
    }

    fn show(&self, question: &Question, progress: &Progress) {
        say(&format!(
            "\n{} after iteration {} of {}",
            paint(BOLD, "Checkpoint"),
            progress.iterations(),
            self.max_iterations
        ));
        say(&format!("  {}", text::printable(&question.text)));
        let last = progress.last_step();
        if let Some(fault) = last.and_then(|step| step.fault()) {
            say(&format!("  agent  {}", text::printable(fault)));
        }
        if let Some(line) = last.and_then(|step| text::last_line(step.verdict()?.text(), 200)) {
            say(&format!("  check  {line}"));
        }
        say(&format!("  time   {}", text::duration(progress.elapsed())));
        say("[Y]es, go on / [n]o, stop / or type a note for the next prompt:");
    }
}

#[async_trait::async_trait]
impl Ask for Terminal {
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer> {
        forget_early_keys();
        self.show(question, progress);
        let (reply, line) = oneshot::channel();
        // A thread of its own: a read from a terminal cannot be cancelled, and must not hold up the
        // end of the run. If it is left behind it ends with the process.
        thread::spawn(move || reply.send(read_line()));
        self.declining.0.0.store(true, Ordering::Relaxed);
        let answer = tokio::select! {
            () = self.declining.0.1.notified() => Answer::Stop,
            line = line => line.ok().flatten().map_or(Answer::Stop, |line| understood(&line)),
        };
        self.declining.0.0.store(false, Ordering::Relaxed);
        Some(answer)
    }
}

/// Who pressed Enter while the agent worked, or pasted two lines as an earlier answer, has not
/// answered this question.
fn forget_early_keys() {
    // A terminal that cannot do it is asked all the same.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

/// A line from standard input; `None` at its end (Ctrl+D), and if it cannot be read.
fn read_line() -> Option<String> {
    let mut line = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut line).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&line).into_owned())
}

fn understood(line: &str) -> Answer {
    match line.trim() {
        "" | "y" | "Y" | "yes" | "Yes" | "YES" => Answer::Continue { guidance: None },
        "n" | "N" | "no" | "No" | "NO" => Answer::Stop,
        note => Answer::Continue { guidance: Some(note.to_owned()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_no_and_notes_are_told_apart() {
        assert_eq!(understood("\n"), Answer::Continue { guidance: None });
        assert_eq!(understood(" y \n"), Answer::Continue { guidance: None });
        assert_eq!(understood("No\n"), Answer::Stop);
        let note = Answer::Continue { guidance: Some("not the tests".to_owned()) };
        assert_eq!(understood("not the tests\n"), note);
    }
}
