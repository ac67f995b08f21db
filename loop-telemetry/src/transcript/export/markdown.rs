//! Exports a session as Markdown.
//!
//! The page has its own structure of rules and bold names. Text from the session must not look like part of it.
//!
//! | text | form |
//! | --- | --- |
//! | words of models | quoted (`quote.rs`): they stay Markdown, inside the quotation |
//! | words of users, output of tools and commands | fenced, unchanged: pasted logs and HTML are not Markdown |
//! | names | escaped |
//! | characters that act on a terminal | `\u{...}` (`visible.rs`) |
//!
//! A fence is longer than any fence in its text.

use std::fmt::Write as _;

use super::{
    super::TimedEntry,
    MessageView,
    export_event::{ExportEvent, described, events},
    quote::quoted,
    visible::{acts, visible},
};

/// Returns the session as Markdown.
pub fn markdown<M>(entries: &[TimedEntry<M>], view: MessageView<M>) -> String {
    let (info, events) = events(entries, view);
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
    events.iter().for_each(|event| add_beat(&mut page, event));
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(text);
}

fn add_beat(page: &mut String, event: &ExportEvent<'_>) {
    match event {
        ExportEvent::Scene { time, what } => {
            add(page, format_args!("\n---\n\n*{}, {time:.0}*\n", escaped(what)));
        }
        ExportEvent::User { text, files } => {
            add(page, format_args!("\n---\n\n**User**\n"));
            files.iter().for_each(|file| add(page, format_args!("\n*({})*\n", escaped(&described(file)))));
            add_fenced(page, "", text);
        }
        ExportEvent::Model { name, text } => {
            add(page, format_args!("\n---\n\n**{}**\n\n{}\n", escaped(name), quoted(text)));
        }
        ExportEvent::Tool { tool, arguments, result, done } => {
            let how = if *done == Some(false) { " (not done)" } else { "" };
            add(page, format_args!("\nTool **{}**{how}:\n", escaped(tool)));
            add_fenced(page, "json", &arguments.to_string());
            add_fenced(page, "", result);
        }
        ExportEvent::Command { line, output } => {
            add(page, format_args!("\n---\n\n**User** runs:\n"));
            add_fenced(page, "", line);
            add_fenced(page, "", output);
        }
        ExportEvent::Note { what, text: None } => add(page, format_args!("\n*{what}*\n")),
        ExportEvent::Note { what, text: Some(text) } => {
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

/// Returns a text that is safe within one line.
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
