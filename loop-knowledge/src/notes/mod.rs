//! Notes: projects, observations and concepts, in tables of `knowledge.db`.

mod error;
mod items;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction};

pub use self::{
    error::NoteError,
    items::{Added, Concept, Note, NotesStatus, ObservationKind, Project, UnknownKind},
};
use crate::{
    KnowledgeFolder, SecretFilter, fts,
    identifiers::{self, Identifier, IdentifierKind},
    store::Database,
};

/// The tables.
pub(crate) const TABLES: &str = include_str!("tables.sql");

/// The change of format 2.
pub(crate) const WORD_FORMS: &str = include_str!("word_forms.sql");

/// The notes of a workspace. Names are compared without regard to case. Texts are redacted before they are stored.
pub struct Notes<'a> {
    database: Database,
    secrets: &'a dyn SecretFilter,
}

impl fmt::Debug for Notes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").field("database", &self.database).finish_non_exhaustive()
    }
}

impl<'a> Notes<'a> {
    /// Opens the notes, and creates their database if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be used.
    pub fn open(folder: &KnowledgeFolder, secrets: &'a dyn SecretFilter) -> Result<Self, NoteError> {
        Ok(Self { database: folder.open()?, secrets })
    }

    /// Returns the project in use and the numbers of notes.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn status(&mut self) -> Result<NotesStatus, NoteError> {
        let status = self.database.read(|read| {
            let count = |table: &str| {
                read.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            };
            Ok(NotesStatus {
                project: project_in_use(read)?.map(|(_, name)| name),
                projects: count("projects")?.unsigned_abs(),
                observations: count("observations")?.unsigned_abs(),
                concepts: count("concepts")?.unsigned_abs(),
            })
        })?;
        Ok(status)
    }

    /// Returns all projects, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn projects(&mut self) -> Result<Vec<Project>, NoteError> {
        let statement =
            "SELECT name, description, status, observations, concepts FROM project_summary ORDER BY name";
        Ok(self.database.read(|read| read.prepare(statement)?.query_map([], project)?.collect())?)
    }

    /// Adds a project, and uses it if none is in use.
    ///
    /// # Errors
    ///
    /// Fails if the name is empty, and if the database cannot be written.
    pub fn add_project(&mut self, name: &str, description: &str, now: Timestamp) -> Result<Added, NoteError> {
        let (name, description) = (self.named("name", name)?, self.redacted(description)?);
        let indexed = self.indexed(&format!("{name}\n{description}"))?;
        let added = self.database.write(|change| {
            let statement = "INSERT OR IGNORE INTO projects (name, key, description, created, changed)
                             VALUES (?1, ?2, ?3, ?4, ?4)";
            if change.execute(statement, (&name, key(&name), &description, now.to_string()))? == 0 {
                return Ok(Added::Exists);
            }
            let id = change.last_insert_rowid();
            index(change, "project", id, &indexed)?;
            change.execute("INSERT OR IGNORE INTO project_in_use (only, project) VALUES (1, ?1)", [id])?;
            Ok(Added::New)
        })?;
        Ok(added)
    }

    /// Uses a project: observations are added to it. Returns its name as it was added.
    ///
    /// # Errors
    ///
    /// Fails if there is no such project.
    pub fn use_project(&mut self, name: &str) -> Result<String, NoteError> {
        let used = self.database.write(|change| {
            let Some((id, name)) = find_project(change, name)? else { return Ok(None) };
            change.execute("INSERT OR REPLACE INTO project_in_use (only, project) VALUES (1, ?1)", [id])?;
            Ok(Some(name))
        })?;
        used.ok_or_else(|| NoteError::UnknownProject(name.trim().to_owned()))
    }

    /// Deletes a project. With `force`, also one with observations.
    ///
    /// # Errors
    ///
    /// Fails if there is no such project, and if it has observations.
    pub fn delete_project(&mut self, name: &str, force: bool) -> Result<(), NoteError> {
        let refused = self.database.write(|change| {
            let Some((id, name)) = find_project(change, name)? else {
                return Ok(Some(NoteError::UnknownProject(name.trim().to_owned())));
            };
            let count = "SELECT count(*) FROM observations WHERE project = ?1";
            let observations = change.query_row(count, [id], |row| row.get::<_, i64>(0))?.unsigned_abs();
            if observations > 0 && !force {
                return Ok(Some(NoteError::HasObservations { name, observations }));
            }
            let texts = "DELETE FROM note_texts WHERE silo = 'project' AND item = ?1 OR silo = 'observation'
                         AND item IN (SELECT id FROM observations WHERE project = ?1)";
            change.execute(texts, [id])?;
            change.execute("DELETE FROM observations WHERE project = ?1", [id])?;
            change.execute("DELETE FROM projects WHERE id = ?1", [id])?;
            Ok(None)
        })?;
        match refused {
            Some(refused) => Err(refused),
            None => {
                self.database.erase_deleted(&["note_texts"])?;
                Ok(self.database.erase_copies()?)
            }
        }
    }

    /// Adds an observation to the project in use, linked to the concepts that its text names. The first DOI in the text is
    /// its source. Returns the name of the project.
    ///
    /// # Errors
    ///
    /// Fails if no project is in use, and if the text is empty.
    pub fn observe(
        &mut self,
        kind: ObservationKind,
        text: &str,
        now: Timestamp,
    ) -> Result<String, NoteError> {
        let text = self.named("text", text)?;
        let indexed = self.indexed(&text)?;
        let name = self.database.write(|change| {
            let Some((project, name)) = project_in_use(change)? else { return Ok(None) };
            let statement =
                "INSERT INTO observations (project, kind, text, created, doi) VALUES (?1, ?2, ?3, ?4, ?5)";
            let found = identifiers::find(&text);
            let mut identifiers = found.iter().map(|found| &found.identifier);
            let doi = identifiers.find(|identifier| identifier.kind() == IdentifierKind::Doi);
            let doi = doi.map(Identifier::value);
            change.execute(statement, (project, kind.as_str(), &text, now.to_string(), doi))?;
            let id = change.last_insert_rowid();
            index(change, "observation", id, &indexed)?;
            link_named_concepts(change, id, &text)?;
            change.execute("UPDATE projects SET changed = ?2 WHERE id = ?1", (project, now.to_string()))?;
            Ok(Some(name))
        })?;
        name.ok_or(NoteError::NoProject)
    }

    /// Returns all concepts, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn concepts(&mut self) -> Result<Vec<Concept>, NoteError> {
        let concepts = self.database.read(|read| {
            let concept = |row: &Row<'_>| {
                Ok(Concept { name: row.get(0)?, description: row.get(1)?, identifier: row.get(2)? })
            };
            read.prepare(
                "SELECT name, description, identifier_type || ':' || identifier FROM concepts ORDER BY key",
            )?
            .query_map([], concept)?
            .collect()
        })?;
        Ok(concepts)
    }

    /// Adds a concept, and links it to the project in use if there is one. The first identifier in the description is that
    /// of the concept. An existing concept keeps its description.
    ///
    /// # Errors
    ///
    /// Fails if the name is empty, and if the database cannot be written.
    pub fn add_concept(&mut self, name: &str, description: &str) -> Result<Added, NoteError> {
        let (name, description) = (self.named("name", name)?, self.redacted(description)?);
        let indexed = self.indexed(&format!("{name}\n{description}"))?;
        let added = self.database.write(|change| {
            let statement =
                "INSERT OR IGNORE INTO concepts (name, key, description, identifier_type, identifier)
                             VALUES (?1, ?2, ?3, ?4, ?5)";
            let identifier = identifiers::find(&description).into_iter().next().map(|found| found.identifier);
            let kind = identifier.as_ref().map(|identifier| identifier.kind().word());
            let value = identifier.as_ref().map(Identifier::value);
            let is_new = change.execute(statement, (&name, key(&name), &description, kind, value))? > 0;
            let find = "SELECT id FROM concepts WHERE key = ?1";
            let id: i64 = change.query_row(find, [key(&name)], |row| row.get(0))?;
            if is_new {
                index(change, "concept", id, &indexed)?;
            }
            let link = "INSERT OR IGNORE INTO project_concepts (project, concept)
                        SELECT project, ?1 FROM project_in_use";
            change.execute(link, [id])?;
            Ok(if is_new { Added::New } else { Added::Exists })
        })?;
        Ok(added)
    }

    fn indexed(&self, text: &str) -> Result<String, NoteError> {
        fts::indexed(text, self.secrets).map_err(NoteError::Secrets)
    }

    fn redacted(&self, text: &str) -> Result<String, NoteError> {
        self.secrets.redact(text.trim()).map_err(NoteError::Secrets)
    }

    fn named(&self, part: &'static str, text: &str) -> Result<String, NoteError> {
        let text = self.redacted(text)?;
        if text.is_empty() { Err(NoteError::Empty(part)) } else { Ok(text) }
    }
}

/// Returns the form in which names are compared.
fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

fn project(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        name: row.get(0)?,
        description: row.get(1)?,
        status: row.get(2)?,
        observations: row.get::<_, i64>(3)?.unsigned_abs(),
        concepts: row.get(4)?,
    })
}

fn project_in_use(read: &Transaction<'_>) -> rusqlite::Result<Option<(i64, String)>> {
    let statement = "SELECT projects.id, name FROM project_in_use JOIN projects ON projects.id = project";
    read.query_row(statement, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn find_project(read: &Transaction<'_>, name: &str) -> rusqlite::Result<Option<(i64, String)>> {
    let statement = "SELECT id, name FROM projects WHERE key = ?1";
    read.query_row(statement, [key(name)], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn index(change: &Transaction<'_>, silo: &str, item: i64, indexed: &str) -> rusqlite::Result<()> {
    let statement = "INSERT INTO note_texts (text, silo, item) VALUES (?1, ?2, ?3)";
    change.execute(statement, (indexed, silo, item)).map(drop)
}

/// Links an observation to each concept whose name is in its text as whole words.
fn link_named_concepts(change: &Transaction<'_>, observation: i64, text: &str) -> rusqlite::Result<()> {
    let lower = text.to_lowercase();
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let is_named = |key: &str| {
        lower.match_indices(key).any(|(start, found)| {
            is_edge(lower[..start].chars().next_back())
                && is_edge(lower[start + found.len()..].chars().next())
        })
    };
    let mut statement = change.prepare("SELECT id, key FROM concepts")?;
    let concepts = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    for concept in concepts {
        let (id, key) = concept?;
        if is_named(&key) {
            let link = "INSERT INTO observation_concepts (observation, concept) VALUES (?1, ?2)";
            change.execute(link, (observation, id))?;
        }
    }
    Ok(())
}
