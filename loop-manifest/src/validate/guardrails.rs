//! The limits: each has to be one that can hold.

use std::{num::NonZeroU64, time::Duration};

use loop_agents::shell::CommandLine;
use loop_core::Usd;

use super::super::{
    bounds::{MAX_SECONDS, MIN_SECONDS},
    diagnostics::{Diagnostic, Span},
    field::{FieldValue, FlagOrWhole},
    keys::{self, flag},
    plan::{AgentPlan, Limits},
    raw::RawGuardrails,
    usage_reporter,
};

const NOTHING_COULD_RUN: &str = "nothing could run within this limit";

const NO_SUCH_LIMIT: &str = "to have no such limit, leave it out";

/// The limits that `raw` describes.
pub(super) fn limits(raw: RawGuardrails, problems: &mut Vec<Diagnostic>) -> Option<Limits> {
    let max_iterations = raw.max_iterations.judge(problems, at_least_one);
    let max_cost = raw.max_cost_usd.judge(problems, money);
    let max_hourly_cost = raw.max_usd_per_hour.judge(problems, money);
    let max_time = raw.max_seconds.judge(problems, |at| time_limit(&at));
    let max_tokens = raw.max_tokens.judge(problems, at_least_one);
    let max_failures = raw.max_consecutive_failures.judge(problems, at_least_one);
    let allow_unmetered = raw.allow_unmetered.written().is_some_and(|at| at.value);
    let checkpoint = raw.hitl_checkpoint.judge(problems, checkpoint);
    Some(Limits {
        max_iterations: max_iterations.required()?,
        max_cost: max_cost.optional()?,
        max_hourly_cost: max_hourly_cost.optional()?,
        max_time: max_time.optional()?,
        max_tokens: max_tokens.optional()?,
        allow_unmetered,
        max_consecutive_failures: max_failures.optional()?,
        checkpoint: checkpoint.or(None)?,
    })
}

/// Refuses a limit on something that nobody measures: it would never bind, and its owner would find out from the bill.
/// `command` is the location of the agent's command.
pub(super) fn metered(raw: &RawGuardrails, agent: &AgentPlan, command: Span, problems: &mut Vec<Diagnostic>) {
    let accepted = raw.allow_unmetered.written().is_some_and(|at| at.value);
    let money = [&raw.max_cost_usd, &raw.max_usd_per_hour];
    let money = money.into_iter().filter_map(|limit| limit.written().map(|at| (at.key, &at.span)));
    let tokens = raw.max_tokens.written().map(|at| (at.key, &at.span));
    let limits: Vec<_> = money.chain(tokens).collect();
    if accepted || agent.reports_usage() || limits.is_empty() {
        return;
    }
    let names: Vec<_> = limits.iter().map(|(key, _)| format!("`{key}`")).collect();
    let title = format!("{} cannot be enforced: the agent does not report its usage", names.join(" and "));
    let mark =
        |finding: Diagnostic, span: &Span| finding.at(span.clone(), "no usage would count toward this");
    let finding = limits.iter().fold(Diagnostic::error(title), |finding, (_, span)| mark(finding, span));
    let finding = finding.at(command, "this is not known to report any usage");
    problems.push(if limits.iter().any(|(key, _)| flag::key(key).is_some()) {
        finding
            .help("name LOOP_USAGE_FILE in the agent's command, if the agent appends its usage to that file")
            .help("or limit the time of the run, which always works")
            .help("or accept that the limit does nothing: `--allow-unmetered`")
    } else {
        finding
            .help(how_to_report(agent.command().map_or("", CommandLine::as_str)))
            .help("or accept that the limit does nothing: `guardrails.allow_unmetered: true`")
    });
}

/// Explains how to make the agent of this command report.
fn how_to_report(command: &str) -> String {
    match usage_reporter::called(command).first() {
        Some((own, _)) => format!("run it as `{}`, and set `agent.format: {}`", own.reporting_command(), own.format),
        None => "let the agent append its usage to the file named by LOOP_USAGE_FILE, and set `agent.format: usage-file`".to_owned(),
    }
}

fn at_least_one(at: FieldValue<i128>) -> Result<NonZeroU64, Diagnostic> {
    u64::try_from(at.value).ok().and_then(NonZeroU64::new).ok_or_else(|| {
        let finding = Diagnostic::error(format!("`{}` has to be at least 1", at.key));
        let finding = finding.at(at.span, if at.value < 1 { NOTHING_COULD_RUN } else { "this is too large" });
        if keys::is_optional(at.key) { finding.help(NO_SUCH_LIMIT) } else { finding }
    })
}

fn money(at: FieldValue<f64>) -> Result<Usd, Diagnostic> {
    let amount = Usd::try_from_f64(at.value).ok().filter(|amount| *amount >= Usd::micros(1));
    amount.ok_or_else(|| {
        let label = match at.value {
            too_little if too_little <= 0.0 => NOTHING_COULD_RUN,
            tiny if tiny < 1.0 => "less than a millionth of a dollar",
            _ => "this is no amount of money",
        };
        Diagnostic::error(format!("`{}` has to be an amount of dollars above 0", at.key))
            .at(at.span, label)
            .help(NO_SUCH_LIMIT)
    })
}

/// A time within which something may run.
pub(super) fn time_limit(at: &FieldValue<f64>) -> Result<Duration, Diagnostic> {
    seconds(at, MIN_SECONDS, "above 0", NOTHING_COULD_RUN)
}

/// A time from `least` to a hundred years. `range` says what is taken, `below` what is wrong with less.
pub(super) fn seconds(
    at: &FieldValue<f64>,
    least: f64,
    range: &str,
    below: &str,
) -> Result<Duration, Diagnostic> {
    if (least..=MAX_SECONDS).contains(&at.value) {
        return Ok(Duration::from_secs_f64(at.value));
    }
    let label = match at.value {
        endless if endless > MAX_SECONDS => "more than a hundred years",
        tiny if tiny > 0.0 => "less than a millisecond",
        nan if nan.is_nan() => "this is not a number",
        _ => below,
    };
    let finding = Diagnostic::error(format!("`{}` has to be a time {range}", at.key));
    Err(finding.at(at.span.clone(), label).help("to have none, leave it out"))
}

fn checkpoint(at: FieldValue<FlagOrWhole>) -> Result<Option<NonZeroU64>, Diagnostic> {
    let every = match at.value {
        FlagOrWhole::Flag(false) => return Ok(None),
        FlagOrWhole::Flag(true) => 1,
        FlagOrWhole::Whole(every) => every,
    };
    let every = u64::try_from(every).ok().and_then(NonZeroU64::new);
    every.map(Some).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be `true`, `false` or a number of at least 1", at.key))
            .at(at.span, "no iteration has this number")
            .help("write `true` to be asked after every iteration, 3 to be asked after every third, `false` never to be asked")
    })
}
