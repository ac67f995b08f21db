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

/// A record, and a quote of it.
const WORDS: &str = "some useful words";

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
    let script = Script::new(&[reply(&[
        proposal("Use make", "make\nfailed twice"),
        proposal("Use ninja", "then make failed"),
    ])]);
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
        proposal("make use!", "make it so"),
        proposal("Use ninja", "make it so"),
        proposal("x", "make it so"),
    ])]);
    let report = mine(memories, vec![text("run 2", 6, "make it so")], &script, None, OPTIONS);
    assert_eq!(report.mined[0].dropped, Dropped { duplicates: 2, ..Dropped::default() });
    assert_eq!(report.mined[0].proposed.len(), 1);
}

#[test]
fn faulty_proposals_are_dropped_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let memories = &mut open(&folder);
    let mut profile = proposal("a", WORDS);
    profile["type"] = "workspace_profile".into();
    let mut extra = proposal("b", WORDS);
    extra["confidence"] = 1.into();
    let first =
        [profile, extra, proposal(&"x".repeat(121), WORDS), proposal("c", "made up"), proposal("d", " ")];
    let second =
        [proposal("e", WORDS), proposal("f", WORDS), json!(1), json!({}), json!([]), proposal("g", WORDS)];
    let script = Script::new(&[reply(&first), reply(&second), json!("no object"), reply(&[])]);
    let texts = (1..=4).map(|number| text(&format!("run {number}"), 10 - number, WORDS)).collect();
    let report = mine(memories, texts, &script, None, OPTIONS);
    let dropped: Vec<_> = report.mined.iter().map(|mined| mined.dropped).collect();
    let of = |schema, quotes| Dropped { schema, quotes, duplicates: 0 };
    assert_eq!(dropped, [of(3, 2), of(4, 0), of(0, 0), of(0, 0)]);
    let kept = memories.mined_texts().unwrap().into_iter().map(|(key, text)| (key, text.proposals));
    let kept: Vec<_> = kept.collect();
    // The third reply was no list, so that text comes again.
    assert_eq!(kept, [("run 1".to_owned(), 0), ("run 2".to_owned(), 2), ("run 4".to_owned(), 0)]);
    assert!(!report.mined[2].has_reply && report.mined[3].has_reply);
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
    let planted = text(&format!("run {KEY}"), 2, &format!("{KEY} is it"));
    let told = [proposal(&format!("Say {KEY}"), "[redacted] is it")];
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
    let script = Script::new(&[reply(&[proposal(long, WORDS), proposal(&format!("{long} yet"), WORDS)])]);
    let report = mine(memories, vec![text("run 1", 1, WORDS)], &script, Some(&HashedEmbedder), OPTIONS);
    assert_eq!((report.mined[0].proposed.len(), report.mined[0].dropped.duplicates), (1, 1));
}

/// A model that makes something up finds some letters in every text.
#[test]
fn a_quote_is_three_words_or_twelve_letters_that_somebody_said() {
    let record = "# Run 1 of build\n\n## Iteration 1\n\nThe agent:\nthe build fails\n\nThe check:\nlinker error: unresolved\n";
    let good = ["the build fails", "build\n fails linker", "linker error: unresolved", "fails linker error"];
    let bad = [
        "e",
        ".",
        "uild fails linker",
        "the build fail",
        "The agent: the build",
        "# Run 1 of build",
        "build",
    ];
    for (quotes, is_kept) in [(&good[..], true), (&bad[..], false)] {
        for quote in quotes {
            let folder = tempfile::tempdir().unwrap();
            let script = Script::new(&[reply(&[proposal("a", quote)])]);
            let texts = vec![text("run 1", 1, record)];
            let report = mine(&mut open(&folder), texts, &script, None, OPTIONS);
            assert_eq!(report.mined[0].proposed.len(), usize::from(is_kept), "{quote:?}");
            assert_eq!(report.mined[0].dropped.quotes, usize::from(!is_kept), "{quote:?}");
        }
    }
}

#[test]
fn a_quote_in_a_script_without_spaces_is_part_of_a_sentence() {
    let record = "因为没有网络所以构建会挂起。\nไม่มีเครือข่ายจึงหยุดทำงาน\n빌드가 멈춘다\n";
    for (quote, is_kept) in [
        ("构建会挂起", true),
        ("构建", false),
        ("เครือข่ายจึงหยุด", true),
        ("빌드가 멈춘다", true),
        ("빌드가 멈", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script = Script::new(&[reply(&[proposal("a", quote)])]);
        let report = mine(&mut open(&folder), vec![text("run 1", 1, record)], &script, None, OPTIONS);
        assert_eq!(report.mined[0].proposed.len(), usize::from(is_kept), "{quote}");
    }
}

#[test]
fn words_around_the_list_of_proposals_do_not_matter() {
    let list = reply(&[proposal("a", WORDS)]).to_string();
    let body = list.replace("Body.", "```sh\\nmake {all}\\n```");
    for said in [
        format!("Sure {{here}} it is!\n```json\n{list}\n```\nHope that helps {{you}}."),
        format!("```\n{body}\n```"),
        format!("{list}\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script = Script { replies: Mutex::new(vec![said.clone()]), requests: Mutex::default() };
        let report = mine(&mut open(&folder), vec![text("run 1", 1, WORDS)], &script, None, OPTIONS);
        assert_eq!((report.mined[0].proposed.len(), report.mined[0].has_reply), (1, true), "{said}");
    }
}
