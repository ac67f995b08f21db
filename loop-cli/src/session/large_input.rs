//! A prompt that fills much of the model's window is sent only after a question.

use loop_session::{Session, UserInput};

use super::editor::SHOWN_LINES;
use crate::view::{BOLD, paint, text};

/// The approximate number of bytes of a token.
const TOKEN_BYTES: u64 = 4;

/// A prompt that waits for the person's answer.
#[derive(Debug, Default)]
pub(super) struct LargeInput(Option<String>);

impl LargeInput {
    /// Takes a typed line. Returns the line to carry out; `None` if a question is open now, or was answered with no.
    pub(super) fn checked(&mut self, line: String, session: &Session) -> Option<String> {
        if let Some(held) = self.0.take() {
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Some(held),
                "" | "n" | "no" => {
                    session.say("not sent; Up brings it back");
                    return None;
                }
                _ => {}
            }
        }
        let tokens = line.len() as u64 / TOKEN_BYTES;
        let Some(window) = session.context_window().filter(|window| tokens > window / 2) else {
            return Some(line);
        };
        let is_prompt = matches!(UserInput::of(&line), UserInput::Prompt(_) | UserInput::Mention { .. });
        // Nobody is asked about a short prompt, which the person has seen whole.
        if !is_prompt || line.lines().count() <= SHOWN_LINES {
            return Some(line);
        }
        // It cannot fit, so the turn refuses it. A question would be pointless.
        if tokens + session.instruction_tokens() > window {
            return Some(line);
        }
        session.say(&paint(
            BOLD,
            format_args!(
                "This is about {} tokens, more than half of the window of {}.",
                text::grouped(tokens),
                text::grouped(window)
            ),
        ));
        session.say("Send it? [y]es · [n]o · or type another prompt");
        self.0 = Some(line);
        None
    }
}
