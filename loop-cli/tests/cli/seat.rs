//! A person at a terminal: types, and sees a screen. The terminal answers what a real one is asked: where its cursor is.

use std::{
    fs::File,
    io::{Read, Write},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::{
    model_server::{KEY, Server},
    support::{Ran, Started, World, shown, until_shown},
    terminal,
};

/// Ctrl+C.
pub(crate) const CTRL_C: &str = "\u{3}";

/// A session with the model of a [`Server`].
const CHAT: [&str; 3] = ["chat", "--model", "openai:scripted"];

/// The request for the cursor's position.
const WHERE: &[u8] = b"\x1b[6n";

/// A session at a terminal.
pub(crate) struct Seat {
    started: Started,
    keys: File,
    screen: Arc<Mutex<vt100::Parser>>,
    /// The number of requests for the cursor's position. The editor sends at least one per line.
    asked: Arc<AtomicU64>,
}

impl Seat {
    /// `loop chat` with these arguments, and this server as its model.
    pub(crate) fn chat(world: &World, server: &Server, args: &[&str], size: (u16, u16)) -> Self {
        Self::open(world, &[&CHAT, args].concat(), size, |command| answered_by(command, server))
    }

    /// `loop chat` with these settings.
    pub(crate) fn with_settings(world: &World, server: &Server, settings: &str, size: (u16, u16)) -> Self {
        world.write("settings.toml", settings);
        Self::open(world, &CHAT, size, |command| {
            answered_by(command, server);
            command.env("LOOP_CONFIG", world.path("settings.toml"));
        })
    }

    /// `loop` with these arguments, after `change` had its way with the command.
    pub(crate) fn open(
        world: &World,
        args: &[&str],
        size: (u16, u16),
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let (started, keys) = sit_down(&[], world, args, size, change);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size.1, size.0, 1000)));
        let asked = Arc::new(AtomicU64::new(0));
        let (shown, ours) = (Arc::clone(&screen), keys.try_clone().expect("a copy"));
        let counted = Arc::clone(&asked);
        thread::spawn(move || show(ours, &shown, &counted, || false));
        Self { started, keys, screen, asked }
    }

    /// `loop chat` at a terminal that is gone as soon as it asks for a line, as when a window is closed. If it is deaf, no
    /// signal tells it so.
    pub(crate) fn hung_up(world: &World, server: &Server, is_deaf: bool) -> Ran {
        let size = (80, 24);
        let before: &[&str] = if is_deaf { &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"] } else { &[] };
        let (started, ours) = sit_down(before, world, &CHAT, size, |command| answered_by(command, server));
        let screen = Mutex::new(vt100::Parser::new(size.1, size.0, 1000));
        show(ours, &screen, &AtomicU64::new(0), || page(&screen).lines().last() == Some(">"));
        started.finish()
    }

    /// The rows of the screen, without what is empty at their ends.
    pub(crate) fn page(&self) -> String {
        page(&self.screen)
    }

    /// Waits until this is on the screen.
    pub(crate) fn sees(&self, text: &str) {
        until_shown(text, || self.page(), |page| page.contains(text));
    }

    /// Waits until this is on the screen, and a new line is asked for.
    pub(crate) fn is_asked_after(&self, text: &str) {
        let is_asked = |page: &str| page.contains(text) && page.lines().last() == Some(">");
        until_shown(&format!("a prompt after {text}"), || self.page(), is_asked);
    }

    /// Waits for this text, where this input was typed already.
    pub(crate) fn is_asked_after_typing(&self, typed: &str, text: &str) {
        let line = format!("> {typed}");
        let is_asked = |page: &str| page.contains(text) && page.lines().last() == Some(line.as_str());
        until_shown(&format!("{typed} at a prompt after {text}"), || self.page(), is_asked);
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Types a line when one is asked for, and waits until this is on the screen and the next one is asked for.
    pub(crate) fn says(&mut self, line: &str, answer: &str) {
        until_shown(
            "a prompt",
            || self.page(),
            |page| matches!(page.lines().last(), Some(">" | "[unsafe] >")),
        );
        let before = self.asked.load(Ordering::SeqCst);
        self.types(&format!("{line}\r"));
        let is_answered = |page: &str| {
            self.asked.load(Ordering::SeqCst) > before
                && page.contains(answer)
                && page.lines().last() == Some(">")
        };
        until_shown(&format!("a prompt after {answer}"), || self.page(), is_answered);
    }

    /// Compares the screen with its snapshot.
    pub(crate) fn shows(&self, name: &str) {
        shown(name, &self.page());
    }

    /// The command.
    pub(crate) fn started(&self) -> &Started {
        &self.started
    }

    /// Waits for the command's end. The screen's content becomes its standard error.
    pub(crate) fn finish(self) -> Ran {
        let page = self.page();
        let Ran { code, .. } = self.started.finish();
        Ran { code, stdout: String::new(), stderr: page }
    }

    /// Leaves the session, as a person does.
    pub(crate) fn leaves(mut self) {
        self.types("/exit\r");
        self.finish().exits(0);
    }
}

/// Sends requests for this vendor's models to this server, and turns colours off.
pub(crate) fn answered_by(command: &mut Command, server: &Server) {
    command.env("OPENAI_BASE_URL", server.url()).env("OPENAI_API_KEY", KEY).env("NO_COLOR", "1");
}

/// Starts `loop` at a terminal that can do what most can, by a command that becomes it.
fn sit_down(
    before: &[&str],
    world: &World,
    args: &[&str],
    size: (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (Started, File) {
    terminal::start_by(before, world, args, size, |command| {
        command.env("TERM", "xterm-256color");
        change(command);
    })
}

fn page(screen: &Mutex<vt100::Parser>) -> String {
    let screen = screen.lock().expect("no panic");
    let (_, columns) = screen.screen().size();
    let rows: Vec<_> = screen.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

/// Shows what comes, and answers what is asked, until the terminal is gone or enough has been seen. Counts how often
/// something was asked.
fn show(mut terminal: File, screen: &Mutex<vt100::Parser>, asked: &AtomicU64, is_enough: impl Fn() -> bool) {
    let (mut buffer, mut heard) = ([0; 8192], Vec::new());
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        heard.extend_from_slice(&buffer[..count]);
        while let Some(at) = heard.windows(WHERE.len()).position(|bytes| bytes == WHERE) {
            let rest = heard.split_off(at + WHERE.len());
            let (row, column) = process(screen, &std::mem::replace(&mut heard, rest));
            asked.fetch_add(1, Ordering::SeqCst);
            // In one piece: somebody may be typing. Whoever has gone meanwhile does not hear it.
            let _ = terminal.write_all(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
        }
        // A question may have come in part.
        let torn = (1..WHERE.len()).rev().find(|length| heard.ends_with(&WHERE[..*length])).unwrap_or(0);
        let rest = heard.split_off(heard.len() - torn);
        process(screen, &std::mem::replace(&mut heard, rest));
        if is_enough() {
            return;
        }
    }
}

fn process(screen: &Mutex<vt100::Parser>, bytes: &[u8]) -> (u16, u16) {
    let mut screen = screen.lock().expect("no panic");
    screen.process(bytes);
    screen.screen().cursor_position()
}
