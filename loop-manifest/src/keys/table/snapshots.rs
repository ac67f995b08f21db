//! The keys of snapshots.

use super::super::{
    Key,
    KeyRequirement::Optional,
    Sample::{Flag, Text, Whole},
    Shape,
    words::{ON_HALT, ON_REGRESSION, SNAPSHOTS},
};

pub(super) const KEYS: &[Key] = &[
    Key::new("snapshots", Optional, Shape::WordOrObject(SNAPSHOTS), "whether the run captures its folder")
        .explained(
            "Whether the run captures its folder before the first iteration and after each one, so that `loop diff` \
             shows what changed and `loop restore` brings it back. A word, or an object with more settings.",
        )
        .default(Text("auto"))
        .examples(&[Text("off")]),
    Key::new("snapshots.mode", Optional, Shape::OneOf(SNAPSHOTS), "whether the run captures its folder")
        .explained(
            "Whether the run captures its folder.",
        )
        .default(Text("auto")),
    Key::new("snapshots.max_file", Optional, Shape::Whole(1), "the size above which a file is left out")
        .explained(
            "The size above which captures leave a file out, in bytes. `loop restore` never touches such a file.",
        )
        .default(Whole(50_000_000)),
    Key::new("snapshots.max_bytes", Optional, Shape::Whole(1), "the largest size of the folder's store")
        .explained(
            "The largest size of all snapshots of the folder, in bytes. Above it, loop drops those of the oldest ended \
             runs.",
        )
        .default(Whole(2_000_000_000)),
    Key::new("snapshots.ignored", Optional, Shape::Flag, "whether ignored files are captured")
        .explained(
            "Whether captures have the files that a `.gitignore` names, too.",
        )
        .default(Flag(false)),
    Key::new("on_halt", Optional, Shape::OneOf(ON_HALT), "what happens to the folder without the goal")
        .explained(
            "The treatment of the folder if the run ends without its goal. `loop restore --undo` takes a restore back.",
        )
        .default(Text("keep")),
    Key::new("on_regression", Optional, Shape::OneOf(ON_REGRESSION), "what happens after a worse score")
        .explained(
            "The treatment of the folder if a step has a worse score than an earlier one. Needs `evaluator.score`.",
        )
        .default(Text("keep")),
];
