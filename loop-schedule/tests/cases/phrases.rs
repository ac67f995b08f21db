//! Texts that people type, and what becomes of them.
//!
//! `fixtures/phrases.txt` has one text in each line, and its result behind `=>`. The clock stands at noon of Monday, 2
//! March 2026, in UTC.

use std::{fs, path::Path};

use loop_schedule::{Horizon, JobId, JobRequest, JobRequestError, PhraseError, ScheduleSettings, Zone};

const NOW: &str = "2026-03-02T12:00:00Z";

fn parse(text: &str) -> Result<JobRequest, JobRequestError> {
    JobRequest::parse(text, &ScheduleSettings::default(), &Zone::utc(), NOW.parse().expect("a time"))
}

fn table() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/phrases.txt");
    fs::read_to_string(&file).expect("the table")
}

fn result(text: &str) -> String {
    match parse(text) {
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
    let table = table();
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
    assert!(table.lines().count() > 700);
}

/// People copy a proposed form before or after their prompt.
#[test]
fn each_proposed_form_is_a_schedule_on_either_side_of_a_prompt() {
    let (table, now) = (table(), NOW.parse().expect("a time"));
    let mut count = 0;
    for text in table.lines().filter_map(|line| Some(line.split_once("  => ")?.0)) {
        let forms = match parse(text) {
            Err(JobRequestError::Phrase(PhraseError::NotUnderstood { nearest, .. })) => {
                Vec::from_iter(nearest)
            }
            Err(JobRequestError::Phrase(PhraseError::SeveralTimes { forms, .. })) => forms,
            _ => continue,
        };
        for form in forms {
            let [before, after] = [format!("{form} look"), format!("look {form}")]
                .map(|text| parse(&text).unwrap_or_else(|error| panic!("{form:?} of {text:?}: {error}")));
            assert_eq!((&*before.prompt, &*after.prompt), ("look", "look"), "{form:?} of {text:?}");
            assert_eq!(before.trigger, after.trigger, "{form:?} of {text:?}");
            let first = before.job(JobId::from_bits(1), now).first_fire(
                &ScheduleSettings::default(),
                Horizon::Far,
                now,
            );
            assert!(first.is_ok(), "{form:?} of {text:?}: {first:?}");
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}
