//! A person at a terminal, who types and sees a screen. The terminal answers requests for its cursor's position, as a
//! real one does.

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

use loop_testing::Gate;
use rustix::process::Signal;
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::{
    model_server::{KEY, ModelServer},
    support::{CommandResult, RunningCommand, Scenario, shown, wait_until, wait_until_shown},
    terminal,
};

/// Ctrl+C.
pub(crate) const CTRL_C: &str = "\u{3}";

/// A session with the model of a [`ModelServer`].
const CHAT: [&str; 3] = ["chat", "--model", "openai:scripted"];

/// The request for the cursor's position.
const CURSOR_REQUEST: &[u8] = b"\x1b[6n";

/// The end of a notification: that of its text, and the bell.
const BELL: &[u8] = b"\x07\x07";

/// A session at a terminal.
pub(crate) struct ChatHarness {
    started: RunningCommand,
    keys: File,
    screen: Arc<Mutex<vt100::Parser>>,
    counts: Arc<Counts>,
}

/// The numbers of sequences that the terminal got.
#[derive(Debug, Default)]
struct Counts {
    /// The number of requests for the cursor's position. The editor sends at least one per line.
    asked: AtomicU64,
    /// The number of notifications.
    called_back: AtomicU64,
}

impl ChatHarness {
    /// Starts `loop chat` with these arguments, and with this server as its model.
    pub(crate) fn chat(scenario: &Scenario, server: &ModelServer, args: &[&str], size: (u16, u16)) -> Self {
        Self::open(scenario, &[&CHAT, args].concat(), size, |command| answered_by(command, server))
    }

    /// Starts `loop chat` with these settings.
    pub(crate) fn with_settings(
        scenario: &Scenario,
        server: &ModelServer,
        settings: &str,
        size: (u16, u16),
    ) -> Self {
        scenario.write("settings.toml", settings);
        Self::open(scenario, &CHAT, size, |command| {
            answered_by(command, server);
            command.env("LOOP_CONFIG", scenario.path("settings.toml"));
        })
    }

    /// Starts `loop` with these arguments, after `change` has modified the command.
    pub(crate) fn open(
        scenario: &Scenario,
        args: &[&str],
        size: (u16, u16),
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let (started, keys) = open_terminal(&[], scenario, args, size, change);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size.1, size.0, 1000)));
        let counts = Arc::<Counts>::default();
        let (shown, ours) = (Arc::clone(&screen), keys.try_clone().expect("a copy"));
        let counted = Arc::clone(&counts);
        thread::spawn(move || show(ours, &shown, &counted, || false));
        Self { started, keys, screen, counts }
    }

    /// Runs `loop chat` at a terminal that disappears as soon as the session asks for a line, as when a person closes a
    /// window. With `during`, the person first asks for an answer, which begins after the terminal has gone. If
    /// `is_deaf`, the session gets no signal about it.
    pub(crate) fn hung_up(
        scenario: &Scenario,
        server: &ModelServer,
        is_deaf: bool,
        during: Option<&Gate>,
    ) -> CommandResult {
        let size = (80, 24);
        let before: &[&str] = if is_deaf { &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"] } else { &[] };
        let (started, ours) =
            open_terminal(before, scenario, &CHAT, size, |command| answered_by(command, server));
        let screen = Mutex::new(vt100::Parser::new(size.1, size.0, 1000));
        let terminal = ours.try_clone().expect("a copy");
        show(terminal, &screen, &Counts::default(), || page(&screen).lines().last() == Some(">"));
        if let Some(gate) = during {
            (&ours).write_all(b"Hello?\r").expect("the terminal is there");
            wait_until("the model is asked", || !server.requests().is_empty());
            drop(ours);
            gate.open();
        } else {
            drop(ours);
        }
        started.finish()
    }

    /// Returns the rows of the screen, without trailing blanks.
    pub(crate) fn page(&self) -> String {
        page(&self.screen)
    }

    /// Waits until this text is on the screen.
    pub(crate) fn sees(&self, text: &str) {
        wait_until_shown(text, || self.page(), |page| page.contains(text));
    }

    /// Waits until this text is on the screen, and the session asks for a new line.
    pub(crate) fn wait_for_prompt_after(&self, text: &str) {
        let is_asked = |page: &str| page.contains(text) && page.lines().last() == Some(">");
        wait_until_shown(&format!("a prompt after {text}"), || self.page(), is_asked);
    }

    /// The same, if this input was typed already.
    pub(crate) fn wait_for_typed_prompt_after(&self, typed: &str, text: &str) {
        let line = format!("> {typed}");
        let is_asked = |page: &str| page.contains(text) && page.lines().last() == Some(line.as_str());
        wait_until_shown(&format!("{typed} at a prompt after {text}"), || self.page(), is_asked);
    }

    /// Returns whether the command gets each key at once. Otherwise the terminal keeps a line until Enter, and acts on
    /// Ctrl+U and Ctrl+C itself.
    pub(crate) fn reads_each_key(&self) -> bool {
        let modes = tcgetattr(&self.keys).expect("the modes of the terminal").local_modes;
        !modes.contains(LocalModes::ICANON)
    }

    /// Returns how often the terminal called the person back.
    pub(crate) fn called_back(&self) -> u64 {
        self.counts.called_back.load(Ordering::SeqCst)
    }

    /// Presses keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Types a line when the session asks for one. Waits until `answer` is on the screen and the session asks for the
    /// next line.
    pub(crate) fn says(&mut self, line: &str, answer: &str) {
        wait_until_shown(
            "a prompt",
            || self.page(),
            |page| matches!(page.lines().last(), Some(">" | "[unsafe] >")),
        );
        let before = self.counts.asked.load(Ordering::SeqCst);
        self.types(&format!("{line}\r"));
        let is_answered = |page: &str| {
            self.counts.asked.load(Ordering::SeqCst) > before
                && page.contains(answer)
                && page.lines().last() == Some(">")
        };
        wait_until_shown(&format!("a prompt after {answer}"), || self.page(), is_answered);
    }

    /// Makes the terminal larger or smaller, as when a person drags the corner of its window. Lines that the terminal
    /// wrapped get other rows, as in most terminals of today.
    pub(crate) fn resizes(&self, (ws_col, ws_row): (u16, u16)) {
        let mut screen = self.screen.lock().expect("no panic");
        *screen = reflowed(screen.screen(), (ws_col, ws_row));
        let size = Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keys, size).expect("a size");
        drop(screen);
    }

    /// Compares the screen with its snapshot.
    pub(crate) fn shows(&self, name: &str) {
        shown(name, &self.page());
    }

    /// Returns the command.
    pub(crate) fn started(&self) -> &RunningCommand {
        &self.started
    }

    /// Waits for the command's end. The screen's content becomes its standard error.
    pub(crate) fn finish(self) -> CommandResult {
        let page = self.page();
        let CommandResult { code, .. } = self.started.finish();
        CommandResult { code, stdout: String::new(), stderr: page }
    }

    /// Kills the command.
    pub(crate) fn killed(self) {
        self.started.signal(Signal::KILL);
        self.started.killed();
    }

    /// Leaves the session as a person does.
    pub(crate) fn leaves(mut self) {
        self.types("/exit\r");
        self.finish().exits(0);
    }
}

/// Sends requests for this vendor's models to this server, and turns colours off.
pub(crate) fn answered_by(command: &mut Command, server: &ModelServer) {
    command.env("OPENAI_BASE_URL", server.url()).env("OPENAI_API_KEY", KEY).env("NO_COLOR", "1");
}

/// Starts `loop`, through a command that becomes it, at a terminal with common abilities.
fn open_terminal(
    before: &[&str],
    scenario: &Scenario,
    args: &[&str],
    size: (u16, u16),
    change: impl FnOnce(&mut Command),
) -> (RunningCommand, File) {
    terminal::start_by(before, scenario, args, size, |command| {
        command.env("TERM", "xterm-256color");
        change(command);
    })
}

/// The rows of a terminal that is high enough for everything that these tests show.
const HIGH: u16 = 1000;

/// Returns a terminal of this size with the same lines, and the cursor at the same character.
fn reflowed(screen: &vt100::Screen, (columns, rows): (u16, u16)) -> vt100::Parser {
    let (height, width) = screen.size();
    let (cursor_row, cursor_column) = screen.cursor_position();
    let (mut before, mut after, mut blanks) = (String::new(), String::new(), String::new());
    for row in 0..height {
        let cut = if row == cursor_row { cursor_column } else { 0 };
        let text = |from: u16, columns| screen.rows(from, columns).nth(row.into()).unwrap_or_default();
        let end = if screen.row_wrapped(row) { "" } else { "\r\n" };
        if row <= cursor_row {
            before.push_str(&text(0, if row == cursor_row { cut } else { width }));
            before.push_str(if row == cursor_row { "" } else { end });
        }
        if row >= cursor_row {
            let rest = text(cut, width - cut);
            blanks.push_str(&rest);
            if !rest.is_empty() {
                after.push_str(&std::mem::take(&mut blanks));
            }
            blanks.push_str(end);
        }
    }
    let mut high = vt100::Parser::new(HIGH, columns, 0);
    high.process(before.as_bytes());
    let (row, column) = high.screen().cursor_position();
    high.process(after.as_bytes());
    let top = (high.screen().cursor_position().0 + 1).saturating_sub(rows);
    let mut resized = vt100::Parser::new(rows, columns, 1000);
    resized
        .process(format!("{before}{after}\x1b[{};{}H", row.saturating_sub(top) + 1, column + 1).as_bytes());
    resized
}

fn page(screen: &Mutex<vt100::Parser>) -> String {
    let screen = screen.lock().expect("no panic");
    let (_, columns) = screen.screen().size();
    let rows: Vec<_> = screen.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

/// Displays the output and answers requests, until the terminal is gone or `is_enough` returns true. Counts the
/// requests.
fn show(mut terminal: File, screen: &Mutex<vt100::Parser>, counts: &Counts, is_enough: impl Fn() -> bool) {
    let (mut buffer, mut heard) = ([0; 8192], Vec::new());
    while let Ok(count @ 1..) = terminal.read(&mut buffer) {
        heard.extend_from_slice(&buffer[..count]);
        let rung = buffer[..count].windows(BELL.len()).filter(|bytes| *bytes == BELL).count();
        counts.called_back.fetch_add(rung as u64, Ordering::SeqCst);
        while let Some(at) = heard.windows(CURSOR_REQUEST.len()).position(|bytes| bytes == CURSOR_REQUEST) {
            let rest = heard.split_off(at + CURSOR_REQUEST.len());
            let (row, column) = process(screen, &std::mem::replace(&mut heard, rest));
            counts.asked.fetch_add(1, Ordering::SeqCst);
            // Write the answer in one piece, because the person may be typing. If the command has ended meanwhile, the
            // answer is lost.
            let _ = terminal.write_all(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
        }
        // The output may end in the middle of a request.
        let torn = (1..CURSOR_REQUEST.len())
            .rev()
            .find(|length| heard.ends_with(&CURSOR_REQUEST[..*length]))
            .unwrap_or(0);
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
