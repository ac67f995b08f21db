//! The keys of loops that run at once.

use super::super::{
    Key,
    KeyRequirement::{Optional, Required},
    Sample::{Text, Whole},
    Shape,
    words::PICKS,
};

pub(super) const KEYS: &[Key] = &[
    Key::new("parallel", Optional, Shape::Object, "several loops at once, each in a copy of the folder")
        .explained(
            "Runs the loop several times at once, each in its own copy of the folder, and puts one result into the \
             folder. They share all limits but `max_iterations`, which each of them has. The check then judges the \
             folder itself once more.",
        ),
    Key::new("parallel.n", Required, Shape::Whole(2), "how many loops run at once")
        .explained("How many loops run at once.")
        .examples(&[Whole(4)]),
    Key::new("parallel.pick", Optional, Shape::OneOf(PICKS), "which result the folder gets")
        .explained("Which of the results the folder gets.")
        .default(Text("first")),
];
