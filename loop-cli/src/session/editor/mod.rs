//! The line editor, on a thread of its own.
//!
//! It blocks while somebody types, and other things have to be heard meanwhile: a signal, and whatever falls due
//! between turns. So it is asked for a line, and answers when there is one; and it can be asked to let go of the
//! terminal, when it keeps what was typed and goes on with it later.

mod ahead;
mod completion;
mod history;
mod multiline;
mod plain;
mod prompt;

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

pub(crate) use self::{ahead::gone, completion::Words, prompt::Prompt};
use self::{
    ahead::{Ahead, Keys},
    completion::Completion,
    history::Lines,
    multiline::Multiline,
    plain::Plain,
};
use crate::view;

/// The name under which the menu of completions is opened.
const MENU: &str = "completions";

/// How long the editor may take to let go of the terminal. It looks for that many times a second.
const PATIENCE: Duration = Duration::from_secs(2);

/// What came of asking for a line.
#[derive(Debug)]
pub(crate) enum Typed {
    /// A line, or several.
    Line(String),
    /// Ctrl+C: what was typed is to be forgotten.
    Interrupted,
    /// Ctrl+D on an empty line: nothing more is coming.
    End,
    /// The editor was told to let go; what was typed is still there.
    Paused,
    /// The terminal is not there any more, or cannot do what is needed.
    Failed(String),
}

/// What the thread is asked for.
#[derive(Debug)]
struct Asked {
    prompt: Prompt,
    /// What was typed before it was asked for.
    ahead: Option<Keys>,
    /// The beginning of a line, to go on with.
    begun: String,
}

/// Asks a person for lines.
#[derive(Debug)]
pub(crate) struct Editor {
    asking: mpsc::Sender<Asked>,
    typed: UnboundedReceiver<Typed>,
    ahead: Ahead,
    pause: Arc<AtomicBool>,
}

impl Editor {
    /// An editor that completes these words and remembers lines in this file, if there is one.
    pub(crate) fn open(words: Words, history: Option<PathBuf>, coloured: bool) -> Self {
        let (asking, asked) = mpsc::channel::<Asked>();
        let (tell, typed) = unbounded_channel();
        let pause = Arc::<AtomicBool>::default();
        let paused = Arc::clone(&pause);
        thread::spawn(move || {
            let lines = Lines::open(history);
            let mut editor = editor(words, &lines, coloured).with_break_signal(paused);
            for Asked { prompt, ahead, begun } in asked {
                let typed = match ahead {
                    Some(Keys::Line(line)) => taken(&mut editor, &prompt, &line, &lines),
                    Some(Keys::End) => Typed::End,
                    None => {
                        editor.run_edit_commands(&[EditCommand::InsertString(begun)]);
                        read(&mut editor, &prompt, &lines)
                    }
                };
                if tell.send(typed).is_err() {
                    return;
                }
            }
        });
        Self { asking, typed, ahead: Ahead::default(), pause }
    }

    /// Asks for a line; [`typed`](Self::typed) answers.
    pub(crate) fn ask(&mut self, prompt: Prompt) {
        // A request to let go that came too late is not for this line.
        self.pause.store(false, Ordering::Relaxed);
        let ahead = self.ahead.take();
        let begun = if ahead.is_none() { self.ahead.take_begun() } else { String::new() };
        // If the thread is gone, `typed` says so.
        let _ = self.asking.send(Asked { prompt, ahead, begun });
    }

    /// What came of it.
    ///
    /// # Cancel safety
    /// Cancel safe: what was typed is returned by the next call.
    pub(crate) async fn typed(&mut self) -> Typed {
        self.typed.recv().await.unwrap_or_else(|| Typed::Failed("the line editor broke down".to_owned()))
    }

    /// Keeps what is typed while nobody is asked, for the next lines that are asked for. If it is a loop that is done, it
    /// ends when a word is typed that leaves, or Ctrl+D.
    ///
    /// # Cancel safety
    /// Cancel safe: what was typed is kept.
    pub(crate) async fn until_ended(&mut self, is_loop: bool) {
        self.ahead.until_ended(is_loop).await;
    }

    /// Keeps what was typed up to now for the next lines that are asked for, before a question is shown: it is no answer to
    /// it. A line that was begun is dropped.
    pub(crate) fn keep_typed(&mut self) {
        // Where the terminal cannot be listened to, nobody answers either.
        let _ = self.ahead.keep_typed();
    }

    /// The next line that is typed, in answer to a question; nothing for Ctrl+D.
    ///
    /// # Cancel safety
    /// Cancel safe: what is typed is returned by the next call, or kept.
    pub(crate) async fn answer(&mut self) -> Option<String> {
        self.ahead.answer().await
    }

    /// Takes the terminal back from somebody who is typing: [`Typed::Paused`], unless a line came first. Nothing if
    /// the editor does not let go: of a terminal that is gone it reads for ever.
    pub(crate) async fn let_go(&mut self) -> Option<Typed> {
        self.pause.store(true, Ordering::Relaxed);
        time::timeout(PATIENCE, self.typed()).await.ok()
    }
}

fn editor(words: Words, lines: &Lines, coloured: bool) -> Reedline {
    let commands = words.commands.clone();
    let mut keys = default_emacs_keybindings();
    let complete =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let menu = ColumnarMenu::default().with_name(MENU);
    Reedline::create()
        .with_history(Box::new(lines.remembered()))
        .with_completer(Box::new(Completion::new(words)))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_highlighter(Box::new(Plain(commands)))
        .with_validator(Box::new(Multiline))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_ansi_colors(coloured)
        .use_bracketed_paste(true)
}

/// Takes a line that was typed before, as if it were typed now.
fn taken(editor: &mut Reedline, prompt: &Prompt, line: &str, lines: &Lines) -> Typed {
    view::say(&prompt.before(line));
    lines.append(line);
    // The file has it, whatever is wrong with what the editor remembers.
    let _ = editor.history_mut().save(HistoryItem::from_command_line(line));
    Typed::Line(multiline::joined(line))
}

fn read(editor: &mut Reedline, prompt: &Prompt, lines: &Lines) -> Typed {
    match editor.read_line(prompt) {
        Ok(Signal::Success(line)) => {
            lines.append(&line);
            Typed::Line(multiline::joined(&line))
        }
        Ok(Signal::CtrlC) => Typed::Interrupted,
        Ok(Signal::ExternalBreak(typed)) => {
            prompt.erase(&typed);
            Typed::Paused
        }
        Ok(Signal::CtrlD) => Typed::End,
        Ok(other) => Typed::Failed(format!("the line editor gave an answer that is not known: {other:?}")),
        Err(error) => Typed::Failed(error.to_string()),
    }
}
