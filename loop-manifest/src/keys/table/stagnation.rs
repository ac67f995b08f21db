//! The keys about runs that no longer get anywhere.

use super::super::{
    super::bounds::MAX_GAIN,
    Key,
    KeyRequirement::{Optional, Required},
    Sample::{Number, Text, Whole},
    Shape,
    words::STAGNATION,
};

pub(super) const KEYS: &[Key] = &[
    Key::new("stagnation", Optional, Shape::WordOrObject(STAGNATION), "when a run gets nowhere")
        .explained(
            "When a run gets nowhere: its iterations leave the same files and the same check output. The agent is told \
             first, and later the run halts with `stagnated`. A word, or an object with the numbers. See \
             [Stagnation](stagnation.md).",
        )
        .default(Text("auto"))
        .examples(&[Text("off")]),
    Key::new("stagnation.nudge_after", Optional, Shape::Whole(1), "when the agent is told")
        .explained(
            "After how many iterations in a row with the same result the next prompt says so. Less than `halt_after`.",
        )
        .default(Whole(5)),
    Key::new("stagnation.halt_after", Optional, Shape::Whole(2), "when the run halts")
        .explained("After how many iterations in a row with the same result the run halts.")
        .default(Whole(8))
        .examples(&[Whole(12)]),
    Key::new("stagnation.oscillation_after", Optional, Shape::Whole(2), "when going in circles halts the run")
        .explained(
            "After how many iterations in a row that each bring back files as they were earlier the run halts, such as \
             the change back and forth between two states. Needs snapshots. By default, there is no such limit.",
        )
        .examples(&[Whole(6)]),
    Key::new("stagnation.score", Optional, Shape::Object, "the least gain of the score")
        .explained(
            "Halts the run if the best score does not improve enough. Needs `evaluator.score`. By default, there is no \
             such limit.",
        ),
    Key::new("stagnation.score.gain", Required, Shape::Above(0.0, MAX_GAIN), "the gain of the best score")
        .explained("By how much the best score has to improve.")
        .examples(&[Number(0.01)]),
    Key::new("stagnation.score.within", Required, Shape::Whole(1), "the iterations for that gain")
        .explained("Within how many iterations with a score it has to improve.")
        .examples(&[Whole(10)]),
];
