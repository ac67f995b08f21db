//! The manifest as it was written: every field with its type and its place, none of them judged.

use super::{
    diagnostics::Diagnostic,
    document::Node,
    field::{Field, FieldValue, FlagOrWhole, SpannedText},
    fields::Fields,
    raw_checks::{RawConfidence, RawJudge, RawPipeline, RawPlanCheck},
    raw_condition::RawStopCondition,
    raw_environment::RawEnvironment,
    raw_limits::RawLimits,
    raw_pace::{RawFeedback, RawMemory, RawPace},
    raw_parallel::RawParallel,
    raw_sandbox::{self, RawSandbox},
    raw_seal::RawSeal,
    raw_snapshots::{RawScore, RawSnapshots},
    raw_stagnation::RawStagnation,
};

/// The whole manifest. A missing object has no fields.
#[derive(Debug, Default)]
pub(crate) struct RawManifest {
    /// The loop's name in records: lower-case letters, digits and hyphens. Default: the file's stem.
    pub(crate) name: Field<String>,
    /// The purpose of the loop, in a sentence. Required without `evaluator.command`. `{goal}` in the prompt.
    pub(crate) goal: Field<String>,
    /// The agent that does the work. Required.
    pub(crate) agent: RawAgent,
    /// The check. Required.
    pub(crate) evaluator: RawEvaluator,
    /// The sandbox of the agent and the check. Default: none.
    pub(crate) sandbox: Option<RawSandbox>,
    /// The limits on all commands together. Default: no limits.
    pub(crate) limits: RawLimits,
    /// Whether the check runs once before the first iteration. Default: `false`.
    pub(crate) check_first: Field<bool>,
    /// When the goal is met. Default: when the check exits 0.
    pub(crate) stop_condition: RawStopCondition,
    /// The limits of the run. Required.
    pub(crate) guardrails: RawGuardrails,
    /// When the run no longer gets anywhere. Default: `auto`.
    pub(crate) stagnation: RawStagnation,
    /// Several loops at once. Default: one.
    pub(crate) parallel: Option<RawParallel>,
    /// The pace of iterations. Default: no pause.
    pub(crate) pace: RawPace,
    /// The information that one iteration passes to the next.
    pub(crate) feedback: RawFeedback,
    /// The memories of earlier work in the prompt.
    pub(crate) memory: RawMemory,
    /// The treatment of an interrupted iteration: `rerun` (the default), `ask` or `halt`.
    pub(crate) resume: Field<String>,
    /// Whether a shell reads every command: `auto` or `always`. Default: `auto`.
    pub(crate) shell: Field<String>,
    /// The shell command that runs after the run, however that ended. Default: none.
    pub(crate) on_finish: Field<String>,
    /// The snapshots of the folder. Default: `auto`.
    pub(crate) snapshots: RawSnapshots,
    /// The treatment of the folder if the run ends without its goal. Default: `keep`.
    pub(crate) on_halt: Field<String>,
    /// The treatment of the folder after a step with a worse score. Default: `keep`.
    pub(crate) on_regression: Field<String>,
    /// Facts about the manifest that loop only stores. Default: none.
    pub(crate) metadata: Field<serde_json::Value>,
}

/// `agent`: the command that does the work.
#[derive(Debug, Default)]
pub(crate) struct RawAgent {
    /// A shell command. Required without a model. The prompt goes to its standard input, or replaces `{prompt}`.
    pub(crate) command: Field<String>,
    /// The agent's prompt, with placeholders. Default: a prompt for any goal.
    pub(crate) prompt: Field<String>,
    /// The output format, in which it reports its usage. Default: `text`, without reports.
    pub(crate) format: Field<String>,
    /// Without a command: the model that does the work. With one: the model whose prices apply if the agent names none.
    pub(crate) model: Field<String>,
    /// The system prompt of the model.
    pub(crate) system: Field<String>,
    /// The tools of the model. Default: all tools.
    pub(crate) tools: Field<Vec<SpannedText>>,
    /// The names of skills. Default: a model sees a list of all skills, and a command sees none.
    pub(crate) skills: Field<Vec<SpannedText>>,
    /// The file with the prices of models, from the manifest's folder. Default: the bundled list prices.
    pub(crate) prices: Field<String>,
    /// The log to which it appends its usage, from the folder of the run. Default: none.
    pub(crate) usage_log: Field<String>,
    /// Its environment. Default: the user's, without what looks like a secret.
    pub(crate) env: RawEnvironment,
    /// The time limit of one call, in seconds. More than 0. Default: no separate limit.
    pub(crate) max_seconds: Field<f64>,
    /// For how long it may print nothing, in seconds. More than 0. Default: no limit.
    pub(crate) max_silence_seconds: Field<f64>,
    /// The treatment of unfinished background work: `note` (the default), `wait` or `fail`.
    pub(crate) background: Field<String>,
    /// Its sandbox. Keys that are not written are those of `sandbox`.
    pub(crate) sandbox: Option<RawSandbox>,
}

/// `evaluator`: the check. At least one field besides `max_seconds` is required.
#[derive(Debug, Default)]
pub(crate) struct RawEvaluator {
    /// A shell command. It exits 0 when the work is good.
    pub(crate) command: Field<String>,
    /// The confidence that the agent must report.
    pub(crate) confidence: Option<RawConfidence>,
    /// A model that judges.
    pub(crate) judge: Option<RawJudge>,
    /// An agent that reviews.
    pub(crate) review: Option<RawReview>,
    /// The plan whose steps the agent performs.
    pub(crate) plan: Option<RawPlanCheck>,
    /// The files with prompts that the agent answers.
    pub(crate) pipeline: Option<RawPipeline>,
    /// The number that the check measures.
    pub(crate) score: Option<RawScore>,
    /// The time limit of one check, in seconds. More than 0. Default: no separate limit.
    pub(crate) max_seconds: Field<f64>,
    /// Its seal.
    pub(crate) seal: RawSeal,
    /// Its sandbox. Keys that are not written are those of `sandbox`.
    pub(crate) sandbox: Option<RawSandbox>,
}

/// `evaluator.review`: an agent that looks at the work, and says what is left.
#[derive(Debug, Default)]
pub(crate) struct RawReview {
    /// The model that reviews. Required without a command.
    pub(crate) model: Field<String>,
    /// The shell command that reviews. Its prompt comes as an agent's does.
    pub(crate) agent: Field<String>,
    /// Additional instructions.
    pub(crate) prompt: Field<String>,
    /// The maximum number of rounds of tool calls by a model in a review. At least 1. Default: 15.
    pub(crate) rounds: Field<i128>,
}

/// `guardrails`: the limits of the run.
#[derive(Debug, Default)]
pub(crate) struct RawGuardrails {
    /// The maximum number of iterations. Required; at least 1.
    pub(crate) max_iterations: Field<i128>,
    /// The maximum cost of the run, in US dollars. More than 0. Default: no limit.
    pub(crate) max_cost_usd: Field<f64>,
    /// The maximum cost of the run in any hour, in US dollars. More than 0. Default: no limit.
    pub(crate) max_usd_per_hour: Field<f64>,
    /// The maximum time of the run with its pauses, in seconds. More than 0. Default: no limit.
    pub(crate) max_seconds: Field<f64>,
    /// The maximum usage of the run, in tokens. At least 1. Default: no limit.
    pub(crate) max_tokens: Field<i128>,
    /// The maximum number of consecutive failures. At least 1. Default: no limit.
    pub(crate) max_consecutive_failures: Field<i128>,
    /// When a person is asked: `true` after every iteration that did not meet the goal, a number N
    /// after every Nth. Default: `false`, never.
    pub(crate) hitl_checkpoint: Field<FlagOrWhole>,
    /// Accepts a limit on cost or tokens for an agent that reports neither. Default: `false`.
    pub(crate) allow_unmetered: Field<bool>,
}

impl RawManifest {
    /// Reads the manifest from its tree. Adds errors in keys and types to `problems`.
    pub(crate) fn read(node: &Node, text: &str, problems: &mut Vec<Diagnostic>) -> Self {
        let Some(mut fields) = Fields::of_manifest(node, text, problems) else { return Self::default() };
        // For editors. Nothing is done with it here, but text it has to be.
        fields.text("$schema");
        Self {
            name: fields.text("name"),
            goal: fields.text("goal"),
            agent: fields.object("agent").map(RawAgent::read).unwrap_or_default(),
            evaluator: fields.object("evaluator").map(RawEvaluator::read).unwrap_or_default(),
            sandbox: fields.object("sandbox").map(|fields| RawSandbox::read(fields, raw_sandbox::SHARED)),
            limits: fields.object("limits").map(RawLimits::read).unwrap_or_default(),
            check_first: fields.flag("check_first"),
            stop_condition: fields.object("stop_condition").map(RawStopCondition::read).unwrap_or_default(),
            guardrails: fields.object("guardrails").map(RawGuardrails::read).unwrap_or_default(),
            stagnation: RawStagnation::read(&mut fields),
            parallel: fields.object("parallel").map(RawParallel::read),
            pace: fields.object("pace").map(RawPace::read).unwrap_or_default(),
            feedback: fields.object("feedback").map(RawFeedback::read).unwrap_or_default(),
            memory: fields.object("memory").map(RawMemory::read).unwrap_or_default(),
            resume: fields.text("resume"),
            shell: fields.text("shell"),
            on_finish: fields.text("on_finish"),
            snapshots: RawSnapshots::read(&mut fields),
            on_halt: fields.text("on_halt"),
            on_regression: fields.text("on_regression"),
            metadata: fields.table("metadata"),
        }
    }
}

impl RawManifest {
    /// Returns all of its commands.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &FieldValue<String>> {
        let reviewer = self.evaluator.review.as_ref().map(|review| &review.agent);
        let RawEvaluator { command, seal, .. } = &self.evaluator;
        let commands = [&self.agent.command, command, &seal.setup, &self.on_finish].into_iter();
        commands.chain(reviewer).filter_map(|command| command.written())
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
            skills: fields.list("agent.skills"),
            prices: fields.text("agent.prices"),
            usage_log: fields.text("agent.usage_log"),
            env: fields.object("agent.env").map(RawEnvironment::read).unwrap_or_default(),
            max_seconds: fields.time("agent.max_seconds"),
            max_silence_seconds: fields.time("agent.max_silence_seconds"),
            background: fields.text("agent.background"),
            sandbox: fields
                .object("agent.sandbox")
                .map(|fields| RawSandbox::read(fields, raw_sandbox::OF_AGENT)),
        }
    }
}

impl RawEvaluator {
    /// Returns the names of the checks that are there.
    pub(crate) fn checks(&self) -> impl Iterator<Item = &'static str> {
        let checks = [
            ("command", !matches!(self.command, Field::Absent)),
            ("confidence", self.confidence.is_some()),
            ("judge", self.judge.is_some()),
            ("pipeline", self.pipeline.is_some()),
            ("plan", self.plan.is_some()),
            ("review", self.review.is_some()),
        ];
        checks.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name)
    }

    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            command: fields.text("evaluator.command"),
            confidence: fields.object("evaluator.confidence").map(RawConfidence::read),
            judge: fields.object("evaluator.judge").map(RawJudge::read),
            review: fields.object("evaluator.review").map(RawReview::read),
            plan: fields.object("evaluator.plan").map(RawPlanCheck::read),
            pipeline: fields.object("evaluator.pipeline").map(RawPipeline::read),
            score: fields.object("evaluator.score").map(RawScore::read),
            max_seconds: fields.time("evaluator.max_seconds"),
            seal: RawSeal::read(&mut fields),
            sandbox: fields
                .object("evaluator.sandbox")
                .map(|fields| RawSandbox::read(fields, raw_sandbox::OF_EVALUATOR)),
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
            max_seconds: fields.time("guardrails.max_seconds"),
            max_tokens: fields.whole("guardrails.max_tokens"),
            max_consecutive_failures: fields.whole("guardrails.max_consecutive_failures"),
            hitl_checkpoint: fields.flag_or_whole("guardrails.hitl_checkpoint"),
            allow_unmetered: fields.flag("guardrails.allow_unmetered"),
        }
    }
}
