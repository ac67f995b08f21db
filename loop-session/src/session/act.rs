//! Carries out lines.

use loop_core::CancellationToken;

use super::state::Session;
use crate::{Input, InputError, Repeated};

impl Session {
    /// Carries out a line that a person typed or a job delivered.
    ///
    /// # Errors
    /// Returns the reason why the line failed, or [`InputError::Interrupted`] if `stop` ended it.
    ///
    /// # Cancel safety
    /// Dropping the future ends the turn, the command or the loop. A dropped turn leaves the conversation unchanged.
    /// Prefer to cancel `stop` and wait: then the transcript records how the line ended.
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

    /// Checks that the session could carry out a line. Front ends and repeating commands call this first.
    ///
    /// # Errors
    /// There is no model, the command does not exist, or the line is empty.
    pub fn accepts(&self, line: &str) -> Result<(), InputError> {
        match Input::of(line) {
            Input::Nothing => Err(InputError::refused(format!("`{}` alone does nothing", line.trim()))),
            Input::Command { name, arguments } => self.commands().meant(name, arguments).map(drop),
            Input::Prompt(_) if self.dialogue.model.is_none() => Err(InputError::NoModel),
            _ => Ok(()),
        }
    }

    /// Returns the effect of repeating a line.
    pub(crate) fn repeated(&self, line: &str) -> Repeated {
        self.commands().repeated(line)
    }
}
