//! Input typed while a line runs.
//!
//! The terminal delivers each key at once, so that the queue of typed lines is visible below the turn, and can be
//! edited. A loop can last for hours. A person who types `/exit` during one wants to end the loop now, and not to leave the
//! session after it. All other input waits for the editor, as if it were typed afterwards. If it stayed in the
//! terminal, all but its first line would be lost.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
};

use rustix::{
    fs::OFlags,
    termios::{QueueSelector, tcflush, tcgetattr},
};
use tokio::net::unix::pipe::Receiver;

use loop_session::{Commands, RepeatEffect};

use super::{
    super::screen::TypedLines,
    pastes::Pastes,
    typed_keys::{TypedInput, TypedKeys},
};
use crate::view::Utf8Decoder;

/// Reads typed input, and keeps it.
#[derive(Debug)]
pub(super) struct TypeAhead {
    keys: TypedKeys,
    decoder: Utf8Decoder,
    /// Shows the input.
    shown: TypedLines,
    /// True if Esc was pressed.
    is_escaped: bool,
}

impl TypeAhead {
    pub(super) fn new(shown: TypedLines, pastes: Pastes) -> Self {
        Self { keys: TypedKeys::new(pastes), decoder: Utf8Decoder::default(), shown, is_escaped: false }
    }

    /// Returns the display of the input.
    pub(super) fn lines(&self) -> &TypedLines {
        &self.shown
    }

    /// Returns the next line, together with its continuation lines.
    pub(super) fn take(&mut self) -> Option<TypedInput> {
        let taken = self.keys.take();
        self.show();
        taken
    }

    /// Returns the beginning of a line, to be continued.
    pub(super) fn take_begun(&mut self) -> String {
        let begun = self.keys.take_begun();
        self.show();
        begun
    }

    /// Returns what is being typed, to be continued.
    pub(super) fn take_unfinished(&mut self) -> String {
        let typed = self.keys.take_unfinished();
        self.show();
        typed
    }

    /// Returns the number of withdrawn lines that wait for [`take_begun`](Self::take_begun).
    pub(super) fn waiting(&self) -> usize {
        self.keys.waiting()
    }

    /// Withdraws all queued lines, with the keys that nobody has read yet.
    pub(super) fn withdraw(&mut self) {
        // If the terminal is unreadable, the keys that nobody has read yet wait there.
        let _ = self.read_pending();
        self.keys.withdraw();
        self.show();
    }

    /// Collects typed input, until Esc. During a loop, this also returns at an exit word or Ctrl+D, which are meant for
    /// the loop. If the terminal is unreadable, all input waits there.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(super) async fn until_ended(&mut self, is_loop: bool) -> WorkEnd {
        match self.listen(is_loop, false).await {
            Ok(Some(end)) => end,
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// Like [`until_ended`](Self::until_ended), but also returns, with `None`, when no line is being typed.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(super) async fn until_free(&mut self, is_loop: bool) -> Option<WorkEnd> {
        match self.listen(is_loop, true).await {
            Ok(end) => end,
            Err(_) => std::future::pending().await,
        }
    }

    /// Returns the next line typed from now on; `None` for Ctrl+D, or if the terminal is unreadable.
    ///
    /// # Errors
    /// [`WorkEnd::Escaped`].
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(super) async fn answer(&mut self) -> Result<Option<String>, WorkEnd> {
        self.next_line().await.unwrap_or(Ok(None))
    }

    async fn next_line(&mut self) -> io::Result<Result<Option<String>, WorkEnd>> {
        let terminal = terminal()?;
        let mut before = self.keys.len();
        while self.keys.len() <= before {
            if std::mem::take(&mut self.is_escaped) {
                return Ok(Err(WorkEnd::Escaped));
            }
            // The person may take a queued line back.
            before = self.keys.len();
            terminal.readable().await?;
            self.read(&terminal)?;
        }
        let line = self.keys.remove(before);
        self.show();
        Ok(Ok(line.and_then(|keys| if let TypedInput::Line(line) = keys { Some(line) } else { None })))
    }

    /// Collects the input typed before a question appears, because it is no answer to it. Returns whether the question
    /// can appear now: not while a line is being typed, whose end would look like an answer.
    ///
    /// # Errors
    /// The terminal is unreadable.
    pub(super) fn keep_typed(&mut self) -> io::Result<bool> {
        self.read_pending()?;
        self.show();
        if !self.keys.is_free() {
            return Ok(false);
        }
        tcflush(&file()?, QueueSelector::IFlush)?;
        Ok(true)
    }

    /// Reads everything that was typed so far.
    fn read_pending(&mut self) -> io::Result<()> {
        let mut terminal = file()?;
        let mut bytes = [0; LONGEST];
        loop {
            let count = terminal.read(&mut bytes);
            if !self.take_typed(&terminal, count, &bytes)? {
                return Ok(());
            }
        }
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
            Ok(0) => self.is_escaped |= self.keys.press(CTRL_D),
            Ok(count) => {
                let text = self.decoder.push(&bytes[..count]);
                self.is_escaped |= self.keys.press(&text);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        self.show();
        Ok(true)
    }

    async fn listen(&mut self, is_loop: bool, until_free: bool) -> io::Result<Option<WorkEnd>> {
        let terminal = terminal()?;
        loop {
            if until_free && self.keys.is_free() {
                return Ok(None);
            }
            terminal.readable().await?;
            let before = self.keys.len();
            self.read(&terminal)?;
            if std::mem::take(&mut self.is_escaped) {
                return Ok(Some(WorkEnd::Escaped));
            }
            if is_loop && self.keys.remove_from(before, ends_a_loop).is_some() {
                self.show();
                return Ok(Some(WorkEnd::LoopEnded));
            }
        }
    }

    fn show(&self) {
        self.shown.show(self.keys.lines(), self.keys.begun().to_owned());
    }
}

/// How typed input ended the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkEnd {
    /// Esc interrupts, as Ctrl+C does.
    Escaped,
    /// An exit word, or Ctrl+D, ends a loop.
    LoopEnded,
}

fn ends_a_loop(input: &TypedInput) -> bool {
    match input {
        TypedInput::Line(line) => Commands::standard().repeat_effect(line) == RepeatEffect::End,
        TypedInput::End => true,
    }
}

/// Returns whether the terminal is gone.
pub(crate) fn is_terminal_gone() -> bool {
    tcgetattr(io::stdin()).is_err()
}

/// Resolves when the terminal is gone, for processes that receive no signal about it: `nohup` suppresses the signal,
/// and so does a session leader that stays alive. The editor does not notice: to it, a vanished terminal returns end of
/// file forever. Resolves at once if it was gone before. If the terminal cannot be watched, this never resolves.
///
/// # Cancel safety
/// This is cancel safe: it reads nothing.
pub(crate) async fn terminal_gone() {
    if watch().await.is_err() && !is_terminal_gone() {
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

/// The maximum number of bytes of one read.
const LONGEST: usize = 4096;

/// The key that ends the input.
const CTRL_D: &str = "\u{4}";
