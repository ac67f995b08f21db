//! Long pastes: the editor shows each as one short label, and the session gets the whole text.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reedline::{EditCommand, EditMode, Emacs, PromptEditMode, ReedlineEvent, ReedlineRawEvent};

use crate::view::text;

/// The number of lines up to which the editor shows a paste itself.
pub(crate) const SHOWN_LINES: usize = 10;

/// The end of each label's text.
const PASTED: &str = " pasted";

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

    /// Returns whether a line has a part of a label that was edited. Its paste would be lost.
    pub(super) fn has_broken_label(&self, line: &str) -> bool {
        let state = self.state();
        let rest = state.pastes.iter().fold(line.to_owned(), |rest, (label, _)| rest.replace(label, "\0"));
        state.pastes.iter().any(|(label, _)| {
            let Some(at) = label.find(PASTED) else { return false };
            // The part before the word, such as `[12 line`, or the part from it on.
            rest.contains(&label[..at - 1]) || rest.contains(&label[at..])
        })
    }

    /// Returns the commands for a deletion backwards, of a whole label if one is there, and notes what is left.
    fn delete_backwards(&self, command: EditCommand) -> Vec<EditCommand> {
        let before_cursor = self.state().before_cursor.clone();
        let signs = match (self.label_at_end(&before_cursor), &command) {
            (Some(signs), _) => signs,
            (None, EditCommand::Backspace) => 1,
            (None, _) => return vec![command],
        };
        // The next key may come before the editor shows the line again.
        let left = before_cursor.chars().count().saturating_sub(signs);
        self.see(&before_cursor.chars().take(left).collect::<String>());
        vec![EditCommand::Backspace; signs]
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
                let shown = self.pastes.pasted(&text);
                self.pastes.state().before_cursor.push_str(&shown);
                vec![EditCommand::InsertString(shown)]
            }
            EditCommand::Backspace
            | EditCommand::BackspaceWord
            | EditCommand::CutWordLeft
            | EditCommand::CutBigWordLeft => self.pastes.delete_backwards(command),
            EditCommand::InsertChar(sign) => {
                self.pastes.state().before_cursor.push(sign);
                vec![EditCommand::InsertChar(sign)]
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
    fn a_part_of_a_label_is_noticed() {
        let pastes = Pastes::default();
        pastes.folded(&"a line\n".repeat(12));
        for whole in
            ["", "[12 lines pasted]", "x [12 lines pasted] [12 lines pasted]", "[12 apples] [1", "12 lines"]
        {
            assert!(!pastes.has_broken_label(whole), "{whole}");
        }
        for broken in [
            "[12 lines pasted",
            "[12 lines pastedQ]",
            "[12 lines",
            "12 lines pasted]",
            "[12 lines pasted] [12 line",
        ] {
            assert!(pastes.has_broken_label(broken), "{broken}");
        }
    }

    /// Keys that come together are read before the editor shows the line again.
    #[test]
    fn a_burst_of_deletions_takes_a_label_as_a_whole() {
        let pastes = Pastes::default();
        let label = pastes.folded(&"a line\n".repeat(12));
        let mode = PasteMode::new(Emacs::default(), pastes.clone());
        pastes.see(&format!("x {label} é"));
        let deleted: Vec<_> = (0..3).map(|_| mode.as_units(EditCommand::Backspace).len()).collect();
        assert_eq!(deleted, [1, 1, label.len()]);
        mode.as_units(EditCommand::InsertString("b\n".repeat(12)));
        assert_eq!(mode.as_units(EditCommand::CutWordLeft).len(), "[12 lines pasted, 2]".len());
        assert_eq!(mode.as_units(EditCommand::CutWordLeft), [EditCommand::CutWordLeft]);
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
