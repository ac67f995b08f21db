//! Counts votes and decides their outcome.

use std::num::NonZeroU32;

use loop_core::Outcome;

/// The most votes that a judge can have: with more, a better judge is cheaper.
pub const MAX_VOTES: u32 = 25;

/// How many votes to take at most, and how many of them must be yes.
///
/// # Default
/// One vote, which must be yes.
///
/// ```
/// use loop_agents::judge::VotePolicy;
/// let votes = VotePolicy::of(2, 3)?;
/// assert_eq!((votes.needed(), votes.most()), (2, 3));
/// assert!(VotePolicy::of(4, 3).is_err());
/// # Ok::<(), loop_agents::judge::VotePolicyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VotePolicy {
    needed: NonZeroU32,
    most: u32,
}

/// An impossible number of votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{needed} of {most} votes cannot be required: ask for 1 to {MAX_VOTES} votes, and require at least one \
         and at most all of them"
)]
pub struct VotePolicyError {
    needed: u32,
    most: u32,
}

impl Default for VotePolicy {
    fn default() -> Self {
        Self { needed: NonZeroU32::MIN, most: 1 }
    }
}

impl VotePolicy {
    /// Requires `needed` yes votes out of `most`.
    ///
    /// # Errors
    /// Fails if `needed` is zero or more than `most`, or if `most` exceeds [`MAX_VOTES`].
    pub fn of(needed: u32, most: u32) -> Result<Self, VotePolicyError> {
        let error = VotePolicyError { needed, most };
        let at_least_one = NonZeroU32::new(needed).ok_or(error)?;
        if needed > most || most > MAX_VOTES {
            return Err(error);
        }
        Ok(Self { needed: at_least_one, most })
    }

    /// Requires yes votes from more than half of `most`.
    ///
    /// # Errors
    /// Fails if `most` is zero or exceeds [`MAX_VOTES`].
    pub fn majority_of(most: u32) -> Result<Self, VotePolicyError> {
        Self::of(most / 2 + 1, most)
    }

    /// Returns how many votes must be yes.
    pub const fn needed(self) -> u32 {
        self.needed.get()
    }

    /// Returns the most votes to take. The judge takes fewer if they already decide.
    pub const fn most(self) -> u32 {
        self.most
    }

    /// Returns how many votes may be no.
    const fn spare(self) -> u32 {
        self.most - self.needed.get()
    }
}

/// One vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    Yes,
    No,
    /// The vote gives no clear answer.
    Unclear,
}

/// The votes so far.
///
/// It passes with enough yes votes. It fails if clear answers in place of the unclear votes could not have made it
/// pass. Otherwise it is inconclusive. The result does not depend on the order of the votes: the count stops only when
/// no further vote could change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VoteTally {
    votes: VotePolicy,
    pub(super) yes: u32,
    pub(super) no: u32,
    pub(super) unclear: u32,
}

impl VoteTally {
    pub(super) fn of(votes: VotePolicy, cast: impl IntoIterator<Item = Vote>) -> Self {
        let empty = Self { votes, yes: 0, no: 0, unclear: 0 };
        cast.into_iter().fold(empty, Self::with)
    }

    const fn with(mut self, vote: Vote) -> Self {
        match vote {
            Vote::Yes => self.yes += 1,
            Vote::No => self.no += 1,
            Vote::Unclear => self.unclear += 1,
        }
        self
    }

    /// Returns the outcome, once it is decided.
    pub(super) const fn outcome(self) -> Option<Outcome> {
        let left = self.votes.most.saturating_sub(self.yes + self.no + self.unclear);
        let (needed, spare) = (self.votes.needed(), self.votes.spare());
        if self.yes >= needed {
            Some(Outcome::Pass)
        } else if self.no > spare {
            Some(Outcome::Fail)
        } else if self.yes + left < needed && self.no + left <= spare {
            Some(Outcome::Inconclusive)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn elections() -> impl Strategy<Value = (VotePolicy, Vec<Vote>)> {
        let vote = prop_oneof![Just(Vote::Yes), Just(Vote::No), Just(Vote::Unclear)];
        (1..=MAX_VOTES).prop_flat_map(move |most| {
            let votes = (1..=most).prop_map(move |needed| VotePolicy::of(needed, most).expect("possible"));
            (votes, prop::collection::vec(vote.clone(), most as usize))
        })
    }

    /// Counts votes until they decide.
    fn decided(votes: VotePolicy, cast: &[Vote]) -> (Outcome, usize) {
        let counts = 0..=cast.len();
        counts
            .filter_map(|count| Some((VoteTally::of(votes, cast[..count].iter().copied()).outcome()?, count)))
            .next()
            .expect("all votes decide")
    }

    proptest! {
        #[test]
        fn the_order_of_the_votes_does_not_matter(
            (votes, cast, shuffled) in elections().prop_flat_map(|(votes, cast)| {
                (Just(votes), Just(cast.clone()), Just(cast).prop_shuffle())
            }),
        ) {
            prop_assert_eq!(decided(votes, &cast).0, decided(votes, &shuffled).0);
        }

        #[test]
        fn it_passes_exactly_if_enough_say_yes((votes, cast) in elections()) {
            let yes = cast.iter().filter(|vote| **vote == Vote::Yes).count();
            let passed = decided(votes, &cast).0 == Outcome::Pass;
            prop_assert_eq!(passed, yes >= votes.needed() as usize);
        }

        #[test]
        fn it_fails_exactly_if_no_unclear_vote_could_have_saved_it((votes, cast) in elections()) {
            let no = cast.iter().filter(|vote| **vote == Vote::No).count();
            let failed = decided(votes, &cast).0 == Outcome::Fail;
            prop_assert_eq!(failed, cast.len() - no < votes.needed() as usize);
        }

        #[test]
        fn what_is_decided_stays_so_whatever_is_cast_after((votes, cast) in elections()) {
            let (outcome, count) = decided(votes, &cast);
            for more in count..=cast.len() {
                prop_assert_eq!(VoteTally::of(votes, cast[..more].iter().copied()).outcome(), Some(outcome));
            }
        }
    }

    #[test]
    fn no_vote_is_cast_that_cannot_matter() {
        use Vote::{No, Unclear, Yes};
        let votes = VotePolicy::majority_of(3).expect("possible");
        for (cast, expected) in [
            ([Yes, Yes, No], (Outcome::Pass, 2)),
            ([No, No, Yes], (Outcome::Fail, 2)),
            ([Unclear, Unclear, Yes], (Outcome::Inconclusive, 2)),
            ([Yes, No, Unclear], (Outcome::Inconclusive, 3)),
            ([Unclear, No, No], (Outcome::Fail, 3)),
        ] {
            assert_eq!(decided(votes, &cast), expected, "{cast:?}");
        }
    }
}
