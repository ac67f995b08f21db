//! Questions to a person at the terminal.

use std::{
    io::{self, BufRead, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use loop_core::{Answer, Ask, Progress, Question};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    termios::{QueueSelector, tcflush, tcgetattr},
};
use tokio::sync::{Notify, oneshot};

use crate::view::{BOLD, RunScreen, paint, text};

/// Returns whether a person can answer: there is a terminal to read from, and one for the question.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Turns Ctrl+C during an open question into the answer no.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenQuestion(Arc<(AtomicBool, Notify)>);

impl OpenQuestion {
    /// Answers no to the open question, if there is one.
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
pub(crate) struct TerminalAsk {
    screen: RunScreen,
    open_question: OpenQuestion,
    max_iterations: u64,
}

impl TerminalAsk {
    pub(crate) const fn new(screen: RunScreen, open_question: OpenQuestion, max_iterations: u64) -> Self {
        Self { screen, open_question, max_iterations }
    }

    /// Shows the question after all earlier output. It does not wait for the terminal, because Ctrl+C must still work
    /// meanwhile.
    fn show(&self, question: &Question, progress: &Progress) {
        let say = |line: &str| self.screen.line(line);
        say(&format!(
            "\n{} after iteration {} of {}",
            paint(BOLD, "Checkpoint"),
            progress.iterations(),
            self.max_iterations.saturating_add(progress.granted().map_or(0, |grant| grant.iterations))
        ));
        say(&format!("  {}", text::printable(&question.text)));
        let last = progress.last_step();
        if let Some(fault) = last.and_then(|step| step.fault()) {
            say(&format!("  agent  {}", text::printable(fault)));
        }
        if let Some(line) = last.and_then(|step| text::check_line(step.verdict()?, 200)) {
            say(&format!("  check  {line}"));
        }
        say(&format!("  time   {}", text::duration(progress.elapsed())));
        say("[Y]es, continue / [n]o, stop / or type a note for the next prompt:");
    }
}

#[async_trait::async_trait]
impl Ask for TerminalAsk {
    async fn ask(&mut self, question: &Question, progress: &Progress) -> Option<Answer> {
        forget_early_keys();
        self.show(question, progress);
        let (reply, line) = oneshot::channel();
        // Reads on a separate thread: a terminal read cannot be cancelled, and must not delay the end of the run. An
        // abandoned thread ends with the process.
        thread::spawn(move || reply.send(read_line()));
        self.open_question.0.0.store(true, Ordering::Relaxed);
        let answer = tokio::select! {
            () = self.open_question.0.1.notified() => Some(Answer::Stop),
            line = line => match line.ok().flatten() {
                Some(line) => Some(parse_answer(&line)),
                None if has_hung_up() => {
                    // The hangup signal is on its way, unless this process ignores it.
                    tokio::time::sleep(HANGUP_TIME).await;
                    None
                }
                None => Some(Answer::Stop),
            },
        };
        self.open_question.0.0.store(false, Ordering::Relaxed);
        answer
    }
}

/// Discards keys typed before the question: an early Enter, or the second line of a paste, is not an answer to it.
fn forget_early_keys() {
    // If the terminal does not support this, ask anyway.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

/// How long the signal of a hung-up terminal may take.
const HANGUP_TIME: Duration = Duration::from_secs(1);

/// Returns whether the end of the input means that the terminal is gone, rather than Ctrl+D.
fn has_hung_up() -> bool {
    tcgetattr(io::stdin()).is_err()
}

/// How long after a line the next one counts as part of the same paste.
const PASTE_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Reads the typed or pasted answer: all lines that arrive at once. Returns `None` at the end of the input (Ctrl+D) or
/// after a read error.
fn read_line() -> Option<String> {
    let mut stdin = io::stdin().lock();
    let mut lines = Vec::new();
    let mut read = stdin.read_until(b'\n', &mut lines).ok()?;
    if read == 0 {
        return None;
    }
    while read > 0 && more_is_there() {
        read = stdin.read_until(b'\n', &mut lines).ok()?;
    }
    Some(String::from_utf8_lossy(&lines).into_owned())
}

fn more_is_there() -> bool {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut polled, Some(&PASTE_TIME)).is_ok_and(|ready| ready > 0)
}

fn parse_answer(line: &str) -> Answer {
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
        assert_eq!(parse_answer("\n"), Answer::Continue { guidance: None });
        assert_eq!(parse_answer(" y \n"), Answer::Continue { guidance: None });
        assert_eq!(parse_answer("No\n"), Answer::Stop);
        let note = Answer::Continue { guidance: Some("not the tests".to_owned()) };
        assert_eq!(parse_answer("not the tests\n"), note);
    }
}
