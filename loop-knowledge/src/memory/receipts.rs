//! Which runs received which memories. A run that met its goal speaks for what it received.

use jiff::Timestamp;

use super::{Memories, Memory, MemoryError};

impl Memories<'_> {
    /// Stores that a run received these memories.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn note_received(&mut self, run: &str, ids: &[&str], now: Timestamp) -> Result<(), MemoryError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.mark_used(ids.iter().copied(), now)?;
        let statement = "INSERT OR IGNORE INTO memory_receipts (run, id) VALUES (?1, ?2)";
        Ok(self
            .database
            .write(|change| ids.iter().try_for_each(|id| change.execute(statement, (run, id)).map(drop)))?)
    }

    /// Adds 0.1 to the confidence in the memories that a run received, up to 0.9: call this when the run met its goal.
    /// It happens at most once per run and memory. Returns the changed memories.
    ///
    /// # Errors
    ///
    /// Fails if a file or the database cannot be written. A later call does not repeat the rest, so that no memory counts
    /// twice.
    pub fn reward(&mut self, run: &str) -> Result<Vec<Memory>, MemoryError> {
        let received = self.database.write(|change| {
            let mut statement = change.prepare(
                "UPDATE memory_receipts SET is_rewarded = 1 WHERE run = ?1 AND is_rewarded = 0 RETURNING id",
            )?;
            statement.query_map([run], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()
        })?;
        let mut kept = Vec::new();
        for id in received {
            match self.find(&id) {
                Ok(memory) if memory.id == id && memory.state == super::MemoryState::Active => {
                    kept.push(self.keep(&id)?);
                }
                // A person archived or removed it in the meantime.
                Ok(_) | Err(MemoryError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        MemoryType,
        tests::{NOW, add, open},
    };

    #[test]
    fn a_run_speaks_for_its_memories_once() {
        let folder = tempfile::tempdir().unwrap();
        let memories = &mut open(&folder);
        let [used, other, gone] =
            ["used", "other", "gone"].map(|summary| add(memories, MemoryType::Workflow, summary).id);
        for _ in 0..2 {
            memories.note_received("run-1", &[&used, &gone], NOW).unwrap();
        }
        memories.note_received("run-2", &[&other], NOW).unwrap();
        memories.forget(&gone).unwrap();
        assert_eq!(memories.reward("run-1").unwrap().len(), 1);
        memories.note_received("run-1", &[&used], NOW).unwrap();
        assert!(memories.reward("run-1").unwrap().is_empty());
        assert_eq!(memories.find(&used).unwrap().confidence.tenths(), 6);
        assert_eq!(memories.find(&other).unwrap().confidence.tenths(), 5);
        assert_eq!(memories.last_used(&used).unwrap(), Some(NOW));
    }
}
