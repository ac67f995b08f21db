//! Runs a turn as a loop.

use std::{fmt, future::Future, pin::pin};

use loop_core::{
    Bounded, CancellationToken, Halt, IterationContext, IterationError, Loop, Meter, Report, Step,
    StopReason, condition_fn,
};
use loop_guardrails::{MaxCost, MaxElapsed, MaxTokens};

use super::{
    super::{Attachment, ChatModel, History, Message, ModelError},
    Chat, TurnError, TurnEvent, TurnLimits, TurnOutput,
    output::ToolCallSummary,
    round::{Round, RoundOutput, TurnDraft},
};

/// A turn that is ready to run; created by [`Chat::turn`].
///
/// # Default
/// The turn reports its usage only to its own limits, has no listener, and stops early only if you drop it.
#[must_use = "a turn does nothing until it is run"]
pub struct Turn<'a> {
    chat: &'a mut Chat,
    prompt: Message,
    other: Option<Box<dyn ChatModel>>,
    last: Option<usize>,
    meter: Option<Meter>,
    cancel: CancellationToken,
    on_event: Box<dyn FnMut(TurnEvent<'_>) + Send + 'a>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(chat: &'a mut Chat, prompt: String) -> Self {
        Self {
            chat,
            prompt: Message::user(prompt),
            other: None,
            last: None,
            meter: None,
            cancel: CancellationToken::new(),
            on_event: Box::new(|_| {}),
        }
    }

    /// Attaches a file for the model to look at.
    pub fn attach(mut self, attachment: Attachment) -> Self {
        self.prompt = self.prompt.with_attachment(attachment);
        self
    }

    /// Asks another model, in this turn alone. Its reply becomes part of the conversation.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, ScriptedModel};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut chat = Chat::new(ScriptedModel::new());
    /// let other = ScriptedModel::new().says("I would wait.");
    /// let turn = chat.turn("And you?").asking(other).with_last(10).run().await?;
    /// assert_eq!(turn.text, "I would wait.");
    /// assert_eq!(chat.history().messages().len(), 2);
    /// # Ok(()) }
    /// ```
    pub fn asking(mut self, model: impl ChatModel + 'static) -> Self {
        self.other = Some(Box::new(model));
        self
    }

    /// Sends only up to this many recent messages in this turn. Turns are never split, so it sends fewer if these
    /// messages begin in the middle of a turn, but always the last turn.
    pub fn with_last(mut self, messages: usize) -> Self {
        self.last = Some(messages);
        self
    }

    /// Reports the usage of each round to this meter too, as soon as the model reports it.
    pub fn meter(mut self, meter: Meter) -> Self {
        self.meter = Some(meter);
        self
    }

    /// Ends the turn when this token is cancelled.
    pub fn cancel_on(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Calls `listener` with every event. The turn waits while the listener runs.
    pub fn on_event(mut self, listener: impl FnMut(TurnEvent<'_>) + Send + 'a) -> Self {
        self.on_event = Box::new(listener);
        self
    }

    /// Runs the turn. With a reply it becomes part of the conversation; without one the conversation stays as it was.
    ///
    /// # Errors
    /// [`TurnError`].
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future ends the turn at once; see [`Toolbox::call`](crate::tools::Toolbox::call) and
    /// [`ChatModel::reply`](crate::chat::ChatModel::reply). The conversation stays as it was.
    pub async fn run(self) -> Result<TurnOutput, TurnError> {
        let Self { chat, prompt, other, last, meter, cancel, mut on_event } = self;
        if prompt.text().trim().is_empty() && prompt.attachments().is_empty() {
            return Err(TurnError::EmptyPrompt);
        }
        let prompt = chat.as_sent(prompt);
        let model = other.as_deref().unwrap_or(&*chat.model);
        let sent = &chat.with_context(std::slice::from_ref(&prompt), 0)[0];
        let measure = match (&other, last) {
            (None, None) => chat.measure_with(sent),
            (_, last) => chat.measure_last(last.unwrap_or(usize::MAX), Some(sent), model.context_window()),
        };
        chat.check_room(measure)?;
        let first = last.map_or(0, |last| chat.history.turns_from(last));
        let (before, along) = chat.history.messages().split_at(first);
        let mut draft = TurnDraft::new(along.iter().cloned().chain([prompt]).collect());
        let round = Round { chat, model, draft: &mut draft, meter, on_event: &mut *on_event };
        let report = composed(round, &chat.limits, cancel).run().await;
        let TurnDraft { history, reports, failure, counted, .. } = draft;
        let calls = reports.len();
        let Ok(report) = report else { unreachable!("the loop has a goal and a bound") };
        let Some(RoundOutput::Last { text, truncated, wanted_calls }) =
            report.output().filter(|_| report.is_success())
        else {
            return Err(unanswered(&report, failure, calls));
        };
        let whole = match before {
            [] => history,
            _ => before.iter().cloned().chain(Vec::from(history)).collect::<History>(),
        };
        // The count does not match the context if it comes from another model, or if the request left out older
        // messages or had a text that the conversation has not.
        let is_whole = other.is_none() && first == 0 && chat.context.is_none();
        chat.grow(whole, counted.filter(|_| is_whole));
        Ok(TurnOutput {
            text: text.clone(),
            calls: reports.iter().map(ToolCallSummary::from).collect(),
            rounds: report.iterations(),
            usage: *report.usage(),
            out_of_rounds: report.iterations() > chat.limits.rounds,
            truncated: *truncated,
            wanted_calls: *wanted_calls,
        })
    }
}

impl Turn<'_> {
    /// Runs the turn as the work of an iteration: reports its usage there, and ends with the iteration. Use this inside
    /// a loop in place of [`run`](Self::run), whose errors would all become failed steps with `?`.
    ///
    /// ```
    /// use loop_agents::chat::{Chat, ScriptedModel};
    /// use loop_core::{IterationContext, Loop, Step, condition_fn, iteration_with};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let chat = Chat::new(ScriptedModel::new().says("Almost.").says("Done."));
    /// let agent = iteration_with(chat, async |chat: &mut Chat, cx: IterationContext<String>| {
    ///     Ok(chat.turn("Is it done?").run_in(&cx).await?.text)
    /// });
    /// let done = condition_fn(|step: &Step<String>, _| step.output().is_some_and(|text| text == "Done."));
    /// let report = Loop::new(agent).until(done).at_most(5).run().await?;
    /// assert_eq!(report.iterations(), 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A rate limit whose end is known defers the iteration if the turn has called no tool. After a call the step
    /// fails, because running the turn again would repeat its actions. A refused key, an unknown model and an empty
    /// prompt end the run. Any other [`TurnError`] is a failed step.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    ///
    /// # Cancel safety
    /// As [`run`](Self::run).
    pub async fn run_in<O>(mut self, cx: &IterationContext<O>) -> Result<TurnOutput, IterationError> {
        let cancel = self.cancel.child_token();
        self.cancel = cancel.clone();
        let output = cancelled_with(cx, &cancel, self.meter(cx.meter()).run()).await;
        output.map_err(TurnError::into_work_error)
    }
}

/// Runs work that this token cancels, and cancels it when the iteration has to end.
pub(in crate::chat) async fn cancelled_with<O, T>(
    cx: &IterationContext<O>,
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> T {
    let mut work = pin!(work);
    tokio::select! {
        result = &mut work => result,
        () = cx.cancelled() => {
            cancel.cancel();
            work.await
        }
    }
}

/// Builds the loop of a turn: rounds until a reply without calls, within the limits. After the last round that allows
/// calls there is one more, which allows only a reply.
fn composed<'a>(
    round: Round<'a>,
    limits: &TurnLimits,
    cancel: CancellationToken,
) -> Loop<Round<'a>, Step<RoundOutput>, Bounded> {
    let answered =
        condition_fn(|step: &Step<RoundOutput>, _| matches!(step.output(), Some(RoundOutput::Last { .. })));
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

fn unanswered(report: &Report<RoundOutput>, failure: Option<ModelError>, calls: usize) -> TurnError {
    match (failure, report.reason()) {
        (Some(error), _) => TurnError::Model { error, calls },
        (None, Some(StopReason::Cancelled)) => TurnError::Cancelled { calls },
        (None, _) => {
            let halt = report.ending().halt().cloned();
            let halt =
                halt.unwrap_or_else(|| Halt::new(StopReason::Failed, "the model returned an empty reply"));
            TurnError::Limit { halt, calls }
        }
    }
}

impl fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("chat", &self.chat).field("prompt", &self.prompt).finish_non_exhaustive()
    }
}
