//! Follows the guide word by word.
//!
//! A page is a session. Its reader begins in an empty folder, writes the files that the page shows, and types its
//! commands, one after the other, into one shell. Here that reader is bash. The output must match the page, except for
//! times, dates, ids and the width of columns; `...` on a line of its own matches any lines. The guide's tests do not
//! use `trycmd`, because it starts no shell: readers type pipes, `&&`, `cd` and `$?`.
//!
//! `GUIDE=update cargo test -p loop-cli --test guide` writes the actual output into pages that show something else.
//! Read the difference before you keep it.

mod manifests;
mod output_filter;
mod shell;

use std::{env, fs, thread};

use book_tests::{Action, Page, pages, session};

use crate::{output_filter::OutputFilter, shell::GuideReader};

/// A difference between a page and the actual output.
struct PageDifference<'a> {
    action: &'a Action<'a>,
    printed: String,
    text: String,
}

/// Returns the model's answers for a page whose sessions need one. They are in comments:
/// `<!-- the model says: Hello. -->`.
fn answers(page: &Page) -> Vec<&str> {
    let comments = page.text.split("<!-- the model says: ").skip(1);
    comments.filter_map(|rest| Some(rest.split_once(" -->")?.0)).collect()
}

fn differences<'a>(page: &Page, actions: &'a [Action<'a>]) -> Vec<PageDifference<'a>> {
    let output_filter = OutputFilter::new();
    let reader = GuideReader::new(&answers(page));
    let commands = actions.iter().filter(|action| matches!(action, Action::Run { .. }));
    let pairs = commands.zip(reader.follow(actions)).filter_map(|(action, printed)| {
        let Action::Run { command, shown, line, .. } = action else { return None };
        let difference = output_filter.difference(&printed, shown)?;
        let text = format!("{}: $ {command}\n{difference}", page.place(*line));
        Some(PageDifference { action, printed, text })
    });
    pairs.collect()
}

/// Follows a page, and returns the differences, unless it updates the page.
fn follow(page: &Page) -> Vec<String> {
    let actions = session(page);
    let found = differences(page, &actions);
    if env::var_os("GUIDE").is_none_or(|how| how != "update") {
        return found.into_iter().map(|difference| difference.text).collect();
    }
    let mut text = page.text.clone();
    for difference in found.iter().rev() {
        if let Action::Run { range, .. } = difference.action {
            let end = if difference.printed.ends_with('\n') { "" } else { "\n" };
            text.replace_range(range.clone(), &format!("{}{end}", difference.printed));
        }
    }
    fs::write(&page.path, text).expect("the page is written");
    Vec::new()
}

/// Builds a program with its dependencies.
const SLOW: &str = "getting-started-crate.md";

fn all_is_as_shown(pages: &[Page]) {
    let wrong: Vec<String> = thread::scope(|scope| {
        let readers: Vec<_> = pages.iter().map(|page| scope.spawn(|| follow(page))).collect();
        readers.into_iter().flat_map(|reader| reader.join().expect("it is followed")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_reader_who_types_what_the_pages_say_sees_what_they_show() {
    all_is_as_shown(&pages().into_iter().filter(|page| page.name != SLOW).collect::<Vec<_>>());
}

#[test]
#[ignore = "builds a program and all that it depends on, as new as there is: see .ci/nightly"]
fn a_reader_who_writes_a_program_sees_what_the_page_shows() {
    all_is_as_shown(&pages().into_iter().filter(|page| page.name == SLOW).collect::<Vec<_>>());
}
