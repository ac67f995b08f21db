//! The line editor, on its own thread.
//!
//! The editor blocks while somebody types, but the session must also handle signals and jobs that fall due between
//! turns. So the session requests a line and receives an answer later. It can also ask the editor to release the
//! terminal; the editor then keeps the typed text and continues with it afterwards.

mod completion;
mod highlighter;
mod input_history;
mod multiline;
mod pastes;
mod prompt;
mod type_ahead;
mod typed_keys;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use reedline::{
    ColumnarMenu, EditCommand, Emacs, HistoryItem, KeyCode, KeyModifiers, MenuBuilder, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time,
};

pub(crate) use self::{
    completion::CompletionWords,
    pastes::SHOWN_LINES,
    prompt::EditorPrompt,
    type_ahead::{WorkEnd, is_terminal_gone, terminal_gone},
};
use self::{
    completion::SessionCompleter,
    highlighter::CommandHighlighter,
    input_history::InputHistory,
    multiline::MultilineValidator,
    pastes::{PasteMode, Pastes},
    type_ahead::TypeAhead,
    typed_keys::TypedInput,
};
use super::screen::{AskedTime, TypedLines};
use crate::{
    signals::stop_here,
    view::{self, text},
};

/// The name of the completion menu.
const MENU: &str = "completions";

/// The name of the editor's command that suspends this process.
const SUSPEND: &str = "suspend";

/// How long the editor may take to release the terminal. It checks for the request many times in that period.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of a request for a line.
#[derive(Debug)]
pub(crate) enum EditorEvent {
    /// One line, or several.
    Line(String),
    /// Ctrl+C: discard the typed text.
    Interrupted,
    /// Ctrl+D on an empty line: the end of the input.
    End,
    /// The editor released the terminal on request, and kept the typed text.
    Paused {
        /// Whether there was any.
        has_text: bool,
    },
    /// The terminal is gone, or lacks a required feature.
    Failed(String),
}

/// A request to the thread.
#[derive(Debug)]
struct LineRequest {
    prompt: EditorPrompt,
    /// Text typed before the request.
    ahead: Option<TypedInput>,
    /// The beginning of a line, to be continued.
    begun: String,
}

/// Asks a person for lines.
#[derive(Debug)]
pub(crate) struct Editor {
    asking: mpsc::Sender<LineRequest>,
    typed: UnboundedReceiver<EditorEvent>,
    ahead: TypeAhead,
    pause: Arc<AtomicBool>,
    /// Whether the editor kept a line when it released the terminal.
    has_kept_text: bool,
    /// Whether the requested line was typed before the request.
    was_typed_ahead: bool,
}

impl Editor {
    /// Opens an editor that completes these words, and remembers lines in this file, if there is one. Lines typed while
    /// a line runs appear in `typed_lines`.
    pub(crate) fn open(
        words: CompletionWords,
        history: Option<PathBuf>,
        coloured: bool,
        typed_lines: TypedLines,
    ) -> Self {
        let (asking, asked) = mpsc::channel::<LineRequest>();
        let (tell, typed) = unbounded_channel();
        let pause = Arc::<AtomicBool>::default();
        let paused = Arc::clone(&pause);
        let pastes = Pastes::default();
        let ahead = TypeAhead::new(typed_lines, pastes.clone());
        thread::spawn(move || {
            let lines = InputHistory::open(history);
            let mut editor = editor(words, &lines, coloured, &pastes).with_break_signal(paused);
            for LineRequest { prompt, ahead, begun } in asked {
                let typed = match ahead {
                    Some(TypedInput::Line(line)) => taken(&mut editor, &prompt, &line, &lines, &pastes),
                    Some(TypedInput::End) => EditorEvent::End,
                    None => {
                        editor.run_edit_commands(&[EditCommand::InsertString(begun)]);
                        read(&mut editor, &prompt, &lines, &pastes)
                    }
                };
                if tell.send(typed).is_err() {
                    return;
                }
            }
        });
        Self { asking, typed, ahead, pause, has_kept_text: false, was_typed_ahead: false }
    }

    /// Requests a line; [`typed`](Self::typed) returns it.
    pub(crate) fn ask(&mut self, prompt: EditorPrompt) {
        // A late release request does not apply to this line.
        self.pause.store(false, Ordering::Relaxed);
        let ahead = self.ahead.take();
        self.was_typed_ahead = ahead.is_some();
        let begun = match ahead {
            None => self.next_begun(),
            Some(_) => String::new(),
        };
        // If the thread is gone, `typed` reports that.
        let _ = self.asking.send(LineRequest { prompt, ahead, begun });
    }

    /// Returns the beginning of the next line, and tells how many withdrawn lines wait behind it. A kept line comes
    /// before them.
    fn next_begun(&mut self) -> String {
        let begun = if self.has_kept_text { self.ahead.take_unfinished() } else { self.ahead.take_begun() };
        match self.ahead.waiting() {
            0 => {}
            1 => view::say("1 more line waits behind this one; Enter on an empty line shows it"),
            waiting => view::say(&format!(
                "{} wait behind this one; Enter on an empty line shows the next",
                text::count(waiting as u64, "more line")
            )),
        }
        begun
    }

    /// Returns the result of the request.
    ///
    /// # Cancel safety
    /// This is cancel safe: the next call returns what was typed.
    pub(crate) async fn typed(&mut self) -> EditorEvent {
        let crashed = || EditorEvent::Failed("the line editor crashed".to_owned());
        let event = self.typed.recv().await.unwrap_or_else(crashed);
        // A line that was typed ahead leaves the kept one where it is.
        match event {
            EditorEvent::Paused { has_text } => self.has_kept_text = has_text,
            EditorEvent::Line(_) if self.was_typed_ahead => {}
            _ => self.has_kept_text = false,
        }
        event
    }

    /// Collects the input typed while no line is requested, for later requests. Returns at Esc, and during a loop also at
    /// an exit word or Ctrl+D.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(crate) async fn until_ended(&mut self, is_loop: bool) -> WorkEnd {
        self.ahead.until_ended(is_loop).await
    }

    /// Like [`until_ended`](Self::until_ended), but also returns, with `None`, when no line is being typed.
    ///
    /// # Cancel safety
    /// This is cancel safe: typed input is kept.
    pub(crate) async fn until_free(&mut self, is_loop: bool) -> Option<WorkEnd> {
        self.ahead.until_free(is_loop).await
    }

    /// Collects the input typed before a question appears, for later requests, because it is no answer to it. Returns
    /// whether the question can appear now: not while a line is being typed, whose end would look like an answer.
    pub(crate) fn keep_typed(&mut self) -> bool {
        // If the terminal is unreadable, nobody answers either.
        self.ahead.keep_typed().unwrap_or(true)
    }

    /// Begins the time in which the person is asked a question.
    pub(crate) fn ask_meanwhile(&self) -> AskedTime {
        self.ahead.lines().ask()
    }

    /// Returns the next typed line, as the answer to a question; `None` for Ctrl+D.
    ///
    /// # Errors
    /// [`WorkEnd::Escaped`].
    ///
    /// # Cancel safety
    /// This is cancel safe: the next call returns what is typed, or it is kept.
    pub(crate) async fn answer(&mut self) -> Result<Option<String>, WorkEnd> {
        self.ahead.answer().await
    }

    /// Returns the queued lines to the editor, one after the other, so that the person can edit or delete each.
    pub(crate) fn withdraw_queue(&mut self) {
        self.ahead.withdraw();
    }

    /// Takes the terminal back from a person who is typing. Returns [`EditorEvent::Paused`], unless a line came first.
    /// Returns `None` if the editor does not release it: on a vanished terminal it reads forever.
    pub(crate) async fn release_terminal(&mut self) -> Option<EditorEvent> {
        self.pause.store(true, Ordering::Relaxed);
        time::timeout(PATIENCE, self.typed()).await.ok()
    }
}

fn editor(words: CompletionWords, lines: &InputHistory, coloured: bool, pastes: &Pastes) -> Reedline {
    let commands = words.commands.clone();
    let mut keys = default_emacs_keybindings();
    let suspend = ReedlineEvent::ExecuteHostCommand(SUSPEND.to_owned());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('z'), suspend);
    let complete =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let menu = ColumnarMenu::default().with_name(MENU);
    Reedline::create()
        .with_history(Box::new(lines.remembered(pastes)))
        .with_completer(Box::new(SessionCompleter::new(words)))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_highlighter(Box::new(CommandHighlighter::new(commands, pastes.clone())))
        .with_validator(Box::new(MultilineValidator))
        .with_edit_mode(Box::new(PasteMode::new(Emacs::new(keys), pastes.clone())))
        .with_ansi_colors(coloured)
        .use_bracketed_paste(true)
}

/// Takes a line typed earlier as if it were typed now.
fn taken(
    editor: &mut Reedline,
    prompt: &EditorPrompt,
    line: &str,
    lines: &InputHistory,
    pastes: &Pastes,
) -> EditorEvent {
    view::say(&prompt.before(line));
    if prompt.is_recorded {
        lines.append(&pastes.expanded(line));
    }
    // The file has the line, whatever happens to the editor's own memory.
    let _ = editor.history_mut().save(HistoryItem::from_command_line(line));
    EditorEvent::Line(pastes.expanded(&multiline::joined(line)))
}

fn read(editor: &mut Reedline, prompt: &EditorPrompt, lines: &InputHistory, pastes: &Pastes) -> EditorEvent {
    match editor.read_line(prompt) {
        Ok(Signal::Success(line)) if pastes.has_broken_label(&line) => {
            view::say(&view::warning_text(
                "not sent: the label of a paste was edited, so its text would be missing; delete the rest of it, or paste \
                 again",
            ));
            editor.run_edit_commands(&[EditCommand::InsertString(line)]);
            read(editor, prompt, lines, pastes)
        }
        Ok(Signal::Success(line)) => {
            if prompt.is_recorded {
                lines.append(&pastes.expanded(&line));
            }
            EditorEvent::Line(pastes.expanded(&multiline::joined(&line)))
        }
        Ok(Signal::HostCommand(_)) => {
            view::suspended(|| {
                stop_here();
            });
            read(editor, prompt, lines, pastes)
        }
        Ok(Signal::CtrlC) => EditorEvent::Interrupted,
        Ok(Signal::ExternalBreak(typed)) => {
            prompt.erase(&typed);
            EditorEvent::Paused { has_text: !typed.is_empty() }
        }
        Ok(Signal::CtrlD) => EditorEvent::End,
        Ok(other) => EditorEvent::Failed(format!("the line editor returned an unknown answer: {other:?}")),
        Err(error) => EditorEvent::Failed(error.to_string()),
    }
}
