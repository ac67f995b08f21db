//! The keys of a sealed check.

use super::super::{
    Key,
    KeyRequirement::Optional,
    Sample::{Flag, List, Text, Whole},
    Shape,
    words::{MIN_TESTS, ON_PROTECTED_CHANGE},
};

pub(super) const KEYS: &[Key] = &[
    Key::new("evaluator.sealed", Optional, Shape::Flag, "whether the agent's changes to tests count")
        .explained(
            "Runs the command where the agent cannot change how it judges: in a copy of the folder whose protected files \
             (tests, their configuration, build scripts) are those with which the run began. See [Sealed \
             checks](sealed.md).",
        )
        .default(Flag(false)),
    Key::new("evaluator.protect", Optional, Shape::List(r"^!?[^!]"), "more protected files, or exceptions")
        .explained(
            "More protected files, written as in a `.gitignore`. A leading `!` makes an exception. The last match decides. \
             Needs `sealed: true`.",
        )
        .examples(&[List(&["golden/**", "!tests/scratch/**"])]),
    Key::new("evaluator.min_tests", Optional, Shape::WordOrWhole(MIN_TESTS, 1), "how many tests have to run")
        .explained(
            "How many tests have to run for a pass: one of the words below, or a number. loop reads the number from the \
             output of known test runners. Needs `sealed: true`.",
        )
        .default(Text("count"))
        .examples(&[Whole(120)]),
    Key::new(
        "evaluator.on_protected_change",
        Optional,
        Shape::OneOf(ON_PROTECTED_CHANGE),
        "what happens to a changed protected file",
    )
    .explained(
        "The treatment of protected files that an iteration changed or deleted. They never judge. Needs `sealed: true`.",
    )
    .default(Text("restore")),
    Key::new("evaluator.setup", Optional, Shape::Filled, "the command that installs dependencies")
        .explained(
            "The command that installs dependencies in the copy of the folder. It runs before the check if the agent changed \
             what the project depends on. Needs `sealed: true`.",
        )
        .examples(&[Text("npm ci")]),
    Key::new("evaluator.confirm", Optional, Shape::Whole(1), "how often in a row the command has to pass")
        .explained("How often in a row the command has to pass, for checks that sometimes pass by chance.")
        .default(Whole(1))
        .examples(&[Whole(3)]),
];
