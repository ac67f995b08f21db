//! The keys of the agent.

use super::{
    super::{
        Key,
        Need::{Optional, Required, Unless},
        Sample::{List, Text, Texts, Whole},
        Shape,
        words::{ENVIRONMENTS, FORMATS},
    },
    SECONDS,
};

/// A tool, as `ToolName` knows it; a test sees to it that these are all.
const TOOLS: &str = "^(create_dir|current_datetime|edit_file|file_tree|git|list_files|read_file|run_command|\
                     search_files|whoami|write_file)$";

/// A name of variables, as `NamePattern` takes it.
const VARIABLES: &str = r"^([^=*\u0000]+\*?|\*)$";

pub(super) const KEYS: &[Key] = &[
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
];
