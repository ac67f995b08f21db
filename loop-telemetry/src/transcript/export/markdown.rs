//! A session in Markdown.
//!
//! The page has a structure of its own, rules and bold names, and nothing that was said is to look like a part of it.
//!
//! | what | how |
//! | --- | --- |
//! | what models say | quoted (`quote.rs`): it stays Markdown, and within the quotation |
//! | what users say, and what tools and commands print | fenced, as it is: pasted logs and HTML are no Markdown |
//! | names | escaped |
//! | what would do something to a terminal | `\u{...}` (`visible.rs`) |
//!
//! A fence is longer than any in its text.

use std::fmt::Write as _;

use super::{
    super::Stamped,
    View,
    beat::{Beat, beats, described},
    quote::quoted,
    visible::{acts, visible},
};

/// The session in Markdown.
pub fn markdown<M>(entries: &[Stamped<M>], view: View<M>) -> String {
    let (info, beats) = beats(entries, view);
    let mut page = String::from("# Session\n");
    if let Some(info) = info {
        add(
            &mut page,
            format_args!(
                "\n- Id: {}\n- Model: {}\n- Folder: {}\n",
                escaped(&info.id),
                escaped(&info.model),
                escaped(&info.folder)
            ),
        );
    }
    beats.iter().for_each(|beat| add_beat(&mut page, beat));
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}

fn add_beat(page: &mut String, beat: &Beat<'_>) {
    match beat {
        Beat::Scene { time, what } => add(page, format_args!("\n---\n\n*{}, {time:.0}*\n", escaped(what))),
        Beat::User { text, files } => {
            add(page, format_args!("\n---\n\n**User**\n"));
            files.iter().for_each(|file| add(page, format_args!("\n*({})*\n", escaped(&described(file)))));
            add_fenced(page, "", text);
        }
        Beat::Model { name, text } => {
            add(page, format_args!("\n---\n\n**{}**\n\n{}\n", escaped(name), quoted(text)));
        }
        Beat::Tool { tool, arguments, result, done } => {
            let how = if *done == Some(false) { " (not done)" } else { "" };
            add(page, format_args!("\nTool **{}**{how}:\n", escaped(tool)));
            add_fenced(page, "json", &arguments.to_string());
            add_fenced(page, "", result);
        }
        Beat::Command { line, output } => {
            add(page, format_args!("\n---\n\n**User** runs:\n"));
            add_fenced(page, "", line);
            add_fenced(page, "", output);
        }
        Beat::Note { what, text: None } => add(page, format_args!("\n*{what}*\n")),
        Beat::Note { what, text: Some(text) } => {
            add(page, format_args!("\n*{what}:*\n"));
            add_fenced(page, "", text);
        }
    }
}

fn add_fenced(page: &mut String, language: &str, text: &str) {
    let text = visible(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    add(page, format_args!("\n{fence}{language}\n{text}\n{fence}\n"));
}

/// A text as a part of a line, and nothing but text.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '$' | '|' => {
                escaped.extend(['\\', sign]);
            }
            sign if acts(sign) || sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    if escaped.trim().is_empty() { "(nothing)".to_owned() } else { escaped.trim().to_owned() }
}
