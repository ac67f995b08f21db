//! `loop policy explain`: shows the decision about one action, and the rule behind it.

use std::process::ExitCode;

use loop_guardrails::policy::workspace::{Explanation, ExplanationSubject};
use loop_session::policy;
use serde::Serialize;

use super::{Failure, OriginJson, open, print_json_or_warn};
use crate::{args::ExplainArgs, exit, view};

pub(crate) fn exec(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let (_, workspace) = open(&args.place)?;
    let explained = match args.to {
        Some(verb) => workspace.explain_path(&args.text, verb),
        None => workspace.explain(&args.text),
    };
    if args.place.json {
        print_json_or_warn(&ExplainJson::of(&args.text, &explained));
    } else {
        view::print_or_warn(&policy::explained(&args.text, &explained));
    }
    Ok(ExitCode::from(if explained.ruling.allowed { exit::OK } else { exit::DENIED }))
}

/// The output of `loop policy explain --json`.
#[derive(Debug, Serialize)]
struct ExplainJson<'a> {
    text: &'a str,
    /// `run`, `read`, `write`, `exec` or `delete`.
    to: &'static str,
    allowed: bool,
    rule: &'a str,
    #[serde(flatten)]
    place: OriginJson<'a>,
    /// The target of a path, if the action may use it.
    leads_to: Option<String>,
    /// The words of a command, if it may run.
    words: Option<&'a [String]>,
}

impl<'a> ExplainJson<'a> {
    fn of(text: &'a str, Explanation { subject: asked, ruling, .. }: &'a Explanation) -> Self {
        let words = if let ExplanationSubject::Command { words } = asked { words.as_slice() } else { &[] };
        Self {
            text,
            to: policy::verb(asked),
            allowed: ruling.allowed,
            rule: &ruling.rule,
            place: OriginJson::from(&ruling.origin),
            leads_to: policy::leads_to(asked),
            words: Some(words).filter(|words| !words.is_empty()),
        }
    }
}
