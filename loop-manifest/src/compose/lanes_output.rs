//! The results of several loops that ran at once.

use std::{fmt, path::PathBuf};

use loop_agents::judge::OutputText;
use loop_core::{RunCost, Usage};
use loop_telemetry::words;
use serde::{Deserialize, Serialize};

/// The results of several loops that ran at once, each in its own copy of the folder.
///
/// As text it is a table of the loops, for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LanesOutput {
    /// The loops in their order.
    pub lanes: Vec<LaneOutput>,
    /// The number, from 1, of the loop whose result the folder got.
    pub winner: Option<usize>,
    /// The folder with the copies of the loops, if no loop won.
    pub copies: Option<PathBuf>,
}

/// The result of one of the loops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LaneOutput {
    /// Whether it met the goal.
    pub is_success: bool,
    /// How it ended, in words.
    pub ending: String,
    /// The number of its iterations.
    pub iterations: u64,
    /// The score of its last step, if that has one.
    pub score: Option<f64>,
    /// Its usage.
    pub usage: Usage,
    /// The last words of its agent.
    pub words: String,
}

impl LanesOutput {
    /// Returns the loop whose result the folder got.
    pub fn winner(&self) -> Option<&LaneOutput> {
        self.lanes.get(self.winner?.checked_sub(1)?)
    }
}

impl fmt::Display for LanesOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, lane) in (1..).zip(&self.lanes) {
            let won = if self.winner == Some(number) { " (won)" } else { "" };
            writeln!(f, "loop {number}{won}: {lane}")?;
        }
        match &self.copies {
            Some(copies) => write!(f, "no loop won; their work is in {}", copies.display()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for LaneOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.is_success { "met the goal" } else { &self.ending };
        write!(f, "{ending} after {}", words::count(self.iterations, "iteration"))?;
        if let Some(score) = self.score {
            write!(f, ", score {score}")?;
        }
        match RunCost::reported(self.usage.cost) {
            RunCost::Unknown => Ok(()),
            cost => write!(f, ", {cost}"),
        }
    }
}

/// The words are those of the winner's agent.
impl OutputText for LanesOutput {
    fn excerpt(&self, max_bytes: usize) -> String {
        self.winner().map(|lane| lane.words.excerpt(max_bytes)).unwrap_or_default()
    }

    fn last_words(&self, max_bytes: usize) -> String {
        self.winner().map(|lane| lane.words.last_words(max_bytes)).unwrap_or_default()
    }
}
