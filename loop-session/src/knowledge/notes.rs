//! Requests about notes.

use loop_knowledge::notes::{Added, Note, Notes, ObservationKind, Project};
use loop_telemetry::words;
use serde::Serialize;
use serde_json::{Value, json};

use super::{KnowledgeError, KnowledgeReply, WorkspaceKnowledge};

/// The most notes that a search shows.
const MOST_HITS: usize = 20;

/// A request about the notes of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotesRequest {
    /// Counts the notes.
    Status,
    /// Finds notes.
    Search {
        /// Any text.
        text: String,
    },
    /// Lists the projects.
    ListProjects,
    /// Adds a project.
    AddProject {
        /// Its name.
        name: String,
        /// Its description.
        description: String,
    },
    /// Adds observations to this project from now on.
    UseProject {
        /// Its name.
        name: String,
    },
    /// Deletes a project.
    DeleteProject {
        /// Its name.
        name: String,
        /// Whether to delete its observations too.
        force: bool,
    },
    /// Adds an observation to the project in use.
    Observe {
        /// Its kind.
        kind: ObservationKind,
        /// Its text.
        text: String,
    },
    /// Lists the concepts.
    ListConcepts,
    /// Adds a concept, and links it to the project in use.
    AddConcept {
        /// Its name.
        name: String,
        /// Its description.
        description: String,
    },
}

impl NotesRequest {
    /// Carries out the request. Blocks on the disk.
    ///
    /// # Errors
    /// A project is missing, or the database cannot be used.
    pub fn run(&self, known: &WorkspaceKnowledge) -> Result<KnowledgeReply, KnowledgeError> {
        let mut notes = Notes::open(&known.folder, &known.secrets)?;
        match self {
            Self::Status => status(&mut notes),
            Self::Search { text } => {
                let found = notes.search(text, MOST_HITS)?;
                let lines: Vec<_> = found.iter().map(line).collect();
                let reply = KnowledgeReply::list(&lines, "nothing was found", values(&found));
                Ok(KnowledgeReply { is_empty: found.is_empty(), ..reply })
            }
            Self::ListProjects => {
                let projects = notes.projects()?;
                let lines: Vec<_> = projects.iter().map(project).collect();
                let empty = "there are no projects: `loop kb project add NAME` adds one";
                Ok(KnowledgeReply::list(&lines, empty, values(&projects)))
            }
            Self::AddProject { name, description } => {
                Ok(added("project", name, notes.add_project(name, description, known.now)?))
            }
            Self::UseProject { name } => {
                let name = notes.use_project(name)?;
                Ok(KnowledgeReply::said(
                    format!("the project `{name}` is in use"),
                    json!({ "project": name }),
                ))
            }
            Self::DeleteProject { name, force } => {
                notes.delete_project(name, *force)?;
                Ok(KnowledgeReply::said(
                    format!("the project `{name}` is deleted"),
                    json!({ "deleted": name }),
                ))
            }
            Self::Observe { kind, text } => {
                let project = notes.observe(*kind, text, known.now)?;
                let text = format!("added a {kind} to the project `{project}`");
                Ok(KnowledgeReply::said(text, json!({ "project": project, "kind": kind })))
            }
            Self::ListConcepts => {
                let concepts = notes.concepts()?;
                let lines = concepts.iter().map(|concept| labelled(&concept.name, &concept.description));
                let lines: Vec<_> = lines.collect();
                let empty = "there are no concepts: `loop kb concept add NAME` adds one";
                Ok(KnowledgeReply::list(&lines, empty, values(&concepts)))
            }
            Self::AddConcept { name, description } => {
                Ok(added("concept", name, notes.add_concept(name, description)?))
            }
        }
    }
}

fn status(notes: &mut Notes<'_>) -> Result<KnowledgeReply, KnowledgeError> {
    let status = notes.status()?;
    let project = status.project.as_deref().map_or("none", |name| name);
    let text = format!(
        "project in use  {project}\n{}, {}, {}",
        words::count(status.projects, "project"),
        words::count(status.observations, "observation"),
        words::count(status.concepts, "concept"),
    );
    Ok(KnowledgeReply::said(text, json!(status)))
}

fn added(kind: &str, name: &str, added: Added) -> KnowledgeReply {
    let text = match added {
        Added::New => format!("added the {kind} `{}`", name.trim()),
        Added::Exists => format!("the {kind} `{}` exists already, and was not changed", name.trim()),
    };
    KnowledgeReply::said(text, json!({ "name": name.trim(), "added": added }))
}

fn project(project: &Project) -> String {
    let concepts =
        if project.concepts.is_empty() { String::new() } else { format!("  [{}]", project.concepts) };
    let count = words::count(project.observations, "observation");
    labelled(&format!("{}  {}  {count}{concepts}", project.name, project.status), &project.description)
}

fn line(note: &Note) -> String {
    labelled(&format!("{} {}  {}", note.silo, note.id, note.label), &note.text)
}

fn labelled(label: &str, text: &str) -> String {
    if text.is_empty() { label.to_owned() } else { format!("{label}  {text}") }
}

fn values<T: Serialize>(items: &[T]) -> Vec<Value> {
    items.iter().map(|item| json!(item)).collect()
}
