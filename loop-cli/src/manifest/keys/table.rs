//! The table of keys: the one place that knows what a manifest can say.

use loop_agents::judge::{DEFAULT_CONFIDENCE_KEY, MAX_CRITERIA};

use super::{
    super::bounds::{
        BACKOFF_SECONDS, FEEDBACK_BYTES, MAX_BACKOFF_SECONDS, MAX_SECONDS, MIN_FEEDBACK_BYTES, MIN_SECONDS,
        REVIEW_ROUNDS,
    },
    Key,
    Need::{Optional, Required, Unless},
    Sample::{Flag, List, Number, Text, Texts, Whole},
    Shape,
    words::{CONDITIONS, ENVIRONMENTS, FORMATS, RESUMES},
};

/// The most money that can be counted to the millionth of a dollar.
const MAX_USD: f64 = 9_007_199_254.740_992;

/// Every key, in the order in which a manifest is best read.
pub(crate) const KEYS: &[Key] = &[
    Key::new("$schema", Optional, Shape::Text, "the JSON Schema, for editors").explained(
        "Where the JSON Schema of this manifest is, so that an editor can complete and explain it. \
         `loop schema` prints that schema; the run itself pays no attention to this key.",
    ),
    Key::new(
        "name",
        Optional,
        Shape::Matching("^[a-z0-9]+(-[a-z0-9]+)*$"),
        "the loop's name in records and summaries",
    )
    .explained(
        "The name of the loop in records and summaries: lower-case letters and digits, with hyphens \
         between them. Left out, the loop is named after its file.",
    )
    .examples(&[Text("fix-tests"), Text("nightly-refactor")]),
    Key::new("goal", Required, Shape::Filled, "what the loop has to reach, in a sentence")
        .explained(
            "What the loop has to reach, in a sentence. It stands in the prompt wherever the prompt \
             says `{goal}`. Whether it is reached is decided by the evaluator, not by this text.",
        )
        .examples(&[Text("Make all tests pass"), Text("Remove every linter warning")]),
    Key::new(
        "agent",
        Required,
        Shape::Object,
        "who does the work (`command`) and what it is told (`prompt`)",
    )
    .explained(
        "Who does the work: the command that runs the agent, or a model that uses tools; and what it is told.",
    ),
    Key::new("agent.command", Unless(&["agent.model"]), Shape::Filled, "the shell command that runs the agent")
        .explained(
            "The shell command that runs the agent once in each iteration. The prompt goes to its \
             standard input; if the command says `{prompt}`, the prompt is put there instead, quoted \
             for the shell. Nobody is there to answer its questions, so give it the flags with which \
             it works unattended.",
        )
        .examples(&[
            Text("claude -p --permission-mode acceptEdits"),
            Text("codex exec --sandbox workspace-write -"),
            Text("my-agent --message {prompt}"),
        ]),
    Key::new("agent.prompt", Required, Shape::Filled, "what the agent is told in each iteration")
        .explained(
            "What the agent is told in each iteration. Placeholders are filled in: `{goal}`, \
             `{evaluator_output}` (what the check printed last), `{prior_output}` (what the agent \
             printed last), `{iteration}`, `{agent_exit_code}`, `{evaluator_exit_code}`, `{guidance}` \
             (a note that was given at a checkpoint), `{seconds_left}` and `{budget_usd_left}`.",
        )
        .examples(&[Text(
            "{goal}. Leave the tests as they are.\n\nThe last run said:\n{evaluator_output}\n",
        )]),
    Key::new("agent.format", Optional, Shape::OneOf(&FORMATS), "what the agent prints")
        .explained(
            "What the agent prints, and so how it reports the tokens and the money that it used. Limits on \
             cost and tokens need an agent that reports. In every format an agent may also append lines of \
             JSON to the file that LOOP_USAGE_FILE names.",
        )
        .default(Text("text")),
    Key::new("agent.model", Optional, Shape::Filled, "the model that does the work, if no command does")
        .explained(
            "Without `agent.command`: the model that does the work, as `loop chat` would ask it. Each iteration \
             is a turn of its own, in which it calls tools until it has a reply; what it should know of the one \
             before stands in the prompt. With a command: the model whose prices count where the agent names \
             none, as `codex-json` and `opencode-json` do not; default: what the command says (`--model`).",
        )
        .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("agent.system", Optional, Shape::Filled, "who the model is to be")
        .explained("Without `agent.command`: who the model is to be, as a system prompt. Left out, there is none.")
        .examples(&[Text("You are a careful programmer. Nobody can answer questions.")]),
    Key::new("agent.tools", Optional, Shape::List(TOOLS), "what the model can call")
        .explained(
            "Without `agent.command`: the tools that the model can call. Left out, all of them: `create_dir`, \
             `current_datetime`, `edit_file`, `file_tree`, `git`, `list_files`, `read_file`, `run_command`, \
             `search_files`, `whoami` and `write_file`. The policy decides in any case; `loop policy show` shows it.",
        )
        .examples(&[List(&["read_file", "search_files"]), List(&[])]),
    Key::new("agent.prices", Optional, Shape::Filled, "a file with the prices of models").explained(
        "A file of JSON with the prices of models, in place of the list prices that come with loop, to \
         estimate what the agent does not say: `{\"date\": \"2026-11-01\", \"usd_per_million_tokens\": \
         {\"my-model\": {\"input\": 2, \"cached_input\": 0.2, \"cache_write\": 2.5, \"output\": 8}}}`. \
         Its path is taken from the folder of the manifest.",
    ),
    Key::new("agent.env", Optional, Shape::Object, "the agent's environment variables").explained(
        "The environment variables of the agent and of the evaluator. Left out, they see the user's, \
             without what looks like a secret; an agent that is known by the name of its program sees the \
             keys of its own vendor, and the evaluator does not. `loop check` names what is withheld.",
    ),
    Key::new("agent.env.inherit", Optional, Shape::OneOf(ENVIRONMENTS), "where the environment begins")
        .explained("Where the environment of the agent and of the evaluator begins.")
        .default(Text("all")),
    Key::new("agent.env.pass", Optional, Shape::List(VARIABLES), "variables to pass on, by name")
        .explained(
            "The names of variables to pass on to the agent and to the evaluator, whatever they look \
             like. A `*` at the end of a name stands for any ending; `*` alone passes everything.",
        )
        .default(List(&[]))
        .examples(&[List(&["GITHUB_TOKEN"]), List(&["NPM_*", "DATABASE_URL"])]),
    Key::new("agent.env.set", Optional, Shape::Texts("^[^=\\u0000]+$"), "variables to set, by name")
        .explained(
            "Environment variables to set for the agent and the evaluator, by name. Put numbers in \
             quotes: every value is text.",
        )
        .examples(&[Texts("RUST_BACKTRACE", "1")]),
    Key::new("agent.max_seconds", Optional, SECONDS, "seconds that the agent may take each time")
        .explained(
            "How many seconds the agent may take each time that it runs. One that takes longer is ended, \
             and the check judges what it has done; it counts as a failure in a row. Left out, only the \
             limits of the run hold.",
        )
        .examples(&[Whole(900)]),
    Key::new("agent.max_silence_seconds", Optional, SECONDS, "seconds that the agent may print nothing")
        .explained(
            "For how many seconds the agent may print nothing. One that is silent for longer is ended, and \
             the check judges what it has done; it counts as a failure in a row. Many agents print nothing before they are done: \
             leave it out for those. Left out, an agent may be silent for as long as it may run.",
        )
        .examples(&[Whole(300)]),
    Key::new("evaluator", Required, Shape::Object, "the check that says whether the goal is met (`command`, or `judge`)")
        .explained(
            "The check. It runs after every iteration and says whether the goal is met. It is a command, a number \
             that the agent says (`confidence`), a model that judges (`judge`), an agent that looks at the work \
             (`review`), or several of them: then they are asked in this order, all have to pass, and none is asked after one that does not.",
        ),
    Key::new(
        "evaluator.command",
        Unless(&["evaluator.confidence", "evaluator.judge", "evaluator.review"]),
        Shape::Filled,
        "the shell command that exits 0 when the goal is met",
    )
    .explained(
        "The shell command that judges the work: it exits 0 when the goal is met, and with any other \
         code when it is not. What it prints is for the agent's next prompt, as `{evaluator_output}`.",
    )
    .examples(&[Text("cargo test"), Text("npm test"), Text("pytest -q && ruff check .")]),
    Key::new("evaluator.confidence", Optional, Shape::Object, "how sure the agent has to say it is (`at_least`)")
        .explained(
            "How sure the agent has to say it is. Its output has to end with a JSON object that has a number from 0 \
             to 1 under a key, as in `{\"confidence\": 0.8}`: tell it so in the prompt. Where the number is not, \
             the check has not passed.",
        ),
    Key::new("evaluator.confidence.at_least", Required, Shape::Above(0.0, 1.0), "the least number that passes")
        .explained("The least number, up to 1, that passes.")
        .examples(&[Number(0.9)]),
    Key::new("evaluator.confidence.key", Optional, Shape::Filled, "the key under which the number stands")
        .explained("The key under which the number stands.")
        .default(Text(DEFAULT_CONFIDENCE_KEY)),
    Key::new("evaluator.judge", Optional, Shape::Object, "a model that judges by `criteria`").explained(
        "A model that judges what the agent said, by criteria. It sees the goal, the criteria and the agent's \
         last words, and no files. All criteria have to be met. A reply that leaves one out, contradicts itself or \
         is no verdict at all is not a pass.",
    ),
    Key::new("evaluator.judge.model", Required, Shape::Filled, "the model that judges")
        .explained("The model that judges, named as in `agent.model`.")
        .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("evaluator.judge.criteria", Required, Shape::SomeFilled(MAX_CRITERIA), "what the output has to meet")
        .explained("What the output has to meet: up to 20 sentences, each of which is either true of it or not.")
        .examples(&[List(&["Every claim names its source", "It is understood without knowing the code"])]),
    Key::new("evaluator.judge.votes", Optional, Shape::Whole(1), "how many times the model is asked at most")
        .explained(
            "How many times the model is asked at most, each time in a conversation of its own; up to 25. It is not \
             asked any more once that is decided.",
        )
        .default(Whole(1))
        .examples(&[Whole(3)]),
    Key::new("evaluator.judge.pass", Optional, Shape::Whole(1), "how many of the votes have to say yes")
        .explained("How many of the votes have to say yes. Left out, more than half of them.")
        .examples(&[Whole(1)]),
    Key::new("evaluator.judge.prompt", Optional, Shape::Filled, "what the judge is told besides")
        .explained("What the judge is told besides the goal and the criteria: who will read the output, for example.")
        .examples(&[Text("The readers are new to the project.")]),
    Key::new("evaluator.review", Optional, Shape::Object, "an agent that looks at the work (`model` or `agent`)").explained(
        "An agent that looks at the work and says what is left to do: nothing left is a pass. It begins afresh each \
         time, is told the goal and what the agent said last, and finds out for itself what is there. It is a model \
         with tools that change nothing, or a command.",
    ),
    Key::new(
        "evaluator.review.model",
        Unless(&["evaluator.review.agent"]),
        Shape::Filled,
        "the model that reviews",
    )
    .explained("The model that reviews, named as in `agent.model`. Its tools only look.")
    .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("evaluator.review.agent", Optional, Shape::Filled, "the shell command that reviews")
        .explained(
            "The shell command that reviews, in the place of a model. Its prompt goes to its standard input, or, \
             quoted, where `{prompt}` stands, and says how its last words have to end. It has the rights that it has. \
             What it uses is read from what it prints if its flags say so, or from the file that LOOP_USAGE_FILE names.",
        )
        .examples(&[Text("codex exec --json -"), Text("claude -p --output-format stream-json --verbose")]),
    Key::new("evaluator.review.prompt", Optional, Shape::Filled, "what the reviewer is told besides")
        .explained("What the reviewer is told besides the goal: what to look at first, for example.")
        .examples(&[Text("Run the examples of the README as well.")]),
    Key::new("evaluator.review.rounds", Optional, Shape::Whole(1), "how often the model may call tools in a review")
        .explained(
            "How often a model that reviews may call tools each time; then it has to say what it has found.",
        )
        .default(Whole(REVIEW_ROUNDS))
        .examples(&[Whole(30)]),
    Key::new("evaluator.max_seconds", Optional, SECONDS, "seconds that the check may take each time")
        .explained(
            "How many seconds the check may take each time that it runs: the command, the judge, and the review. One \
             that takes longer is ended, and its iteration has failed; the loop goes on. Left out, only the limits of the run hold.",
        )
        .examples(&[Whole(300)]),
    Key::planned(
        "evaluator.score",
        "let the command exit 0 when the score is good enough",
        "a score to read",
    ),
    Key::new("stop_condition", Optional, Shape::Object, "when the goal is met")
        .explained("When the goal is met. Left out, it is met when the evaluator exits 0."),
    Key::new("stop_condition.type", Optional, Shape::OneOf(CONDITIONS), "what is asked of the check")
        .explained("What is asked of the evaluator for the goal to be met.")
        .default(Text("evaluator_pass")),
    Key::new("stop_condition.pattern", Optional, Shape::NotEmpty, "what the check's output has to match")
        .explained(
            "A regular expression, for `output_matches` only: the goal is met when the evaluator exits \
             0 and this matches somewhere in what it printed. The syntax is that of Rust's `regex` \
             crate, without look-around and backreferences; with `(?m)` in front, `^` and `$` match at \
             every line.",
        )
        .examples(&[Text("\\b0 failed\\b"), Text("(?m)^All checks passed")]),
    Key::new("guardrails", Required, Shape::Object, "the limits of the run (`max_iterations` at least)")
        .explained(
            "The limits of the run. The first one that is reached halts it, so that nothing runs or is \
             spent without a bound.",
        ),
    Key::new(
        "guardrails.max_iterations",
        Required,
        Shape::Whole(1),
        "how many times the agent may run at most; every loop needs this",
    )
    .explained(
        "How many times the agent may run at most. Every loop needs this limit. A goal that is met by \
         the last of them counts as met.",
    )
    .examples(&[Whole(5), Whole(20)]),
    Key::new(
        "guardrails.max_cost_usd",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost",
    )
    .explained(
        "How many US dollars the run may cost. An agent that crosses this is cut off in the middle of \
         its iteration. The agent has to report what it uses; see `agent.format` and \
         `allow_unmetered`. Left out, there is no such limit.",
    )
    .examples(&[Number(2.5), Number(20.0)]),
    Key::new(
        "guardrails.max_usd_per_hour",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost in any hour",
    )
    .explained(
        "How many US dollars the run may cost in any hour: a fuse for a loop that goes astray while most of \
         `max_cost_usd` is left. An agent that crosses this is cut off in the middle of its iteration, and \
         the run ends. The agent has to report what it uses, as for `max_cost_usd`. Left out, there is no \
         such limit.",
    )
    .examples(&[Number(5.0)]),
    Key::new("guardrails.max_seconds", Optional, SECONDS, "seconds that the run may take")
        .explained(
            "How many seconds the run may take, with the delays between iterations and without the time in \
         which a person was asked. An agent that crosses this is cut off in the middle of its \
         iteration. Left out, there is no such limit.",
        )
        .examples(&[Whole(3600), Whole(28_800)]),
    Key::new("guardrails.max_tokens", Optional, Shape::Whole(1), "tokens that the run may use")
        .explained(
            "How many tokens the run may use, read and written together. An agent that crosses this is \
             cut off in the middle of its iteration. The agent has to report what it uses; see \
             `agent.format` and `allow_unmetered`. Left out, there is no such limit.",
        )
        .examples(&[Whole(2_000_000)]),
    Key::new("guardrails.max_consecutive_failures", Optional, Shape::Whole(1), "failed iterations in a row")
        .explained(
            "How many iterations in a row may fail, because the agent exits with an error or a command \
             takes longer than it may, before the run is halted. A check that does not pass is no such failure. Left out, there is no such \
             limit.",
        )
        .examples(&[Whole(3)]),
    Key::new("guardrails.hitl_checkpoint", Optional, Shape::FlagOrWhole(1), "when a person is asked")
        .explained(
            "When a person is asked whether to go on: `true` asks after every iteration that did not \
             meet the goal, a number N after every Nth, `false` never. Asking needs a terminal; where \
             nobody can be asked, the run halts at the checkpoint.",
        )
        .default(Flag(false))
        .examples(&[Flag(true), Whole(3)]),
    Key::new("guardrails.allow_unmetered", Optional, Shape::Flag, "accept limits that cannot be measured")
        .explained(
            "Accepts a limit on cost or tokens for an agent that does not report what it uses. Such a \
             limit may never bind, so without this it is refused.",
        )
        .default(Flag(false)),
    Key::new("pace", Optional, Shape::Object, "how fast iterations follow each other")
        .explained("How fast iterations follow each other. Left out, each begins at once."),
    Key::new(
        "pace.every_seconds",
        Optional,
        Shape::Between(0.0, MAX_SECONDS),
        "the delay between iterations, in seconds",
    )
    .explained("The delay between the end of an iteration and the beginning of the next, in seconds.")
    .default(Whole(0))
    .examples(&[Whole(60), Number(0.5)]),
    Key::new(
        "pace.backoff_seconds",
        Optional,
        Shape::Between(0.0, MAX_BACKOFF_SECONDS),
        "the delay after a second failure in a row, in seconds",
    )
    .explained(
        "How many seconds to wait after the second failure in a row, and twice as long after each further \
         one, up to a minute; up to half of a wait is left out by chance, so that loops that failed \
         together do not try again together. After a single failure there is no such wait. If \
         `every_seconds` is longer, that counts. 0 is no such wait.",
    )
    .default(Whole(BACKOFF_SECONDS))
    .examples(&[Whole(5)]),
    Key::new("feedback", Optional, Shape::Object, "what one iteration tells the next")
        .explained("What one iteration tells the next."),
    Key::new(
        "feedback.max_bytes",
        Optional,
        Shape::Whole(MIN_FEEDBACK_BYTES as u64),
        "bytes that a placeholder may bring into the prompt",
    )
    .explained(
        "How many bytes of output one placeholder may bring into the prompt. Of longer output the \
         beginning and the end are kept.",
    )
    .default(Whole(FEEDBACK_BYTES as u64))
    .examples(&[Whole(8192)]),
    Key::new("resume", Optional, Shape::OneOf(RESUMES), "how a run that was cut off goes on")
        .explained(
            "What `loop resume` does with an iteration in which the run was cut off: the machine was switched \
             off, or loop was killed. Its agent may have done a part of its work already.",
        )
        .default(Text("rerun")),
];

/// A limit in time.
const SECONDS: Shape = Shape::Between(MIN_SECONDS, MAX_SECONDS);

/// A tool, as `ToolName` knows it; a test sees to it that these are all.
const TOOLS: &str = "^(create_dir|current_datetime|edit_file|file_tree|git|list_files|read_file|run_command|\
                     search_files|whoami|write_file)$";

/// A name of variables, as `NamePattern` takes it.
const VARIABLES: &str = r"^([^=*\u0000]+\*?|\*)$";
