//! A loop without a file: what a manifest would say, said by flags.
//!
//! The flags go through the same rules as a manifest, so that you can try out a loop and write
//! it down later, and it is still the same. Errors point into the command line, as they would point into a file, and
//! name the flag.

use serde_json::{Value, json};

use super::{
    diagnostics::{Diagnostics, Span},
    field::{Field, FieldValue},
    keys::flag::{AGENT, ALLOW_UNMETERED, CHECK, GOAL, MAX, MAX_COST, MAX_TIME, PROMPT as PROMPT_FLAG},
    load::LoadedPlan,
    raw::{RawAgent, RawEvaluator, RawGuardrails, RawManifest},
    usage_reporter, validate, warnings,
};

/// The prompt if no flag says another.
const PROMPT: &str = include_str!("prompt.md");

/// A loop as flags describe it.
#[derive(Debug)]
pub struct Flags<'a> {
    /// The agent's command.
    pub agent: &'a str,
    /// The check's command.
    pub check: &'a str,
    /// The maximum number of iterations.
    pub max: i64,
    /// The goal. Default: that the check exits 0.
    pub goal: Option<&'a str>,
    /// The prompt. Default: to reach the goal, by no short cut.
    pub prompt: Option<&'a str>,
    /// The maximum cost in US dollars.
    pub max_cost: Option<f64>,
    /// The maximum time in seconds.
    pub max_time: Option<f64>,
    /// A limit on cost may stay without figures to count.
    pub allow_unmetered: bool,
}

impl Flags<'_> {
    /// The plan of a loop with this name.
    ///
    /// # Errors
    /// Returns all errors in the flags.
    pub fn plan(&self, name: String) -> Result<LoadedPlan, Diagnostics> {
        let (line, raw) = self.written();
        let mut problems = Vec::new();
        let warnings = warnings::of(&raw, &line);
        let plan = validate::plan(raw, &line, name, None, &mut problems);
        let report = |findings| Diagnostics::new("the command line", line, findings);
        match plan {
            Some(plan) if problems.is_empty() => Ok(LoadedPlan { plan, warnings: report(warnings) }),
            _ => Err(report(problems)),
        }
    }

    /// Returns an equivalent manifest as JSON, so that the run can be resumed without its flags.
    pub fn manifest(&self, name: &str) -> String {
        let raw = self.written().1;
        let text = |field: Field<String>| field.required();
        let mut manifest = json!({
            "name": name,
            "goal": text(raw.goal),
            "agent": { "command": text(raw.agent.command), "prompt": text(raw.agent.prompt) },
            "evaluator": { "command": self.check },
            "guardrails": { "max_iterations": self.max },
        });
        let optional = [
            ("agent", "format", text(raw.agent.format).map(Value::from)),
            ("guardrails", "max_cost_usd", self.max_cost.map(Value::from)),
            ("guardrails", "max_seconds", self.max_time.map(Value::from)),
            ("guardrails", "allow_unmetered", self.allow_unmetered.then(|| true.into())),
        ];
        for (object, key, value) in optional {
            if let Some(value) = value {
                manifest[object][key] = value;
            }
        }
        format!("{manifest:#}\n")
    }

    /// The format of the agent's output, if its command asks for one. There is no flag for it.
    fn format(&self) -> Field<String> {
        usage_reporter::format(self.agent).map_or(Field::Absent, |format| unwritten(AGENT, format.name()))
    }

    /// The flags as a command line, and as the manifest whose places are in it.
    fn written(&self) -> (String, RawManifest) {
        let mut line = FlagLine("loop run".to_owned());
        let agent_command = line.text(AGENT, self.agent);
        let check_command = line.text(CHECK, self.check);
        let max_iterations = line.flag(MAX, i128::from(self.max), &self.max.to_string());
        let goal = self.goal.map(|goal| line.text(GOAL, goal));
        let prompt = self.prompt.map(|prompt| line.text(PROMPT_FLAG, prompt));
        let max_cost_usd = self.max_cost.map(|cost| line.flag(MAX_COST, cost, &cost.to_string()));
        let max_seconds = self.max_time.map(|time| line.flag(MAX_TIME, time, &format!("{time}s")));
        let allow_unmetered = self.allow_unmetered.then(|| line.switch(ALLOW_UNMETERED));
        let raw = RawManifest {
            goal: goal
                .unwrap_or_else(|| unwritten(GOAL, &format!("Make this command exit 0: {}", self.check))),
            agent: RawAgent {
                command: agent_command,
                prompt: prompt.unwrap_or_else(|| unwritten(PROMPT_FLAG, PROMPT)),
                format: self.format(),
                ..RawAgent::default()
            },
            evaluator: RawEvaluator { command: check_command, ..RawEvaluator::default() },
            guardrails: RawGuardrails {
                max_iterations,
                max_cost_usd: max_cost_usd.unwrap_or_default(),
                max_seconds: max_seconds.unwrap_or_default(),
                allow_unmetered: allow_unmetered.unwrap_or_default(),
                ..RawGuardrails::default()
            },
            ..RawManifest::default()
        };
        (line.0, raw)
    }
}

/// A command line that grows by flags.
struct FlagLine(String);

impl FlagLine {
    fn text(&mut self, flag: &'static str, text: &str) -> Field<String> {
        let shown = shlex::try_quote(text).unwrap_or(text.into());
        self.flag(flag, text.to_owned(), &shown)
    }

    /// A flag without a value.
    fn switch(&mut self, flag: &'static str) -> Field<bool> {
        let start = self.0.len() + 1;
        self.0 += &format!(" {flag}");
        Field::Written(FieldValue { key: flag, value: true, span: start..self.0.len() })
    }

    fn flag<T>(&mut self, flag: &'static str, value: T, shown: &str) -> Field<T> {
        self.0 += &format!(" {flag} ");
        let start = self.0.len();
        self.0 += shown;
        Field::Written(FieldValue { key: flag, value, span: start..self.0.len() })
    }
}

/// The default of a flag. It is right, so its place is never shown.
fn unwritten(flag: &'static str, text: &str) -> Field<String> {
    Field::Written(FieldValue { key: flag, value: text.to_owned(), span: Span::default() })
}

#[cfg(test)]
#[path = "../../tests/flags/mod.rs"]
mod tests;
