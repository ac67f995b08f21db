//! Carries out lines.

use loop_core::CancellationToken;
use loop_guardrails::policy::Verb;

use super::state::Session;
use crate::{InputError, RepeatEffect, UserInput};

impl Session {
    /// Carries out a line that a person typed or a job delivered.
    ///
    /// # Errors
    /// Returns the reason why the line failed, or [`InputError::Interrupted`] if `stop` ended it.
    ///
    /// # Cancel safety
    /// Dropping the future ends the turn, the command or the loop. A dropped turn leaves the conversation unchanged.
    /// Prefer to cancel `stop` and wait: then the transcript records how the line ended.
    pub async fn run_line(&mut self, line: &str, stop: CancellationToken) -> Result<(), InputError> {
        self.begin(line, stop);
        let done = self.run_nested_line(line).await;
        self.adopt_grants();
        done
    }

    /// Carries out one line of a session that does not [start](Self::start): nobody is greeted.
    ///
    /// # Errors
    /// As for [`run_line`](Self::run_line).
    ///
    /// # Cancel safety
    /// As [`run_line`](Self::run_line).
    pub async fn run_only_line(&mut self, line: &str, stop: CancellationToken) -> Result<(), InputError> {
        self.rebuild_system_prompt().await;
        self.run_line(line, stop).await
    }

    /// Sends a prompt to the model, also if it begins like a command.
    ///
    /// # Errors
    /// As for [`run_line`](Self::run_line).
    ///
    /// # Cancel safety
    /// As [`run_line`](Self::run_line).
    pub async fn send_prompt(&mut self, prompt: &str, stop: CancellationToken) -> Result<(), InputError> {
        self.begin(prompt, stop);
        self.capture_before_turn(prompt).await;
        self.turn(prompt).await
    }

    /// Ends the watchdog of commands, as [`Supervisor::rest`](loop_agents::process::Supervisor::rest) does. Call it
    /// before you wait for a line.
    ///
    /// # Cancel safety
    /// Once polled, it takes place even if you drop the future.
    pub async fn rest(&self) {
        self.context.execution.supervisor().rest().await;
    }

    /// Carries out a line within the current one.
    pub(crate) async fn run_nested_line(&mut self, line: &str) -> Result<(), InputError> {
        let input = UserInput::of(line);
        if self.changes_files(&input) {
            self.capture_before_turn(line).await;
        }
        match input {
            UserInput::Nothing => Ok(()),
            UserInput::Command { name, arguments } if self.is_compiled_skill(name) => {
                let run = format!("/skill run {name} {arguments}");
                Box::pin(self.run_nested_line(run.trim_end())).await
            }
            UserInput::Command { name, arguments } => {
                let command = self.commands().resolve(name, arguments)?;
                if self.tools.approvals.is_in_run() && command.repeat_effect(arguments) == RepeatEffect::Rules
                {
                    return Err(InputError::refused(
                        "a run started this session, and only a person may change the rules".to_owned(),
                    ));
                }
                command.run(arguments, self).await
            }
            UserInput::Shell(line) => self.shell(line).await,
            UserInput::Mention { model, .. } if self.is_file(model) => self.turn(line.trim()).await,
            UserInput::Mention { model, prompt } => self.mention(model, prompt).await,
            UserInput::Prompt(prompt) => self.prompt(prompt).await,
        }
    }

    /// Returns whether this is the name of a skill with a script, and of no command.
    fn is_compiled_skill(&self, name: &str) -> bool {
        let skill = || self.skills().find(name).and_then(|skill| skill.script().ok().flatten());
        self.commands().find(name).is_none() && skill().is_some()
    }

    /// Returns whether the word after an `@` names a file or a folder and no model of the settings.
    fn is_file(&self, name: &str) -> bool {
        name.contains(['/', '.'])
            && !self.named_models().iter().any(|model| model == name)
            && self.tools.workspace.check(name, Verb::Read).is_ok()
            && self.context.execution.folder().join(name).exists()
    }

    /// Returns whether a line may change files of the folder.
    fn changes_files(&self, input: &UserInput<'_>) -> bool {
        match input {
            UserInput::Nothing => false,
            UserInput::Shell(_) | UserInput::Mention { .. } => true,
            UserInput::Prompt(_) => self.dialogue.model.is_some(),
            UserInput::Command { name, .. } => {
                self.commands().find(name).is_some_and(|command| command.changes_files())
            }
        }
    }

    /// Checks that the session could carry out a line. Front ends and repeating commands call this first.
    ///
    /// # Errors
    /// There is no model, the command does not exist, or the line is empty.
    pub fn accepts(&self, line: &str) -> Result<(), InputError> {
        match UserInput::of(line) {
            UserInput::Nothing => Err(InputError::refused(format!("`{}` alone does nothing", line.trim()))),
            UserInput::Command { name, .. } if self.is_compiled_skill(name) => Ok(()),
            UserInput::Command { name, arguments } => self.commands().resolve(name, arguments).map(drop),
            UserInput::Prompt(_) if self.dialogue.model.is_none() => Err(InputError::NoModel),
            _ => Ok(()),
        }
    }

    /// Returns the effect of repeating a line.
    pub(crate) fn repeat_effect(&self, line: &str) -> RepeatEffect {
        self.commands().repeat_effect(line)
    }
}
