//! A session is lossless, with any content, and cut anywhere.

use std::fs;

use loop_telemetry::transcript::{Conversation, TranscriptEntry};
use proptest::prelude::*;

use crate::scenario::{TestMessage, any_session, clock, info, store};

fn folded<'a>(
    entries: impl IntoIterator<Item = &'a TranscriptEntry<TestMessage>>,
) -> Conversation<TestMessage> {
    let mut conversation = Conversation::default();
    entries.into_iter().for_each(|entry| conversation.apply(entry.clone()).unwrap());
    conversation
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_said_is_what_is_restored(session in any_session()) {
        let (_state, store) = store();
        let mut transcript = store.begin(&info("s", "/ws"), clock()).unwrap();
        session.iter().for_each(|entry| transcript.append(entry).unwrap());
        drop(transcript);
        let entries: Vec<_> = store.entries("s").unwrap().into_iter().map(|timed| timed.entry).collect();
        prop_assert_eq!(&entries[0], &TranscriptEntry::Begun(info("s", "/ws")));
        prop_assert_eq!(&entries[1..], &session[..]);
        let (mut transcript, conversation) = store.resume::<TestMessage>("s", clock()).unwrap();
        prop_assert_eq!(conversation, folded(&entries));
        // The session continues.
        transcript.append(&TranscriptEntry::Cleared).unwrap();
        prop_assert_eq!(store.entries::<TestMessage>("s").unwrap().len(), entries.len() + 1);
    }

    #[test]
    fn of_a_session_that_was_cut_only_the_entry_in_flight_is_missing(
        session in any_session(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_state, store) = store();
        let mut transcript = store.begin(&info("s", "/ws"), clock()).unwrap();
        session.iter().for_each(|entry| transcript.append(entry).unwrap());
        let path = transcript.path().to_owned();
        drop(transcript);
        let whole = fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let cut = first + cut.index(whole.len() - first + 1);
        fs::write(&path, &whole[..cut]).unwrap();
        let left = whole[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
        let begun = TranscriptEntry::Begun(info("s", "/ws"));
        let (mut transcript, conversation) = store.resume::<TestMessage>("s", clock()).unwrap();
        prop_assert_eq!(conversation, folded(std::iter::once(&begun).chain(&session[..left])));
        // The torn line is gone, and the next entry replaces it.
        transcript.append(&TranscriptEntry::Unpinned).unwrap();
        prop_assert_eq!(store.entries::<TestMessage>("s").unwrap().len(), left + 2);
    }
}
