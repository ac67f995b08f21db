//! The keys of the limits.

use super::{
    super::{
        Key,
        KeyRequirement::{Optional, Required},
        Sample::{Flag, Number, Text, Whole},
        Shape,
    },
    SECONDS,
};

/// The most money that can be counted to the millionth of a dollar.
const MAX_USD: f64 = 9_007_199_254.740_992;

pub(super) const KEYS: &[Key] = &[
    Key::new("guardrails", Required, Shape::Object, "the limits of the run (`max_iterations` at least)")
        .explained(
            "The limits of the run. The first limit that is reached halts the run, so that nothing runs or is \
             spent without a bound.",
        ),
    Key::new(
        "guardrails.max_iterations",
        Required,
        Shape::Whole(1),
        "how many times the agent may run at most; every loop needs this",
    )
    .explained(
        "The largest number of iterations. Every loop needs this limit. If the last iteration meets the \
         goal, the run is a success.",
    )
    .examples(&[Whole(5), Whole(20)]),
    Key::new(
        "guardrails.max_cost_usd",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost",
    )
    .explained(
        "How many US dollars the run may cost. loop interrupts an agent that crosses this limit. The agent \
         must report its usage; see `agent.format` and `allow_unmetered`. By default, there is no such \
         limit.",
    )
    .examples(&[Number(2.5), Number(20.0)]),
    Key::new(
        "guardrails.max_usd_per_hour",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost in any hour",
    )
    .explained(
        "How many US dollars the run may cost in any hour. This is a fuse for a loop that goes astray while \
         most of `max_cost_usd` is left. loop interrupts an agent that crosses this limit, and the run \
         ends. The agent must report its usage, as for `max_cost_usd`. By default, there is no such limit.",
    )
    .examples(&[Number(5.0)]),
    Key::new("guardrails.max_seconds", Optional, SECONDS, "how long the run may take")
        .explained(
            "How long the run may take: `90s`, `30m`, `1h30m`, or a number of seconds. This counts the delays \
             between iterations, but not the time that a person takes to answer a question. loop interrupts \
             an agent that crosses this limit. By default, there is no such limit.",
        )
        .examples(&[Text("1h"), Text("8h")]),
    Key::new("guardrails.max_tokens", Optional, Shape::Whole(1), "tokens that the run may use")
        .explained(
            "How many tokens the run may use, input and output together. loop interrupts an agent that crosses \
             this limit. The agent must report its usage; see `agent.format` and `allow_unmetered`. By default, \
             there is no such limit.",
        )
        .examples(&[Whole(2_000_000)]),
    Key::new("guardrails.max_consecutive_failures", Optional, Shape::Whole(1), "failed iterations in a row")
        .explained(
            "How many iterations in a row may fail before the run halts. An iteration fails if the agent exits \
             with an error, or if a command exceeds its time limit. A check that does not pass is not a \
             failure. By default, there is no such limit.",
        )
        .examples(&[Whole(3)]),
    Key::new("guardrails.hitl_checkpoint", Optional, Shape::FlagOrWhole(1), "when a person is asked")
        .explained(
            "When to ask a person whether to continue: `true` asks after every iteration that did not meet the \
             goal, a number N after every Nth, `false` never. Asking needs a terminal. Where nobody can be \
             asked, the run halts at the checkpoint.",
        )
        .default(Flag(false))
        .examples(&[Flag(true), Whole(3)]),
    Key::new("guardrails.allow_unmetered", Optional, Shape::Flag, "accept limits that cannot be measured")
        .explained(
            "Accepts a limit on cost or tokens for an agent that does not report its usage. Such a limit may \
             never apply. Without this key, loop refuses the limit if the manifest shows that the agent will \
             report nothing, and halts the run after three iterations in a row that did not report what the \
             limit counts.",
        )
        .default(Flag(false)),
];
