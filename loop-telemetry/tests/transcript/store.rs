//! Several sessions: their locks, and how a person finds them.

use std::{fs, time::Duration, time::SystemTime};

use loop_core::Usage;
use loop_telemetry::{
    JournalError, REDACTED, Redactor,
    transcript::{ConversationChange, SessionError, SessionStore, Transcript, TranscriptEntry},
};

use crate::scenario::{TestAttachment, TestMessage, clock, info, model, store, user};

fn begin(store: &SessionStore, id: &str, folder: &str) -> Transcript<TestMessage> {
    store.begin(&info(id, folder), clock()).unwrap()
}

#[test]
fn a_session_is_held_by_one() {
    let (_state, store) = store();
    let held = begin(&store, "s-1", "/ws");
    let refused = store.resume::<TestMessage>("s-1", clock()).unwrap_err();
    assert!(matches!(refused, SessionError::File(JournalError::InUse { .. })), "{refused}");
    assert!(store.is_held("s-1").unwrap());
    // A reader does not need the lock.
    assert_eq!(store.entries::<TestMessage>("s-1").unwrap().len(), 1);
    drop(held);
    assert!(!store.is_held("s-1").unwrap());
    store.resume::<TestMessage>("s-1", clock()).unwrap();
}

#[test]
fn an_id_is_taken_once_and_is_no_path() {
    let (_state, store) = store();
    begin(&store, "s-1", "/ws");
    assert!(store.begin::<TestMessage>(&info("s-1", "/ws"), clock()).is_err());
    for id in ["", "../s-1", "a/b", "a b"] {
        assert!(matches!(store.entries::<TestMessage>(id), Err(SessionError::BadId { .. })), "{id}");
    }
    let missing = store.resume::<TestMessage>("s-2", clock()).unwrap_err();
    assert!(matches!(missing, SessionError::NoSuchSession { .. }), "{missing}");
    assert!(!store.is_held("s-2").unwrap());
}

#[test]
fn a_list_begins_with_the_newest_and_with_the_folder_of_who_asks() {
    let (_state, store) = store();
    assert!(store.list().unwrap().is_empty());
    for (age, id, folder) in [(30, "a-old", "/one"), (20, "a-new", "/two"), (10, "b", "/one")] {
        let transcript = begin(&store, id, folder);
        let used = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().append(true).open(transcript.path()).unwrap().set_modified(used).unwrap();
    }
    fs::write(store.path().join("other.jsonl"), "no session\n").unwrap();
    fs::write(store.path().join("empty.jsonl"), "").unwrap();
    let ids = |sessions: Vec<loop_telemetry::transcript::SessionEntry>| {
        sessions.into_iter().map(|session| session.info.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(store.list().unwrap()), ["b", "a-new", "a-old"]);
    let (sessions, unreadable) = store.list_from("/two").unwrap();
    assert_eq!(ids(sessions), ["a-new", "b", "a-old"]);
    assert_eq!(unreadable.len(), 2);
}

#[test]
fn a_session_that_cannot_be_read_is_not_hidden() {
    let (_state, store) = store();
    for id in ["newer", "nulls", "cut", "copied"] {
        begin(&store, id, "/ws").append(&TranscriptEntry::Renamed { name: format!("the {id}") }).unwrap();
    }
    let file = |id: &str| store.path().join(id).with_extension("jsonl");
    let whole = fs::read_to_string(file("newer")).unwrap();
    fs::write(file("newer"), whole.replacen("\"v\":4", "\"v\":5", 1)).unwrap();
    fs::write(file("nulls"), format!("\0\0\0{whole}")).unwrap();
    fs::write(file("cut"), &whole[..20]).unwrap();
    fs::copy(file("copied"), file("copy")).unwrap();
    assert_eq!(store.list().unwrap().len(), 1);
    let (readable, unreadable) = store.list_from("/ws").unwrap();
    assert_eq!(readable, store.list().unwrap());
    assert_eq!(unreadable.len(), 4);
    for (id, why) in [
        ("newer", "4"),
        ("nulls", "line 1 of "),
        ("cut", "it holds nothing of the session"),
        ("copy", "it belongs to the session copied"),
    ] {
        let listed = unreadable.iter().find(|unreadable| unreadable.id == id).unwrap().why.to_string();
        assert!(listed.contains(why), "{listed}");
        assert_eq!(store.find(id).unwrap_err().to_string(), listed);
    }
    assert!(matches!(store.find("n").unwrap_err(), SessionError::Ambiguous { count: 2, .. }));
    assert!(store.find("the cut").unwrap_err().to_string().contains("cut.jsonl"));
}

#[test]
fn a_session_is_found_by_its_id_its_name_or_the_beginning_of_its_id() {
    let (_state, store) = store();
    let mut first = begin(&store, "a-1", "/ws");
    begin(&store, "a-2", "/ws");
    first.append(&TranscriptEntry::Renamed { name: "the plan".to_owned() }).unwrap();
    for wanted in ["a-1", "the plan"] {
        let found = store.find(wanted).unwrap();
        assert_eq!((found.info.id.as_str(), found.name.as_deref()), ("a-1", Some("the plan")), "{wanted}");
    }
    assert_eq!(store.find("a-2").unwrap().name, None);
    assert!(matches!(store.find("a").unwrap_err(), SessionError::Ambiguous { count: 2, .. }));
    for wanted in ["", "b", "the"] {
        assert!(matches!(store.find(wanted).unwrap_err(), SessionError::NoSuchSession { .. }), "{wanted}");
    }
}

#[test]
fn no_secret_is_written_and_no_picture_is_damaged() {
    let (_state, store) = store();
    let secret = "hunter2hunter2";
    let mut transcript = begin(&store, "s", "/ws").redacting(Redactor::new([secret]).shapes());
    let picture =
        TestAttachment { media_type: "image/png".to_owned(), base64: "AKIAIOSFODNN7EXAMPLE".into() };
    let prompt = TestMessage::User { text: format!("my key is {secret}"), file: Some(picture.clone()) };
    let change =
        ConversationChange { kept: 0, messages: vec![prompt.clone(), model("AKIAIOSFODNN7EXAMPLE, then")] };
    transcript.append(&TranscriptEntry::Asked { prompt, model: "qwen3".to_owned() }).unwrap();
    transcript
        .append(&TranscriptEntry::Answered { change, usage: Usage::unknown(), model: "qwen3".to_owned() })
        .unwrap();
    transcript.append(&TranscriptEntry::Renamed { name: secret.to_owned() }).unwrap();
    drop(transcript);
    let (_transcript, conversation) = store.resume::<TestMessage>("s", clock()).unwrap();
    let clean = TestMessage::User { text: format!("my key is {REDACTED}"), file: Some(picture) };
    assert_eq!(conversation.messages, [clean, model(&format!("{REDACTED}, then"))]);
    assert_eq!(store.list().unwrap()[0].name.as_deref(), Some(REDACTED));
}

#[cfg(unix)]
#[test]
fn sessions_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_state, store) = store();
    let transcript = begin(&store, "s", "/ws");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(store.path()), mode(transcript.path())), (0o700, 0o600));
}

#[test]
fn a_turn_that_was_cut_by_a_kill_is_known() {
    let (_state, store) = store();
    let mut transcript = begin(&store, "s", "/ws");
    transcript.append(&TranscriptEntry::Asked { prompt: user("Go on."), model: "qwen3".to_owned() }).unwrap();
    drop(transcript);
    let (_transcript, conversation) = store.resume::<TestMessage>("s", clock()).unwrap();
    assert_eq!(conversation.unanswered, Some(user("Go on.")));
    assert!(conversation.messages.is_empty());
}
