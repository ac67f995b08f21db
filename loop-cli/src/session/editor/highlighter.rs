//! Plain display of typed text, with known commands highlighted.

use reedline::{Color, Highlighter, StyledText};

use loop_session::{Commands, UserInput};

use super::pastes::Pastes;

/// The editor's default colour is white, which is unreadable on a white background.
pub(super) struct CommandHighlighter {
    commands: Commands,
    pastes: Pastes,
}

impl CommandHighlighter {
    pub(super) const fn new(commands: Commands, pastes: Pastes) -> Self {
        Self { commands, pastes }
    }
}

impl Highlighter for CommandHighlighter {
    fn highlight(&self, line: &str, cursor: usize) -> StyledText {
        // The keys do not see the text otherwise.
        self.pastes.see(line.get(..cursor).unwrap_or(line));
        let known = match UserInput::of(line) {
            UserInput::Command { name, .. } if self.commands.find(name).is_some() => {
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
