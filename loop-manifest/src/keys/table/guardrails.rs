//! The keys of the limits.

use super::{
    super::{
        Key,
        Need::{Optional, Required},
        Sample::{Flag, Number, Whole},
        Shape,
    },
    SECONDS,
};

/// The most money that can be counted to the millionth of a dollar.
const MAX_USD: f64 = 9_007_199_254.740_992;

pub(super) const KEYS: &[Key] = &[
    Key::new("guardrails", Required, Shape::Object, "the limits of the run (`max_iterations` at least)")
        .explained(
            "The limits of the run. The first one that is reached halts it, so that nothing runs or is \
             spent without a bound.",
        ),
    Key::new(
        "guardrails.max_iterations",
        Required,
        Shape::Whole(1),
        "how many times the agent may run at most; every loop needs this",
    )
    .explained(
        "How many times the agent may run at most. Every loop needs this limit. A goal that is met by \
         the last of them counts as met.",
    )
    .examples(&[Whole(5), Whole(20)]),
    Key::new(
        "guardrails.max_cost_usd",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost",
    )
    .explained(
        "How many US dollars the run may cost. An agent that crosses this is cut off in the middle of \
         its iteration. The agent has to report what it uses; see `agent.format` and \
         `allow_unmetered`. Left out, there is no such limit.",
    )
    .examples(&[Number(2.5), Number(20.0)]),
    Key::new(
        "guardrails.max_usd_per_hour",
        Optional,
        Shape::Above(0.0, MAX_USD),
        "dollars that the run may cost in any hour",
    )
    .explained(
        "How many US dollars the run may cost in any hour: a fuse for a loop that goes astray while most of \
         `max_cost_usd` is left. An agent that crosses this is cut off in the middle of its iteration, and \
         the run ends. The agent has to report what it uses, as for `max_cost_usd`. Left out, there is no \
         such limit.",
    )
    .examples(&[Number(5.0)]),
    Key::new("guardrails.max_seconds", Optional, SECONDS, "seconds that the run may take")
        .explained(
            "How many seconds the run may take, with the delays between iterations and without the time in \
         which a person was asked. An agent that crosses this is cut off in the middle of its \
         iteration. Left out, there is no such limit.",
        )
        .examples(&[Whole(3600), Whole(28_800)]),
    Key::new("guardrails.max_tokens", Optional, Shape::Whole(1), "tokens that the run may use")
        .explained(
            "How many tokens the run may use, read and written together. An agent that crosses this is \
             cut off in the middle of its iteration. The agent has to report what it uses; see \
             `agent.format` and `allow_unmetered`. Left out, there is no such limit.",
        )
        .examples(&[Whole(2_000_000)]),
    Key::new("guardrails.max_consecutive_failures", Optional, Shape::Whole(1), "failed iterations in a row")
        .explained(
            "How many iterations in a row may fail, because the agent exits with an error or a command \
             takes longer than it may, before the run is halted. A check that does not pass is no such failure. Left out, there is no such \
             limit.",
        )
        .examples(&[Whole(3)]),
    Key::new("guardrails.hitl_checkpoint", Optional, Shape::FlagOrWhole(1), "when a person is asked")
        .explained(
            "When a person is asked whether to go on: `true` asks after every iteration that did not \
             meet the goal, a number N after every Nth, `false` never. Asking needs a terminal; where \
             nobody can be asked, the run halts at the checkpoint.",
        )
        .default(Flag(false))
        .examples(&[Flag(true), Whole(3)]),
    Key::new("guardrails.allow_unmetered", Optional, Shape::Flag, "accept limits that cannot be measured")
        .explained(
            "Accepts a limit on cost or tokens for an agent that does not report what it uses. Such a \
             limit may never bind. Without this, it is refused where the manifest shows that nothing will be \
             reported, and the run halts after three iterations in a row that did not report what the limit \
             counts.",
        )
        .default(Flag(false)),
];
