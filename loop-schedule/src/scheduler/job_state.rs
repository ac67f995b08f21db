//! The persistent state of a job, for use after a restart.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Fire, Slots};

/// The persistent state of a job. Together with the job, it is all that a scheduler needs after a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobState {
    /// Slots up to here are settled, and never fire again.
    pub cursor: Timestamp,
    /// The number of claimed fires.
    #[serde(default)]
    pub fires: u64,
    /// Whether its last fire is claimed.
    #[serde(default)]
    pub is_over: bool,
    /// Whether a person requested a fire now.
    #[serde(default)]
    pub is_wanted: bool,
    /// Its latest fire.
    #[serde(default)]
    pub last_fire: Option<FireRecord>,
    /// Keys of later versions. They stay unchanged.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl JobState {
    /// Creates the state of a new job. It never fires before its creation.
    pub fn new(created_at: Timestamp) -> Self {
        Self {
            cursor: created_at,
            fires: 0,
            is_over: false,
            is_wanted: false,
            last_fire: None,
            more: Map::new(),
        }
    }

    /// Claims a fire, if it is the next one and none of its slots is settled yet. Returns whether it succeeded;
    /// otherwise nothing may be delivered.
    pub fn claim(&mut self, fire: &Fire, now: Timestamp) -> bool {
        let is_open = fire.slots.is_none_or(|slots| slots.first > self.cursor);
        if self.is_over || fire.number != self.fires + 1 || !is_open {
            return false;
        }
        self.fires = fire.number;
        self.cursor = self.cursor.max(fire.cursor);
        self.is_over = fire.is_last;
        self.is_wanted = false;
        self.last_fire = Some(FireRecord {
            number: fire.number,
            slots: fire.slots,
            claimed_at: now,
            started_at: None,
            finished_at: None,
            lost_at: None,
        });
        true
    }
}

/// The history of a fire. Each time is recorded when it is reached: if a fire was claimed but not started, it did not
/// run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FireRecord {
    /// Its number, from 1.
    pub number: u64,
    /// Its slots; `None` if a person requested it.
    pub slots: Option<Slots>,
    /// When it was claimed, so that no other process takes it.
    pub claimed_at: Timestamp,
    /// When its prompt was delivered.
    pub started_at: Option<Timestamp>,
    /// When its run was over.
    pub finished_at: Option<Timestamp>,
    /// When a runner found that no process works on it any more, though it has not finished.
    #[serde(default)]
    pub lost_at: Option<Timestamp>,
}

/// The progress of a fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FireStage {
    /// It is claimed, but not delivered yet.
    Claimed,
    /// It was delivered, but has not finished yet.
    Started,
    /// It ended.
    Finished,
    /// Nothing was delivered, and nothing will be.
    Lost,
    /// It was delivered, and the process that worked on it is gone.
    Interrupted,
}

impl FireRecord {
    /// Returns the progress of the fire.
    pub fn stage(&self) -> FireStage {
        match (self.started_at, self.finished_at, self.lost_at) {
            (_, Some(_), _) => FireStage::Finished,
            (Some(_), None, None) => FireStage::Started,
            (None, None, None) => FireStage::Claimed,
            (Some(_), None, Some(_)) => FireStage::Interrupted,
            (None, None, Some(_)) => FireStage::Lost,
        }
    }
}
