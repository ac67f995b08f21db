//! Messages, entries and times for tests.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use loop_core::Usage;
use loop_telemetry::transcript::{
    CalledTool, Change, Entry, SessionInfo, SessionStore, Stamped,
    export::{Speech, SpokenCall, SpokenFile},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message of a conversation, as another crate might have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Said {
    User { text: String, file: Option<Picture> },
    Model { text: String, calls: Vec<Made> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Picture {
    pub(crate) media_type: String,
    pub(crate) base64: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) result: String,
}

pub(crate) fn user(text: &str) -> Said {
    Said::User { text: text.to_owned(), file: None }
}

pub(crate) fn model(text: &str) -> Said {
    Said::Model { text: text.to_owned(), calls: Vec::new() }
}

/// How exports see a message.
pub(crate) fn view(said: &Said) -> Speech<'_> {
    match said {
        Said::User { text, file } => {
            let file = file.as_ref().map(|Picture { media_type, base64 }| SpokenFile {
                name: None,
                media_type,
                bytes: base64.len() as u64,
            });
            Speech { by_model: false, text, calls: Vec::new(), files: file.into_iter().collect() }
        }
        Said::Model { text, calls } => {
            let calls = calls.iter();
            let calls = calls.map(|Made { tool, arguments, result }| SpokenCall { tool, arguments, result });
            Speech { by_model: true, text, calls: calls.collect(), files: Vec::new() }
        }
    }
}

pub(crate) fn began() -> Timestamp {
    "2026-01-31T09:30:00Z".parse().unwrap()
}

/// A clock that goes on by a second each time.
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

pub(crate) fn stamped(entries: Vec<Entry<Said>>) -> Vec<Stamped<Said>> {
    entries.into_iter().map(|entry| Stamped { time: began(), entry }).collect()
}

/// Texts in which everything stands that has a meaning somewhere.
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

fn any_made() -> impl Strategy<Value = Made> {
    (any_text(), any_text(), any_text()).prop_map(|(tool, argument, result)| Made {
        tool,
        arguments: json!({ "it": argument }),
        result,
    })
}

fn any_prompt() -> impl Strategy<Value = Said> {
    let file = option::of("[A-Za-z0-9+/]{0,40}").prop_map(|base64| {
        base64.map(|base64| Picture { media_type: "image/png".to_owned(), base64: base64.into() })
    });
    (any_text(), file).prop_map(|(text, file)| Said::User { text, file })
}

fn any_said() -> impl Strategy<Value = Said> {
    let model = (any_text(), vec(any_made(), 0..3)).prop_map(|(text, calls)| Said::Model { text, calls });
    prop_oneof![1 => any_prompt(), 3 => model]
}

/// What a session does next; changes are written down by [`any_session`].
#[derive(Debug, Clone)]
enum Deed {
    Turn { prompt: Said, said: Vec<Said>, usage: Usage, ends: u8 },
    Ran { command: String, output: String },
    Summarised { summary: String, kept: usize },
    Other(Entry<Said>),
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let other = prop_oneof![
        any_text().prop_map(|text| Entry::Pinned { text }),
        any_text().prop_map(|name| Entry::Renamed { name }),
        any_text().prop_map(|model| Entry::ModelChanged { model }),
        any_text().prop_map(|model| Entry::Resumed { model }),
        select(vec![
            Entry::Unpinned,
            Entry::Cleared,
            Entry::Ended,
            Entry::ToolsChanged { on: true },
            Entry::ToolsChanged { on: false },
        ]),
        (0.0..9e9, option::of(1..100_u64), any_text()).prop_map(|(interval_seconds, count, prompt)| {
            Entry::LoopBegun { interval_seconds, count, prompt }
        }),
        (any::<u64>(), any_text()).prop_map(|(iterations, how)| Entry::LoopEnded { iterations, how }),
    ];
    prop_oneof![
        4 => (any_prompt(), vec(any_said(), 0..3), any_usage(), 0..4_u8)
            .prop_map(|(prompt, said, usage, ends)| Deed::Turn { prompt, said, usage, ends }),
        1 => (any_text(), any_text()).prop_map(|(command, output)| Deed::Ran { command, output }),
        1 => (any_text(), 0..3_usize).prop_map(|(summary, kept)| Deed::Summarised { summary, kept }),
        3 => other.prop_map(Deed::Other),
    ]
}

/// The entries of a session that could have been, its beginning left out.
pub(crate) fn any_session() -> impl Strategy<Value = Vec<Entry<Said>>> {
    vec(any_deed(), 0..6).prop_map(|deeds| {
        let (mut entries, mut now) = (Vec::new(), Vec::new());
        deeds.into_iter().for_each(|deed| do_it(deed, &mut entries, &mut now));
        entries
    })
}

fn do_it(deed: Deed, entries: &mut Vec<Entry<Said>>, now: &mut Vec<Said>) {
    let before = now.clone();
    match deed {
        Deed::Turn { prompt, said, usage, ends } => {
            entries.push(Entry::Asked { prompt: prompt.clone(), model: "qwen3".to_owned() });
            for made in said.iter().flat_map(|said| view(said).calls) {
                let (tool, result) = (made.tool.to_owned(), made.result.to_owned());
                let called = CalledTool { tool, arguments: made.arguments.clone(), result, done: true };
                entries.push(Entry::Called(called));
            }
            match ends {
                0 => return,
                1 => {
                    return entries.push(Entry::Unanswered {
                        why: "cancelled".to_owned(),
                        usage,
                        said: said.iter().map(|said| view(said).text).collect(),
                    });
                }
                _ => now.extend(std::iter::once(prompt).chain(said)),
            }
            let change = Change::between(&before, now);
            entries.push(Entry::Answered { change, usage, model: "qwen3".to_owned() });
        }
        Deed::Ran { command, output } => {
            now.push(user(&output));
            entries.push(Entry::Ran { command, output, change: Change::between(&before, now) });
        }
        Deed::Summarised { summary, kept } => {
            *now = std::iter::once(user(&summary))
                .chain(before.iter().rev().take(kept).rev().cloned())
                .collect();
            let change = Change::between(&before, now);
            entries.push(Entry::Summarised { summary, change, usage: Usage::unknown() });
        }
        Deed::Other(entry) => {
            if entry == Entry::Cleared {
                now.clear();
            }
            entries.push(entry);
        }
    }
}
