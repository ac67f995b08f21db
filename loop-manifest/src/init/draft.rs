//! A manifest from what was found.

use super::{
    agent::{AgentChoice, AgentCost},
    manifest_text::{ManifestText, TextField, TopLevelItem},
    project::ProjectCheck,
    template::{Purpose, Template},
};
use crate::{format::Format, unfilled::UNFILLED, validate::kebab_case};

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
    pub agent: AgentChoice<'a>,
    /// The check, if one was given or found.
    pub check: Option<CheckChoice<'a>>,
    /// True if the JSON Schema is in the folder of the manifest.
    pub has_schema: bool,
    /// True if the check is sealed: the agent cannot change it.
    pub is_sealed: bool,
}

/// The check of a draft.
#[derive(Debug, Clone, Copy)]
pub enum CheckChoice<'a> {
    /// A command that the user gave.
    Given(&'a str),
    /// A command that the project's files point to.
    Found(&'a ProjectCheck),
}

impl<'a> CheckChoice<'a> {
    /// Returns its shell command.
    pub fn command(self) -> &'a str {
        match self {
            Self::Given(command) => command,
            Self::Found(check) => &check.command,
        }
    }
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

    fn page(&self) -> ManifestText {
        let mut evaluator =
            vec![TextField::line("command", self.check_command()).comment(self.about_check())];
        if self.is_sealed {
            evaluator.push(TextField::flag("sealed", true).comment(ABOUT_SEAL));
        }
        let check_first = TextField::flag("check_first", true).comment(ABOUT_CHECK_FIRST);
        let mut items = vec![
            TopLevelItem::Field(TextField::line("name", self.name())),
            TopLevelItem::Field(TextField::line("goal", self.goal())),
        ];
        items.extend((self.template.purpose() == Purpose::Test).then_some(TopLevelItem::Field(check_first)));
        items.extend([
            TopLevelItem::Object("agent", None, self.agent_fields()),
            TopLevelItem::Object("evaluator", None, evaluator),
            TopLevelItem::Object("guardrails", self.about_cost(), self.limits()),
        ]);
        ManifestText {
            schema: SCHEMA,
            has_schema: self.has_schema,
            intro: &[
                "Runs the agent until the check exits 0, or until a guardrail halts it.",
                "`loop check` describes what this does; `loop run` does it.",
            ],
            items,
        }
    }

    fn agent_fields(&self) -> Vec<TextField> {
        let mut fields = vec![TextField::line("command", self.agent_command()).comments(self.about_agent())];
        if let AgentChoice::Known(known) = self.agent
            && known.format.reports()
        {
            fields.push(TextField::line("format", known.format.to_string()).comment(ABOUT_FORMAT));
        }
        fields.push(TextField::block("prompt", self.template.prompt()).comment(ABOUT_PROMPT));
        fields
    }

    fn limits(&self) -> Vec<TextField> {
        let mut limits = vec![TextField::number("max_iterations", MAX_ITERATIONS)];
        if let AgentChoice::Known(known) = self.agent
            && let AgentCost::Reported = known.cost
        {
            limits.push(TextField::number("max_cost_usd", MAX_COST_USD).comment(ABOUT_LIMIT));
        }
        limits.push(TextField::number("max_seconds", MAX_SECONDS));
        limits.push(
            TextField::number("max_consecutive_failures", MAX_CONSECUTIVE_FAILURES)
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
        self.check.map_or_else(|| goal.to_owned(), |check| format!("{goal}: `{}` exits 0", check.command()))
    }

    fn agent_command(&self) -> String {
        let open = || format!("{UNFILLED} with the command of your agent");
        self.agent.command().map_or_else(open, str::to_owned)
    }

    fn about_agent(&self) -> Vec<String> {
        let prompt = "A shell command. It gets the prompt on standard input, or in place of {prompt}.";
        let permits = match self.agent {
            AgentChoice::Known(known) => Some(known.permits),
            AgentChoice::Given(_) | AgentChoice::Missing => None,
        };
        [prompt].into_iter().chain(permits).map(str::to_owned).collect()
    }

    fn check_command(&self) -> String {
        let wanted = self.template.purpose().wanted();
        self.check.map_or_else(|| format!("{UNFILLED} with {wanted}"), |check| check.command().to_owned())
    }

    fn about_check(&self) -> String {
        let about = "A shell command that exits 0 when the goal is met";
        match self.check {
            Some(CheckChoice::Found(check)) => format!("{about}. Found in {}.", check.file),
            Some(CheckChoice::Given(_)) | None => format!("{about}."),
        }
    }

    /// Explains why there is no cost limit, if there is none.
    fn about_cost(&self) -> Option<String> {
        let why = match self.agent {
            AgentChoice::Known(known) => match known.cost {
                AgentCost::Reported => return None,
                AgentCost::Unreported(why) => why,
            },
            AgentChoice::Given(_) | AgentChoice::Missing => {
                "`max_cost_usd` needs an agent that reports its usage: see `agent.format`."
            }
        };
        Some(why.to_owned())
    }
}

const ABOUT_CHECK_FIRST: &str =
    "Whether the check also runs before the first iteration. If it passes, the agent does not run.";

const ABOUT_SEAL: &str = "Whether the check runs in a tree of its own, with the tests of the start. The agent cannot change those.";

const ABOUT_FORMAT: &str = "The format in which the agent reports its usage.";

const ABOUT_LIMIT: &str =
    "US dollars, at list prices if the agent reports no cost. Crossing it stops the agent.";

const ABOUT_PROMPT: &str = "The prompt of each iteration. `loop` fills in the words in braces.";
