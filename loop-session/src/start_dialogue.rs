//! The choice of a model before a session begins, if nobody named one.

use loop_agents::servers::LocalServer;
use loop_core::with_causes;
use loop_manifest::{
    ExecutionContext,
    model::{Candidates, ConversationOptions, Model, ModelChoiceError, StoppedOllama},
    settings::Settings,
};

use crate::{SessionHost, StartModel};

/// Chooses the model of a session, and asks the person where there is a choice. A front end shows each
/// [question](Self::question) and passes on the [answer](Self::answer).
///
/// - Several models: a numbered menu, with the model last used in the folder as the default.
/// - No server answers, and an Ollama is installed: the offer to start it for the session.
#[derive(Debug)]
pub struct StartDialogue {
    settings: Settings,
    execution: ExecutionContext,
    server: Option<LocalServer>,
    step: Step,
}

#[derive(Debug)]
enum Step {
    Menu { candidates: Candidates, usual: usize, wrong: Option<String> },
    Offer(StoppedOllama),
    Chosen(StartModel),
}

/// The result of the dialogue.
#[derive(Debug)]
pub struct SessionStart {
    /// The model.
    pub model: StartModel,
    /// The context of the session, in which `OLLAMA_HOST` names the server that was started.
    pub execution: ExecutionContext,
    /// The server that was started. It has to end with the session.
    pub server: Option<LocalServer>,
}

impl StartDialogue {
    /// Looks for the models, if neither `conversation` nor the settings name one. Blocks for up to four seconds.
    ///
    /// # Errors
    /// The address of a server is invalid, or the asynchronous runtime cannot be started.
    pub fn begin(
        conversation: &ConversationOptions,
        settings: Settings,
        execution: ExecutionContext,
    ) -> Result<Self, ModelChoiceError> {
        let step = if conversation.model.is_some() {
            Step::Chosen(StartModel::Choose)
        } else {
            match Model::configured(&settings, execution.variables()) {
                Ok(Some(model)) => Step::Chosen(StartModel::Chosen(Box::new(model))),
                Err(why) => Step::Chosen(StartModel::Declined(why)),
                Ok(None) => Step::among_servers(&settings, &execution, true)?,
            }
        };
        Ok(Self { settings, execution, server: None, step })
    }

    /// Returns the question for the person, or `None` once the choice is made.
    pub fn question(&self, host: &SessionHost) -> Option<String> {
        match &self.step {
            Step::Chosen(_) => None,
            Step::Offer(_) => Some(
                "No model is configured and no model server answers, but Ollama is installed.\n\
                 Start it for this session? [Y/n]"
                    .to_owned(),
            ),
            Step::Menu { usual, wrong: Some(wrong), .. } => Some(format!("{wrong}\n{}", which(*usual))),
            Step::Menu { candidates, usual, wrong: None } => {
                let mut menu = "Several models are available:\n".to_owned();
                for (index, name) in candidates.names().iter().enumerate() {
                    let note = if index == *usual { "  (default)" } else { "" };
                    menu.push_str(&format!("  {}  {}{note}\n", index + 1, host.one_line(name)));
                }
                Some(format!("{menu}  0  none\n{}", which(*usual)))
            }
        }
    }

    /// Takes the person's answer, which is `None` at the end of the input. If the person wants the Ollama, this waits
    /// for up to two minutes until it answers.
    ///
    /// # Errors
    /// As for [`begin`](Self::begin).
    ///
    /// # Cancel safety
    /// Dropping the future ends a server that is starting.
    pub async fn answer(&mut self, line: Option<&str>, host: &SessionHost) -> Result<(), ModelChoiceError> {
        let line = line.map(str::trim);
        let next = match &mut self.step {
            Step::Chosen(_) => return Ok(()),
            Step::Menu { candidates, usual, wrong } => {
                let count = candidates.names().len();
                let chosen = match line {
                    None => None,
                    Some("") => Some(*usual),
                    Some(written) => match written.parse::<usize>() {
                        Ok(number) if number <= count => number.checked_sub(1),
                        _ => {
                            let written = host.one_line(written);
                            *wrong = Some(format!("`{written}` is not a number from 0 to {count}"));
                            return Ok(());
                        }
                    },
                };
                match chosen {
                    // Its name alone could mean a model of another server.
                    Some(index) => candidates
                        .model(index, self.execution.variables())
                        .map(|model| StartModel::Chosen(Box::new(model)))?,
                    None => declined("you chose none".to_owned()),
                }
            }
            Step::Offer(ollama) => match line.map(str::to_lowercase).as_deref() {
                Some("" | "y" | "yes") => {
                    host.say("starting Ollama …");
                    match ollama.start(&self.execution).await {
                        Ok((server, execution)) => {
                            (self.server, self.execution) = (Some(server), execution);
                            let (settings, execution) = (self.settings.clone(), self.execution.clone());
                            let ask = move || Step::among_servers(&settings, &execution, false);
                            let asked = tokio::task::spawn_blocking(ask).await;
                            self.step = asked.map_err(|error| ModelChoiceError::Runtime(error.into()))??;
                            return Ok(());
                        }
                        Err(error) => declined(format!("Ollama did not start: {}", with_causes(&error))),
                    }
                }
                _ => declined("Ollama does not run".to_owned()),
            },
        };
        self.step = Step::Chosen(next);
        Ok(())
    }

    /// Returns the choice. If a question was still open, the session chooses the model.
    pub fn finish(self) -> SessionStart {
        let model = match self.step {
            Step::Chosen(model) => model,
            _ => StartModel::Choose,
        };
        SessionStart { model, execution: self.execution, server: self.server }
    }
}

impl Step {
    /// Looks for models on the servers.
    fn among_servers(
        settings: &Settings,
        execution: &ExecutionContext,
        may_offer: bool,
    ) -> Result<Self, ModelChoiceError> {
        let candidates = Candidates::ask(settings, execution.variables())?;
        let count = candidates.names().len();
        if count > 1 {
            let usual = candidates.last_used(settings, execution.variables()).unwrap_or(0);
            return Ok(Self::Menu { candidates, usual, wrong: None });
        }
        if count == 0
            && may_offer
            && let Some(ollama) = StoppedOllama::find(execution)?
        {
            return Ok(Self::Offer(ollama));
        }
        Ok(Self::Chosen(match candidates.unattended(settings, execution.variables()) {
            Ok(model) => StartModel::Chosen(Box::new(model)),
            Err(why) => StartModel::Declined(why),
        }))
    }
}

fn which(usual: usize) -> String {
    format!("Which one answers? [{}]", usual + 1)
}

fn declined(why: String) -> StartModel {
    StartModel::Declined(ModelChoiceError::NoneNamed { why })
}
