//! The screenplay is lossless: a small parser recovers the session from it.

use loop_core::Usage;
use loop_telemetry::transcript::{ConversationChange, TranscriptEntry, export::fountain};
use proptest::prelude::*;

use crate::scenario::{TestMessage, any_session, any_text, info, model, timed, user, view};

/// A block of the page: the speaker (or the note, or the scene), the asides, and the text.
#[derive(Debug, PartialEq)]
struct Block {
    cue: String,
    asides: Vec<String>,
    text: String,
}

/// Parses a page, whose blocks are separated by empty lines.
fn read(page: &str) -> Vec<Block> {
    let (_title, script) = page.split_once("\n\n").unwrap();
    let mut blocks = Vec::new();
    for block in script.trim_matches('\n').split("\n\n") {
        let mut lines = block.split('\n').peekable();
        let cue = unescaped(lines.next().unwrap());
        let mut asides = Vec::new();
        while let Some(aside) = lines.next_if(|line| line.starts_with('(')) {
            asides.push(unescaped(aside.strip_prefix('(').unwrap().strip_suffix(')').unwrap()));
        }
        let text: Vec<_> =
            lines.map(|line| if line == "  " { String::new() } else { unescaped(line) }).collect();
        blocks.push(Block { cue, asides, text: text.join("\n") });
    }
    blocks
}

fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let code = after.strip_prefix("u{").and_then(|after| after.split_once('}'));
        rest = match code {
            Some((code, after)) => {
                text.extend(char::from_u32(u32::from_str_radix(code, 16).unwrap()));
                after
            }
            None => {
                let mut chars = after.chars();
                text.extend(chars.next());
                chars.as_str()
            }
        };
    }
    text + rest
}

/// Returns the parts of a session that its screenplay must contain: who said what.
fn told(entries: &[TranscriptEntry<TestMessage>]) -> Vec<(String, String)> {
    let mut told = Vec::new();
    let mut length = 0;
    for entry in entries {
        match entry {
            TranscriptEntry::Asked { prompt, .. } => {
                told.push(("USER".to_owned(), view(prompt).text.to_owned()));
            }
            TranscriptEntry::Answered { change, .. } => {
                // Skips the prompt, which is already there.
                for said in change.messages.iter().skip(length - change.kept + 1).map(view) {
                    if !said.text.is_empty() || said.calls.is_empty() {
                        let cue = if said.by_model { "QWEN3" } else { "USER" };
                        told.push((cue.to_owned(), said.text.to_owned()));
                    }
                }
                length = change.kept + change.messages.len();
            }
            TranscriptEntry::Called(called) => {
                told.push((format!("@{} (TOOL)", called.tool), called.result.clone()));
            }
            TranscriptEntry::Ran { command, output, change } => {
                told.extend([("USER".to_owned(), command.clone()), ("SHELL".to_owned(), output.clone())]);
                length = change.kept + change.messages.len();
            }
            TranscriptEntry::Summarised { change, .. } => length = change.kept + change.messages.len(),
            TranscriptEntry::Cleared => length = 0,
            _ => {}
        }
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn everybody_is_heard(session in any_session()) {
        let blocks = read(&fountain(&timed(session.clone()), view));
        let speeches = blocks.iter().filter(|block| {
            !["FADE IN:", "> THE END <"].contains(&block.cue.as_str())
                && !block.cue.starts_with("INT. ") && !block.cue.starts_with("[[")
        });
        let mut heard: Vec<_> = speeches.map(|block| (block.cue.clone(), block.text.clone())).collect();
        let mut said = told(&session);
        // The calls of a turn come between its words, but were written before them.
        heard.sort();
        said.sort();
        prop_assert_eq!(heard, said);
    }

    #[test]
    fn every_note_is_kept(text in any_text()) {
        let notes = timed(vec![TranscriptEntry::Pinned { text: text.clone() }]);
        let blocks = read(&fountain(&notes, view));
        prop_assert_eq!(&blocks[1].cue, &format!("[[pinned: {text}]]"));
    }

    #[test]
    fn arguments_are_kept(text in any_text()) {
        let call = crate::scenario::TestCall { tool: "t".into(), arguments: text.clone().into(), result: "r".into() };
        let said = TestMessage::Model { text: String::new(), calls: vec![call] };
        let change = ConversationChange { kept: 0, messages: vec![said] };
        let answered = TranscriptEntry::Answered { change, usage: Usage::unknown(), model: "m".into() };
        let blocks = read(&fountain(&timed(vec![answered]), view));
        prop_assert_eq!(&blocks[1].asides, &[serde_json::to_string(&text).unwrap()]);
    }
}

/// In the area `fountainRoundTrip` of the cases, these texts were lost. Here they stay.
#[test]
fn texts_of_many_lines_are_kept() {
    let turns = [
        ("line one\nline two", "para one\n\npara two\n\nINT. NOT A SCENE\n\nend"),
        ("q1", "a1"),
        ("q1", "YES\nok"),
        ("q2", "# Heading\n\ntext"),
    ];
    for (asked, answered) in turns {
        let change = ConversationChange { kept: 0, messages: vec![user(asked), model(answered)] };
        let entries = timed(vec![
            TranscriptEntry::Begun(info("s-1", "/ws")),
            TranscriptEntry::Asked { prompt: user(asked), model: "org/gemma4:latest".into() },
            TranscriptEntry::Answered { change, usage: Usage::unknown(), model: "org/gemma4:latest".into() },
        ]);
        let blocks = read(&fountain(&entries, view));
        let speeches: Vec<_> = blocks.iter().map(|block| (block.cue.as_str(), block.text.as_str())).collect();
        assert_eq!(speeches[2..4], [("USER", asked), ("GEMMA4", answered)]);
    }
}

#[test]
fn a_page_looks_as_documented() {
    insta::assert_snapshot!(fountain(&timed(crate::markdown::afternoon()), view));
}
