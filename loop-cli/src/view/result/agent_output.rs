//! The output of an agent in an iteration, for every kind of agent.

use loop_agents::{chat::TurnOutput, judge::OutputText, review::TaskOutput, shell::ShellOutput};
use loop_core::with_causes;
use loop_telemetry::rows::IterationOutput;

use crate::view::text;

/// The output of an agent.
#[derive(Debug)]
pub(crate) enum StoredAgentOutput {
    /// A command.
    Shell(Box<ShellOutput>),
    /// A model.
    Turn(TurnOutput),
    /// Either kind, in a loop of a task.
    Task(Box<TaskOutput>),
}

impl StoredAgentOutput {
    /// Parses the stored form.
    ///
    /// # Errors
    /// Returns the output of an unknown kind of agent, in words.
    pub(crate) fn of(json: &str) -> Result<Self, String> {
        let shell = || serde_json::from_str(json).map(|output| Self::Shell(Box::new(output)));
        let task_output = || serde_json::from_str(json).map(|output| Self::Task(Box::new(output)));
        // The earlier errors concern kinds that did not match.
        let turn = || serde_json::from_str(json).map(Self::Turn).map_err(|error| with_causes(&error));
        shell().or_else(|_| task_output()).or_else(|_| turn())
    }
}

impl IterationOutput for StoredAgentOutput {
    fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Shell(output) => Some(output.exit.shell_code()),
            Self::Turn(_) | Self::Task(_) => None,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Shell(output) => output.stdout.total().saturating_add(output.stderr.total()),
            Self::Turn(turn) => turn.text.len() as u64,
            Self::Task(task_output) => task_output.words.len() as u64,
        }
    }

    fn excerpt(&self, max_bytes: usize) -> String {
        match self {
            Self::Shell(output) => output.excerpt(max_bytes),
            Self::Turn(turn) => turn.excerpt(max_bytes),
            Self::Task(task_output) => task_output.words.excerpt(max_bytes),
        }
    }

    fn errors(&self, max_bytes: usize) -> String {
        match self {
            Self::Shell(output) => output.stderr.excerpt(max_bytes),
            Self::Turn(_) | Self::Task(_) => String::new(),
        }
    }

    fn ending(&self) -> String {
        match self {
            Self::Shell(output) => output.exit.to_string(),
            Self::Task(task_output) => crate::task::describe_actions(&task_output.actions),
            Self::Turn(TurnOutput { rounds, calls, .. }) => match calls.len() as u64 {
                0 => text::count(*rounds, "round"),
                made => format!("{}, {}", text::count(*rounds, "round"), text::count(made, "tool call")),
            },
        }
    }
}
