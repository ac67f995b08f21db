//! The keys of the evaluator, and of what is asked of it.

use loop_agents::judge::{DEFAULT_CONFIDENCE_KEY, MAX_CRITERIA};

use super::{
    super::{
        super::bounds::REVIEW_ROUNDS,
        Key,
        Need::{Optional, Required, Unless},
        Sample::{List, Number, Text, Whole},
        Shape,
        words::CONDITIONS,
    },
    SECONDS,
};

pub(super) const KEYS: &[Key] = &[
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
        .explained(
            "When the goal is met. Left out, it is met when the evaluator exits 0. A condition has one of five forms: \
             a `type`, `all`, `any`, `at_least` with `of`, or `not`. Conditions can be nested up to 8 deep, and there \
             can be 64 of the form `type`.",
        ),
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
    Key::new("stop_condition.all", Optional, Shape::Conditions, "conditions that all have to be met")
        .explained("Conditions that all have to be met after the same iteration."),
    Key::new("stop_condition.any", Optional, Shape::Conditions, "conditions of which one has to be met")
        .explained("Conditions of which at least one has to be met."),
    Key::new("stop_condition.at_least", Optional, Shape::Whole(1), "how many of the conditions in `of` have to be met")
        .explained("How many of the conditions in `of` have to be met after the same iteration. Needs `of`."),
    Key::new("stop_condition.of", Optional, Shape::Conditions, "the conditions that `at_least` counts")
        .explained("The conditions that `at_least` counts. Needs `at_least`."),
    Key::new("stop_condition.not", Optional, Shape::Condition, "a condition that must not be met")
        .explained("A condition that must not be met. The check still has to come to a verdict."),
];
