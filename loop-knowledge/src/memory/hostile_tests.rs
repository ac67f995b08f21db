//! Files that a person or an agent put below `memories/` so that a memory is lost, mistaken or shown.

use std::{fs, os::unix::fs::symlink};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{
    tests::{Filter, KEY, NOW, add, all_bytes, contains, open, write},
    *,
};
use crate::BoxError;

#[test]
fn the_id_of_a_faulty_file_is_not_the_beginning_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    write(memories, "tool_use/trick.md", "---\nsummary: |\n  two\n  lines\n---\n");
    let other = write(memories, "tool_use/trick2.md", "---\nsummary: good\n---\n");
    for done in [memories.flag("trick"), memories.forget("trick"), memories.find("trick")] {
        let error = done.unwrap_err().to_string();
        assert!(error.contains("trick.md is not a memory"), "{error}");
    }
    assert!(matches!(memories.find("tri"), Err(MemoryError::Ambiguous { count: 2, .. })));
    assert_eq!(memories.find("trick2").unwrap().confidence, Confidence::NEW);
    assert!(other.exists());
}

#[test]
fn a_pipe_or_a_link_in_place_of_a_file_of_ours_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let victim = folder.path().join("victim");
    fs::write(&victim, "{}").unwrap();
    for is_pipe in [true, false] {
        for name in ["DIGEST.md", "mined.json"] {
            let path = memories.root().join(name);
            fs::create_dir_all(memories.root()).unwrap();
            fs::remove_file(&path).unwrap_or_default();
            if is_pipe {
                mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            } else {
                symlink(&victim, &path).unwrap();
            }
        }
        assert!(memories.mined_texts().unwrap().is_empty());
        add(memories, MemoryType::Workflow, &format!("pipe: {is_pipe}"));
        let digest = memories.root().join("DIGEST.md");
        assert!(digest.symlink_metadata().unwrap().is_file());
        assert!(fs::read_to_string(digest).unwrap().contains(&format!("pipe: {is_pipe}")));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "{}");
    }
}

#[test]
fn a_link_in_place_of_a_folder_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let profile = add(memories, MemoryType::ProjectFact, "kept");
    fs::write(outside.path().join("planted.md"), "---\nsummary: planted\n---\n").unwrap();
    for name in ["user_preference", "archive"] {
        symlink(outside.path(), memories.root().join(name)).unwrap();
    }
    let faults = memories.faults().unwrap();
    assert!(faults.iter().any(|fault| fault.path.ends_with("user_preference")), "{faults:?}");
    assert_eq!(memories.all().unwrap(), std::slice::from_ref(&profile));
    let content = NewMemory::new(MemoryType::UserPreference, "mine", "");
    let error = memories.add(content, MemoryState::Active, NOW).unwrap_err();
    assert!(matches!(error, MemoryError::Store(crate::Error::File { .. })), "{error:?}");
    for _ in 0..3 {
        memories.flag(&profile.id).unwrap();
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn memories_are_read_where_the_index_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let kept = add(memories, MemoryType::ProjectFact, "kept");
    let change = "UPDATE memory_files SET stamp = 'earlier'; PRAGMA query_only = ON;";
    memories.database.connection().execute_batch(change).unwrap();
    assert_eq!(memories.all().unwrap(), [kept]);
    write(memories, "project_fact/new.md", "---\nsummary: new\n---\n");
    assert!(matches!(memories.all(), Err(MemoryError::Store(_))));
}

#[test]
fn files_where_no_memory_can_be_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    add(memories, MemoryType::ProjectFact, "kept");
    write(memories, "tool-use/a.md", "---\nsummary: a\n---\n");
    write(memories, "b.md", "---\nsummary: b\n---\n");
    write(memories, "notes/c.txt", "mine");
    let faults = memories.faults().unwrap();
    let named: Vec<_> = faults.iter().filter_map(|fault| fault.path.file_name()?.to_str()).collect();
    assert_eq!(named, ["b.md", "tool-use"], "{faults:?}");
    assert!(faults[0].why.contains("project_fact, "), "{faults:?}");
    fs::remove_file(memories.root().join("b.md")).unwrap();
    assert_eq!(memories.faults().unwrap().len(), 1);
}

#[test]
fn a_second_profile_is_refused_and_one_without_a_body_is_recalled() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    memories.create_profile("software".parse().unwrap(), NOW).unwrap();
    assert!(memories.profile_and_facts().unwrap().is_empty(), "nobody edited it");
    let short = NewMemory::new(MemoryType::WorkspaceProfile, "A compiler", "");
    let again = memories.add(short.clone(), MemoryState::Active, NOW);
    assert!(matches!(again, Err(MemoryError::ProfileExists(_))), "{again:?}");
    let id = memories.profile().unwrap().unwrap().id;
    memories.forget(&id).unwrap();
    memories.add(short, MemoryState::Active, NOW).unwrap();
    assert_eq!(memories.profile_and_facts().unwrap()[0].content.summary, "A compiler");
}

#[test]
fn a_secret_in_the_name_of_a_file_is_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let planted = write(memories, &format!("workflow/{KEY}.md"), "---\nsummary: a\n---\n");
    let faults = memories.faults().unwrap();
    assert!(faults.len() == 1 && faults[0].why.contains("rename the file"), "{faults:?}");
    assert!(memories.all().unwrap().is_empty());
    assert!(planted.exists() && !contains(&all_bytes(folder.path()), KEY));
}

#[test]
fn summaries_have_no_control_characters_and_globs_can_match() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    for summary in ["a\u{1b}[31mb", "a\u{b}b", "a\u{2028}b"] {
        let refused =
            memories.add(NewMemory::new(MemoryType::Workflow, summary, ""), MemoryState::Active, NOW);
        assert!(matches!(refused, Err(MemoryError::Invalid(_))), "{summary:?}: {refused:?}");
    }
    for glob in ["", " ", "!*.rs", "../*", "src/../*"] {
        let content =
            NewMemory { applies_to: vec![glob.to_owned()], ..NewMemory::new(MemoryType::Workflow, "a", "") };
        let refused = memories.add(content, MemoryState::Active, NOW);
        assert!(matches!(refused, Err(MemoryError::Invalid(_))), "{glob:?}: {refused:?}");
    }
    add(memories, MemoryType::Workflow, "right to left \u{202e}dne");
    let digest = fs::read_to_string(memories.root().join("DIGEST.md")).unwrap();
    assert!(digest.contains("right to left dne"), "{digest}");
}

#[test]
fn a_forgotten_memory_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let id = add(memories, MemoryType::Workflow, "passw0rdzzz9").id;
    add(memories, MemoryType::Workflow, "other");
    memories.forget(&id).unwrap();
    assert!(!contains(&all_bytes(folder.path()), "passw0rdzzz9"));
}

/// Knows a word as a secret that [`Filter`] does not know.
struct Later;

impl SecretFilter for Later {
    fn is_secret(&self, path: &Path) -> bool {
        Filter.is_secret(path)
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        Ok(Filter.redact(text)?.replace("laterknown", "[redacted]"))
    }
}

#[test]
fn the_digest_has_no_secret_that_became_known_later() {
    let folder = tempfile::tempdir().unwrap();
    add(&mut open(&folder), MemoryType::ProjectFact, "The word is laterknown");
    let memories = Memories::open(&KnowledgeFolder::at(folder.path()), &Later).unwrap();
    let digest = fs::read_to_string(memories.root().join("DIGEST.md")).unwrap();
    assert!(digest.contains("The word is [redacted]") && !digest.contains("laterknown"), "{digest}");
}
