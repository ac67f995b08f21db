//! A session in Markdown.

use loop_core::Usage;
use loop_telemetry::transcript::{
    CalledTool, Change, Entry,
    export::{fountain, markdown},
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser};
use serde_json::json;

use crate::world::{Made, Picture, Said, any_session, info, model, stamped, user, view};

/// A session in which everything happens once.
pub(crate) fn afternoon() -> Vec<Entry<Said>> {
    let qwen = || "qwen3".to_owned();
    let picture = Picture { media_type: "image/png".to_owned(), base64: "AAAA".into() };
    let prompt = Said::User { text: "What is in it?\n\nAnd in a.go?".to_owned(), file: Some(picture) };
    let (arguments, result) = (json!({ "path": "a.go" }), "package a\n\n```\n".to_owned());
    let made =
        Made { tool: "read_file".to_owned(), arguments: arguments.clone(), result: "(left out)".to_owned() };
    let looks = Said::Model { text: "I look.".to_owned(), calls: vec![made] };
    let first = vec![prompt.clone(), looks, model("# A package\n\n*Nothing* else.")];
    vec![
        Entry::Begun(info("s-1", "/home/ann/project")),
        Entry::Renamed { name: "the plan".to_owned() },
        Entry::Pinned { text: "Be brief.\n\nAlways.".to_owned() },
        Entry::Asked { prompt, model: qwen() },
        Entry::Called(CalledTool { tool: "read_file".to_owned(), arguments, result, done: true }),
        Entry::Answered {
            change: Change { kept: 0, messages: first },
            usage: Usage::unknown().with_tokens(10, 5),
            model: qwen(),
        },
        Entry::Ran {
            command: "! ls".to_owned(),
            output: "a.go\nb.go\n".to_owned(),
            change: Change { kept: 3, messages: vec![user("a.go\nb.go\n")] },
        },
        Entry::Summarised {
            summary: "A package was read.".to_owned(),
            change: Change { kept: 0, messages: vec![user("A package was read.")] },
            usage: Usage::unknown(),
        },
        Entry::ModelChanged { model: "org/gemma4:latest".to_owned() },
        Entry::LoopBegun { interval_seconds: 300.0, count: Some(3), prompt: "Is it green?".to_owned() },
        Entry::Asked { prompt: user("Is it green?"), model: "org/gemma4:latest".to_owned() },
        Entry::Unanswered {
            why: "the turn was cancelled".to_owned(),
            usage: Usage::unknown(),
            said: "It is\n# gre".to_owned(),
        },
        Entry::LoopEnded { iterations: 0, how: "cancelled".to_owned() },
        Entry::Cleared,
        Entry::Unpinned,
        Entry::Asked { prompt: user("And now?"), model: "org/gemma4:latest".to_owned() },
        Entry::Resumed { model: qwen() },
    ]
}

#[test]
fn a_page_looks_as_documented() {
    insta::assert_snapshot!(markdown(&stamped(afternoon()), view));
}

/// The kinds of the blocks of a page that are in no other, and whether there is any HTML.
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

/// What Markdown makes something of.
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

/// A session of one turn and one command.
fn short(asked: &str, said: &str, name: &str) -> Vec<Entry<Said>> {
    let change = Change { kept: 0, messages: vec![user(asked), model(said)] };
    let ran = Change { kept: 2, messages: Vec::new() };
    vec![
        Entry::Begun(info("s-1", "/ws")),
        Entry::Asked { prompt: user(asked), model: name.to_owned() },
        Entry::Answered { change, usage: Usage::unknown(), model: name.to_owned() },
        Entry::Ran { command: asked.to_owned(), output: said.to_owned(), change: ran },
        Entry::Resumed { model: name.to_owned() },
    ]
}

/// A text as it is written in a page: what acts on a terminal is seen.
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
        [markdown(&stamped(short(text, text, text)), view), fountain(&stamped(short(text, text, text)), view)]
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
        let page = markdown(&stamped(short(&asked, &said, &name)), view);
        let plain = markdown(&stamped(short("x", "x", "x")), view);
        prop_assert_eq!(structure(&page), structure(&plain), "{}", page);
    }

    #[test]
    fn every_word_stands_in_it(session in any_session()) {
        let page = markdown(&stamped(session.clone()), view);
        let unquoted = |line| str::strip_prefix(line, "> ").or_else(|| line.strip_prefix('>')).unwrap_or(line);
        let quotes: Vec<_> = page.split('\n').map(unquoted).collect();
        let quotes = quotes.join("\n").replace("\\<", "<");
        for entry in &session {
            match entry {
                Entry::Asked { prompt, .. } => prop_assert!(page.contains(&seen(view(prompt).text))),
                Entry::Called(called) => prop_assert!(page.contains(&seen(&called.result))),
                Entry::Ran { command, output, .. } => {
                    prop_assert!(page.contains(&seen(command)) && page.contains(&seen(output)));
                }
                Entry::Pinned { text } => prop_assert!(page.contains(&seen(text))),
                Entry::Answered { change, .. } => {
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
