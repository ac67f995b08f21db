//! The manifest as it was written: every field with its type and its place, none of them judged.

use super::{
    diagnostics::Diagnostic,
    document::Node,
    field::{At, Field, FlagOrWhole, Item, Text},
    fields::Fields,
    raw_condition::RawStopCondition,
};

/// The whole manifest. An object that is not there is one without fields.
#[derive(Debug, Default)]
pub(crate) struct RawManifest {
    /// The loop's name in records: lower-case letters, digits and hyphens. Default: the file's stem.
    pub(crate) name: Field<String>,
    /// What the loop has to reach, in a sentence. Required. `{goal}` in the prompt.
    pub(crate) goal: Field<String>,
    /// Who does the work. Required.
    pub(crate) agent: RawAgent,
    /// The check. Required.
    pub(crate) evaluator: RawEvaluator,
    /// When the goal is met. Default: when the check exits 0.
    pub(crate) stop_condition: RawStopCondition,
    /// The limits of the run. Required.
    pub(crate) guardrails: RawGuardrails,
    /// How fast iterations follow each other. Default: at once.
    pub(crate) pace: RawPace,
    /// What one iteration tells the next.
    pub(crate) feedback: RawFeedback,
    /// What becomes of an iteration in which the run was cut off: `rerun` (the default), `ask` or `halt`.
    pub(crate) resume: Field<String>,
}

/// `agent`: the command that does the work.
#[derive(Debug, Default)]
pub(crate) struct RawAgent {
    /// A shell command. Required without a model. The prompt goes to its standard input, or where `{prompt}` stands.
    pub(crate) command: Field<String>,
    /// What the agent is told, with placeholders. Required.
    pub(crate) prompt: Field<String>,
    /// What it prints, and so how it reports what it used. Default: `text`, not at all.
    pub(crate) format: Field<String>,
    /// The model that does the work without a command; with one, that to take for one that it does not name.
    pub(crate) model: Field<String>,
    /// Who the model is to be.
    pub(crate) system: Field<String>,
    /// What the model can call. Default: all tools.
    pub(crate) tools: Field<Vec<Item>>,
    /// The file with the prices of models, from the manifest's folder. Default: the bundled list prices.
    pub(crate) prices: Field<String>,
    /// Its environment. Default: the user's, without what looks like a secret.
    pub(crate) env: RawEnvironment,
    /// What one call may take, in seconds. More than 0. Default: no limit of its own.
    pub(crate) max_seconds: Field<f64>,
    /// For how long it may print nothing, in seconds. More than 0. Default: no limit.
    pub(crate) max_silence_seconds: Field<f64>,
}

/// `agent.env`: the variables that the agent and the evaluator see.
#[derive(Debug, Default)]
pub(crate) struct RawEnvironment {
    /// Where it begins: `all` (the default: with what does not look like a secret) or `none`.
    pub(crate) inherit: Field<String>,
    /// The names of variables to pass on whatever they look like; `*` at the end for any ending.
    pub(crate) pass: Field<Vec<Item>>,
    /// Variables to set, by name.
    pub(crate) set: Field<Vec<Text>>,
}

/// `evaluator`: what judges the work. Of all but the last field one is required.
#[derive(Debug, Default)]
pub(crate) struct RawEvaluator {
    /// A shell command. It exits 0 when the work is good.
    pub(crate) command: Field<String>,
    /// How sure the agent has to say it is.
    pub(crate) confidence: Option<RawConfidence>,
    /// A model that judges.
    pub(crate) judge: Option<RawJudge>,
    /// An agent that reviews.
    pub(crate) review: Option<RawReview>,
    /// What one check may take, in seconds. More than 0. Default: no limit of its own.
    pub(crate) max_seconds: Field<f64>,
}

/// `evaluator.confidence`: how sure the agent has to say it is.
#[derive(Debug, Default)]
pub(crate) struct RawConfidence {
    /// The least number that passes. Required; above 0 and up to 1.
    pub(crate) at_least: Field<f64>,
    /// The key under which it stands. Default: `confidence`.
    pub(crate) key: Field<String>,
}

/// `evaluator.judge`: a model that judges what the agent said.
#[derive(Debug, Default)]
pub(crate) struct RawJudge {
    /// Its name. Required.
    pub(crate) model: Field<String>,
    /// What has to be met. Required; from 1 to 20 sentences.
    pub(crate) criteria: Field<Vec<Item>>,
    /// How often it is asked at most. From 1 to 25. Default: 1.
    pub(crate) votes: Field<i128>,
    /// How many votes have to say yes. From 1 to `votes`. Default: more than half.
    pub(crate) pass: Field<i128>,
    /// What it is told besides.
    pub(crate) prompt: Field<String>,
}

/// `evaluator.review`: an agent that looks at the work, and says what is left.
#[derive(Debug, Default)]
pub(crate) struct RawReview {
    /// The model that reviews. Required without a command.
    pub(crate) model: Field<String>,
    /// The shell command that reviews. Its prompt comes as an agent's does.
    pub(crate) agent: Field<String>,
    /// What it is told besides.
    pub(crate) prompt: Field<String>,
    /// How often a model may call tools in a review. At least 1. Default: 15.
    pub(crate) rounds: Field<i128>,
}

/// `guardrails`: the limits of the run.
#[derive(Debug, Default)]
pub(crate) struct RawGuardrails {
    /// How often the agent may run at most. Required; at least 1.
    pub(crate) max_iterations: Field<i128>,
    /// What the run may cost, in US dollars. More than 0. Default: no limit.
    pub(crate) max_cost_usd: Field<f64>,
    /// What the run may cost in any hour, in US dollars. More than 0. Default: no limit.
    pub(crate) max_usd_per_hour: Field<f64>,
    /// What the run may take, in seconds, waits of the pace included. More than 0. Default: no limit.
    pub(crate) max_seconds: Field<f64>,
    /// What the run may use, in tokens. At least 1. Default: no limit.
    pub(crate) max_tokens: Field<i128>,
    /// How many iterations may fail in a row. At least 1. Default: no limit.
    pub(crate) max_consecutive_failures: Field<i128>,
    /// When a person is asked: `true` after every iteration that did not meet the goal, a number N
    /// after every Nth. Default: `false`, never.
    pub(crate) hitl_checkpoint: Field<FlagOrWhole>,
    /// Accepts a limit on cost or tokens for an agent that reports neither. Default: `false`.
    pub(crate) allow_unmetered: Field<bool>,
}

/// `pace`: how fast iterations follow each other.
#[derive(Debug, Default)]
pub(crate) struct RawPace {
    /// The delay between the end of one iteration and the start of the next, in seconds. Default: 0.
    pub(crate) every_seconds: Field<f64>,
    /// The delay after the second failure in a row, in seconds; twice as long after each further one. From 0
    /// to 60. Default: 1.
    pub(crate) backoff_seconds: Field<f64>,
}

/// `feedback`: what one iteration tells the next.
#[derive(Debug, Default)]
pub(crate) struct RawFeedback {
    /// How many bytes of output one placeholder may bring into the prompt; of longer output the head
    /// and the tail are kept. At least 256. Default: 32768.
    pub(crate) max_bytes: Field<i128>,
}

impl RawManifest {
    /// Reads the manifest from its tree. What is wrong with keys and types is added to `problems`.
    pub(crate) fn read(node: &Node, text: &str, problems: &mut Vec<Diagnostic>) -> Self {
        let Some(mut fields) = Fields::of_manifest(node, text, problems) else { return Self::default() };
        // For editors. Nothing is done with it here, but text it has to be.
        fields.text("$schema");
        Self {
            name: fields.text("name"),
            goal: fields.text("goal"),
            agent: fields.object("agent").map(RawAgent::read).unwrap_or_default(),
            evaluator: fields.object("evaluator").map(RawEvaluator::read).unwrap_or_default(),
            stop_condition: fields.object("stop_condition").map(RawStopCondition::read).unwrap_or_default(),
            guardrails: fields.object("guardrails").map(RawGuardrails::read).unwrap_or_default(),
            pace: fields.object("pace").map(RawPace::read).unwrap_or_default(),
            feedback: fields.object("feedback").map(RawFeedback::read).unwrap_or_default(),
            resume: fields.text("resume"),
        }
    }
}

impl RawManifest {
    /// All of its commands.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &At<String>> {
        let reviewer = self.evaluator.review.as_ref().map(|review| &review.agent);
        let commands = [&self.agent.command, &self.evaluator.command].into_iter().chain(reviewer);
        commands.filter_map(|command| command.written())
    }
}

impl RawAgent {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            command: fields.text("agent.command"),
            prompt: fields.text("agent.prompt"),
            format: fields.text("agent.format"),
            model: fields.text("agent.model"),
            system: fields.text("agent.system"),
            tools: fields.list("agent.tools"),
            prices: fields.text("agent.prices"),
            env: fields.object("agent.env").map(RawEnvironment::read).unwrap_or_default(),
            max_seconds: fields.number("agent.max_seconds"),
            max_silence_seconds: fields.number("agent.max_silence_seconds"),
        }
    }
}

impl RawEnvironment {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            inherit: fields.text("agent.env.inherit"),
            pass: fields.list("agent.env.pass"),
            set: fields.texts("agent.env.set"),
        }
    }
}

impl RawEvaluator {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            command: fields.text("evaluator.command"),
            confidence: fields.object("evaluator.confidence").map(RawConfidence::read),
            judge: fields.object("evaluator.judge").map(RawJudge::read),
            review: fields.object("evaluator.review").map(RawReview::read),
            max_seconds: fields.number("evaluator.max_seconds"),
        }
    }
}

impl RawConfidence {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            at_least: fields.number("evaluator.confidence.at_least"),
            key: fields.text("evaluator.confidence.key"),
        }
    }
}

impl RawJudge {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            model: fields.text("evaluator.judge.model"),
            criteria: fields.list("evaluator.judge.criteria"),
            votes: fields.whole("evaluator.judge.votes"),
            pass: fields.whole("evaluator.judge.pass"),
            prompt: fields.text("evaluator.judge.prompt"),
        }
    }
}

impl RawReview {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            model: fields.text("evaluator.review.model"),
            agent: fields.text("evaluator.review.agent"),
            prompt: fields.text("evaluator.review.prompt"),
            rounds: fields.whole("evaluator.review.rounds"),
        }
    }
}

impl RawGuardrails {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            max_iterations: fields.whole("guardrails.max_iterations"),
            max_cost_usd: fields.number("guardrails.max_cost_usd"),
            max_usd_per_hour: fields.number("guardrails.max_usd_per_hour"),
            max_seconds: fields.number("guardrails.max_seconds"),
            max_tokens: fields.whole("guardrails.max_tokens"),
            max_consecutive_failures: fields.whole("guardrails.max_consecutive_failures"),
            hitl_checkpoint: fields.flag_or_whole("guardrails.hitl_checkpoint"),
            allow_unmetered: fields.flag("guardrails.allow_unmetered"),
        }
    }
}

impl RawPace {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            every_seconds: fields.number("pace.every_seconds"),
            backoff_seconds: fields.number("pace.backoff_seconds"),
        }
    }
}

impl RawFeedback {
    fn read(mut fields: Fields<'_>) -> Self {
        Self { max_bytes: fields.whole("feedback.max_bytes") }
    }
}
