//! Long pastes: the editor shows each as one short label, and the session gets the whole text.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reedline::{EditCommand, EditMode, Emacs, PromptEditMode, ReedlineEvent, ReedlineRawEvent};

use crate::view::text;

/// The number of lines up to which the editor shows a paste itself.
pub(crate) const SHOWN_LINES: usize = 10;

/// The pastes of a session, with their labels. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Pastes(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The labels and texts.
    pastes: Vec<(String, String)>,
    /// The text before the cursor, as the editor showed it last.
    before_cursor: String,
}

impl Pastes {
    /// Returns a paste as the editor shows it. Terminals send the line breaks of a paste as carriage returns.
    pub(super) fn pasted(&self, text: &str) -> String {
        self.folded(&text.replace("\r\n", "\n").replace('\r', "\n"))
    }

    /// Returns the text as the editor shows it: a long text becomes a label.
    pub(super) fn folded(&self, text: &str) -> String {
        let lines = text.lines().count();
        if lines <= SHOWN_LINES {
            return text.to_owned();
        }
        let mut state = self.state();
        if let Some((label, _)) = state.pastes.iter().find(|(_, known)| known == text) {
            return label.clone();
        }
        let lines = text::count(lines as u64, "line");
        let label = (1..)
            .map(|number| {
                if number == 1 { format!("[{lines} pasted]") } else { format!("[{lines} pasted, {number}]") }
            })
            .find(|label| state.pastes.iter().all(|(known, _)| known != label))
            .unwrap_or_default();
        state.pastes.push((label.clone(), text.to_owned()));
        label
    }

    /// Replaces each label with its text.
    pub(super) fn expanded(&self, line: &str) -> String {
        let state = self.state();
        let (mut expanded, mut rest) = (String::new(), line);
        // Labels within a pasted text are a part of that text.
        while let Some((at, label, text)) = state
            .pastes
            .iter()
            .filter_map(|(label, text)| Some((rest.find(label.as_str())?, label, text)))
            .min_by_key(|(at, ..)| *at)
        {
            expanded.push_str(&rest[..at]);
            expanded.push_str(text);
            rest = &rest[at + label.len()..];
        }
        expanded + rest
    }

    /// Remembers the text before the cursor.
    pub(super) fn see(&self, before_cursor: &str) {
        before_cursor.clone_into(&mut self.state().before_cursor);
    }

    /// Returns the number of characters of the label at the end of this text.
    pub(super) fn label_at_end(&self, text: &str) -> Option<usize> {
        let state = self.state();
        let label = state.pastes.iter().find(|(label, _)| text.ends_with(label.as_str()));
        label.map(|(label, _)| label.chars().count())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys of Emacs, with pastes that are one unit each.
pub(super) struct PasteMode {
    keys: Emacs,
    pastes: Pastes,
}

impl PasteMode {
    pub(super) const fn new(keys: Emacs, pastes: Pastes) -> Self {
        Self { keys, pastes }
    }

    /// Returns the commands that do the same with whole pastes.
    fn as_units(&self, command: EditCommand) -> Vec<EditCommand> {
        match command {
            EditCommand::InsertString(text) => {
                vec![EditCommand::InsertString(self.pastes.pasted(&text))]
            }
            EditCommand::Backspace => {
                let before_cursor = self.pastes.state().before_cursor.clone();
                let signs = self.pastes.label_at_end(&before_cursor).unwrap_or(1);
                vec![EditCommand::Backspace; signs]
            }
            command => vec![command],
        }
    }
}

impl EditMode for PasteMode {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        match self.keys.parse_event(event) {
            ReedlineEvent::Edit(commands) => {
                ReedlineEvent::Edit(commands.into_iter().flat_map(|command| self.as_units(command)).collect())
            }
            event => event,
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.keys.edit_mode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_paste_is_a_label_and_its_text_is_whole() {
        let pastes = Pastes::default();
        let long = "a line\n".repeat(3000);
        let other = "another\n".repeat(3000);
        assert_eq!(pastes.folded("one\ntwo"), "one\ntwo");
        assert_eq!(pastes.folded(&long), "[3,000 lines pasted]");
        assert_eq!(pastes.folded(&long), "[3,000 lines pasted]");
        assert_eq!(pastes.folded(&other), "[3,000 lines pasted, 2]");
        let line = "look at [3,000 lines pasted, 2] and [3,000 lines pasted]!";
        assert_eq!(pastes.expanded(line), format!("look at {other} and {long}!"));
        assert_eq!(pastes.expanded("[11 lines pasted]"), "[11 lines pasted]");
        assert_eq!(pastes.label_at_end("x [3,000 lines pasted]"), Some(20));
        assert_eq!(pastes.label_at_end("[3,000 lines pasted] x"), None);
    }

    #[test]
    fn a_label_within_a_paste_is_text() {
        let pastes = Pastes::default();
        let first = pastes.folded(&"a\n".repeat(11));
        let second = format!("{first}\n").repeat(12);
        let label = pastes.folded(&second);
        assert_eq!(pastes.expanded(&label), second);
    }
}
