//! Echoes of a prompt, for tests: an agent may print its prompt back, whole or in part, and in any form.

use proptest::prelude::*;
use serde_json::json;

/// Generates texts that other agents and files could put into a prompt, with pieces of verdicts.
pub(super) fn material() -> impl Strategy<Value = String> {
    let piece = concat!(
        r#"(\{|\}|\[|\]|"|\\|:|,|\n| |```\n|> |<!--|-->|"review": |"review": "|"pending": \[|"pending": \[\], |"#,
        r#"\{"review": "|\{"pending": \[\], "summary": "|"\}|STATUS: |STATUS|COMPLETE\n|x){0,12}"#
    );
    piece.prop_map(|text| text.replace("STATUS: COMPLETE", "STATUS: x"))
}

/// Returns the prompt and the part of it between the two indices, each in several forms.
pub(super) fn echoes(prompt: &str, from: prop::sample::Index, to: prop::sample::Index) -> Vec<String> {
    let at = |index: prop::sample::Index| prompt.floor_char_boundary(index.index(prompt.len() + 1));
    let (from, to) = (at(from).min(at(to)), at(from).max(at(to)));
    [prompt, &prompt[from..], &prompt[..to], &prompt[from..to]].into_iter().flat_map(forms).collect()
}

fn forms(text: &str) -> Vec<String> {
    let words = || text.split_whitespace();
    let in_lines = |prefix: &str| text.lines().map(|line| format!("{prefix}{line}\n")).collect::<String>();
    let folded = (1..6).map(|width| {
        let words: Vec<_> = words().collect();
        words.chunks(width).map(|line| line.join(" ") + "\n").collect()
    });
    let forms = [
        text.to_owned(),
        words().collect::<Vec<_>>().join(" "),
        words().collect(),
        text.replace('\n', ""),
        in_lines("> "),
        in_lines("    "),
        format!("```\n{text}\n```\n"),
        format!("{{{text}}}"),
        format!("{text}{text}"),
        json!(text).to_string(),
        format!("{}\n", json!({ "type": "result", "result": text })),
        format!("{}\n{text}", json!({ "type": "user", "message": { "content": [{ "text": text }] } })),
    ];
    forms.into_iter().chain(folded).collect()
}
