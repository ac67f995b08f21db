//! Texts with typing errors in their words of time.

use proptest::prelude::*;

use super::{holds, read};

#[test]
fn a_misspelt_schedule_is_refused_with_the_right_one() {
    holds(&[
        ("evry 5 minutes x", "refused evry 5 minutes -> every 5 minutes"),
        ("very 5 minutes x", "refused very 5 minutes -> every 5 minutes"),
        ("x every 5 minuts", "refused every 5 minuts -> every 5 minutes"),
        ("every 5 mintues x", "refused every 5 mintues -> every 5 minutes"),
        ("5mintues x", "refused 5mintues -> every 5 minutes"),
        ("5 mn x", "refused 5 mn -> every 5 min"),
        ("every twoo hours x", "refused every twoo hours -> every two hours"),
        ("every fourty minutes x", "refused every fourty minutes -> every forty minutes"),
        ("in ten minuets x", "refused in ten minuets -> in ten minutes"),
        ("evry huor x", "refused evry huor -> every hour"),
        ("dayly x", "refused dayly -> daily"),
        ("x tommorow", "refused tommorow -> tomorrow at 9:00"),
        ("every wensday at 9 x", "refused every wensday at 9 -> every wednesday at 9"),
        ("every day at noom x", "refused every day at noom -> every day at noon"),
        ("x evry second", "refused evry second -> none"),
        ("24 decmber 18:00 x", "refused 24 decmber 18:00 -> 24 december 18:00"),
    ]);
}

/// The part that is spelt well is a schedule too, but another one.
#[test]
fn a_misspelt_word_beside_a_schedule_is_refused() {
    holds(&[
        ("tomorow at 8 x", "refused tomorow at 8 -> tomorrow at 8"),
        ("x tomorow at 18:00", "refused tomorow at 18:00 -> tomorrow at 18:00"),
        ("x at 18:00 tomorow", "refused at 18:00 tomorow -> at 18:00 tomorrow"),
        ("x evry day at 18:00", "refused evry day at 18:00 -> every day at 18:00"),
        ("every day at 9 mondey report", "refused every day at 9 mondey -> none"),
    ]);
}

#[test]
fn words_of_the_language_stay_in_the_prompt() {
    for prompt in [
        "check the dairy",
        "very good work",
        "check 3 tours",
        "match 3 files",
        "reach each goal",
        "process 5 mintues of audio",
        "read the module",
        "pay the money",
    ] {
        assert_eq!(read(prompt), format!("default | {prompt}"));
    }
    assert_eq!(read("30m check tomorow"), "every 30m | check tomorow");
}

#[test]
fn times_with_different_minutes_are_several_jobs() {
    for (input, forms) in [
        ("every day at 9 and 17:30 x", &["every day at 9:00", "every day at 17:30"][..]),
        ("x weekdays at 9 and 17:30", &["weekdays at 9:00", "weekdays at 17:30"]),
        (
            "every monday at 9:15, 12:00 and 17:30 x",
            &["every monday at 9:15", "every monday at 12:00", "every monday at 17:30"],
        ),
        ("tomorrow at 9 and 17:30 x", &["tomorrow at 9:00", "tomorrow at 17:30"]),
    ] {
        let forms: Vec<_> = forms.iter().map(|form| format!("`{form} PROMPT`")).collect();
        assert!(
            read(input).ends_with(&format!("Add a job for each: {}", forms.join(", "))),
            "{}",
            read(input)
        );
    }
    holds(&[("every day at 9 and 17:30 UTC x", "refused every day at 9 and 17:30 UTC -> none")]);
}

/// Returns a word with one typing error.
fn misspelt(word: &str, kind: usize, at: usize) -> String {
    let mut letters: Vec<_> = word.chars().collect();
    let at = at % (letters.len() - 1);
    match kind {
        0 => drop(letters.remove(at)),
        1 => letters.swap(at, at + 1),
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

proptest! {
    /// A text with a misspelt word of time beside a number is no prompt, and no other schedule.
    #[test]
    fn a_typing_error_never_makes_a_wrong_job(
        schedule in prop::sample::select(vec![
            "every 5 minutes", "every 20 seconds", "every 2 hours", "every 3 weeks", "every two months", "in 20 minutes",
            "in 2 hours", "5 minutes", "3 hours", "tomorrow at 8", "tomorrow at 18:00", "tonight at 9", "daily at 9",
            "every monday at 9", "every thursday 8am", "weekdays at 9:30", "saturdays at 10:00", "december 24 at 18:00",
        ]),
        (which, kind, at) in (any::<usize>(), 0_usize..3, any::<usize>()),
        is_first in any::<bool>(),
    ) {
        let mut words: Vec<_> = schedule.split(' ').map(str::to_owned).collect();
        let long: Vec<_> = (0..words.len()).filter(|at| words[*at].len() > 4 && words[*at].is_ascii()
            && words[*at].bytes().all(|sign| sign.is_ascii_alphabetic())).collect();
        let word = long[which % long.len()];
        words[word] = misspelt(&words[word], kind, at);
        let text = |schedule: &str| if is_first { format!("{schedule} look") } else { format!("look {schedule}") };
        let (typed, right) = (read(&text(&words.join(" "))), read(&text(schedule)));
        // An error can make another right spelling: `hour` of `hours`.
        prop_assert!(typed.starts_with("refused") || typed.starts_with("error") || typed == right, "{words:?}: {typed}");
    }
}
