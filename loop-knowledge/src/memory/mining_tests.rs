use std::sync::Mutex;

use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    mining::{Dropped, MOST_TEXTS, MiningOptions, MiningReport, MiningText},
    tests::{KEY, NOW, all_bytes, contains, open},
    *,
};
use crate::{BoxError, Embedder, Extractor, HashedEmbedder};

/// Replies with these texts, in order, and remembers what it got.
struct Script {
    replies: Mutex<Vec<String>>,
    requests: Mutex<Vec<String>>,
}

impl Script {
    fn new(replies: &[Value]) -> Self {
        let replies = replies.iter().rev().map(Value::to_string).collect();
        Self { replies: Mutex::new(replies), requests: Mutex::default() }
    }
}

#[async_trait]
impl Extractor for Script {
    async fn extract(&self, text: &str, schema: &Value) -> Result<String, BoxError> {
        assert_eq!(schema["properties"]["proposals"]["maxItems"], 5);
        self.requests.lock().unwrap().push(text.to_owned());
        self.replies.lock().unwrap().pop().ok_or_else(|| "no server".into())
    }
}

fn proposal(summary: &str, quote: &str) -> Value {
    json!({ "type": "tool_use", "kind": "pitfall", "summary": summary, "body": "Body.", "quote": quote })
}

fn reply(proposals: &[Value]) -> Value {
    json!({ "proposals": proposals })
}

fn text(key: &str, seconds: i64, text: &str) -> MiningText {
    let time = Timestamp::from_second(seconds).unwrap();
    MiningText { key: key.to_owned(), time, digest: format!("{} bytes", text.len()), text: text.to_owned() }
}

const OPTIONS: MiningOptions = MiningOptions { most_bytes: 1000, again: false };

fn mine(
    memories: &mut Memories<'_>,
    texts: Vec<MiningText>,
    script: &Script,
    embedder: Option<&dyn Embedder>,
    options: MiningOptions,
) -> MiningReport {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(memories.mine(texts, script, embedder, options, NOW)).unwrap()
}

#[test]
fn a_proposal_is_recalled_only_after_a_person_accepted_it() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let script =
        Script::new(&[reply(&[proposal("Use make", "make\nfailed"), proposal("Use ninja", "make")])]);
    let report = mine(memories, vec![text("run 1", 5, "then make failed twice")], &script, None, OPTIONS);
    let proposed = &report.mined[0].proposed;
    assert_eq!(proposed.len(), 2);
    assert_eq!(proposed[0].content.origin.as_deref(), Some("run 1 of 1970-01-01T00:00:05Z"));
    assert_eq!(memories.status().unwrap().active, 0);
    assert!(!std::fs::read_to_string(memories.root().join("DIGEST.md")).unwrap().contains("Use"));
    let accepted = memories.accept(&proposed[0].id).unwrap();
    memories.reject(&proposed[1].id).unwrap();
    assert_eq!((accepted.state, accepted.confidence), (MemoryState::Active, Confidence::NEW));
    assert!(memories.proposals().unwrap().is_empty());
    // Neither the accepted nor the rejected one is proposed again, whatever their order of words.
    let script = Script::new(&[reply(&[
        proposal("make use!", "make"),
        proposal("Use ninja", "make"),
        proposal("x", "make"),
    ])]);
    let report = mine(memories, vec![text("run 2", 6, "make")], &script, None, OPTIONS);
    assert_eq!(report.mined[0].dropped, Dropped { duplicates: 2, ..Dropped::default() });
    assert_eq!(report.mined[0].proposed.len(), 1);
}

#[test]
fn faulty_proposals_are_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let mut profile = proposal("a", "words");
    profile["type"] = "workspace_profile".into();
    let mut extra = proposal("b", "words");
    extra["confidence"] = 1.into();
    let first =
        [profile, extra, proposal(&"x".repeat(121), "words"), proposal("c", "made up"), proposal("d", " ")];
    let second = [
        proposal("e", "words"),
        proposal("f", "words"),
        json!(1),
        json!({}),
        json!([]),
        proposal("g", "words"),
    ];
    let script = Script::new(&[reply(&first), reply(&second), json!("no object"), reply(&[])]);
    let texts = (1..=4).map(|number| text(&format!("run {number}"), 10 - number, "some words")).collect();
    let report = mine(memories, texts, &script, None, OPTIONS);
    let dropped: Vec<_> = report.mined.iter().map(|mined| mined.dropped).collect();
    let of = |schema, quotes| Dropped { schema, quotes, duplicates: 0 };
    assert_eq!(dropped, [of(3, 2), of(4, 0), of(1, 0), of(0, 0)]);
    let kept: Vec<_> = memories.mined_texts().unwrap().into_values().map(|text| text.proposals).collect();
    assert_eq!(kept, [0, 2, 0, 0]);
}

#[test]
fn the_newest_10_texts_are_mined_once_until_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let empty: Vec<_> = (0..30).map(|_| reply(&[])).collect();
    let script = Script::new(&empty);
    let texts: Vec<_> = (0..12).map(|number| text(&format!("run {number}"), number, "words")).collect();
    let report = mine(memories, texts.clone(), &script, None, OPTIONS);
    assert_eq!((report.mined.len(), report.left, report.known), (MOST_TEXTS, 2, 0));
    assert_eq!((&*report.mined[0].key, &*report.mined[9].key), ("run 11", "run 2"));
    let report = mine(memories, texts.clone(), &script, None, OPTIONS);
    assert_eq!((report.mined.len(), report.left, report.known), (2, 0, 10));
    assert_eq!(mine(memories, texts.clone(), &script, None, OPTIONS).mined.len(), 0);
    let changed = vec![text("run 3", 3, "other words")];
    assert_eq!(mine(memories, changed.clone(), &script, None, OPTIONS).mined.len(), 1);
    assert_eq!(mine(memories, changed.clone(), &script, None, OPTIONS).mined.len(), 0);
    assert_eq!(
        mine(memories, changed, &script, None, MiningOptions { again: true, ..OPTIONS }).mined.len(),
        1
    );
}

#[test]
fn mining_stops_where_the_model_gives_no_reply_and_continues_there() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let texts = vec![text("run 1", 2, "words"), text("run 2", 1, "words")];
    let report = mine(memories, texts.clone(), &Script::new(&[reply(&[])]), None, OPTIONS);
    assert_eq!(report.mined.len(), 1);
    assert_eq!(report.failure.unwrap().key, "run 2");
    let report = mine(memories, texts, &Script::new(&[reply(&[])]), None, OPTIONS);
    assert_eq!((report.mined.len(), report.known, report.failure.is_none()), (1, 1, true));
}

#[test]
fn the_end_of_a_long_text_is_sent_and_planted_keys_are_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let told =
        [proposal(&format!("Key {KEY}"), &format!("the key {KEY}")), proposal("Key", "the key [redacted]")];
    let script = Script::new(&[reply(&told)]);
    let long = format!("{}\nthe key {KEY}\nthe end", "é\n".repeat(1000));
    let embedder: Option<&dyn Embedder> = Some(&HashedEmbedder);
    let report = mine(memories, vec![text("run 1", 1, &long)], &script, embedder, OPTIONS);
    let requests = script.requests.lock().unwrap();
    assert!(requests[0].len() <= 1000 && requests[0].ends_with("the key [redacted]\nthe end"));
    assert_eq!(report.mined[0].dropped.quotes, 1, "words that the model did not get");
    memories.accept(&report.mined[0].proposed[0].id).unwrap();
    assert!(contains(&all_bytes(folder.path()), "run 1"));
    let planted = text(&format!("run {KEY}"), 2, KEY);
    let told = [proposal(&format!("Say {KEY}"), "[redacted]")];
    let report = mine(memories, vec![planted.clone()], &Script::new(&[reply(&told)]), embedder, OPTIONS);
    assert_eq!(report.mined[0].proposed[0].content.summary, "Say [redacted]");
    assert!(!contains(&all_bytes(folder.path()), KEY));
    assert_eq!(mine(memories, vec![planted], &Script::new(&[]), embedder, OPTIONS).known, 1);
}

#[test]
fn similar_proposals_are_duplicates_with_an_embedder() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let long = "The integration tests of the parser hang for ten minutes when the server is not there";
    let script = Script::new(&[reply(&[proposal(long, "words"), proposal(&format!("{long} yet"), "words")])]);
    let report = mine(memories, vec![text("run 1", 1, "words")], &script, Some(&HashedEmbedder), OPTIONS);
    assert_eq!((report.mined[0].proposed.len(), report.mined[0].dropped.duplicates), (1, 1));
}
