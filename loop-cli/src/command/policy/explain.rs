//! `loop policy explain`: what would become of one action, and which rule decides.

use std::process::ExitCode;

use loop_guardrails::policy::workspace::{Asked, Explanation};
use serde::Serialize;

use super::{Failure, PlaceJson, open, tell_json};
use crate::{
    args::ExplainArgs,
    exit,
    view::{self, BAD, GOOD, paint, text::printable},
};

pub(crate) fn exec(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let (_, workspace) = open(&args.place)?;
    let explained = match args.to {
        Some(verb) => workspace.explain_path(&args.text, verb),
        None => workspace.explain(&args.text),
    };
    if args.place.json {
        tell_json(&ExplainJson::of(&args.text, &explained));
    } else {
        view::tell(&page(&args.text, &explained));
    }
    Ok(ExitCode::from(if explained.ruling.allowed { exit::OK } else { exit::DENIED }))
}

/// An answer, and where it comes from.
pub(crate) fn page(text: &str, explained: &Explanation) -> String {
    let ruling = &explained.ruling;
    let answer = if ruling.allowed { paint(GOOD, "allowed") } else { paint(BAD, "denied") };
    let mut page = format!("{answer}  to {} `{}`\n", verb(&explained.asked), printable(text));
    let mut add = |name: &str, value: &str| page.push_str(&format!("  {name:<5}  {}\n", printable(value)));
    add("rule", &ruling.rule);
    add("from", &ruling.origin.to_string());
    if let Some(place) = leads_to(&explained.asked).filter(|place| place != text) {
        add("where", &place);
    }
    if let Some(line) = runs(&explained.asked).filter(|line| line != text) {
        add("runs", &line);
    }
    page
}

/// What is to be done, in a word.
fn verb(asked: &Asked) -> &'static str {
    match asked {
        Asked::Path { verb, .. } => verb.as_str(),
        _ => "run",
    }
}

/// The command that would be run, as one would type it.
fn runs(asked: &Asked) -> Option<String> {
    let Asked::Command { words } = asked else { return None };
    // A word with a NUL byte in it is no command, and was refused.
    shlex::try_join(words.iter().map(String::as_str)).ok().filter(|line| !line.is_empty())
}

fn leads_to(asked: &Asked) -> Option<String> {
    let Asked::Path { leads_to, .. } = asked else { return None };
    leads_to.as_ref().map(ToString::to_string)
}

/// What `loop policy explain --json` prints.
#[derive(Debug, Serialize)]
struct ExplainJson<'a> {
    text: &'a str,
    /// `run`, `read`, `write`, `exec` or `delete`.
    to: &'static str,
    allowed: bool,
    rule: &'a str,
    #[serde(flatten)]
    place: PlaceJson<'a>,
    /// Where a path leads, if it may be used so.
    leads_to: Option<String>,
    /// The words that would be run, if it is a command that may run.
    words: Option<&'a [String]>,
}

impl<'a> ExplainJson<'a> {
    fn of(text: &'a str, Explanation { asked, ruling, .. }: &'a Explanation) -> Self {
        let words = if let Asked::Command { words } = asked { words.as_slice() } else { &[] };
        Self {
            text,
            to: verb(asked),
            allowed: ruling.allowed,
            rule: &ruling.rule,
            place: PlaceJson::from(&ruling.origin),
            leads_to: leads_to(asked),
            words: Some(words).filter(|words| !words.is_empty()),
        }
    }
}
