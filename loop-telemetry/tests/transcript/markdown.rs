//! A session in Markdown.

use loop_core::Usage;
use loop_telemetry::transcript::{
    ConversationChange, RecalledItem, ToolCallRecord, TranscriptEntry,
    export::{fountain, markdown},
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser};
use serde_json::json;

use crate::scenario::{TestAttachment, TestCall, TestMessage, any_session, info, model, timed, user, view};

/// Returns a session in which everything happens once.
pub(crate) fn afternoon() -> Vec<TranscriptEntry<TestMessage>> {
    let qwen = || "qwen3".to_owned();
    let picture = TestAttachment { media_type: "image/png".to_owned(), base64: "AAAA".into() };
    let prompt = TestMessage::User { text: "What is in it?\n\nAnd in a.go?".to_owned(), file: Some(picture) };
    let (arguments, result) = (json!({ "path": "a.go" }), "package a\n\n```\n".to_owned());
    let made = TestCall {
        tool: "read_file".to_owned(),
        arguments: arguments.clone(),
        result: "(left out)".to_owned(),
    };
    let item = |id: &str| RecalledItem { silo: "document".to_owned(), id: id.to_owned(), score: 0.5 };
    let looks = TestMessage::Model { text: "I look.".to_owned(), calls: vec![made] };
    let first = vec![prompt.clone(), looks, model("# A package\n\n*Nothing* else.")];
    vec![
        TranscriptEntry::Begun(info("s-1", "/home/ann/project")),
        TranscriptEntry::Renamed { name: "the plan".to_owned() },
        TranscriptEntry::Pinned { text: "Be brief.\n\nAlways.".to_owned() },
        TranscriptEntry::Recalled { store: Some("docs".to_owned()), items: vec![item("a.go:1-9")] },
        TranscriptEntry::Recalled { store: None, items: vec![item("1f00"), item("1f01")] },
        TranscriptEntry::Asked { prompt, model: qwen() },
        TranscriptEntry::Called(ToolCallRecord {
            tool: "read_file".to_owned(),
            arguments,
            result,
            done: true,
        }),
        TranscriptEntry::Answered {
            change: ConversationChange { kept: 0, messages: first },
            usage: Usage::unknown().with_tokens(10, 5),
            model: qwen(),
        },
        TranscriptEntry::Ran {
            command: "! ls".to_owned(),
            output: "a.go\nb.go\n".to_owned(),
            change: ConversationChange { kept: 3, messages: vec![user("a.go\nb.go\n")] },
        },
        TranscriptEntry::Summarised {
            summary: "A package was read.".to_owned(),
            change: ConversationChange { kept: 0, messages: vec![user("A package was read.")] },
            usage: Usage::unknown(),
        },
        TranscriptEntry::ModelChanged { model: "org/gemma4:latest".to_owned() },
        TranscriptEntry::LoopBegun {
            interval_seconds: 300.0,
            count: Some(3),
            prompt: "Is it green?".to_owned(),
        },
        TranscriptEntry::Asked { prompt: user("Is it green?"), model: "org/gemma4:latest".to_owned() },
        TranscriptEntry::Unanswered {
            why: "the turn was cancelled".to_owned(),
            usage: Usage::unknown(),
            said: "It is\n# gre".to_owned(),
        },
        TranscriptEntry::LoopEnded { iterations: 0, how: "cancelled".to_owned() },
        TranscriptEntry::Cleared,
        TranscriptEntry::Unpinned,
        TranscriptEntry::Asked { prompt: user("And now?"), model: "org/gemma4:latest".to_owned() },
        TranscriptEntry::Resumed { model: qwen() },
    ]
}

#[test]
fn a_page_looks_as_documented() {
    insta::assert_snapshot!(markdown(&timed(afternoon()), view));
}

/// Returns the kinds of the page's top-level blocks, and whether there is any HTML.
fn structure(page: &str) -> Vec<String> {
    let (mut depth, mut blocks) = (0, Vec::new());
    for event in Parser::new(page) {
        match event {
            Event::Start(tag) => {
                blocks.extend((depth == 0).then(|| format!("{:?}", tag.to_end())));
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 => blocks.push("rule".to_owned()),
            Event::Html(_) | Event::InlineHtml(_) => blocks.push("HTML".to_owned()),
            _ => {}
        }
    }
    blocks
}

/// Returns texts with a meaning in Markdown.
fn any_markup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<b>",
        "</blockquote>",
        "<!--",
        "<?",
        "<http://a`b>",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "\r",
        "  ",
        "    ",
        "\t",
        "- ",
        "1. ",
        "> ",
        "# ",
        "---",
        "===",
        "\\",
        "*",
        "|",
        "[b]: <c>",
        "a",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns a session of one turn and one command.
fn short(asked: &str, said: &str, name: &str) -> Vec<TranscriptEntry<TestMessage>> {
    let change = ConversationChange { kept: 0, messages: vec![user(asked), model(said)] };
    let ran = ConversationChange { kept: 2, messages: Vec::new() };
    vec![
        TranscriptEntry::Begun(info("s-1", "/ws")),
        TranscriptEntry::Asked { prompt: user(asked), model: name.to_owned() },
        TranscriptEntry::Answered { change, usage: Usage::unknown(), model: name.to_owned() },
        TranscriptEntry::Ran { command: asked.to_owned(), output: said.to_owned(), change: ran },
        TranscriptEntry::Resumed { model: name.to_owned() },
    ]
}

/// Returns a text in its form on the page, with visible terminal controls.
fn seen(text: &str) -> String {
    let acts = |sign: char| {
        let turns = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        sign.is_control() && !"\n\t".contains(sign) || turns.contains(sign)
    };
    let line = |line: &str| {
        line.chars()
            .map(|sign| if acts(sign) { sign.escape_unicode().to_string() } else { sign.into() })
            .collect::<String>()
    };
    text.split("\r\n").map(line).collect::<Vec<_>>().join("\r\n")
}

#[test]
fn nothing_in_a_page_acts_on_a_terminal() {
    let text = "\x1b]0;title\x07 \x1b[2J \0 \u{9b} \u{202e}gpj.exe\u{2069} done\r";
    for page in
        [markdown(&timed(short(text, text, text)), view), fountain(&timed(short(text, text, text)), view)]
    {
        let acts = |sign: char| sign.is_control() && sign != '\n' || "\u{202e}\u{2069}".contains(sign);
        assert!(!page.contains(acts), "{page:?}");
        assert!(page.contains("\\u{1b}") && page.contains("\\u{202e}gpj"), "{page}");
    }
}

proptest! {
    #[test]
    fn nothing_that_is_said_is_a_part_of_the_page(
        asked in any_markup(), said in any_markup(), name in any_markup(),
    ) {
        let page = markdown(&timed(short(&asked, &said, &name)), view);
        let plain = markdown(&timed(short("x", "x", "x")), view);
        prop_assert_eq!(structure(&page), structure(&plain), "{}", page);
    }

    #[test]
    fn every_word_stands_in_it(session in any_session()) {
        let page = markdown(&timed(session.clone()), view);
        let unquoted = |line| str::strip_prefix(line, "> ").or_else(|| line.strip_prefix('>')).unwrap_or(line);
        let quotes: Vec<_> = page.split('\n').map(unquoted).collect();
        let quotes = quotes.join("\n").replace("\\<", "<");
        for entry in &session {
            match entry {
                TranscriptEntry::Asked { prompt, .. } => prop_assert!(page.contains(&seen(view(prompt).text))),
                TranscriptEntry::Called(called) => prop_assert!(page.contains(&seen(&called.result))),
                TranscriptEntry::Ran { command, output, .. } => {
                    prop_assert!(page.contains(&seen(command)) && page.contains(&seen(output)));
                }
                TranscriptEntry::Pinned { text } => prop_assert!(page.contains(&seen(text))),
                TranscriptEntry::Answered { change, .. } => {
                    for said in change.messages.iter().map(view) {
                        let text = seen(&said.text.replace("\r\n", "\n").replace('\r', "\n")).replace("\\<", "<");
                        prop_assert!(quotes.contains(&text) || !said.by_model && page.contains(&seen(said.text)));
                    }
                }
                _ => {}
            }
        }
    }
}
