//! Memories that the model proposes after a long session.

use std::time::Duration;

use loop_core::{CancellationToken, with_causes};
use loop_telemetry::words::style::{DIM, paint};
use tokio::time::timeout;

use super::state::Session;
use crate::{InputError, command::mine_records, knowledge::MiningChoice};

/// The least turns of a session that is mined by itself.
const LEAST_TURNS: u64 = 10;

/// The longest time that mining may take after the session.
const MOST_TIME: Duration = Duration::from_secs(60);

impl Session {
    /// Lets the model propose memories from this session, after its [end](Self::end). Only a recorded session with a
    /// model and at least ten turns is mined, unless `[memory] enabled` or `mine_at_end` is off. `stop` skips it, and it
    /// takes at most a minute. The proposals count once a person accepts them. Failures are warnings. The first session
    /// of a folder also offers a profile.
    pub async fn propose_memories(&mut self, stop: &CancellationToken) {
        if self.dialogue.turns == 0 || !self.has_model() || !self.is_recording() {
            return;
        }
        let known = match self.knowledge() {
            Ok(known) => known,
            Err(error) => return self.warn(&with_causes(&error)),
        };
        if !known.rules().is_enabled {
            return;
        }
        // If the folder cannot be made, the next session offers it.
        if known.folder().begin().unwrap_or_default() {
            self.say(&paint(DIM, "`loop memory profile` shows how to tell models about this folder"));
        }
        if self.dialogue.turns < LEAST_TURNS || !known.rules().mines_at_end {
            return;
        }
        let why = "looking for lessons in this session · Ctrl+C skips this, `[memory] mine_at_end = false` turns it off";
        self.say(&paint(DIM, why));
        let choice = MiningChoice::Session(self.log.id().to_owned());
        match timeout(MOST_TIME, mine_records(self, &choice, stop)).await {
            Ok(Ok(true)) => self.say("they count once you accept them: `loop memory mine` asks about each"),
            Ok(Ok(false)) => {}
            Ok(Err(InputError::Interrupted)) => self.say(&paint(DIM, "skipped")),
            Ok(Err(error)) => self.warn(&with_causes(&error)),
            Err(_) => self.say(&paint(DIM, "skipped, because the model took longer than a minute")),
        }
    }
}
