//! A session in Markdown.
//!
//! What models and users say is Markdown already, so it stands as it is, between rules; what tools and commands
//! print is fenced, with a fence that is longer than any in it.

use std::fmt::Write as _;

use super::{
    super::Stamped,
    View,
    beat::{Beat, beats, described},
};

/// The session in Markdown.
pub fn markdown<M>(entries: &[Stamped<M>], view: View<M>) -> String {
    let (info, beats) = beats(entries, view);
    let mut page = String::from("# Session\n");
    if let Some(info) = info {
        add(
            &mut page,
            format_args!("\n- Id: {}\n- Model: {}\n- Folder: {}\n", info.id, info.model, info.folder),
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
        Beat::Scene { time, what } => add(page, format_args!("\n---\n\n*{what}, {time:.0}*\n")),
        Beat::User { text, files } => {
            add(page, format_args!("\n---\n\n**User**\n"));
            files.iter().for_each(|file| add(page, format_args!("\n*({})*\n", described(file))));
            add(page, format_args!("\n{text}\n"));
        }
        Beat::Model { name, text } => add(page, format_args!("\n---\n\n**{name}**\n\n{text}\n")),
        Beat::Tool { tool, arguments, result, done } => {
            let how = if *done == Some(false) { " (not done)" } else { "" };
            add(page, format_args!("\nTool `{tool}`{how}:\n"));
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
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    add(page, format_args!("\n{fence}{language}\n{text}\n{fence}\n"));
}
