//! The keys that a person presses while a line runs: a queue of lines, and a line that is being typed.

use std::collections::VecDeque;

use unicode_segmentation::UnicodeSegmentation;

use super::{multiline::is_whole, pastes::Pastes};

/// The sequence that ends a paste.
const PASTE_END: &str = "\u{1b}[201~";

/// Typed input that the session has not handled yet.
#[derive(Debug)]
pub(super) struct TypedKeys {
    queue: VecDeque<TypedInput>,
    /// The line that is being typed.
    begun: String,
    /// Withdrawn lines. Each is offered for editing once the line before it has ended, and none is sent by itself.
    withdrawn: VecDeque<String>,
    pastes: Pastes,
    /// The text of a paste that has not ended.
    paste: Option<String>,
}

/// Typed text, up to a key that ends a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypedInput {
    Line(String),
    /// Ctrl+D.
    End,
}

impl TypedKeys {
    pub(super) fn new(pastes: Pastes) -> Self {
        let (queue, withdrawn) = (VecDeque::new(), VecDeque::new());
        Self { queue, begun: String::new(), withdrawn, pastes, paste: None }
    }

    /// Takes the keys that the terminal delivered together. Returns whether Esc was among them.
    ///
    /// Up takes the last queued line back, Backspace, Ctrl+W and Ctrl+U delete, and Ctrl+D on an empty line ends the
    /// input. Other keys that stand for no text are ignored.
    pub(super) fn press(&mut self, keys: &str) -> bool {
        let (mut rest, mut is_escaped) = (keys, false);
        while let Some(key) = rest.chars().next() {
            if self.paste.is_some() {
                rest = self.take_paste(rest);
                continue;
            }
            rest = &rest[key.len_utf8()..];
            match key {
                '\r' | '\n' => self.queue.push_back(TypedInput::Line(std::mem::take(&mut self.begun))),
                '\u{4}' if self.begun.is_empty() => self.queue.push_back(TypedInput::End),
                '\u{8}' | '\u{7f}' => {
                    self.delete();
                }
                '\u{15}' => self.begun.clear(),
                '\u{17}' => {
                    let text = self.begun.trim_end();
                    let rest = text.trim_end_matches(|sign: char| !sign.is_whitespace()).len();
                    self.begun.truncate(rest);
                }
                '\u{1b}' => match sequence(rest) {
                    0 => is_escaped = true,
                    length => {
                        let (sequence, after) = rest.split_at(length);
                        rest = after;
                        match sequence {
                            "[A" | "OA" => self.take_back(),
                            "[200~" => self.paste = Some(String::new()),
                            _ => {}
                        }
                    }
                },
                key if key.is_control() => {}
                key => self.begun.push(key),
            }
        }
        is_escaped
    }

    /// Returns whether no line is being typed.
    pub(super) fn is_free(&self) -> bool {
        self.begun.is_empty() && self.paste.is_none()
    }

    /// Takes the next part of a paste. Returns what follows the paste.
    fn take_paste<'a>(&mut self, keys: &'a str) -> &'a str {
        let mut paste = self.paste.take().unwrap_or_default();
        let begun = paste.len();
        paste.push_str(keys);
        let Some(end) = paste.find(PASTE_END) else {
            self.paste = Some(paste);
            return "";
        };
        let rest = &keys[end + PASTE_END.len() - begun..];
        self.begun.push_str(&self.pastes.pasted(&paste[..end]));
        rest
    }

    /// Deletes the last sign, or the last paste.
    fn delete(&mut self) {
        let signs = self.pastes.label_at_end(&self.begun).unwrap_or(1);
        for _ in 0..signs {
            let last = self.begun.grapheme_indices(true).next_back();
            self.begun.truncate(last.map_or(0, |(at, _)| at));
        }
    }

    /// Takes the last queued line back, unless a line is being typed: two lines in one would be another command.
    fn take_back(&mut self) {
        if self.begun.is_empty()
            && let Some(TypedInput::Line(line)) =
                self.queue.pop_back_if(|last| matches!(last, TypedInput::Line(_)))
        {
            self.begun = line;
        }
    }

    /// Returns the next line, together with its continuation lines.
    pub(super) fn take(&mut self) -> Option<TypedInput> {
        let TypedInput::Line(mut line) = self.queue.pop_front()? else { return Some(TypedInput::End) };
        while !is_whole(&line)
            && let Some(TypedInput::Line(next)) =
                self.queue.pop_front_if(|next| matches!(next, TypedInput::Line(_)))
        {
            line.push('\n');
            line.push_str(&next);
        }
        Some(TypedInput::Line(line))
    }

    /// Returns the beginning of a line, to be continued: the next withdrawn line, or else what is being typed.
    pub(super) fn take_begun(&mut self) -> String {
        self.withdrawn.pop_front().unwrap_or_else(|| self.take_unfinished())
    }

    /// Returns what is being typed, to be continued.
    pub(super) fn take_unfinished(&mut self) -> String {
        std::mem::take(&mut self.begun)
    }

    /// Returns the number of withdrawn lines that wait for [`take_begun`](Self::take_begun).
    pub(super) fn waiting(&self) -> usize {
        self.withdrawn.len()
    }

    /// Withdraws all queued lines, each with its continuation lines, and the one that is being typed.
    ///
    /// The lines stay apart. Otherwise a prompt could become a part of the command before it.
    pub(super) fn withdraw(&mut self) {
        while let Some(input) = self.take() {
            if let TypedInput::Line(line) = input {
                self.withdrawn.push_back(line);
            }
        }
        if !self.begun.is_empty() {
            self.withdrawn.push_back(std::mem::take(&mut self.begun));
        }
    }

    /// Returns the number of queued inputs.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Removes the queued input at this position.
    pub(super) fn remove(&mut self, at: usize) -> Option<TypedInput> {
        self.queue.remove(at)
    }

    /// Returns the first queued input from this position on that `is_wanted`.
    pub(super) fn remove_from(
        &mut self,
        start: usize,
        is_wanted: impl Fn(&TypedInput) -> bool,
    ) -> Option<TypedInput> {
        let at = (start..self.queue.len()).find(|at| is_wanted(&self.queue[*at]))?;
        self.queue.remove(at)
    }

    /// Returns the queued lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |input: &TypedInput| match input {
            TypedInput::Line(line) => Some(line.clone()),
            TypedInput::End => None,
        };
        self.queue.iter().filter_map(line).collect()
    }

    /// Returns the line that is being typed.
    pub(super) fn begun(&self) -> &str {
        &self.begun
    }
}

/// Returns the length of the sequence that a special key sends after its escape character. Zero means the key Esc.
fn sequence(rest: &str) -> usize {
    let parameters = |text: &str| text.find(|sign: char| ('\u{40}'..='\u{7e}').contains(&sign));
    match rest.as_bytes().first() {
        Some(b'[') => parameters(&rest[1..]).map_or(rest.len(), |end| end + 2),
        Some(b'O') => rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_go_on_are_one_and_one_that_is_begun_is_kept() {
        let mut keys = TypedKeys::new(Pastes::default());
        for text in ["o", "ne\ntwo \\\r", "three\n", "```\n", "code\n```\n", "```\ncut\n\u{4}", "not yet"] {
            assert!(!keys.press(text));
        }
        let taken: Vec<_> = std::iter::from_fn(|| keys.take()).collect();
        let lines = ["one", "two \\\nthree", "```\ncode\n```", "```\ncut"];
        let lines = lines.map(|line| TypedInput::Line(line.to_owned()));
        assert_eq!(taken, lines.into_iter().chain([TypedInput::End]).collect::<Vec<_>>());
        assert_eq!((keys.take_begun().as_str(), keys.take_begun().as_str()), ("not yet", ""));
    }

    #[test]
    fn a_queued_line_is_taken_back_edited_and_withdrawn() {
        let mut keys = TypedKeys::new(Pastes::default());
        keys.press("one\rtwo words\r");
        keys.press("\u{1b}[A");
        assert_eq!((keys.lines(), keys.begun()), (vec!["one".to_owned()], "two words"));
        keys.press("\u{17}é\u{7f}lines\t\u{1b}[1;5C\r");
        assert_eq!(keys.lines(), ["one", "two lines"]);
        keys.press("two\u{3000}words\u{17}");
        assert_eq!(keys.begun(), "two\u{3000}");
        keys.press("\u{15}");
        keys.press("\u{1b}OA\u{15}half");
        assert_eq!((keys.lines(), keys.begun()), (vec!["one".to_owned()], "half"));
        assert!(keys.press("\u{1b}"));
        keys.press("\u{1b}[A");
        assert_eq!((keys.lines(), keys.begun()), (vec!["one".to_owned()], "half"));
        keys.withdraw();
        assert_eq!((keys.waiting(), keys.len(), keys.begun()), (2, 0, ""));
        assert_eq!([keys.take_begun(), keys.take_begun(), keys.take_begun()], ["one", "half", ""]);
    }

    #[test]
    fn a_paste_is_one_unit() {
        let mut keys = TypedKeys::new(Pastes::default());
        for part in ["see \u{1b}[200~", "one\rtwo", "\u{1b}[20", "1~ end\r"] {
            keys.press(part);
        }
        assert_eq!(keys.lines(), ["see one\ntwo end"]);
        keys.press(&format!("x \u{1b}[200~{}\u{1b}[201~", "line\r".repeat(12)));
        assert_eq!(keys.begun(), "x [12 lines pasted]");
        keys.press("\u{7f}");
        assert_eq!(keys.begun(), "x ");
    }

    proptest! {
        /// Withdrawn lines come back as they were typed, and each by itself.
        #[test]
        fn withdrawn_lines_stay_apart(lines in prop::collection::vec("[!/@a-z][a-zé漢 ]{0,9}", 0..5), begun in "[!a-z]{0,5}") {
            let mut keys = TypedKeys::new(Pastes::default());
            for line in &lines {
                keys.press(&format!("{line}\r"));
            }
            keys.press(&begun);
            let expected: Vec<_> = lines.into_iter().chain(Some(begun).filter(|begun| !begun.is_empty())).collect();
            keys.withdraw();
            prop_assert_eq!(keys.waiting(), expected.len());
            prop_assert_eq!(keys.take(), None);
            let offered: Vec<_> = std::iter::repeat_with(|| keys.take_begun()).take_while(|line| !line.is_empty()).collect();
            prop_assert_eq!(offered, expected);
        }

        #[test]
        fn typed_text_is_queued_as_it_is(lines in prop::collection::vec("[a-zé漢 ]{0,9}", 0..5)) {
            let mut keys = TypedKeys::new(Pastes::default());
            for line in &lines {
                keys.press(&format!("{line}\r"));
            }
            prop_assert_eq!(keys.lines(), lines);
        }
    }
}
