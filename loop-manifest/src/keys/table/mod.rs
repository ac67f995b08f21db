//! The table of keys: the one place that knows what a manifest can say.

mod agent;
mod evaluator;
mod guardrails;
mod limits;
mod parallel;
mod sandbox;
mod seal;
mod snapshots;
mod stagnation;

use super::{
    super::bounds::{
        BACKOFF_SECONDS, FEEDBACK_BYTES, MAX_BACKOFF_SECONDS, MAX_SECONDS, MEMORY_TOKENS, MIN_FEEDBACK_BYTES,
        MIN_SECONDS,
    },
    Key,
    KeyRequirement::{Optional, Unless},
    Sample::{Flag, Number, Text, Texts, Whole},
    Shape,
    words::{RESUMES, SHELLS},
};

/// A limit in time.
const SECONDS: Shape = Shape::Time(MIN_SECONDS, MAX_SECONDS);

/// Every key, in the order in which a manifest is best read.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    let parts = [FIRST, agent::KEYS, sandbox::OF_AGENT, evaluator::KEYS, seal::KEYS, sandbox::OF_EVALUATOR];
    parts
        .into_iter()
        .chain([
            guardrails::KEYS,
            stagnation::KEYS,
            parallel::KEYS,
            sandbox::SHARED,
            limits::KEYS,
            LAST,
            snapshots::KEYS,
            VARIABLES,
            METADATA,
        ])
        .flatten()
}

const FIRST: &[Key] = &[
    Key::new("$schema", Optional, Shape::Text, "the JSON Schema, for editors").explained(
        "The path of this manifest's JSON Schema, so that an editor can complete and explain the manifest. \
         `loop schema` prints that schema. A run ignores this key.",
    ),
    Key::new(
        "name",
        Optional,
        Shape::Matching("^[a-z0-9]+(-[a-z0-9]+)*$"),
        "the loop's name in records and summaries",
    )
    .explained(
        "The name of the loop in records and summaries: lower-case letters and digits, with hyphens between \
         them. By default, the name of the file.",
    )
    .examples(&[Text("fix-tests"), Text("nightly-refactor")]),
    Key::new(
        "goal",
        Unless(&["evaluator.command", "evaluator.pipeline", "evaluator.plan"]),
        Shape::Filled,
        "the goal of the loop, in one sentence",
    )
    .explained(
        "The goal of the loop, in one sentence. It replaces `{goal}` in the prompt. The check decides \
             whether the goal is met, not this text. The default asks the agent to make \
             `evaluator.command` exit 0; without that command, the goal is required.",
    )
    .examples(&[Text("Make all tests pass"), Text("Remove every linter warning")]),
];

const LAST: &[Key] = &[
    Key::new("check_first", Optional, Shape::Flag, "whether the check runs before the first iteration")
        .explained(
            "Whether the check also runs once before the first iteration. If it passes, the run ends without \
             any iteration. If it does not, its output is in the prompt of the first iteration. This works \
             only if the check is just a command, because the other kinds judge what an agent has done or \
             said.",
        )
        .default(Flag(false)),
    Key::new("pace", Optional, Shape::Object, "how fast iterations follow each other")
        .explained(
            "How fast iterations follow each other. By default, each iteration begins at once, except after \
             two failures in a row: see `backoff_seconds`.",
        ),
    Key::new(
        "pace.every_seconds",
        Optional,
        Shape::Time(0.0, MAX_SECONDS),
        "the delay between iterations",
    )
    .explained(
        "The delay between the end of an iteration and the beginning of the next: `90s`, `30m`, `1h30m`, or a \
         number of seconds.",
    )
    .default(Whole(0))
    .examples(&[Text("1m"), Number(0.5)]),
    Key::new(
        "pace.backoff_seconds",
        Optional,
        Shape::Time(0.0, MAX_BACKOFF_SECONDS),
        "the delay after a second failure in a row",
    )
    .explained(
        "How long to wait after the second failure in a row: `5s`, or a number of seconds. Each further failure \
         doubles the wait, up to a minute. Up to half of each wait is left out at random, so that loops that \
         failed together do not retry together. There is no such wait after a single failure. If \
         `every_seconds` is longer, it applies instead. 0 turns these waits off.",
    )
    .default(Whole(BACKOFF_SECONDS))
    .examples(&[Text("5s")]),
    Key::new("feedback", Optional, Shape::Object, "what one iteration tells the next")
        .explained(
            "The output that one iteration passes to the next.",
        ),
    Key::new(
        "feedback.max_bytes",
        Optional,
        Shape::Whole(MIN_FEEDBACK_BYTES as u64),
        "bytes that a placeholder may insert into the prompt",
    )
    .explained(
        "How many bytes of output one placeholder may insert into the prompt. Of longer output, the \
         beginning and the end are kept.",
    )
    .default(Whole(FEEDBACK_BYTES as u64))
    .examples(&[Whole(8192)]),
    Key::new("memory", Optional, Shape::Object, "what earlier work taught").explained(
        "The memories of earlier work that replace `{memory}` in the prompt. See [Memory](memory.md).",
    ),
    Key::new("memory.max_tokens", Optional, Shape::Whole(0), "tokens that `{memory}` may insert into the prompt")
        .explained(
            "How many tokens the text of `{memory}` may have. A token is 4 bytes. A memory is included whole or not \
             at all.",
        )
        .default(Whole(MEMORY_TOKENS))
        .examples(&[Whole(2048)]),
    Key::new("resume", Optional, Shape::OneOf(RESUMES), "how a run that was cut off continues")
        .explained(
            "How `loop resume` treats an iteration that was interrupted because the machine was switched off or \
             loop was killed. Its agent may have done a part of its work already.",
        )
        .default(Text("rerun")),
    Key::new("shell", Optional, Shape::OneOf(SHELLS), "whether a shell reads every command")
        .explained(
            "Whether `/bin/sh` reads the commands of the agent, the check and the review. A command without shell \
             syntax, whose program is on `PATH`, does not need it and starts faster without it.",
        )
        .default(Text("auto")),
    Key::new("on_finish", Optional, Shape::Filled, "a command that runs after the run")
        .explained(
            "A shell command that runs once after the run, however it ended, for example to notify you. It starts when \
             the record of the run is written, sees the same variables as the check, and has one minute. It also sees \
             `LOOP_RUN_ID`, `LOOP_REASON` (`goal_met`, `max_iterations`, ...), `LOOP_EXIT_CODE`, and `LOOP_COST_USD` \
             if a cost is known. Its standard input is the record, as one line of JSON. If it fails, loop warns you; \
             the result of the run stays the same.",
        )
        .examples(&[Text("notify-send \"loop: $LOOP_REASON\""), Text("./tell-team.sh")]),
];

const VARIABLES: &[Key] = &[
    Key::new("vars", Optional, Shape::Variables, "texts that the user of the manifest sets, by name")
        .explained(
            "Variables, each with its default text, or with `null` if it has none. `{var.NAME}` is replaced by the \
             value in every text of the manifest. `--var NAME=VALUE` sets it. In `agent.command`, \
             `evaluator.command`, `evaluator.review.agent` and `on_finish`, the value is one quoted word, so the \
             shell does not run it. In `agent.prompt`, placeholders in the value are not replaced. In a pattern, the \
             value matches only itself.",
        )
        .examples(&[Texts("branch", "main")]),
];

const METADATA: &[Key] =
    &[Key::new("metadata", Optional, Shape::Table, "facts about the manifest, for other programs").explained(
        "Any facts about this manifest, for people and other programs, such as `applies_to`, `recommended_for` and \
         `category`. loop stores them with each run, and `loop check --json` and `loop show --json` print them. They \
         change nothing in a run, and variables in them are not replaced.",
    )
    .examples(&[Texts("category", "tests")])];
