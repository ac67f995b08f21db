use std::{
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::BoxError;

pub(crate) const KEY: &str = "sk-planted-0123456789";

#[derive(Debug)]
pub(crate) struct Filter;

impl SecretFilter for Filter {
    fn is_secret(&self, _: &Path) -> bool {
        false
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        if text.contains("unknowable") {
            return Err("it cannot be known which words are secret".into());
        }
        Ok(text.replace(KEY, "[redacted]"))
    }
}

pub(crate) const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub(crate) fn open(folder: &tempfile::TempDir) -> Memories<'static> {
    Memories::open(&KnowledgeFolder::at(folder.path()), &Filter).unwrap()
}

pub(crate) fn add(memories: &mut Memories<'_>, memory_type: MemoryType, text: &str) -> Memory {
    memories.add(NewMemory::new(memory_type, text, "Body."), MemoryState::Active, NOW).unwrap()
}

pub(crate) fn write(memories: &Memories<'_>, path: &str, text: &str) -> PathBuf {
    let path = memories.root().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// The bytes of all files below a folder.
pub(crate) fn all_bytes(folder: &Path) -> Vec<u8> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let bytes = |path: PathBuf| if path.is_dir() { all_bytes(&path) } else { fs::read(path).unwrap() };
    entries.flat_map(bytes).collect()
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn the_third_flag_archives_a_new_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    let memory = add(&mut memories, MemoryType::ToolUse, "Use make");
    assert_eq!(memory.confidence, Confidence::NEW);
    for (tenths, state) in [(4, MemoryState::Active), (3, MemoryState::Active), (2, MemoryState::Archived)] {
        let flagged = memories.flag(&memory.id).unwrap();
        assert_eq!((flagged.confidence.tenths(), flagged.state), (tenths, state));
    }
    assert!(memories.root().join(format!("archive/tool_use/{}.md", memory.id)).is_file());
    assert!(!fs::read_to_string(memories.root().join("DIGEST.md")).unwrap().contains("Use make"));
    let error = memories.flag(&memory.id).unwrap_err().to_string();
    assert!(error.contains("archived"), "{error}");
    let kept = memories.keep(&memory.id).unwrap();
    assert_eq!((kept.confidence.tenths(), kept.state), (3, MemoryState::Active));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn flags_and_keeps_are_counted_in_tenths(keeps in prop::collection::vec(any::<bool>(), 0..12)) {
        let folder = tempfile::tempdir().unwrap();
        let mut memories = open(&folder);
        let id = add(&mut memories, MemoryType::Workflow, "Test first").id;
        let (mut tenths, mut is_active) = (5, true);
        for keep in keeps {
            let changed = if keep { memories.keep(&id) } else { memories.flag(&id) };
            if !keep && !is_active {
                prop_assert!(changed.is_err());
                continue;
            }
            tenths = if keep { 9.min(tenths + 1) } else { tenths - 1 };
            is_active = tenths > 2;
            let changed = changed.unwrap();
            prop_assert_eq!(changed.confidence.tenths(), tenths);
            prop_assert_eq!(changed.state == MemoryState::Active, is_active);
        }
        // A second reader that rebuilds the index sees the same.
        let before = memories.find(&id).unwrap();
        drop(memories);
        fs::remove_file(folder.path().join("knowledge.db")).unwrap();
        prop_assert_eq!(open(&folder).find(&id).unwrap(), before);
    }
}

#[test]
fn an_id_may_be_shortened_while_it_is_unique() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    for name in ["abc1", "abc2", "abc"] {
        write(&memories, &format!("workflow/{name}.md"), "---\nsummary: a\n---\n");
    }
    assert_eq!(memories.find("abc1").unwrap().id, "abc1");
    assert_eq!(memories.find("abc").unwrap().id, "abc");
    assert!(matches!(memories.find("ab"), Err(MemoryError::Ambiguous { count: 3, .. })));
    assert!(matches!(memories.find(""), Err(MemoryError::Unknown(_))));
    assert!(matches!(memories.find("../workflow/abc"), Err(MemoryError::Unknown(_))));
    memories.forget("abc2").unwrap();
    memories.forget("abc").unwrap();
    assert_eq!(memories.find("ab").unwrap().id, "abc1");
}

#[test]
fn a_hand_edit_is_seen_at_once_and_survives_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    let text = "---\n# Written by Ann.\nconfidence:  0.9 # sure\nsummary: Mine\n---\n\n\n* body  \n\n";
    let path = write(&memories, "user_preference/mine.md", text);
    assert_eq!(memories.find("mine").unwrap().content.body, "* body");
    memories.flag("mine").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text.replace("0.9", "0.8"));
    // As many bytes, and maybe at the same time.
    fs::write(&path, text.replace("Mine", "Ours")).unwrap();
    assert_eq!(memories.find("mine").unwrap().content.summary, "Ours");
    assert!(fs::read_to_string(memories.root().join("DIGEST.md")).unwrap().contains("- mine (0.9): Ours\n"));
    fs::write(&path, text.replace("0.9", "0.1")).unwrap();
    assert_eq!(memories.find("mine").unwrap().state, MemoryState::Archived);
    assert!(!path.exists());
}

#[test]
fn a_faulty_file_is_named_and_skipped_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    add(&mut memories, MemoryType::Workflow, "Fine");
    let faulty = write(&memories, "workflow/faulty.md", "---\nsumary: a\n---\n");
    write(&memories, "workflow/big.md", &"x".repeat(70_000));
    fs::write(memories.root().join("workflow/binary.md"), [0xff, 0xfe]).unwrap();
    symlink("/etc/hostname", memories.root().join("workflow/link.md")).unwrap();
    write(&memories, "workflow/twice.md", "---\nsummary: a\n---\n");
    write(&memories, "tool_use/twice.md", "---\nsummary: b\n---\n");
    for _ in 0..2 {
        let faults: Vec<_> = memories
            .faults()
            .unwrap()
            .into_iter()
            .map(|fault| format!("{}: {}", fault.path.file_name().unwrap().display(), fault.why))
            .collect();
        let expected = [
            "twice.md: its id",
            "big.md: it has 70000",
            "binary.md: it is not UTF-8",
            "faulty.md: ",
            "link.md: it is not a regular",
        ];
        assert_eq!(faults.len(), expected.len(), "{faults:?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.starts_with(expected), "{faults:?}");
        }
        assert_eq!(memories.all().unwrap().len(), 2);
    }
    assert_eq!(fs::read_to_string(&faulty).unwrap(), "---\nsumary: a\n---\n");
    fs::remove_file(memories.root().join("workflow/twice.md")).unwrap();
    assert_eq!(memories.find("twice").unwrap().content.summary, "b");
    fs::write(&faulty, "---\nsummary: a\n---\n").unwrap();
    assert_eq!(memories.faults().unwrap().len(), 3);
}

#[test]
fn a_planted_key_is_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    let content = NewMemory {
        origin: Some(format!("run {KEY}")),
        ..NewMemory::new(MemoryType::ToolUse, format!("Use {KEY}"), format!("Its key is {KEY}."))
    };
    let memory = memories.add(content.clone(), MemoryState::Active, NOW).unwrap();
    assert_eq!(memory.content.summary, "Use [redacted]");
    memories.add(content, MemoryState::Proposed, NOW).unwrap();
    assert!(contains(&all_bytes(folder.path()), "Its key is [redacted]"));
    assert!(!contains(&all_bytes(folder.path()), KEY));
    // The file of a person stays as it is, but nothing is made of it.
    let hand = write(&memories, "workflow/hand.md", &format!("---\nsummary: Say {KEY}\n---\n{KEY}"));
    let faulty = write(&memories, "workflow/bad.md", &format!("---\nsummary: a\nkind: {KEY}\n---\n"));
    assert_eq!(memories.find("hand").unwrap().content.body, "[redacted]");
    assert!(!memories.faults().unwrap()[0].why.contains(KEY));
    fs::remove_file(hand).unwrap();
    fs::remove_file(faulty).unwrap();
    assert!(!contains(&all_bytes(folder.path()), KEY));
    let unknown = NewMemory::new(MemoryType::ToolUse, "It is unknowable", "");
    assert!(matches!(memories.add(unknown, MemoryState::Active, NOW), Err(MemoryError::Secrets(_))));
}

#[test]
fn files_are_private_and_a_full_or_odd_field_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    let memory = add(&mut memories, MemoryType::ProjectFact, "A fact");
    for path in [memories.path(&memory), memories.root().join("DIGEST.md")] {
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    }
    let long = NewMemory::new(MemoryType::ProjectFact, "a".repeat(121), "");
    let large = NewMemory::new(MemoryType::ProjectFact, "a", "b".repeat(BODY_BYTES + 1));
    let lines = NewMemory::new(MemoryType::ProjectFact, "a\nb", "");
    for content in [long, large, lines] {
        assert!(matches!(memories.add(content, MemoryState::Active, NOW), Err(MemoryError::Invalid(_))));
    }
    assert_eq!(memories.status().unwrap().active, 1);
}

#[test]
fn a_killed_change_is_completed_by_the_next_use() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    let memory = add(&mut memories, MemoryType::Workflow, "Old");
    // As if a process had been killed after it wrote the file, and another one while it wrote.
    let path = memories.path(&memory);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("0.5", "0.2")).unwrap();
    fs::write(path.with_file_name(".draft"), "half").unwrap();
    let memories = &mut open(&folder);
    assert_eq!(memories.find(&memory.id).unwrap().state, MemoryState::Archived);
    assert!(!fs::read_to_string(memories.root().join("DIGEST.md")).unwrap().contains("Old"));
    assert!(!path.with_file_name(".draft").exists());
}

#[test]
fn several_threads_change_the_same_memories() {
    let folder = tempfile::tempdir().unwrap();
    let id = add(&mut open(&folder), MemoryType::Workflow, "Shared").id;
    std::thread::scope(|scope| {
        for name in ["a", "b"] {
            let (folder, id) = (&folder, &id);
            scope.spawn(move || {
                let mut memories = open(folder);
                memories.keep(id).unwrap();
                add(&mut memories, MemoryType::ToolUse, name);
                memories.keep(id).unwrap();
            });
        }
    });
    let mut memories = open(&folder);
    assert_eq!(memories.find(&id).unwrap().confidence.tenths(), 9);
    assert_eq!(memories.all().unwrap().len(), 3);
    assert_eq!(fs::read_to_string(memories.root().join("DIGEST.md")).unwrap().matches("\n- ").count(), 3);
}

#[test]
fn there_is_one_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mut memories = open(&folder);
    assert_eq!(memories.profile().unwrap(), None);
    let profile = memories.create_profile("software".parse().unwrap(), NOW).unwrap();
    assert!(profile.content.body.contains("## Build and test"));
    assert_eq!(memories.profile().unwrap(), Some(profile));
    let again = memories.create_profile("empty".parse().unwrap(), NOW);
    assert!(matches!(again, Err(MemoryError::ProfileExists(_))));
}
