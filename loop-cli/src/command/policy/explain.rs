//! `loop policy explain`: what would become of one action, and which rule decides.

use std::process::ExitCode;

use loop_guardrails::policy::workspace::{Asked, Explanation};
use loop_session::policy;
use serde::Serialize;

use super::{Failure, PlaceJson, open, tell_json};
use crate::{args::ExplainArgs, exit, view};

pub(crate) fn exec(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let (_, workspace) = open(&args.place)?;
    let explained = match args.to {
        Some(verb) => workspace.explain_path(&args.text, verb),
        None => workspace.explain(&args.text),
    };
    if args.place.json {
        tell_json(&ExplainJson::of(&args.text, &explained));
    } else {
        view::tell(&policy::explained(&args.text, &explained));
    }
    Ok(ExitCode::from(if explained.ruling.allowed { exit::OK } else { exit::DENIED }))
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
            to: policy::verb(asked),
            allowed: ruling.allowed,
            rule: &ruling.rule,
            place: PlaceJson::from(&ruling.origin),
            leads_to: policy::leads_to(asked),
            words: Some(words).filter(|words| !words.is_empty()),
        }
    }
}
