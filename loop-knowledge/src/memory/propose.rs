//! Proposals of an agent in the middle of its work: new memories, and changes of others. A person decides about them.

use jiff::Timestamp;

use super::{Memories, Memory, MemoryError, MemoryState, MemoryType, NewMemory};

/// The most proposals that wait for a person. An agent that works all night could make any number.
pub const MOST_WAITING: usize = 50;

impl Memories<'_> {
    /// Stores a proposal: a new memory, one that replaces another, or one that removes another.
    ///
    /// # Errors
    ///
    /// Fails if a field is faulty, if it repeats a memory or a proposal, if 50 proposals wait already, if it concerns the
    /// profile, if the other memory is not active, and if secrets cannot be removed or a file cannot be written.
    pub async fn propose(&mut self, mut content: NewMemory, now: Timestamp) -> Result<Memory, MemoryError> {
        let mut types = vec![content.memory_type];
        for other in [&mut content.replaces, &mut content.removes].into_iter().flatten() {
            let found = self.find(other)?;
            found.expect(&[MemoryState::Active], "active")?;
            types.push(found.content.memory_type);
            // The beginning of an id may later belong to another memory.
            *other = found.id;
        }
        if types.contains(&MemoryType::WorkspaceProfile) {
            return Err(MemoryError::ProfileOfPerson);
        }
        let waiting = self.proposals()?.len();
        if waiting >= MOST_WAITING {
            return Err(MemoryError::TooManyWait(waiting));
        }
        if self.is_known(&content, None).await? {
            return Err(MemoryError::Repeated);
        }
        self.add(content, MemoryState::Proposed, now)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{NOW, add, open},
        *,
    };

    fn proposed(memories: &mut Memories<'_>, content: NewMemory) -> Result<Memory, MemoryError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(memories.propose(content, NOW))
    }

    fn fact(summary: &str) -> NewMemory {
        NewMemory::new(MemoryType::ProjectFact, summary, "")
    }

    #[test]
    fn an_accepted_proposal_takes_the_place_of_another_memory() {
        let folder = tempfile::tempdir().unwrap();
        let memories = &mut open(&folder);
        let old = add(memories, MemoryType::ProjectFact, "the port is 80").id;
        let new = NewMemory { replaces: Some(old[..4].to_owned()), ..fact("the port is 8080") };
        let new = proposed(memories, new).unwrap();
        assert_eq!(
            (new.state, new.content.effect()),
            (MemoryState::Proposed, Some(format!("replaces {old}")))
        );
        assert!(memories.find(&old).is_ok(), "nothing changes before a person accepts it");
        assert_eq!(memories.accept(&new.id).unwrap().state, MemoryState::Active);
        let all: Vec<_> = memories.all().unwrap().into_iter().map(|memory| memory.content.summary).collect();
        assert_eq!(all, ["the port is 8080"]);
    }

    #[test]
    fn an_accepted_removal_leaves_neither_the_memory_nor_itself() {
        let folder = tempfile::tempdir().unwrap();
        let memories = &mut open(&folder);
        let [old, other] = ["a", "b"].map(|summary| add(memories, MemoryType::ProjectFact, summary).id);
        let removal =
            |old: &str| NewMemory { removes: Some(old.to_owned()), ..fact("it is not true any more") };
        let [first, second] = [&old, &other].map(|old| proposed(memories, removal(old)).unwrap().id);
        assert!(matches!(proposed(memories, removal(&old)), Err(MemoryError::Repeated)));
        memories.accept(&first).unwrap();
        // A person was faster.
        memories.forget(&other).unwrap();
        memories.accept(&second).unwrap();
        assert_eq!(memories.all().unwrap(), []);
        assert!(matches!(proposed(memories, removal("0198")), Err(MemoryError::Unknown(_))));
    }

    #[test]
    fn proposals_are_bounded_and_the_profile_is_for_people() {
        let folder = tempfile::tempdir().unwrap();
        let memories = &mut open(&folder);
        let profile = add(memories, MemoryType::WorkspaceProfile, "mine").id;
        let change = NewMemory { replaces: Some(profile), ..fact("yours") };
        assert!(matches!(proposed(memories, change), Err(MemoryError::ProfileOfPerson)));
        let own = NewMemory::new(MemoryType::WorkspaceProfile, "yours", "");
        assert!(matches!(proposed(memories, own), Err(MemoryError::ProfileOfPerson)));
        for number in 0..MOST_WAITING {
            proposed(memories, fact(&format!("fact {number}"))).unwrap();
        }
        assert!(matches!(proposed(memories, fact("one more")), Err(MemoryError::TooManyWait(MOST_WAITING))));
    }
}
