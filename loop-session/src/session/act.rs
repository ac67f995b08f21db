//! From a line to what is done.

use loop_core::CancellationToken;

use super::state::Session;
use crate::{Input, InputError, Repeated};

impl Session {
    /// Carries out a line that a person typed, or that is due.
    ///
    /// # Errors
    /// The reason why it was not carried out, or [`InputError::Interrupted`] if `stop` ended it.
    ///
    /// # Cancel safety
    /// Dropping this ends the turn, the command or the loop. A turn that is dropped leaves the conversation as it was.
    /// Cancelling `stop` and waiting is better: then the transcript says how the line ended.
    pub async fn act(&mut self, line: &str, stop: CancellationToken) -> Result<(), InputError> {
        self.begin(line, stop);
        self.perform(line).await
    }

    /// Carries out a line within the current one.
    pub(crate) async fn perform(&mut self, line: &str) -> Result<(), InputError> {
        match Input::of(line) {
            Input::Nothing => Ok(()),
            Input::Command { name, arguments } => {
                let command = self.commands().meant(name, arguments)?;
                command.run(arguments, self).await
            }
            Input::Shell(line) => self.shell(line).await,
            Input::Mention { model, prompt } => self.mention(model, prompt).await,
            Input::Prompt(prompt) => self.turn(prompt).await,
        }
    }

    /// Checks that a line can be carried out at all, for a front end or a command that repeats it.
    ///
    /// # Errors
    /// There is no model, no such command, or nothing to do.
    pub fn accepts(&self, line: &str) -> Result<(), InputError> {
        match Input::of(line) {
            Input::Nothing => Err(InputError::refused(format!("`{}` alone does nothing", line.trim()))),
            Input::Command { name, arguments } => self.commands().meant(name, arguments).map(drop),
            Input::Prompt(_) if self.dialogue.model.is_none() => Err(InputError::NoModel),
            _ => Ok(()),
        }
    }

    /// Returns what comes of repeating a line.
    pub(crate) fn repeated(&self, line: &str) -> Repeated {
        self.commands().repeated(line)
    }
}
