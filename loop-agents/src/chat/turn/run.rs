//! The turn as a loop.

use std::fmt;

use loop_core::{Bounded, CancellationToken, Loop, Meter, Report, Step, StopReason, condition_fn};
use loop_guardrails::{MaxCost, MaxElapsed, MaxTokens};

use super::{
    super::{Message, ModelError},
    Chat, TurnError, TurnEvent, TurnLimits, TurnOutput,
    output::MadeCall,
    round::{Draft, Round, Spoken},
};

/// A turn that is about to run; made by [`Chat::turn`].
///
/// # Default
/// Nobody is told what it uses but its own limits, nobody hears it, and nothing cancels it but dropping it.
#[must_use = "a turn does nothing until it is run"]
pub struct Turn<'a> {
    chat: &'a mut Chat,
    prompt: String,
    meter: Option<Meter>,
    cancel: CancellationToken,
    on_event: Box<dyn FnMut(TurnEvent<'_>) + Send + 'a>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(chat: &'a mut Chat, prompt: String) -> Self {
        Self { chat, prompt, meter: None, cancel: CancellationToken::new(), on_event: Box::new(|_| {}) }
    }

    /// Reports what each round uses to this meter too, as soon as the model says it.
    pub fn meter(mut self, meter: Meter) -> Self {
        self.meter = Some(meter);
        self
    }

    /// Ends the turn when this token is cancelled.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Calls `listener` with everything that happens. The turn waits while the listener runs.
    pub fn on_event(mut self, listener: impl FnMut(TurnEvent<'_>) + Send + 'a) -> Self {
        self.on_event = Box::new(listener);
        self
    }

    /// Runs it. A turn with a reply becomes part of the conversation; another one leaves it as it was.
    ///
    /// # Errors
    /// [`TurnError`].
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the turn at once, as [`Toolbox::call`](crate::tools::Toolbox::call) and
    /// [`ChatModel::reply`](crate::chat::ChatModel::reply) say. The conversation is as it was before.
    pub async fn run(self) -> Result<TurnOutput, TurnError> {
        let Self { chat, prompt, meter, cancel, mut on_event } = self;
        if prompt.trim().is_empty() {
            return Err(TurnError::EmptyPrompt);
        }
        let mut draft = Draft::new(chat.history.clone());
        draft.history.push(Message::User { text: prompt });
        let round = Round { chat, draft: &mut draft, meter, on_event: &mut *on_event };
        let report = composed(round, &chat.limits, cancel).run().await;
        let Draft { history, reports, failure } = draft;
        let calls = reports.len();
        let Ok(report) = report else { unreachable!("the loop has a goal and a bound") };
        let Some(Spoken::Last { text, truncated }) = report.output().filter(|_| report.is_success()) else {
            return Err(unanswered(&report, failure, calls));
        };
        chat.history = history;
        Ok(TurnOutput {
            text: text.clone(),
            calls: reports.iter().map(MadeCall::from).collect(),
            rounds: report.iterations(),
            usage: *report.usage(),
            out_of_rounds: report.iterations() > chat.limits.rounds,
            truncated: *truncated,
        })
    }
}

/// The loop that a turn is: rounds until a reply without calls, within the limits. After the last round in
/// which the model may call something there is one more, in which it may only speak.
fn composed<'a>(
    round: Round<'a>,
    limits: &TurnLimits,
    cancel: CancellationToken,
) -> Loop<Round<'a>, Step<Spoken>, Bounded> {
    let answered = condition_fn(|step: &Step<Spoken>, _| matches!(step.output(), Some(Spoken::Last { .. })));
    let mut turn =
        Loop::new(round).until(answered).at_most(limits.rounds.saturating_add(1)).cancel_on(cancel);
    if let Some(tokens) = limits.tokens {
        turn = turn.guard(MaxTokens::new(tokens));
    }
    if let Some(cost) = limits.cost {
        turn = turn.guard(MaxCost::new(cost));
    }
    if let Some(time) = limits.time {
        turn = turn.guard(MaxElapsed::new(time));
    }
    turn
}

fn unanswered(report: &Report<Spoken>, failure: Option<ModelError>, calls: usize) -> TurnError {
    match (failure, report.reason()) {
        (Some(error), _) => TurnError::Model { error, calls },
        (None, StopReason::Cancelled) => TurnError::Cancelled { calls },
        (None, _) => TurnError::Limit { halt: report.ending().halt.clone(), calls },
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("chat", &self.chat).field("prompt", &self.prompt).finish_non_exhaustive()
    }
}
