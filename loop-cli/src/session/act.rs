//! From a line to what is done.

use loop_session::Input;

use super::{Session, command};

impl Session {
    /// Does what a line asks for, whether a person typed it or a loop repeats it.
    ///
    /// # Errors
    /// What went wrong, in words for the person; [`Interrupted`](super::Interrupted) if they ended it.
    pub(super) async fn act(&mut self, line: &str) -> anyhow::Result<()> {
        match Input::of(line) {
            Input::Nothing => Ok(()),
            Input::Command { name, arguments } => command::meant(name, arguments)?.run(arguments, self).await,
            Input::Shell(line) => self.shell(line).await,
            Input::Mention { model, prompt } => self.mention(model, prompt).await,
            Input::Prompt(prompt) => self.turn(prompt).await,
        }
    }
}
