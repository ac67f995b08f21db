//! What is typed, as the terminal shows text; a command that is known stands out.

use reedline::{Color, Highlighter, StyledText};

use loop_session::{Commands, Input};

/// The editor's own idea is white, which nobody can read on white.
pub(super) struct Plain(pub(super) Commands);

impl Highlighter for Plain {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        let known = match Input::of(line) {
            Input::Command { name, .. } if self.0.find(name).is_some() => {
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
