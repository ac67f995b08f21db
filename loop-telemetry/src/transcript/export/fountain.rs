//! Exports a session as a screenplay in [Fountain](https://fountain.io/syntax).
//!
//! Each speaker is a character with dialogue. A tool is a character whose parenthetical holds its arguments. Other
//! events are notes. A `\` precedes text that Fountain would interpret:
//!
//! | in the text | in the dialogue |
//! | --- | --- |
//! | an empty line | two spaces, which is how Fountain keeps it in a dialogue |
//! | a line of spaces only | the line and `\` |
//! | `\`, `*`, `_`, brackets beside others or at an edge | `\` before it |
//! | a line that begins like a scene, a note, a parenthetical... | `\` before it |
//! | a control character, a line separator, a character that changes the writing direction | `\u{...}` |
//!
//! To read it back, replace `\u{...}` by the character, and remove every other `\`.

use std::fmt::Write as _;

use super::{
    super::TimedEntry,
    MessageView,
    export_event::{ExportEvent, described, events},
    visible::acts,
};

const USER: &str = "USER";
const SHELL: &str = "SHELL";

/// Returns the session as a screenplay.
pub fn fountain<M>(entries: &[TimedEntry<M>], view: MessageView<M>) -> String {
    let (info, events) = events(entries, view);
    let mut page = String::from("Title: Session\nCredit: Recorded by loop\n");
    if let Some(info) = info {
        let lines = [
            ("Session", info.id.as_str()),
            ("Date", &format!("{:.0}", info.started_at)),
            ("Model", &info.model),
            ("Folder", &info.folder),
        ];
        lines.iter().for_each(|(key, value)| add(&mut page, format_args!("{key}: {}\n", escaped(value))));
    }
    page.push_str("\nFADE IN:\n");
    events.iter().for_each(|event| add_beat(&mut page, event));
    page.push_str("\n> THE END <\n");
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}

fn add_beat(page: &mut String, event: &ExportEvent<'_>) {
    page.push('\n');
    match event {
        ExportEvent::Scene { time, what } => add(page, format_args!("INT. {} - {time:.0}\n", escaped(what))),
        ExportEvent::User { text, files } => {
            add_speech(page, USER, files.iter().map(described), text);
        }
        ExportEvent::Model { name, text } => add_speech(page, &character(name), [], text),
        ExportEvent::Tool { tool, arguments, result, done } => {
            let how = match done {
                Some(true) => " - done",
                Some(false) => " - not done",
                None => "",
            };
            add_speech(page, &format!("@{} (TOOL)", escaped(tool)), [format!("{arguments}{how}")], result);
        }
        ExportEvent::Command { line, output } => {
            add_speech(page, USER, ["runs".to_owned()], line);
            page.push('\n');
            add_speech(page, SHELL, [], output);
        }
        ExportEvent::Note { what, text: None } => add(page, format_args!("[[{}]]\n", escaped(what))),
        ExportEvent::Note { what, text: Some(text) } => {
            add(page, format_args!("[[{}: {}]]\n", escaped(what), escaped(text)));
        }
    }
}

fn add_speech(page: &mut String, cue: &str, asides: impl IntoIterator<Item = String>, text: &str) {
    add(page, format_args!("{cue}\n"));
    asides.into_iter().for_each(|aside| add(page, format_args!("({})\n", escaped(&aside))));
    text.split('\n').for_each(|line| add(page, format_args!("{}\n", dialogue(line))));
}

/// Returns the character's name for a model: the last part of the model's name, without a tag, in capitals.
/// `openai:org/gemma4:latest` becomes GEMMA4.
fn character(model: &str) -> String {
    let last = model.rsplit('/').next().unwrap_or_default();
    let mut parts = last.split(':');
    let first = parts.next().unwrap_or_default();
    // Without a path, the part before a colon may be the vendor.
    let name = match (model.contains('/'), parts.next()) {
        (false, Some(second)) if model.matches(':').count() == 1 && is_vendor(first) => second,
        _ => first,
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ' ');
    let name: String = name.to_uppercase().chars().map(|c| if fits(c) { c } else { '-' }).collect();
    match name.trim() {
        "" | USER | SHELL => "MODEL".to_owned(),
        name if !name.starts_with(|c: char| c.is_ascii_uppercase()) || is_scene(name) => format!("@{name}"),
        name => name.to_owned(),
    }
}

/// Returns whether this is a vendor that models' names begin with.
fn is_vendor(name: &str) -> bool {
    matches!(name, "openai" | "anthropic" | "gemini" | "ollama")
}

/// Returns a line of dialogue.
fn dialogue(line: &str) -> String {
    let escaped = escaped(line);
    let begin = escaped.trim_start();
    match begin.chars().next() {
        None if line.is_empty() => "  ".to_owned(),
        None => format!("{escaped}\\"),
        Some('(' | '~' | '@' | '!' | '.' | '>' | '#' | '=' | '<') => format!("\\{escaped}"),
        Some(_) if is_scene(begin) => format!("\\{escaped}"),
        Some(_) => escaped,
    }
}

/// Returns whether Fountain would read a line as a scene heading.
fn is_scene(line: &str) -> bool {
    let begins = |with: &str| line.get(..with.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(with));
    ["INT.", "INT ", "INT/", "EXT.", "EXT ", "EST.", "EST ", "I/E"].into_iter().any(begins)
}

/// Returns a text that is safe within one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let edge = |beside: Option<char>| beside.is_none_or(|beside| beside == c);
        match c {
            '\\' | '*' | '_' => escaped.extend(['\\', c]),
            '[' | ']' if edge(before) || edge(chars.peek().copied()) => escaped.extend(['\\', c]),
            '\u{85}' | '\u{2028}' | '\u{2029}' => escaped.extend(c.escape_unicode()),
            c if acts(c) || c == '\n' => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
        before = Some(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_a_character() {
        let names = [
            ("qwen3", "QWEN3"),
            ("openai:gpt-5", "GPT-5"),
            ("gemma4:latest", "GEMMA4"),
            ("org/gemma4:latest", "GEMMA4"),
            ("ollama:llama3.2:1b", "OLLAMA"),
            ("user", "MODEL"),
            ("", "MODEL"),
            ("4o", "@4O"),
            ("int.model", "@INT.MODEL"),
        ];
        for (model, expected) in names {
            assert_eq!(character(model), expected, "{model}");
        }
    }

    #[test]
    fn what_would_be_something_else_is_escaped() {
        let lines = [
            ("", "  "),
            ("  ", "  \\"),
            ("plain [1] text\t", "plain [1] text\t"),
            ("INT. NOT A SCENE", "\\INT. NOT A SCENE"),
            ("# Heading", "\\# Heading"),
            ("[[note]] a_b *c* \\", "\\[\\[note\\]\\] a\\_b \\*c\\* \\\\"),
            ("bell\u{7}\r\u{202e}", "bell\\u{7}\\u{d}\\u{202e}"),
        ];
        for (line, expected) in lines {
            assert_eq!(dialogue(line), expected, "{line:?}");
        }
    }
}
