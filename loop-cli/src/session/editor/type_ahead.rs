//! Input typed while a line runs.
//!
//! Nobody edits a line meanwhile: the terminal collects it, as it does for `cat`, and delivers it when it is complete.
//! A loop can last for hours. A person who types `/exit` during one wants to end the loop now, and not to leave the
//! session after it. All other input waits for the editor, as if it were typed afterwards. If it stayed in the
//! terminal, all but its first line would be lost.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
};

use rustix::{
    fs::OFlags,
    termios::{QueueSelector, tcflush, tcgetattr},
};
use tokio::net::unix::pipe::Receiver;

use super::multiline::is_whole;
use loop_session::{Commands, RepeatEffect};

/// Typed input that nothing has read yet.
#[derive(Debug, Default)]
pub(super) struct TypeAhead {
    keys: VecDeque<TypedInput>,
    /// The beginning of a line.
    begun: String,
}

/// Typed text, up to a key that ends a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedInput {
    Line(String),
    /// Ctrl+D.
    End,
}

impl TypeAhead {
    /// Returns the next line, together with its continuation lines.
    pub(super) fn take(&mut self) -> Option<TypedInput> {
        let TypedInput::Line(mut line) = self.keys.pop_front()? else { return Some(TypedInput::End) };
        while !is_whole(&line)
            && let Some(TypedInput::Line(next)) =
                self.keys.pop_front_if(|next| matches!(next, TypedInput::Line(_)))
        {
            line.push('\n');
            line.push_str(&next);
        }
        Some(TypedInput::Line(line))
    }

    /// Returns the beginning of a line, to be continued.
    pub(super) fn take_begun(&mut self) -> String {
        std::mem::take(&mut self.begun)
    }

    /// Collects typed input. During a loop, this returns at an exit word or Ctrl+D, which are meant for the loop. If
    /// the terminal is unreadable, all input waits there.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(super) async fn until_ended(&mut self, is_loop: bool) {
        if self.listen(is_loop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Returns the next line typed from now on; `None` for Ctrl+D, or if the terminal is unreadable.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(super) async fn answer(&mut self) -> Option<String> {
        self.next_line().await.ok().flatten()
    }

    async fn next_line(&mut self) -> io::Result<Option<String>> {
        let terminal = terminal()?;
        let before = self.keys.len();
        while self.keys.len() == before {
            terminal.readable().await?;
            self.read(&terminal)?;
        }
        Ok(self
            .keys
            .remove(before)
            .and_then(|keys| if let TypedInput::Line(line) = keys { Some(line) } else { None }))
    }

    /// Collects the input typed before a question appears, because it is no answer to it. Drops a line that was begun:
    /// text typed after it would continue that line.
    ///
    /// # Errors
    /// The terminal is unreadable.
    pub(super) fn keep_typed(&mut self) -> io::Result<()> {
        let mut terminal = file()?;
        let mut bytes = [0; LONGEST];
        loop {
            let count = terminal.read(&mut bytes);
            if !self.take_typed(&terminal, count, &bytes)? {
                break;
            }
        }
        tcflush(&terminal, QueueSelector::IFlush)?;
        self.begun.clear();
        Ok(())
    }

    /// Reads pending terminal input. Returns whether there was any.
    fn read(&mut self, terminal: &Receiver) -> io::Result<bool> {
        let mut bytes = [0; LONGEST];
        let count = terminal.try_read(&mut bytes);
        self.take_typed(terminal, count, &bytes)
    }

    fn take_typed(
        &mut self,
        terminal: impl AsFd,
        count: io::Result<usize>,
        bytes: &[u8],
    ) -> io::Result<bool> {
        match count {
            // A vanished terminal returns end of file forever, although nobody pressed Ctrl+D.
            Ok(0) if tcgetattr(terminal).is_err() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => self.keys.push_back(TypedInput::End),
            Ok(count) => self.take_text(&String::from_utf8_lossy(&bytes[..count])),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    async fn listen(&mut self, is_loop: bool) -> io::Result<()> {
        let terminal = terminal()?;
        loop {
            terminal.readable().await?;
            let before = self.keys.len();
            self.read(&terminal)?;
            if is_loop && let Some(at) = (before..self.keys.len()).find(|at| self.keys[*at].ends_a_loop()) {
                self.keys.remove(at);
                return Ok(());
            }
        }
    }

    /// Takes text from the terminal. Text from before the terminal collected lines has other line ends, and may end in
    /// the middle of a line.
    fn take_text(&mut self, text: &str) {
        self.begun.push_str(text);
        while let Some((line, rest)) = self.begun.split_once(['\r', '\n']) {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            self.keys.push_back(TypedInput::Line(line));
            self.begun = rest;
        }
    }
}

impl TypedInput {
    fn ends_a_loop(&self) -> bool {
        match self {
            Self::Line(line) => Commands::standard().repeat_effect(line) == RepeatEffect::End,
            Self::End => true,
        }
    }
}

/// Resolves when the terminal is gone, for processes that receive no signal about it: `nohup` suppresses the signal,
/// and so does a session leader that stays alive. The editor does not notice: to it, a vanished terminal returns end of
/// file forever. If the terminal cannot be watched, this never resolves.
///
/// # Cancel safety
/// This is cancel safe: it reads nothing.
pub(crate) async fn terminal_gone() {
    if watch().await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn watch() -> io::Result<()> {
    let terminal = terminal()?;
    loop {
        terminal.readable().await?;
        if tcgetattr(&terminal).is_err() {
            return Ok(());
        }
        // Somebody types, and the editor reads it. Wait for later events.
        let _ = terminal.try_io::<()>(|| Err(io::ErrorKind::WouldBlock.into()));
    }
}

/// Opens the terminal for asynchronous reads, as for a pipe. It is a separate open file, so that the non-blocking mode
/// does not affect processes that share the other one.
fn terminal() -> io::Result<Receiver> {
    Receiver::from_file_unchecked(file()?)
}

fn file() -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(NONBLOCK).open("/dev/tty")
}

const NONBLOCK: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// The longest line that a terminal collects.
const LONGEST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_on_are_one_and_one_that_is_begun_is_kept() {
        let mut ahead = TypeAhead::default();
        for text in ["o", "ne\ntwo \\\r", "three\n", "```\n", "code\n```\n", "```\ncut\n"] {
            ahead.take_text(text);
        }
        ahead.keys.push_back(TypedInput::End);
        ahead.take_text("not yet");
        let taken: Vec<_> = std::iter::from_fn(|| ahead.take()).collect();
        let lines = ["one", "two \\\nthree", "```\ncode\n```", "```\ncut"];
        let lines = lines.map(|line| TypedInput::Line(line.to_owned()));
        assert_eq!(taken, lines.into_iter().chain([TypedInput::End]).collect::<Vec<_>>());
        assert_eq!((ahead.take_begun().as_str(), ahead.take_begun().as_str()), ("not yet", ""));
    }
}
