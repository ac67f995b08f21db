//! The keys of the agent.

use super::{
    super::{
        super::bounds::DEFAULT_PROMPT,
        Key,
        KeyRequirement::{Optional, Required, Unless},
        Sample::{List, Text, Texts},
        Shape,
        words::{BACKGROUND, ENVIRONMENTS, FORMATS},
    },
    SECONDS,
};

/// A tool, as `ToolName` knows it; a test sees to it that these are all.
const TOOLS: &str = "^(create_dir|current_datetime|edit_file|fetch_url|file_tree|git|list_files|read_file|\
                     run_command|search_files|whoami|write_file)$";

/// A name of a skill, as `validate::agent` takes it.
const SKILLS: &str = r"^\S+$";

/// A name of variables, as `NamePattern` takes it.
const VARIABLES: &str = r"^([^=*\u0000]+\*?|\*)$";

pub(super) const KEYS: &[Key] = &[
    Key::new(
        "agent",
        Required,
        Shape::Object,
        "the agent that does the work (`command`, or `model`)",
    )
    .explained(
        "The agent that does the work, and its prompt. The agent is a command, or a model that uses tools.",
    ),
    Key::new("agent.command", Unless(&["agent.model"]), Shape::Filled, "the shell command that runs the agent")
        .explained(
            "The shell command that runs the agent, once per iteration. The agent reads the prompt from its \
             standard input. If the command contains `{prompt}`, the prompt goes there instead, quoted for the \
             shell. Nobody answers the agent's questions, so add the flags with which it works unattended.",
        )
        .examples(&[
            Text("claude -p --permission-mode acceptEdits"),
            Text("codex exec --sandbox workspace-write -"),
            Text("my-agent --message {prompt}"),
        ]),
    Key::new("agent.prompt", Optional, Shape::Filled, "the agent's prompt in each iteration")
        .explained(
            "The prompt for the agent in each iteration. These placeholders are replaced: `{goal}`, \
             `{evaluator_output}` (the last output of the check), `{prior_output}` (the last output of the \
             agent), `{iteration}`, `{agent_exit_code}`, `{evaluator_exit_code}`, `{guidance}` (a person's \
             note, from a checkpoint or from `loop resume --note`), `{memory}` (what earlier work taught), \
             `{seconds_left}` and `{budget_usd_left}`. \
             The default is a prompt for any goal.",
        )
        .default(Text(DEFAULT_PROMPT))
        .examples(&[Text(
            "{goal}. Leave the tests as they are.\n\nThe last run said:\n{evaluator_output}\n",
        )]),
    Key::new("agent.format", Optional, Shape::OneOf(&FORMATS), "the format of the agent's output")
        .explained(
            "The format of the agent's output, which decides how the agent reports the tokens and the money \
             that it used. Limits on cost and tokens need an agent that reports its usage. In every format, an \
             agent may also append lines of JSON to the file that LOOP_USAGE_FILE names.",
        )
        .default(Text("text")),
    Key::new("agent.model", Optional, Shape::Filled, "the model that does the work, if no command does")
        .explained(
            "Without `agent.command`: the model that does the work, as `loop chat` would ask it. Each iteration \
             is a separate turn, in which the model calls tools until it has a reply. Only the prompt can tell \
             it about earlier iterations. With a command: the model whose prices apply if the agent does not \
             name its model, as with `codex-json` and `opencode-json`. By default, the model in the command \
             (`--model`).",
        )
        .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("agent.system", Optional, Shape::Filled, "the model's system prompt")
        .explained(
            "Without `agent.command`: the system prompt of the model. By default, the project's \
             `AGENTS.md`, or else its `CLAUDE.md` or `HARVEY.md`, if there is one.",
        )
        .examples(&[Text("You are a careful programmer. Nobody can answer questions.")]),
    Key::new("agent.tools", Optional, Shape::List(TOOLS), "the tools that the model can call")
        .explained(
            "Without `agent.command`: the tools that the model can call. By default, all of them: `create_dir`, \
             `current_datetime`, `edit_file`, `file_tree`, `git`, `list_files`, `read_file`, `run_command`, \
             `search_files`, `whoami` and `write_file`, and `fetch_url` if your own settings have `enabled = true` under \
             `[remote]`. The policy still decides about each call; `loop policy \
             show` shows it.",
        )
        .examples(&[List(&["read_file", "search_files"]), List(&[])]),
    Key::new("agent.skills", Optional, Shape::List(SKILLS), "the skills that the agent follows")
        .explained(
            "The names of skills. The instructions of these skills come before the prompt of a model. Before the prompt \
             of a command comes one line for each skill, with the path of its `SKILL.md`. By default, a model with the \
             tool `read_file` sees a list of all skills in its system prompt and reads one with the tool `load_skill`, \
             unless `agent.system` is there; a command learns nothing about skills. An empty list hides all of them. \
             See [Skills](skills.md).",
        )
        .examples(&[List(&["release-notes"]), List(&[])]),
    Key::new("agent.prices", Optional, Shape::Filled, "a file with the prices of models").explained(
        "A JSON file with the prices of models. It replaces the built-in list prices when loop estimates a \
         cost that the agent does not report: `{\"date\": \"2026-11-01\", \"usd_per_million_tokens\": \
         {\"my-model\": {\"input\": 2, \"cached_input\": 0.2, \"cache_write\": 2.5, \"output\": 8}}}`. The \
         path is relative to the folder of the manifest.",
    ),
    Key::new("agent.usage_log", Optional, Shape::Filled, "a log to which the agent appends its usage").explained(
        "A log to which the agent, or a hook of it, appends its usage, one JSON object per line as in the file that \
         LOOP_USAGE_FILE names. The lines that are appended while the agent runs count, so no other program should \
         write to the log meanwhile. The log may be rotated. If nothing is appended, the cost is unknown. The path is \
         relative to the folder of the run; `~/` is your home folder.",
    )
    .examples(&[Text("~/.my-agent/usage.jsonl")]),
    Key::new("agent.env", Optional, Shape::Object, "the agent's environment variables").explained(
        "The environment variables of the agent and the check. By default, they see the user's \
         variables, except those that look like secrets. An agent that loop knows by its program name also \
         sees the keys of its own vendor; the check does not. `loop check` lists the withheld \
         variables.",
    ),
    Key::new("agent.env.inherit", Optional, Shape::OneOf(ENVIRONMENTS), "where the environment begins")
        .explained(
            "The variables with which the environment of the agent and the check begins.",
        )
        .default(Text("all")),
    Key::new("agent.env.pass", Optional, Shape::List(VARIABLES), "variables to pass on, by name")
        .explained(
            "The names of variables to pass to the agent and the check, even if they look like secrets. A \
             `*` at the end of a name matches any ending; `*` alone passes everything.",
        )
        .default(List(&[]))
        .examples(&[List(&["GITHUB_TOKEN"]), List(&["NPM_*", "DATABASE_URL"])]),
    Key::new("agent.env.set", Optional, Shape::Texts("^[^=\\u0000]+$"), "variables to set, by name")
        .explained(
            "Environment variables to set for the agent and the check, by name. Put numbers in quotes: \
             every value is text.",
        )
        .examples(&[Texts("RUST_BACKTRACE", "1")]),
    Key::new("agent.max_seconds", Optional, SECONDS, "how long the agent may take each time")
        .explained(
            "How long the agent may take per iteration: `90s`, `30m`, `1h30m`, or a number of seconds. After \
             that, loop ends the agent. The check still judges the work, and the step adds one to the failures \
             in a row. By default, only the limits of the run apply.",
        )
        .examples(&[Text("15m")]),
    Key::new("agent.max_silence_seconds", Optional, SECONDS, "how long the agent may print nothing")
        .explained(
            "How long the agent may print nothing: `90s`, `5m`, or a number of seconds. After that, loop ends \
             the agent. The check still judges the work, and the step adds one to the failures in a row. Many \
             agents print nothing until they are done: do not set this limit for them. By default, an agent \
             may be silent as long as it may run.",
        )
        .examples(&[Text("5m")]),
    Key::new(
        "agent.background",
        Optional,
        Shape::OneOf(BACKGROUND),
        "what happens to background work that the agent leaves",
    )
    .explained(
        "The treatment of background work that is not done when the agent's command ends: tasks that its stream \
         declares, and shell commands with `&` whose processes still run. The stream needs `agent.format` \
         `claude-stream-json`, `codex-json`, `opencode-json` or `pi-json`. In every case, loop ends all processes \
         that the agent leaves behind, and the next prompt names what was ended.",
    )
    .default(Text("note")),
];
