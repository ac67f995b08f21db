//! The output of an agent in an iteration, for every kind of agent.

use crate::compose::LanesOutput;
use loop_agents::{
    chat::TurnOutput,
    judge::OutputText,
    pipeline::PipelineOutput,
    plan::StepOutput,
    review::{ActionLog, TaskOutput},
    shell::ShellOutput,
};
use loop_telemetry::{rows::IterationOutput, words};

/// The output of any agent that a manifest or a task runs, as a journal stores it.
#[derive(Debug)]
pub enum StoredAgentOutput {
    /// A command.
    Shell(Box<ShellOutput>),
    /// A model.
    Turn(TurnOutput),
    /// Either kind, on a step of a plan.
    Step(StepOutput),
    /// Either kind, on a file of a pipeline.
    Reply(Box<PipelineOutput>),
    /// Several loops at once.
    Lanes(Box<LanesOutput>),
    /// Either kind, in a loop of a task.
    Task(Box<TaskOutput>),
}

impl StoredAgentOutput {
    /// Parses the stored form.
    ///
    /// # Errors
    /// The text is the output of no known kind of agent.
    pub fn of(json: &str) -> serde_json::Result<Self> {
        let shell = || serde_json::from_str(json).map(|output| Self::Shell(Box::new(output)));
        let task_output = || serde_json::from_str(json).map(|output| Self::Task(Box::new(output)));
        let lanes = || serde_json::from_str(json).map(|output| Self::Lanes(Box::new(output)));
        // The earlier errors concern kinds that did not match.
        let turn = || serde_json::from_str(json).map(Self::Turn);
        let step = || serde_json::from_str(json).map(Self::Step);
        let reply = || serde_json::from_str(json).map(|output| Self::Reply(Box::new(output)));
        let steps = || step().or_else(|_| reply());
        shell().or_else(|_| steps()).or_else(|_| lanes()).or_else(|_| task_output()).or_else(|_| turn())
    }
}

impl StoredAgentOutput {
    /// Returns the text that the agent ended with; `None` for a command alone, whose output is bytes.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Shell(_) => None,
            Self::Turn(turn) => Some(&turn.text),
            Self::Step(step) => Some(&step.words),
            Self::Reply(reply) => Some(&reply.words),
            Self::Lanes(output) => Some(output.winner().map_or("", |lane| &lane.words)),
            Self::Task(task_output) => Some(&task_output.words),
        }
    }
}

impl IterationOutput for StoredAgentOutput {
    fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Shell(output) => Some(output.exit.shell_code()),
            Self::Turn(_) | Self::Step(_) | Self::Reply(_) | Self::Lanes(_) | Self::Task(_) => None,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Shell(output) => output.stdout.total().saturating_add(output.stderr.total()),
            other => other.words().map_or(0, |words| words.len() as u64),
        }
    }

    fn excerpt(&self, max_bytes: usize) -> String {
        match self {
            Self::Shell(output) => output.excerpt(max_bytes),
            Self::Turn(turn) => turn.excerpt(max_bytes),
            Self::Step(step) => step.excerpt(max_bytes),
            Self::Reply(reply) => reply.excerpt(max_bytes),
            Self::Lanes(output) => output.to_string().excerpt(max_bytes),
            Self::Task(task_output) => task_output.words.excerpt(max_bytes),
        }
    }

    fn errors(&self, max_bytes: usize) -> String {
        match self {
            Self::Shell(output) => output.stderr.excerpt(max_bytes),
            Self::Turn(_) | Self::Step(_) | Self::Reply(_) | Self::Lanes(_) | Self::Task(_) => String::new(),
        }
    }

    fn ending(&self) -> String {
        match self {
            Self::Shell(output) => output.exit.to_string(),
            Self::Step(step) => match step.step {
                0 => "no step was open".to_owned(),
                number => format!("step {number}: {}", step.title),
            },
            Self::Reply(reply) => reply.to_string(),
            Self::Lanes(output) => match output.winner {
                Some(number) => format!("loop {number} of {} won", output.lanes.len()),
                None => format!("none of {} won", words::count(output.lanes.len() as u64, "loop")),
            },
            Self::Task(task_output) => describe_actions(&task_output.actions),
            Self::Turn(TurnOutput { rounds, calls, .. }) => match calls.len() as u64 {
                0 => words::count(*rounds, "round"),
                made => format!("{}, {}", words::count(*rounds, "round"), words::count(made, "tool call")),
            },
        }
    }
}

/// Describes the actions of an agent in numbers: `2 files written, 1 command run`.
pub fn describe_actions(account: &ActionLog) -> String {
    let failed = account.commands.items().iter().filter(|ran| ran.exit_code != Some(0)).count();
    let counts = [
        (account.written.items().len(), "file", " written"),
        (account.edited.items().len(), "file", " edited"),
        (account.removed.items().len(), "file", " removed"),
        (account.commands.items().len(), "command", " run"),
        (failed, "command", " not successful"),
        (account.errors.items().len(), "error", ""),
        (account.rejected.items().len(), "call", " refused"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let told: Vec<_> =
        counts.map(|(count, thing, how)| format!("{}{how}", words::count(count as u64, thing))).collect();
    if told.is_empty() { "no visible actions".to_owned() } else { told.join(", ") }
}
