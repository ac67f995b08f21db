//! Each kind of damage to a session's file is detected and named.

use std::{fs, path::PathBuf};

use loop_telemetry::{
    JournalError,
    transcript::{ConversationChange, SessionError, SessionStore, TranscriptEntry},
};

use crate::scenario::{TestMessage, clock, info, store, user};

/// Returns a session of four lines: its folder, store and file.
fn session() -> (tempfile::TempDir, SessionStore, PathBuf) {
    let (state, store) = store();
    let mut transcript = store.begin::<TestMessage>(&info("s", "/ws"), clock()).unwrap();
    for text in ["first", "second"] {
        transcript.append(&TranscriptEntry::Pinned { text: text.to_owned() }).unwrap();
    }
    transcript.append(&TranscriptEntry::Ended).unwrap();
    let path = transcript.path().to_owned();
    (state, store, path)
}

fn refused(store: &SessionStore) -> String {
    let entries = store.entries::<TestMessage>("s").unwrap_err().to_string();
    assert_eq!(store.resume::<TestMessage>("s", clock()).unwrap_err().to_string(), entries);
    entries
}

#[test]
fn a_damaged_line_in_the_middle_is_named() {
    let (_state, store, path) = session();
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replace("first", "fIrst")).unwrap();
    let error = refused(&store);
    assert!(error.starts_with("line 2 of ") && error.contains("checksum"), "{error}");
    assert!(error.contains("everything after it is lost"), "{error}");
    // A missing line counts as damage.
    let lines: Vec<_> = whole.lines().collect();
    fs::write(&path, format!("{}\n{}\n", lines[0], lines[2])).unwrap();
    assert!(refused(&store).contains("number 2 instead of 1"));
}

#[test]
fn a_session_of_a_later_version_is_refused_and_not_cut() {
    let (_state, store, path) = session();
    for end in ["\n", ""] {
        let newer = format!("{}{{\"v\":5,\"what\":\"ever\"{end}", fs::read_to_string(&path).unwrap());
        let before = fs::read(&path).unwrap();
        fs::write(&path, &newer).unwrap();
        assert!(refused(&store).contains("line 5 of "));
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
        fs::write(&path, before).unwrap();
    }
}

#[test]
fn an_entry_of_another_conversation_is_damage() {
    let (_state, store, path) = session();
    let (mut transcript, _) = store.resume::<TestMessage>("s", clock()).unwrap();
    let change = ConversationChange { kept: 5, messages: vec![user("x")] };
    transcript
        .append(&TranscriptEntry::Ran { command: "/x".to_owned(), output: String::new(), change })
        .unwrap();
    drop(transcript);
    let error = store.resume::<TestMessage>("s", clock()).unwrap_err();
    assert!(matches!(error, SessionError::File(JournalError::Damaged { line: 5, .. })), "{error}");
    assert!(error.to_string().contains("it keeps 5 messages, but there are 0"), "{error}");
    assert!(path.is_file());
}

#[test]
fn a_file_that_is_removed_under_a_session_is_noticed() {
    let (_state, store, path) = session();
    let (mut transcript, _) = store.resume::<TestMessage>("s", clock()).unwrap();
    fs::remove_file(&path).unwrap();
    let error = transcript.append(&TranscriptEntry::Cleared).unwrap_err();
    assert!(matches!(error, SessionError::File(JournalError::Tampered { .. })), "{error}");
}

#[test]
fn a_file_in_which_nothing_is_left_is_refused() {
    let (_state, store, path) = session();
    for left in ["", "{\"v\":4,\"seq\":0"] {
        fs::write(&path, left).unwrap();
        let error = refused(&store);
        assert!(error.contains("it holds nothing") && error.contains("backup"), "{error}");
        assert_eq!(store.find("s").unwrap_err().to_string(), error);
        assert_eq!(fs::read_to_string(&path).unwrap(), left);
    }
}

/// In the first format, no session had an end.
#[test]
fn an_old_session_lacks_no_end() {
    let (_state, store, path) = session();
    let whole = fs::read_to_string(&path).unwrap();
    let old: String = whole
        .lines()
        .take(3)
        .map(|line| {
            let body = line.replacen("\"v\":4", "\"v\":1", 1);
            let body = &body[..body.find(",\"crc\"").unwrap()];
            format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
        })
        .collect();
    fs::write(&path, &old).unwrap();
    let (mut transcript, conversation) = store.resume::<TestMessage>("s", clock()).unwrap();
    assert_eq!((conversation.pinned.len(), transcript.lacks_end()), (2, false));
    // From here on it has this version's format.
    transcript.append(&TranscriptEntry::Resumed { model: "m".to_owned() }).unwrap();
    drop(transcript);
    assert!(store.resume::<TestMessage>("s", clock()).unwrap().0.lacks_end());
}

/// After cutting a session anywhere or flipping a bit, it is refused, or the rest is correct: complete, or without the
/// last entries, which is reported.
#[test]
fn damage_is_found_wherever_it_is() {
    let (_state, store, path) = session();
    let (whole, before) = (fs::read(&path).unwrap(), store.entries::<TestMessage>("s").unwrap());
    let check = |damaged: Vec<u8>, what: &str| {
        fs::write(&path, &damaged).unwrap();
        let (listed, unreadable) = store.list_from("/ws").unwrap();
        assert_eq!(listed.len() + unreadable.len(), 1, "{what}");
        let Ok((transcript, _)) = store.resume::<TestMessage>("s", clock()) else { return };
        let is_told = transcript.torn_bytes().is_some() || transcript.lacks_end();
        drop(transcript);
        let after = store.entries::<TestMessage>("s").unwrap();
        assert_eq!(after[..], before[..after.len()], "{what}");
        assert!(after.len() == before.len() || is_told, "{what}");
    };
    for length in 0..whole.len() {
        check(whole[..length].to_vec(), &format!("cut at {length}"));
    }
    for byte in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << (byte % 8);
        check(flipped, &format!("byte {byte}"));
    }
}
