//! Where a job stands: what has to be known of it after a restart.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Fire, Slots};

/// Where a job stands. With its job it is all that a scheduler has to know after a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Slots up to here are settled, and never fire again.
    pub cursor: Timestamp,
    /// How often it was claimed to fire.
    #[serde(default)]
    pub fires: u64,
    /// Whether its last fire is claimed.
    #[serde(default)]
    pub is_over: bool,
    /// Whether somebody wants it to fire now.
    #[serde(default)]
    pub is_wanted: bool,
    /// Its latest fire.
    #[serde(default)]
    pub last_fire: Option<FireRecord>,
    /// What a later version wrote. It is kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Standing {
    /// That of a new job: nothing before its creation fires.
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

    /// Notes that a fire is claimed, if it is the next one and none of its slots is settled yet. Says whether
    /// it is so: otherwise nothing may be delivered.
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

/// What became of a fire. Each time is written when it has come: what was claimed and never started did
/// not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FireRecord {
    /// Its number, from 1.
    pub number: u64,
    /// The slots that it stands for; `None` if somebody asked for it.
    pub slots: Option<Slots>,
    /// When it was taken, so that nobody else takes it.
    pub claimed_at: Timestamp,
    /// When its prompt was delivered.
    pub started_at: Option<Timestamp>,
    /// When its run was over.
    pub finished_at: Option<Timestamp>,
    /// When it was found that nobody works on it any more, though it had no end.
    #[serde(default)]
    pub lost_at: Option<Timestamp>,
}

/// How far a fire came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It was claimed, and nothing is delivered yet.
    Claimed,
    /// It was delivered, and has no end yet.
    Started,
    /// It ended.
    Finished,
    /// Nothing was delivered, and nothing will be.
    Lost,
    /// It was delivered, and whoever worked on it is gone.
    Interrupted,
}

impl FireRecord {
    /// How far it came.
    pub fn stage(&self) -> Stage {
        match (self.started_at, self.finished_at, self.lost_at) {
            (_, Some(_), _) => Stage::Finished,
            (Some(_), None, None) => Stage::Started,
            (None, None, None) => Stage::Claimed,
            (Some(_), None, Some(_)) => Stage::Interrupted,
            (None, None, Some(_)) => Stage::Lost,
        }
    }
}
