//! Texts that people type, and what becomes of them.
//!
//! `fixtures/phrases.txt` has one text in each line, and its result behind `=>`. The clock stands at noon of Monday, 2
//! March 2026, in UTC.

use std::{fs, path::Path};

use loop_schedule::{JobRequest, JobRequestError, PhraseError, ScheduleSettings, Zone};

fn result(text: &str) -> String {
    let now = "2026-03-02T12:00:00Z".parse().expect("a time");
    match JobRequest::parse(text, &ScheduleSettings::default(), &Zone::utc(), now) {
        Ok(request) => {
            let notes = request.notes.iter().map(|note| format!(" ({note})")).collect::<String>();
            format!("{} | {}{notes}", request.trigger.describe(), request.prompt)
        }
        Err(JobRequestError::Phrase(PhraseError::NotUnderstood { phrase, nearest })) => {
            format!("refused `{phrase}`, nearest: {}", nearest.as_deref().unwrap_or("none"))
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn each_text_is_understood_refused_or_a_prompt_as_listed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/phrases.txt");
    let table = fs::read_to_string(&file).expect("the table");
    let found: String = table
        .lines()
        .map(|line| match line.split_once("  => ") {
            Some((text, _)) => format!("{text}  => {}\n", result(text)),
            None => format!("{line}\n"),
        })
        .collect();
    let wrong: Vec<_> = found
        .lines()
        .zip(table.lines())
        .filter(|(found, line)| found != line)
        .map(|(found, _)| found)
        .collect();
    assert!(wrong.is_empty(), "found instead:\n{}", wrong.join("\n"));
    assert!(table.lines().count() > 400);
}
