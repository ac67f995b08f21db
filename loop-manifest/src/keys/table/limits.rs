//! The keys about what commands use.

use super::super::{
    Key,
    KeyRequirement::Optional,
    Sample::{Text, Whole},
    Shape,
};

/// A size of 1 or more with its unit. In less, no program starts.
const SIZE: &str = r"^\s*[1-9][0-9]*(\.[0-9]+)?\s*[MGT]iB\s*$";

pub(super) const KEYS: &[Key] = &[
    Key::new("limits", Optional, Shape::Object, "what all commands of the run may use together").explained(
        "Limits on the agent, the check and the review together, with everything that they start. A control group of the \
         system (Linux, cgroup v2) enforces it. Where that cannot be had, the run is refused before it begins, and \
         `loop doctor` tells the reason. For limits on iterations, time and cost, see `guardrails`.",
    ),
    Key::new("limits.processes", Optional, Shape::Whole(2), "the most processes at a time")
        .explained(
            "The most processes at a time. Each thread counts as one. A command that wants one more gets an error.",
        )
        .examples(&[Whole(512)]),
    Key::new("limits.memory", Optional, Shape::Matching(SIZE), "the most memory: `2GiB`")
        .explained(
            "The most memory: a number of 1 or more with `MiB`, `GiB` or `TiB`. Nothing is moved to swap space. When the memory \
             is used up, the system kills a process of the run, usually the one that uses most.",
        )
        .examples(&[Text("2GiB"), Text("512MiB")]),
];
