//! The output of an iteration that a manifest describes.

use super::lanes_output::LanesOutput;
use loop_agents::{
    chat::TurnOutput, judge::OutputText, pipeline::PipelineOutput, plan::StepOutput,
    review::ReviewableOutput, shell::ShellOutput,
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
    /// The reply to a file of a pipeline.
    Reply(Box<PipelineOutput>),
    /// The results of several loops at once.
    Lanes(Box<LanesOutput>),
    /// No output: the check judges the folder before the first iteration. A journal never stores this.
    None,
}

impl AgentOutput {
    /// The output, if it is a command's.
    pub(crate) fn of_command(&self) -> Option<ShellOutput> {
        match self {
            Self::Command(output) => Some(output.clone()),
            _ => None,
        }
    }

    /// The output, if it is a model's.
    pub(crate) fn of_model(&self) -> Option<TurnOutput> {
        match self {
            Self::Model(output) => Some(output.clone()),
            _ => None,
        }
    }

    /// The output, if it is the work on a step.
    pub(crate) fn of_step(&self) -> Option<StepOutput> {
        match self {
            Self::Step(output) => Some(output.clone()),
            _ => None,
        }
    }

    /// The output, if it is the reply to a file.
    pub(crate) fn of_reply(&self) -> Option<PipelineOutput> {
        match self {
            Self::Reply(output) => Some((**output).clone()),
            _ => None,
        }
    }

    fn words(&self) -> &dyn OutputText {
        const NOTHING: &String = &String::new();
        match self {
            Self::Command(output) => output,
            Self::Model(output) => output,
            Self::Step(output) => output,
            Self::Reply(output) => &**output,
            Self::Lanes(output) => &**output,
            Self::None => NOTHING,
        }
    }
}

impl<'de> Deserialize<'de> for AgentOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        // Each kind but a model's has a key of its own.
        let has = |key| value.get(key).is_some();
        let output = match (has("exit"), has("step"), has("lanes"), has("file")) {
            (true, ..) => ShellOutput::deserialize(value).map(Self::Command),
            (_, true, ..) => StepOutput::deserialize(value).map(Self::Step),
            (_, _, true, _) => LanesOutput::deserialize(value).map(|output| Self::Lanes(Box::new(output))),
            (.., true) => PipelineOutput::deserialize(value).map(|output| Self::Reply(Box::new(output))),
            _ => TurnOutput::deserialize(value).map(Self::Model),
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
