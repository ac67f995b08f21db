//! A manifest from what was found.

use super::{
    agent::{Agent, Cost},
    page::{Field, Item, Page},
    project::Check,
    template::Template,
};
use crate::{source::Format, unfilled::UNFILLED, validate::kebab_case};

/// The file in which an editor finds the JSON Schema, in the folder of the manifest.
pub const SCHEMA_FILE: &str = "loop.schema.json";

/// The path of the schema, as a manifest refers to it.
const SCHEMA: &str = "./loop.schema.json";

/// Enough for most tasks; at worst, it costs an evening's bill.
const MAX_ITERATIONS: u64 = 10;
const MAX_COST_USD: u64 = 5;
const MAX_SECONDS: u64 = 3600;
const MAX_CONSECUTIVE_FAILURES: u64 = 3;

/// The parts of a first manifest.
#[derive(Debug)]
pub struct Draft<'a> {
    /// The template for the goal and the prompt.
    pub template: Template,
    /// The name of the project's folder.
    pub folder: &'a str,
    /// The agent.
    pub agent: Agent<'a>,
    /// The check, if one was found.
    pub check: Option<&'a Check>,
    /// True if the JSON Schema is in the folder of the manifest.
    pub has_schema: bool,
}

impl Draft<'_> {
    /// Returns the text of the manifest.
    pub fn render(&self, format: Format) -> String {
        self.page().render(format)
    }

    /// Returns whether everything was found, so that the loop can run as it is.
    pub fn is_complete(&self) -> bool {
        self.check.is_some() && self.agent.command().is_some()
    }

    fn page(&self) -> Page {
        Page {
            schema: SCHEMA,
            has_schema: self.has_schema,
            intro: &[
                "Runs the agent until the evaluator exits 0, or until a guardrail halts it.",
                "`loop check` says what this does; `loop run` does it.",
            ],
            items: vec![
                Item::Field(Field::line("name", self.name())),
                Item::Field(Field::line("goal", self.goal())),
                Item::Object("agent", None, self.agent_fields()),
                Item::Object(
                    "evaluator",
                    None,
                    vec![Field::line("command", self.check_command()).comment(self.about_check())],
                ),
                Item::Object("guardrails", self.about_cost(), self.limits()),
            ],
        }
    }

    fn agent_fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::line("command", self.agent_command()).comments(self.about_agent())];
        if let Agent::Known(known) = self.agent
            && known.format.reports()
        {
            fields.push(Field::line("format", known.format.to_string()).comment(ABOUT_FORMAT));
        }
        fields.push(Field::block("prompt", self.template.prompt()).comment(ABOUT_PROMPT));
        fields
    }

    fn limits(&self) -> Vec<Field> {
        let mut limits = vec![Field::number("max_iterations", MAX_ITERATIONS)];
        if let Agent::Known(known) = self.agent
            && let Cost::Told = known.cost
        {
            limits.push(Field::number("max_cost_usd", MAX_COST_USD).comment(ABOUT_LIMIT));
        }
        limits.push(Field::number("max_seconds", MAX_SECONDS));
        limits.push(
            Field::number("max_consecutive_failures", MAX_CONSECUTIVE_FAILURES)
                .comment("Iterations in a row in which the agent exits with an error."),
        );
        limits
    }

    fn name(&self) -> String {
        let folder = kebab_case(self.folder);
        let separator = if folder.is_empty() { "" } else { "-" };
        format!("{folder}{separator}{}", self.template.name())
    }

    fn goal(&self) -> String {
        let goal = self.template.goal();
        self.check.map_or_else(|| goal.to_owned(), |check| format!("{goal}: `{}` exits 0", check.command))
    }

    fn agent_command(&self) -> String {
        let open = || format!("{UNFILLED} with the command of your agent");
        self.agent.command().map_or_else(open, str::to_owned)
    }

    fn about_agent(&self) -> Vec<String> {
        let prompt = "A shell command. The prompt goes to its standard input, or where {prompt} stands.";
        let permits = match self.agent {
            Agent::Known(known) => Some(known.permits),
            Agent::Given(_) | Agent::Missing => None,
        };
        [prompt].into_iter().chain(permits).map(str::to_owned).collect()
    }

    fn check_command(&self) -> String {
        let wanted = self.template.purpose().wanted();
        self.check.map_or_else(|| format!("{UNFILLED} with {wanted}"), |check| check.command.clone())
    }

    fn about_check(&self) -> String {
        let about = "A shell command that exits 0 when the goal is met";
        self.check.map_or_else(|| format!("{about}."), |check| format!("{about}. Found in {}.", check.file))
    }

    /// Explains why there is no cost limit, if there is none.
    fn about_cost(&self) -> Option<String> {
        let why = match self.agent {
            Agent::Known(known) => match known.cost {
                Cost::Told => return None,
                Cost::Untold(why) => why,
            },
            Agent::Given(_) | Agent::Missing => {
                "`max_cost_usd` needs an agent that reports what it uses: see `agent.format`."
            }
        };
        Some(why.to_owned())
    }
}

const ABOUT_FORMAT: &str = "How what it uses is read out of what it prints.";

const ABOUT_LIMIT: &str =
    "US dollars, by list prices where the agent names none. An agent that crosses it is cut.";

const ABOUT_PROMPT: &str = "What the agent is told in each iteration. Words in braces are filled in.";
