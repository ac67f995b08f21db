//! The copies and the journals of loops that run at once. They outlive a run that is cut off, so that its loops continue
//! where they were.

use std::path::PathBuf;

use loop_core::{Bounded, BoxError, Iteration, JudgedStep, Loop};
use loop_snapshots::FolderCopy;
use loop_telemetry::{FileJournal, jiff::Timestamp};

use super::output::AgentOutput;
use crate::context::{ExecutionContext, discard, discard_lanes, journals_place};

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
        let open = |number: usize| -> Result<Option<LanePlace>, BoxError> {
            if !self.list(number).exists() {
                return Ok(None);
            }
            let copy = FolderCopy::open(&self.folder, &self.copy(number), &self.list(number))?;
            Ok(Some(LanePlace { copy, journal: journal(number, true)?, is_resumed: true }))
        };
        let opened: Result<Vec<Option<LanePlace>>, BoxError> = self.numbers().map(open).collect();
        let (mut left, lost) = match opened {
            Ok(left) => (left, None),
            Err(why) => (self.numbers().map(|_| None).collect(), Some(why)),
        };
        let is_new = left.iter().all(Option::is_none);
        if is_new {
            discard_lanes(&self.copies)?;
        }
        let mut create = |number: usize| -> Result<LanePlace, BoxError> {
            if let Some(place) = left[number - 1].take() {
                return Ok(place);
            }
            // Without its list, a copy is not whole.
            discard(&self.copy(number))?;
            discard(&self.journal(number))?;
            let copy = FolderCopy::create(&self.folder, &self.copy(number))?;
            Ok(LanePlace { copy, journal: journal(number, false)?, is_resumed: false })
        };
        let made = self.numbers().map(&mut create).collect::<Result<Vec<_>, BoxError>>().and_then(|places| {
            for (number, place) in self.numbers().zip(&places).filter(|(_, place)| !place.is_resumed) {
                place.copy.store(&self.list(number))?;
            }
            Ok(places)
        });
        if made.is_err() && is_new {
            // The first error is the one to report.
            let _ = discard_lanes(&self.copies);
        }
        Ok((made?, lost))
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
