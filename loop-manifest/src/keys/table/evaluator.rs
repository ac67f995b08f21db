//! The keys of the evaluator, and of what is asked of it.

use loop_agents::{
    judge::{DEFAULT_CONFIDENCE_KEY, MAX_CRITERIA},
    pipeline::MAX_FILES,
    plan::PLAN_FILE,
};

use super::{
    super::{
        super::bounds::REVIEW_ROUNDS,
        Key,
        KeyRequirement::{Optional, Required, Unless},
        Sample::{Flag, List, Number, Text, Whole},
        Shape,
        words::{CONDITIONS, DIRECTIONS, STEPS},
    },
    SECONDS,
};

pub(super) const KEYS: &[Key] = &[
    Key::new("evaluator", Required, Shape::Object, "the check that decides whether the goal is met (`command`, \
                                                    or `judge`)")
        .explained(
            "The check. It runs after every iteration and decides whether the goal is met. It can be a \
             command, a number that the agent reports (`confidence`), a model that judges (`judge`), an agent \
             that looks at the work (`review`), or several of these. If there are several, loop runs them in \
             this order, and stops at the first one that does not pass. All must pass.",
        ),
    Key::new(
        "evaluator.command",
        Unless(&[
            "evaluator.confidence",
            "evaluator.judge",
            "evaluator.pipeline",
            "evaluator.plan",
            "evaluator.review",
        ]),
        Shape::Filled,
        "the shell command that exits 0 when the goal is met",
    )
    .explained(
        "The shell command that judges the work. It exits 0 if the goal is met, and with any other code if \
         it is not. Its output becomes `{evaluator_output}` in the agent's next prompt.",
    )
    .examples(&[Text("cargo test"), Text("npm test"), Text("pytest -q && ruff check .")]),
    Key::new("evaluator.confidence", Optional, Shape::Object, "the confidence that the agent must report (`at_least`)")
        .explained(
            "The confidence that the agent must report. Its output must end with a JSON object that has a \
             number from 0 to 1 under a key, such as `{\"confidence\": 0.8}`; ask for that in the prompt. \
             Without the number, the check does not pass.",
        ),
    Key::new("evaluator.confidence.at_least", Required, Shape::Above(0.0, 1.0), "the smallest number that passes")
        .explained(
            "The smallest number that passes, at most 1.",
        )
        .examples(&[Number(0.9)]),
    Key::new("evaluator.confidence.key", Optional, Shape::Filled, "the key of the number")
        .explained(
            "The key of the number.",
        )
        .default(Text(DEFAULT_CONFIDENCE_KEY)),
    Key::new("evaluator.judge", Optional, Shape::Object, "a model that judges by `criteria`").explained(
        "A model that judges the agent's output by criteria. It sees the goal, the criteria and the agent's \
         last output, and no files. All criteria must be met. A reply does not pass if it leaves out a \
         criterion, contradicts itself or is not a verdict.",
    ),
    Key::new("evaluator.judge.model", Required, Shape::Filled, "the model that judges")
        .explained(
            "The model that judges, named as in `agent.model`.",
        )
        .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("evaluator.judge.criteria", Required, Shape::SomeFilled(MAX_CRITERIA), "what the output has to meet")
        .explained(
            "The criteria for the output: up to 20 sentences, each of which is either true of the output or \
             not.",
        )
        .examples(&[List(&["Every claim names its source", "It is understood without knowing the code"])]),
    Key::new("evaluator.judge.votes", Optional, Shape::Whole(1), "how many times the model is asked at most")
        .explained(
            "The largest number of votes, up to 25. Each vote is a separate conversation with the model. Voting \
             ends as soon as the result is certain.",
        )
        .default(Whole(1))
        .examples(&[Whole(3)]),
    Key::new("evaluator.judge.pass", Optional, Shape::Whole(1), "how many of the votes must say yes")
        .explained(
            "How many of the votes must say yes. By default, more than half of them.",
        )
        .examples(&[Whole(1)]),
    Key::new("evaluator.judge.prompt", Optional, Shape::Filled, "more instructions for the judge")
        .explained(
            "More instructions for the judge, besides the goal and the criteria. For example, name the readers \
             of the output.",
        )
        .examples(&[Text("The readers are new to the project.")]),
    Key::new("evaluator.review", Optional, Shape::Object, "an agent that looks at the work (`model` or `agent`)").explained(
        "An agent that looks at the work and lists what is left to do. If nothing is left, the check \
         passes. It starts with an empty conversation each time, sees the goal and the agent's last output, \
         and inspects the work itself. It is a command, or a model with tools that change nothing.",
    ),
    Key::new(
        "evaluator.review.model",
        Unless(&["evaluator.review.agent"]),
        Shape::Filled,
        "the model that reviews",
    )
    .explained(
        "The model that reviews, named as in `agent.model`. Its tools cannot change anything.",
    )
    .examples(&[Text("claude-sonnet-4-5"), Text("ollama:qwen3")]),
    Key::new("evaluator.review.agent", Optional, Shape::Filled, "the shell command that reviews")
        .explained(
            "The shell command that reviews, instead of a model. It reads its prompt from its standard input, \
             or, quoted, where the command contains `{prompt}`. The prompt explains how its output must end. \
             loop does not restrict what the command may do. loop reads its usage from its output if its flags \
             select a known format, or from the file that LOOP_USAGE_FILE names.",
        )
        .examples(&[Text("codex exec --json -"), Text("claude -p --output-format stream-json --verbose")]),
    Key::new("evaluator.review.prompt", Optional, Shape::Filled, "more instructions for the reviewer")
        .explained(
            "More instructions for the reviewer, besides the goal. For example, say what to look at first.",
        )
        .examples(&[Text("Run the examples of the README as well.")]),
    Key::new("evaluator.review.rounds", Optional, Shape::Whole(1), "how often the model may call tools in a review")
        .explained(
            "How many rounds of tool calls a reviewing model has per review. After that, it must give its \
             verdict.",
        )
        .default(Whole(REVIEW_ROUNDS))
        .examples(&[Whole(30)]),
    Key::new("evaluator.plan", Optional, Shape::Object, "a plan whose steps the agent performs").explained(
        "A plan whose steps the agent performs, one in each iteration. The step takes the place of the prompt. The check \
         passes when every step is done. `loop plan` writes such a file, and runs it.",
    ),
    Key::new("evaluator.plan.file", Optional, Shape::Filled, "the file of the plan")
        .explained(
            "The file of the plan, from the folder of the run. Tools of models cannot write it while it is performed.",
        )
        .default(Text(PLAN_FILE)),
    Key::new("evaluator.plan.repairs", Optional, Shape::Whole(0), "how often a step is repaired")
        .explained(
            "How often the agent repairs a step whose validation does not pass. After that, the step is blocked. The default \
             is `plan.repairs` of the settings, which is 2.",
        ),
    Key::new("evaluator.plan.keep_going", Optional, Shape::Flag, "whether to go on after a blocked step")
        .explained(
            "Whether the steps after a blocked one are performed as well. By default, the run ends there.",
        )
        .default(Flag(false)),
    Key::new("evaluator.plan.steps", Optional, Shape::OneOf(STEPS), "which steps are performed")
        .explained(
            "Which open steps are performed.",
        )
        .default(Text("all")),
    Key::new("evaluator.pipeline", Optional, Shape::Object, "files with prompts that the agent answers (`files`)").explained(
        "Files with prompts that the agent answers, one in each iteration. A prompt also gets the reply to the file before. \
         The check passes when every reply is confident enough. `loop pipeline` needs no manifest for this.",
    ),
    Key::new("evaluator.pipeline.files", Required, Shape::SomeFilled(MAX_FILES), "the files in their order")
        .explained(
            "The files in their order, from the folder of the run. `@NAME` as the first word of a line names the model that \
             answers the file. The steps have no tools.",
        )
        .examples(&[List(&["outline.md", "draft.md", "review.md"])]),
    Key::new("evaluator.pipeline.at_least", Required, Shape::Above(0.0, 1.0), "the confidence that each reply needs")
        .explained(
            "The confidence that each reply needs, at most 1. A reply below it ends the run.",
        )
        .examples(&[Number(0.8)]),
    Key::new("evaluator.pipeline.accept_guess", Optional, Shape::Flag, "whether a guessed confidence can pass")
        .explained(
            "Whether a confidence can pass that no reply states, and that loop guesses from its words.",
        )
        .default(Flag(false)),
    Key::new("evaluator.pipeline.repeats", Optional, Shape::Whole(0), "how often a step is repeated")
        .explained(
            "How often a step is repeated whose reply is not confident enough. The prompt then has the reason.",
        )
        .default(Whole(0)),
    Key::new("evaluator.max_seconds", Optional, SECONDS, "how long the check may take each time")
        .explained(
            "How long each part of the check (the command, the judge and the review) may take per iteration: \
             `90s`, `30m`, `1h30m`, or a number of seconds. After that, loop ends the check, the step has \
             failed, and the loop continues. By default, only the limits of the run apply.",
        )
        .examples(&[Text("5m")]),
    Key::new("evaluator.score", Optional, Shape::Object, "a number in the output of the command").explained(
        "A number in the output of the command, by which steps are compared: see `on_halt` and `on_regression`. The \
         number does not decide whether the check passes. loop looks for it in the part of the output that it stores \
         (`feedback.max_bytes`).",
    ),
    Key::new(
        "evaluator.score.pattern",
        Unless(&["evaluator.score.pointer"]),
        Shape::NotEmpty,
        "a regular expression with one group around the number",
    )
    .explained(
        "A regular expression with one group around the number. The last match counts.",
    )
    .examples(&[Text("(\\d+) passed")]),
    Key::new("evaluator.score.pointer", Optional, Shape::Matching("^/"), "the place of the number in JSON")
        .explained(
            "A JSON pointer to the number, in the output or in the last line of it that is JSON.",
        )
        .examples(&[Text("/score")]),
    Key::new("evaluator.score.direction", Optional, Shape::OneOf(DIRECTIONS), "which numbers are better")
        .explained(
            "Which numbers are better.",
        )
        .default(Text("up")),
    Key::new("stop_condition", Optional, Shape::Object, "when the goal is met")
        .explained(
            "When the goal is met. By default, when the check passes. A condition has one of five forms: a \
             `type`, `all`, `any`, `at_least` with `of`, or `not`. Conditions can be nested up to 8 deep, with \
             up to 64 conditions of the form `type`.",
        ),
    Key::new("stop_condition.type", Optional, Shape::OneOf(CONDITIONS), "the result of the check that meets the goal")
        .explained(
            "The result of the check that meets the goal.",
        )
        .default(Text("evaluator_pass")),
    Key::new("stop_condition.pattern", Optional, Shape::NotEmpty, "what the check's output has to match")
        .explained(
            "A regular expression, for `output_matches` only. The goal is met if the check passes and the \
             pattern matches somewhere in its output. The syntax is that of Rust's `regex` crate, without \
             look-around and backreferences. With `(?m)` in front, `^` and `$` match at every line.",
        )
        .examples(&[Text("\\b0 failed\\b"), Text("(?m)^All checks passed")]),
    Key::new("stop_condition.all", Optional, Shape::Conditions, "conditions that all have to be met")
        .explained(
            "Conditions that must all be met after the same iteration.",
        ),
    Key::new("stop_condition.any", Optional, Shape::Conditions, "conditions of which one has to be met")
        .explained(
            "Conditions of which at least one must be met.",
        ),
    Key::new("stop_condition.at_least", Optional, Shape::Whole(1), "how many of the conditions in `of` have to be met")
        .explained(
            "How many of the conditions in `of` must be met after the same iteration. Needs `of`.",
        ),
    Key::new("stop_condition.of", Optional, Shape::Conditions, "the conditions that `at_least` counts")
        .explained(
            "The conditions that `at_least` counts. Needs `at_least`.",
        ),
    Key::new("stop_condition.not", Optional, Shape::Condition, "a condition that must not be met")
        .explained(
            "A condition that must not be met. The check must still return a verdict.",
        ),
];
