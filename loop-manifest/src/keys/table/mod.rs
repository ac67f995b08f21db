//! The table of keys: the one place that knows what a manifest can say.

mod agent;
mod evaluator;
mod guardrails;

use super::{
    super::bounds::{
        BACKOFF_SECONDS, FEEDBACK_BYTES, MAX_BACKOFF_SECONDS, MAX_SECONDS, MIN_FEEDBACK_BYTES, MIN_SECONDS,
    },
    Key,
    Need::{Optional, Required},
    Sample::{Number, Text, Whole},
    Shape,
    words::RESUMES,
};

/// A limit in time.
const SECONDS: Shape = Shape::Between(MIN_SECONDS, MAX_SECONDS);

/// Every key, in the order in which a manifest is best read.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    [FIRST, agent::KEYS, evaluator::KEYS, guardrails::KEYS, LAST].into_iter().flatten()
}

const FIRST: &[Key] = &[
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
];

const LAST: &[Key] = &[
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
