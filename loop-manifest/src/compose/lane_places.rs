//! The copies and the journals of loops that run at once. They outlive a run that is cut off, so that its loops continue
//! where they were.

use std::path::PathBuf;

use loop_core::{Bounded, BoxError, Iteration, JudgedStep, Loop};
use loop_snapshots::FolderCopy;
use loop_telemetry::{FileJournal, jiff::Timestamp};

use super::output::AgentOutput;
use crate::context::{ExecutionContext, discard_lanes, journals_place};

/// The places of the loops of one run.
#[derive(Debug, Clone)]
pub(super) struct LanePlaces {
    /// The folder that is copied.
    pub(super) folder: PathBuf,
    /// The folder for the copies.
    pub(super) copies: PathBuf,
    pub(super) count: usize,
}

/// The copy in which a loop works, and what it has done there before.
pub(super) struct LanePlace {
    pub(super) copy: FolderCopy,
    journal: FileJournal<AgentOutput>,
    is_resumed: bool,
}

impl LanePlaces {
    /// Opens the places of loops that were cut off. Without any, it copies the folder once for each loop. Also returns why
    /// earlier loops cannot continue, if so.
    ///
    /// # Errors
    /// The folder cannot be copied, or a journal cannot be made.
    pub(super) fn open(&self, cx: &ExecutionContext) -> Result<(Vec<LanePlace>, Option<BoxError>), BoxError> {
        let secrets = cx.redactor();
        let journal = |number, is_resumed| {
            let cx = cx.clone();
            let clock = move || Timestamp::try_from(cx.now()).unwrap_or_default();
            let journal = match is_resumed {
                true => FileJournal::open(self.journal(number), clock),
                false => FileJournal::create(self.journal(number), clock),
            };
            journal.map(|journal| journal.redacting(secrets.clone()))
        };
        let mut lost = None;
        // The lists come last.
        if self.numbers().all(|number| self.list(number).exists()) {
            let open = |number| {
                let copy = FolderCopy::open(&self.folder, &self.copy(number), &self.list(number))?;
                Ok(LanePlace { copy, journal: journal(number, true)?, is_resumed: true })
            };
            match self.numbers().map(open).collect() {
                Ok(places) => return Ok((places, None)),
                Err(why) => lost = Some(why),
            }
        }
        discard_lanes(&self.copies)?;
        let create = |number| {
            let copy = FolderCopy::create(&self.folder, &self.copy(number))?;
            Ok(LanePlace { copy, journal: journal(number, false)?, is_resumed: false })
        };
        let made = self.numbers().map(create).collect::<Result<Vec<_>, BoxError>>().and_then(|places| {
            for (number, place) in self.numbers().zip(&places) {
                place.copy.store(&self.list(number))?;
            }
            Ok(places)
        });
        if made.is_err() {
            // The first error is the one to report.
            let _ = discard_lanes(&self.copies);
        }
        Ok((made?, lost))
    }

    /// Puts the copy of a winner, from 0, into the folder, and deletes the copies and the journals. Without a winner they
    /// stay: nothing else has the work, and a grant continues it.
    pub(super) fn finish(&self, copies: &[FolderCopy], winner: Option<usize>) -> Result<(), BoxError> {
        let Some(winner) = winner else { return Ok(()) };
        copies[winner].hand_back()?;
        Ok(discard_lanes(&self.copies)?)
    }

    fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        1..=self.count
    }

    fn copy(&self, number: usize) -> PathBuf {
        self.copies.join(number.to_string())
    }

    fn journal(&self, number: usize) -> PathBuf {
        journals_place(&self.copies).join(number.to_string())
    }

    fn list(&self, number: usize) -> PathBuf {
        self.journal(number).join("copied")
    }
}

impl LanePlace {
    /// Gives a loop its past, and returns the copy in which it works.
    pub(super) fn attach_to<I>(
        self,
        lane: Loop<I, JudgedStep<AgentOutput>, Bounded>,
    ) -> (FolderCopy, Loop<I, JudgedStep<AgentOutput>, Bounded>)
    where
        I: Iteration<Output = AgentOutput>,
    {
        let Self { copy, journal, is_resumed } = self;
        (copy, if is_resumed { lane.resume_from(journal) } else { lane.journal(journal) })
    }
}
