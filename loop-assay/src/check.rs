//! The checks of a run.

use std::{fmt, time::Duration};

use jsonschema::Validator;
use loop_agents::judge::{MAX_CRITERIA, VotePolicy};
use loop_manifest::{
    ModelName, StopPlan,
    plan::{EvaluatorPlan, JudgePlan, Plan, WorkPlan},
};
use regex::Regex;
use serde_json::Value;

use crate::case_file::{CheckFile, JudgeFile};

/// The most bytes of a text that a message quotes.
const QUOTED_BYTES: usize = 200;

/// A check that can be made.
#[derive(Debug)]
pub(crate) enum Check {
    Contains(String),
    NotContains(String),
    Regex(Regex),
    Json(Box<Validator>),
    Command(String),
    Judge { criteria: Vec<String>, model: Option<ModelName> },
    MaxTokens(u64),
    MaxTime(Duration),
    Calls(Vec<String>),
    NotCalls(Vec<String>),
}

/// The facts about a run, for checks that need nothing else.
#[derive(Debug)]
pub(crate) struct RunFacts {
    pub(crate) reply: String,
    /// The tools that were called.
    pub(crate) calls: Vec<String>,
    pub(crate) tokens: Option<u64>,
    pub(crate) time: Duration,
}

impl Check {
    /// Prepares a check. The error is in words.
    pub(crate) fn new(file: CheckFile) -> Result<Self, String> {
        Ok(match file {
            CheckFile::Contains(text) => Self::Contains(named(text, "contains")?),
            CheckFile::NotContains(text) => Self::NotContains(named(text, "not_contains")?),
            CheckFile::Regex(pattern) => {
                Self::Regex(Regex::new(&pattern).map_err(|error| format!("`regex`: {error}"))?)
            }
            CheckFile::Json(schema) => {
                jsonschema::meta::validate(&schema)
                    .map_err(|error| format!("`json` is not a JSON schema: {error}"))?;
                let validator = jsonschema::validator_for(&schema);
                Self::Json(Box::new(validator.map_err(|error| format!("`json`: {error}"))?))
            }
            CheckFile::Command(line) => Self::Command(named(line, "command")?),
            CheckFile::Judge(JudgeFile { criteria, model }) => {
                let is_usable = (1..=MAX_CRITERIA).contains(&criteria.len())
                    && criteria.iter().all(|criterion| !criterion.trim().is_empty());
                if !is_usable {
                    return Err(format!("`judge`: write 1 to {MAX_CRITERIA} criteria, none of them empty"));
                }
                let model = model.map(|model| model.parse::<ModelName>()).transpose();
                Self::Judge { criteria, model: model.map_err(|error| format!("`judge.model`: {error}"))? }
            }
            CheckFile::MaxTokens(0) => return Err("`max_tokens` is 0: no run uses none".to_owned()),
            CheckFile::MaxTokens(tokens) => Self::MaxTokens(tokens),
            CheckFile::MaxSeconds(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(time) if !time.is_zero() => Self::MaxTime(time),
                _ => return Err("`max_seconds` is not a positive number of seconds".to_owned()),
            },
            CheckFile::Calls(tools) => Self::Calls(tools),
            CheckFile::NotCalls(tools) => Self::NotCalls(tools),
        })
    }

    /// Returns why a run does not pass, if it does not. Commands and judges are [evaluators](Self::evaluator).
    pub(crate) fn failure(&self, run: &RunFacts) -> Option<String> {
        let (is_passed, why) = match self {
            Self::Contains(text) => (run.reply.contains(text), format!("the reply lacks `{}`", quoted(text))),
            Self::NotContains(text) => {
                (!run.reply.contains(text), format!("the reply contains `{}`", quoted(text)))
            }
            Self::Regex(regex) => {
                (regex.is_match(&run.reply), format!("nothing in the reply matches /{regex}/"))
            }
            Self::Json(validator) => return mismatch(validator, &run.reply),
            Self::MaxTokens(most) => match run.tokens {
                Some(tokens) => (tokens <= *most, format!("it used {tokens} of {most} tokens")),
                None => (false, format!("it did not report whether it used at most {most} tokens")),
            },
            Self::MaxTime(most) => {
                (run.time <= *most, format!("it took longer than {} seconds", most.as_secs_f64()))
            }
            Self::Calls(tools) => match tools.iter().find(|tool| !run.calls.contains(tool)) {
                Some(missing) => (false, format!("it did not call `{missing}`")),
                None => return None,
            },
            Self::NotCalls(tools) => match tools.iter().find(|tool| run.calls.contains(tool)) {
                Some(called) => (false, format!("it called `{called}`")),
                None => return None,
            },
            Self::Command(_) | Self::Judge { .. } => return None,
        };
        (!is_passed).then_some(why)
    }

    /// Returns a plan whose evaluator is this check, if it is a command or a judge. It takes at most this time.
    pub(crate) fn evaluator(&self, plan: &Plan, time: Duration) -> Option<Plan> {
        let mut evaluator = EvaluatorPlan {
            max_time: Some(time),
            sandbox: plan.evaluator.sandbox.clone(),
            ..EvaluatorPlan::default()
        };
        match self {
            Self::Command(line) => evaluator.command = Some(line.clone()),
            Self::Judge { criteria, model } => {
                let own = || plan.agent.model().map(|model| model.name.clone());
                let (model, criteria) = (model.clone().or_else(own)?, criteria.clone());
                let votes = VotePolicy::default();
                evaluator.judge = Some(JudgePlan { model, criteria, votes, prompt: None });
            }
            _ => return None,
        }
        Some(Plan { evaluator, stop: StopPlan::EvaluatorPass, stagnation: None, ..plan.clone() })
    }

    /// Returns why this check cannot be made with the agent of this plan, if so.
    pub(crate) fn obstacle(&self, plan: &Plan) -> Option<String> {
        let is_command = matches!(plan.agent.work, WorkPlan::Command(_));
        match self {
            Self::Judge { model: None, .. } if is_command => {
                Some("`judge` needs `model`, because the agent is a command".to_owned())
            }
            Self::Calls(_) | Self::NotCalls(_) if is_command => {
                Some(format!("`{self}` needs a model, but the agent is a command"))
            }
            _ => None,
        }
    }
}

/// The kind of the check, as a case names it.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contains(_) => "contains",
            Self::NotContains(_) => "not_contains",
            Self::Regex(_) => "regex",
            Self::Json(_) => "json",
            Self::Command(_) => "command",
            Self::Judge { .. } => "judge",
            Self::MaxTokens(_) => "max_tokens",
            Self::MaxTime(_) => "max_seconds",
            Self::Calls(_) => "calls",
            Self::NotCalls(_) => "not_calls",
        })
    }
}

fn named(text: String, kind: &str) -> Result<String, String> {
    if text.is_empty() { Err(format!("`{kind}` is empty")) } else { Ok(text) }
}

/// Returns why a reply is not JSON of a schema, if it is not.
fn mismatch(validator: &Validator, reply: &str) -> Option<String> {
    let fenced = || {
        let block = reply.split_once("```")?.1.split_once('\n')?.1;
        serde_json::from_str::<Value>(block.split_once("```")?.0).ok()
    };
    match serde_json::from_str::<Value>(reply.trim()).ok().or_else(fenced) {
        None => Some("the reply is not JSON".to_owned()),
        Some(value) => {
            let error = validator.validate(&value).err()?;
            Some(format!("the JSON does not follow the schema: {}", quoted(&error.to_string())))
        }
    }
}

/// Returns the beginning of a text, for a message.
pub(crate) fn quoted(text: &str) -> &str {
    &text[..text.floor_char_boundary(QUOTED_BYTES)]
}
