//! What is typed while something is done.
//!
//! Nobody edits a line meanwhile: the terminal gathers it, as it does for `cat`, and gives it when it is whole. A loop
//! can last for hours, and whoever types `/exit` in the middle of it wants it to end now, and not to leave the session
//! when it has. All else is kept for the editor, as if it were typed afterwards; left in the terminal, it would lose all
//! but its first line there.

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
use loop_session::{Commands, Repeated};

/// What was typed, and nobody has read yet.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    keys: VecDeque<Keys>,
    /// The beginning of a line.
    begun: String,
}

/// What somebody typed, up to a key that ends a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Line(String),
    /// Ctrl+D.
    End,
}

impl Ahead {
    /// The next line, of several if it goes on in the next.
    pub(super) fn take(&mut self) -> Option<Keys> {
        let Keys::Line(mut line) = self.keys.pop_front()? else { return Some(Keys::End) };
        while !is_whole(&line)
            && let Some(Keys::Line(next)) = self.keys.pop_front_if(|next| matches!(next, Keys::Line(_)))
        {
            line.push('\n');
            line.push_str(&next);
        }
        Some(Keys::Line(line))
    }

    /// The beginning of a line, to go on with.
    pub(super) fn take_begun(&mut self) -> String {
        std::mem::take(&mut self.begun)
    }

    /// Keeps what is typed. Where it is a loop that is done, a word that leaves and Ctrl+D are for that: this ends then.
    /// Where the terminal cannot be listened to, all that is typed waits there.
    ///
    /// # Cancel safety
    /// Cancel safe: what was typed is kept.
    pub(super) async fn until_ended(&mut self, is_loop: bool) {
        if self.listen(is_loop).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The next line that is typed from now on; nothing for Ctrl+D. Where the terminal cannot be listened to, nobody
    /// answers.
    ///
    /// # Cancel safety
    /// Cancel safe: what was typed is kept.
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
            .and_then(|keys| if let Keys::Line(line) = keys { Some(line) } else { None }))
    }

    /// Keeps what was typed up to now, before a question is shown: it is no answer to it. A line that was begun is dropped,
    /// since what is typed behind it would not stand alone.
    ///
    /// # Errors
    /// The terminal cannot be listened to.
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

    /// Takes what the terminal has; gives whether that was anything.
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
            // A terminal that is gone has nothing to give for ever, and nobody pressed Ctrl+D.
            Ok(0) if tcgetattr(terminal).is_err() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(0) => self.keys.push_back(Keys::End),
            Ok(count) => self.hear(&String::from_utf8_lossy(&bytes[..count])),
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

    /// What came before the terminal gathered lines has another sign at their ends, and may end in the midst of one.
    fn hear(&mut self, text: &str) {
        self.begun.push_str(text);
        while let Some((line, rest)) = self.begun.split_once(['\r', '\n']) {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            self.keys.push_back(Keys::Line(line));
            self.begun = rest;
        }
    }
}

impl Keys {
    fn ends_a_loop(&self) -> bool {
        match self {
            Self::Line(line) => Commands::standard().repeated(line) == Repeated::End,
            Self::End => true,
        }
    }
}

/// Resolves when the terminal is gone, for those whom no signal tells of it: `nohup` keeps it from them, and so does whoever
/// leads their session and stays. The editor does not hear of it: to it a terminal that is gone gives nothing, for ever.
/// Of a terminal that cannot be watched nothing is heard here.
///
/// # Cancel safety
/// Cancel safe: nothing is read.
pub(crate) async fn gone() {
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
        // Somebody types, and the editor reads it: what is to come is waited for.
        let _ = terminal.try_io::<()>(|| Err(io::ErrorKind::WouldBlock.into()));
    }
}

/// The terminal, which is read as a pipe is, and waited for in the same way. It is a file of our own: not to block is not
/// forced on those who share the other.
fn terminal() -> io::Result<Receiver> {
    Receiver::from_file_unchecked(file()?)
}

fn file() -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(NONBLOCK).open("/dev/tty")
}

const NONBLOCK: i32 = OFlags::NONBLOCK.bits().cast_signed();

/// The longest line that a terminal gathers.
const LONGEST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_on_are_one_and_one_that_is_begun_is_kept() {
        let mut ahead = Ahead::default();
        for text in ["o", "ne\ntwo \\\r", "three\n", "```\n", "code\n```\n", "```\ncut\n"] {
            ahead.hear(text);
        }
        ahead.keys.push_back(Keys::End);
        ahead.hear("not yet");
        let taken: Vec<_> = std::iter::from_fn(|| ahead.take()).collect();
        let lines = ["one", "two \\\nthree", "```\ncode\n```", "```\ncut"];
        let lines = lines.map(|line| Keys::Line(line.to_owned()));
        assert_eq!(taken, lines.into_iter().chain([Keys::End]).collect::<Vec<_>>());
        assert_eq!((ahead.take_begun().as_str(), ahead.take_begun().as_str()), ("not yet", ""));
    }
}
