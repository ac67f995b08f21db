use std::path::Path;

use super::*;
use crate::BoxError;

struct Filter;

impl SecretFilter for Filter {
    fn is_secret(&self, _: &Path) -> bool {
        false
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        if text.contains("unknowable") {
            return Err("it cannot be known which words are secret".into());
        }
        Ok(text.replace("sk-planted", "[redacted]"))
    }
}

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn notes(folder: &tempfile::TempDir) -> Notes<'static> {
    Notes::open(&KnowledgeFolder::at(folder.path()), &Filter).unwrap()
}

#[test]
fn an_existing_name_is_reported_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    assert_eq!(notes.add_project("Größe", "first", NOW).unwrap(), Added::New);
    assert_eq!(notes.add_project(" GRÖSSE ", "other", NOW).unwrap(), Added::New);
    assert_eq!(notes.add_project("GRÖßE", "second", NOW).unwrap(), Added::Exists);
    assert_eq!(notes.add_concept("Parser", "reads").unwrap(), Added::New);
    assert_eq!(notes.add_concept("parser", "writes").unwrap(), Added::Exists);
    let projects = notes.projects().unwrap();
    assert_eq!((projects.len(), projects[1].description.as_str()), (2, "first"));
    assert_eq!(
        notes.concepts().unwrap(),
        [Concept { name: "Parser".to_owned(), description: "reads".to_owned(), identifier: None }]
    );
    assert!(matches!(notes.add_project(" ", "", NOW), Err(NoteError::Empty("name"))));
}

#[test]
fn observations_belong_to_the_project_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    let missing = notes.observe(ObservationKind::Note, "text", NOW).unwrap_err();
    assert!(missing.to_string().contains("project use NAME"), "{missing}");
    notes.add_project("first", "", NOW).unwrap();
    notes.add_project("second", "", NOW).unwrap();
    assert_eq!(notes.observe(ObservationKind::Note, "to the first", NOW).unwrap(), "first");
    assert_eq!(notes.use_project("SECOND").unwrap(), "second");
    assert!(matches!(notes.use_project("third"), Err(NoteError::UnknownProject(_))));
    assert_eq!(notes.observe(ObservationKind::Decision, "to the other", NOW).unwrap(), "second");
    let status = notes.status().unwrap();
    let expected =
        NotesStatus { project: Some("second".to_owned()), projects: 2, observations: 2, concepts: 0 };
    assert_eq!(status, expected);
}

#[test]
fn concepts_are_linked_to_the_project_and_to_observations_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    notes.add_project("compiler", "", NOW).unwrap();
    notes.add_concept("Parser", "").unwrap();
    notes.add_concept("AST", "").unwrap();
    notes.observe(ObservationKind::Finding, "The parser is fast.", NOW).unwrap();
    assert_eq!(notes.projects().unwrap()[0].concepts, "AST, Parser");
    let links = "SELECT group_concat(name) FROM observation_concepts JOIN concepts ON concepts.id = concept";
    let links = notes.database.read(|read| read.query_row(links, [], |row| row.get::<_, String>(0))).unwrap();
    assert_eq!(links, "Parser", "`fast` is not `AST`");
}

#[test]
fn a_project_with_observations_is_deleted_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    notes.add_project("old", "", NOW).unwrap();
    notes.observe(ObservationKind::Note, "zebra", NOW).unwrap();
    let refused = notes.delete_project("OLD", false).unwrap_err();
    assert!(matches!(refused, NoteError::HasObservations { observations: 1, .. }), "{refused:?}");
    notes.delete_project("OLD", true).unwrap();
    assert_eq!(notes.status().unwrap(), NotesStatus::default());
    assert_eq!(notes.search("zebra", 5).unwrap(), []);
    assert!(matches!(notes.delete_project("old", true), Err(NoteError::UnknownProject(_))));
}

#[test]
fn a_search_finds_words_first_and_then_parts_of_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    notes.add_project("compiler", "Turns text into code", NOW).unwrap();
    notes.observe(ObservationKind::Question, "Why does the tokeniser panic?", NOW).unwrap();
    notes.observe(ObservationKind::Note, "token", NOW).unwrap();
    let found: Vec<_> = notes.search("token", 5).unwrap().into_iter().map(|note| note.text).collect();
    assert_eq!(found, ["token", "Why does the tokeniser panic?"]);
    assert_eq!(notes.search("token", 1).unwrap().len(), 1);
    assert_eq!(notes.search("compiler", 5).unwrap()[0].silo, "project");
    assert_eq!(notes.search("panic?", 5).unwrap()[0].label, "question in compiler");
    assert_eq!(notes.search("", 5).unwrap(), []);
}

#[test]
fn secrets_are_removed_or_nothing_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    notes.add_project("p", "", NOW).unwrap();
    notes.observe(ObservationKind::Note, "the key is sk-planted", NOW).unwrap();
    assert_eq!(notes.search("key", 5).unwrap()[0].text, "the key is [redacted]");
    let refused = notes.observe(ObservationKind::Note, "unknowable", NOW);
    assert!(matches!(refused, Err(NoteError::Secrets(_))), "{refused:?}");
    assert_eq!(notes.status().unwrap().observations, 1);
}

#[test]
fn an_identifier_in_a_text_is_that_of_the_note() {
    let folder = tempfile::tempdir().unwrap();
    let mut notes = notes(&folder);
    notes.add_project("bread", "", NOW).unwrap();
    notes.observe(ObservationKind::Finding, "rye needs water (https://doi.org/10.1000/182)", NOW).unwrap();
    notes.observe(ObservationKind::Note, "ISBN 0-306-40615-2 has more on rye", NOW).unwrap();
    let dois: Vec<_> = notes.search("rye", 9).unwrap().into_iter().map(|note| note.doi).collect();
    assert_eq!(
        (dois.len(), dois.iter().flatten().map(String::as_str).collect::<Vec<_>>()),
        (2, vec!["10.1000/182"])
    );
    assert_eq!(notes.search("ee", 9).unwrap()[0].doi.as_deref(), Some("10.1000/182"), "without a whole word");
    notes.add_concept("Mill", "an institute, https://ror.org/03yrm5c26").unwrap();
    assert_eq!(notes.concepts().unwrap()[0].identifier.as_deref(), Some("ror:03yrm5c26"));
}
