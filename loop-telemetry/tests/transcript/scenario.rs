//! Messages, entries and times for tests.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use loop_core::Usage;
use loop_telemetry::transcript::{
    ConversationChange, RecalledItem, SessionInfo, SessionStore, TimedEntry, ToolCallRecord, TranscriptEntry,
    export::{ExportedCall, ExportedFile, ExportedMessage},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message of a conversation, as another crate might define it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum TestMessage {
    User { text: String, file: Option<TestAttachment> },
    Model { text: String, calls: Vec<TestCall> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestAttachment {
    pub(crate) media_type: String,
    pub(crate) base64: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) result: String,
}

pub(crate) fn user(text: &str) -> TestMessage {
    TestMessage::User { text: text.to_owned(), file: None }
}

pub(crate) fn model(text: &str) -> TestMessage {
    TestMessage::Model { text: text.to_owned(), calls: Vec::new() }
}

/// Views a message for an export.
pub(crate) fn view(said: &TestMessage) -> ExportedMessage<'_> {
    match said {
        TestMessage::User { text, file } => {
            let file = file.as_ref().map(|TestAttachment { media_type, base64 }| ExportedFile {
                name: None,
                media_type,
                bytes: base64.len() as u64,
            });
            ExportedMessage { by_model: false, text, calls: Vec::new(), files: file.into_iter().collect() }
        }
        TestMessage::Model { text, calls } => {
            let calls = calls.iter();
            let calls =
                calls.map(|TestCall { tool, arguments, result }| ExportedCall { tool, arguments, result });
            ExportedMessage { by_model: true, text, calls: calls.collect(), files: Vec::new() }
        }
    }
}

pub(crate) fn began() -> Timestamp {
    "2026-01-31T09:30:00Z".parse().unwrap()
}

/// Returns a clock that advances by one second with each call.
pub(crate) fn clock() -> impl FnMut() -> Timestamp + Send + 'static {
    let mut now = began();
    move || {
        now = now.checked_add(1.second()).unwrap();
        now
    }
}

pub(crate) fn info(id: &str, folder: &str) -> SessionInfo {
    SessionInfo::new(id, folder, "org/gemma4:latest", began())
}

pub(crate) fn store() -> (tempfile::TempDir, SessionStore) {
    let state = tempfile::tempdir().unwrap();
    let store = SessionStore::at(state.path().join("sessions"));
    (state, store)
}

pub(crate) fn timed(entries: Vec<TranscriptEntry<TestMessage>>) -> Vec<TimedEntry<TestMessage>> {
    entries.into_iter().map(|entry| TimedEntry { time: began(), entry }).collect()
}

/// Returns texts that combine everything with a special meaning.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    let nasty = select(vec![
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        " ",
        "  ",
        "\t",
        "# Heading",
        "INT. NOT A SCENE",
        "ext. it",
        "YES",
        "```",
        "~~~",
        "[",
        "[[",
        "]",
        "]]",
        "/*",
        "*/",
        "*",
        "_",
        "\\",
        "\\u{41}",
        "(",
        ")",
        "@",
        "!",
        ".",
        ">",
        "<",
        "~",
        "=",
        "---",
        "THE END.",
        "CUT TO:",
        "**User**",
        "\0",
        "\u{7}",
        "\u{b}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "é",
        "日本",
        "🙂",
        "{\"a\":1}",
    ]);
    let piece = prop_oneof![3 => nasty.prop_map(str::to_owned), 1 => "\\PC{0,8}", 1 => any::<char>().prop_map(String::from)];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn any_usage() -> impl Strategy<Value = Usage> {
    option::of((0..9_u64, 0..9_u64)).prop_map(|used| {
        used.map_or(Usage::unknown(), |(read, written)| Usage::unknown().with_tokens(read, written))
    })
}

fn any_made() -> impl Strategy<Value = TestCall> {
    (any_text(), any_text(), any_text()).prop_map(|(tool, argument, result)| TestCall {
        tool,
        arguments: json!({ "it": argument }),
        result,
    })
}

fn any_prompt() -> impl Strategy<Value = TestMessage> {
    let file = option::of("[A-Za-z0-9+/]{0,40}").prop_map(|base64| {
        base64.map(|base64| TestAttachment { media_type: "image/png".to_owned(), base64: base64.into() })
    });
    (any_text(), file).prop_map(|(text, file)| TestMessage::User { text, file })
}

fn any_said() -> impl Strategy<Value = TestMessage> {
    let model =
        (any_text(), vec(any_made(), 0..3)).prop_map(|(text, calls)| TestMessage::Model { text, calls });
    prop_oneof![1 => any_prompt(), 3 => model]
}

/// The next event of a session. [`any_session`] computes the changes.
#[derive(Debug, Clone)]
enum SessionStep {
    Turn { prompt: TestMessage, said: Vec<TestMessage>, usage: Usage, ends: u8 },
    Ran { command: String, output: String },
    Summarised { summary: String, kept: usize },
    Other(TranscriptEntry<TestMessage>),
}

fn any_deed() -> impl Strategy<Value = SessionStep> {
    let other = prop_oneof![
        any_text().prop_map(|text| TranscriptEntry::Pinned { text }),
        any_text().prop_map(|name| TranscriptEntry::Renamed { name }),
        any_text().prop_map(|model| TranscriptEntry::ModelChanged { model }),
        (option::of(any_text()), any_text(), any_text(), 0.0..1.0).prop_map(|(store, silo, id, score)| {
            TranscriptEntry::Recalled { store, items: vec![RecalledItem { silo, id, score }] }
        }),
        any_text().prop_map(|model| TranscriptEntry::Resumed { model }),
        select(vec![
            TranscriptEntry::Unpinned,
            TranscriptEntry::Cleared,
            TranscriptEntry::Ended,
            TranscriptEntry::ToolsChanged { on: true },
            TranscriptEntry::ToolsChanged { on: false },
        ]),
        (0.0..9e9, option::of(1..100_u64), any_text()).prop_map(|(interval_seconds, count, prompt)| {
            TranscriptEntry::LoopBegun { interval_seconds, count, prompt }
        }),
        (any::<u64>(), any_text())
            .prop_map(|(iterations, how)| TranscriptEntry::LoopEnded { iterations, how }),
    ];
    prop_oneof![
        4 => (any_prompt(), vec(any_said(), 0..3), any_usage(), 0..4_u8)
            .prop_map(|(prompt, said, usage, ends)| SessionStep::Turn { prompt, said, usage, ends }),
        1 => (any_text(), any_text()).prop_map(|(command, output)| SessionStep::Ran { command, output }),
        1 => (any_text(), 0..3_usize).prop_map(|(summary, kept)| SessionStep::Summarised { summary, kept }),
        3 => other.prop_map(SessionStep::Other),
    ]
}

/// Returns the entries of a possible session, without its beginning.
pub(crate) fn any_session() -> impl Strategy<Value = Vec<TranscriptEntry<TestMessage>>> {
    vec(any_deed(), 0..6).prop_map(|deeds| {
        let (mut entries, mut now) = (Vec::new(), Vec::new());
        deeds.into_iter().for_each(|deed| do_it(deed, &mut entries, &mut now));
        entries
    })
}

fn do_it(deed: SessionStep, entries: &mut Vec<TranscriptEntry<TestMessage>>, now: &mut Vec<TestMessage>) {
    let before = now.clone();
    match deed {
        SessionStep::Turn { prompt, said, usage, ends } => {
            entries.push(TranscriptEntry::Asked { prompt: prompt.clone(), model: "qwen3".to_owned() });
            for made in said.iter().flat_map(|said| view(said).calls) {
                let (tool, result) = (made.tool.to_owned(), made.result.to_owned());
                let called = ToolCallRecord { tool, arguments: made.arguments.clone(), result, done: true };
                entries.push(TranscriptEntry::Called(called));
            }
            match ends {
                0 => return,
                1 => {
                    return entries.push(TranscriptEntry::Unanswered {
                        why: "cancelled".to_owned(),
                        usage,
                        said: said.iter().map(|said| view(said).text).collect(),
                    });
                }
                _ => now.extend(std::iter::once(prompt).chain(said)),
            }
            let change = ConversationChange::between(&before, now);
            entries.push(TranscriptEntry::Answered { change, usage, model: "qwen3".to_owned() });
        }
        SessionStep::Ran { command, output } => {
            now.push(user(&output));
            entries.push(TranscriptEntry::Ran {
                command,
                output,
                change: ConversationChange::between(&before, now),
            });
        }
        SessionStep::Summarised { summary, kept } => {
            *now = std::iter::once(user(&summary))
                .chain(before.iter().rev().take(kept).rev().cloned())
                .collect();
            let change = ConversationChange::between(&before, now);
            entries.push(TranscriptEntry::Summarised { summary, change, usage: Usage::unknown() });
        }
        SessionStep::Other(entry) => {
            if entry == TranscriptEntry::Cleared {
                now.clear();
            }
            entries.push(entry);
        }
    }
}
