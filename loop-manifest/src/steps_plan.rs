//! The checks of agents that do one step in each iteration.

use std::{fmt, path::PathBuf};

use loop_agents::pipeline::ConfidenceGate;

/// A plan whose steps the agent performs, one in each iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanCheck {
    /// The file of the plan, from the folder of the run.
    pub file: PathBuf,
    /// How often a step is repaired; `None` for the number of the settings.
    pub repairs: Option<u64>,
    /// Whether the steps after a blocked one are performed.
    pub keep_going: bool,
    /// Whether the run ends after one step.
    pub one_step: bool,
}

/// Files with prompts that the agent answers, one in each iteration. Each also gets the reply to the file before.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineCheck {
    /// The files, from the folder of the run.
    pub files: Vec<String>,
    /// The confidence that each reply needs.
    pub gate: ConfidenceGate,
}

/// The files and the gate, in two lines.
impl fmt::Display for PipelineCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "one file in each iteration: {}", self.files.join(", "))?;
        write!(f, "each reply needs {}", self.gate)
    }
}
