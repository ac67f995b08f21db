//! Finding notes: by words, and by parts of words.

use rusqlite::{Row, Transaction};

use super::{Note, NoteError, Notes};
use crate::fts;

impl Notes<'_> {
    /// Returns at most `limit` notes: those with words of the text, the best first, then those that contain the whole
    /// text. Any text is a valid query.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn search(&mut self, text: &str, limit: usize) -> Result<Vec<Note>, NoteError> {
        let found = self.database.read(|read| {
            let mut found = by_words(read, text, limit)?;
            let needle = text.trim().to_lowercase();
            if found.len() < limit && !needle.is_empty() {
                let mut statement = read.prepare(
                    "SELECT silo, item, label, text,
                     (SELECT doi FROM observations WHERE silo = 'observation' AND id = item) FROM note_items",
                )?;
                for row in statement.query_map([], note)? {
                    let note = row?;
                    let is_hit = || format!("{}\n{}", note.label, note.text).to_lowercase().contains(&needle);
                    if !found.contains(&note) && is_hit() {
                        found.push(note);
                    }
                }
                found.truncate(limit);
            }
            Ok(found)
        })?;
        Ok(found)
    }
}

fn by_words(read: &Transaction<'_>, text: &str, limit: usize) -> rusqlite::Result<Vec<Note>> {
    let Some(query) = fts::query(text) else { return Ok(Vec::new()) };
    let mut statement = read.prepare(
        "SELECT note_items.silo, note_items.item, label, note_items.text,
         (SELECT doi FROM observations WHERE note_items.silo = 'observation' AND id = note_items.item)
         FROM note_texts JOIN note_items ON note_items.silo = note_texts.silo AND note_items.item = note_texts.item
         WHERE note_texts MATCH ?1 ORDER BY bm25(note_texts), note_texts.rowid LIMIT ?2",
    )?;
    statement.query_map((query, limit as i64), note)?.collect()
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note { silo: row.get(0)?, id: row.get(1)?, label: row.get(2)?, text: row.get(3)?, doi: row.get(4)? })
}
