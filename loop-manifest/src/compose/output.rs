//! The output of an iteration that a manifest describes.

use loop_agents::{
    chat::TurnOutput, judge::OutputText, plan::StepOutput, review::ReviewableOutput, shell::ShellOutput,
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

/// The output of a plan's agent. A journal stores the output itself, without its kind.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AgentOutput {
    /// The output of a command.
    Command(ShellOutput),
    /// The output of a model.
    Model(TurnOutput),
    /// The work on a step of a plan.
    Step(StepOutput),
    /// No output: the check judges the folder before the first iteration. A journal never stores this.
    None,
}

impl AgentOutput {
    /// The output, if it is a command's.
    pub(crate) fn of_command(&self) -> Option<ShellOutput> {
        match self {
            Self::Command(output) => Some(output.clone()),
            Self::Model(_) | Self::Step(_) | Self::None => None,
        }
    }

    /// The output, if it is a model's.
    pub(crate) fn of_model(&self) -> Option<TurnOutput> {
        match self {
            Self::Command(_) | Self::Step(_) | Self::None => None,
            Self::Model(output) => Some(output.clone()),
        }
    }

    /// The output, if it is the work on a step.
    pub(crate) fn of_step(&self) -> Option<StepOutput> {
        match self {
            Self::Command(_) | Self::Model(_) | Self::None => None,
            Self::Step(output) => Some(output.clone()),
        }
    }

    fn words(&self) -> &dyn OutputText {
        const NOTHING: &String = &String::new();
        match self {
            Self::Command(output) => output,
            Self::Model(output) => output,
            Self::Step(output) => output,
            Self::None => NOTHING,
        }
    }
}

impl<'de> Deserialize<'de> for AgentOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // Only the output of a command has an exit, and only that of a step the number of a step.
        let output = match (value.get("exit"), value.get("step")) {
            (Some(_), _) => ShellOutput::deserialize(value).map(Self::Command),
            (None, Some(_)) => StepOutput::deserialize(value).map(Self::Step),
            (None, None) => TurnOutput::deserialize(value).map(Self::Model),
        };
        output.map_err(D::Error::custom)
    }
}

impl OutputText for AgentOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.words().excerpt(max_bytes)
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.words().last_words(max_bytes)
    }

    fn failure(&self) -> Option<String> {
        self.words().failure()
    }
}

impl ReviewableOutput for AgentOutput {}
