//! Plain display of typed text, with known commands highlighted.

use reedline::{Color, Highlighter, StyledText};

use loop_session::{Commands, UserInput};

/// The editor's default colour is white, which is unreadable on a white background.
pub(super) struct CommandHighlighter(pub(super) Commands);

impl Highlighter for CommandHighlighter {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        let known = match UserInput::of(line) {
            UserInput::Command { name, .. } if self.0.find(name).is_some() => {
                line.find(name).map_or(0, |at| at + name.len())
            }
            _ => 0,
        };
        let (command, rest) = line.split_at(known);
        let mut text = StyledText::new();
        text.push((Color::Default.bold(), command.to_owned()));
        text.push((Color::Default.normal(), rest.to_owned()));
        text
    }
}
