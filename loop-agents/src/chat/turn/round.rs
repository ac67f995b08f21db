//! One round with the model: it asks the model and makes the calls of the reply.

use async_trait::async_trait;
use loop_core::{Halt, Iteration, IterationContext, IterationError, Meter, StopReason, WorkError};

use super::{
    super::{
        AnsweredCall, ChatModel, ContextFill, Delta, History, Message, ModelError, Reply, Request, ToolCall,
        compaction::{compact, free_tokens, kept_bytes},
        context::{AFTER_SUMMARY, SUMMARISE_AT},
        model::metered,
    },
    Chat, TurnEvent,
};
use crate::tools::ToolReport;

/// The state of a turn so far. It becomes the conversation if the turn succeeds.
pub(super) struct TurnDraft {
    pub(super) history: History,
    pub(super) reports: Vec<ToolReport>,
    /// The error itself, because the loop keeps only its text.
    pub(super) failure: Option<ModelError>,
    /// The server's count for the last reply, if it still matches the conversation.
    pub(super) counted: Option<u64>,
    /// The index of the prompt among the messages.
    asked: usize,
    /// Whether an event has already reported a full window.
    is_full: bool,
}

impl TurnDraft {
    /// Begins with the messages that go along. The last one contains the prompt.
    pub(super) fn new(history: History) -> Self {
        let asked = history.messages().len().saturating_sub(1);
        Self { history, reports: Vec::new(), failure: None, counted: None, asked, is_full: false }
    }
}

pub(super) struct Round<'a> {
    pub(super) chat: &'a Chat,
    /// The model to ask: the conversation's own, or another one for this turn.
    pub(super) model: &'a dyn ChatModel,
    pub(super) draft: &'a mut TurnDraft,
    /// The meter of the loop around the turn.
    pub(super) meter: Option<Meter>,
    pub(super) on_event: &'a mut (dyn FnMut(TurnEvent<'_>) + Send),
}

/// The result of a round.
#[derive(Debug)]
pub(super) enum RoundOutput {
    /// The model made calls, and must now read their results.
    Called,
    /// The reply was the last one.
    Last { text: String, truncated: bool, wanted_calls: bool },
}

/// The instruction in the last request only, which allows no calls.
const LAST_ROUND: &str = "You cannot call more tools in this turn. Answer now with what you have.";

/// Follows the name of a tool that a cut reply asks for.
const CUT_REPLY: &str =
    "was not called: the reply reached its token limit and was cut; ask for less at a time";

#[async_trait]
impl Iteration for Round<'_> {
    type Output = RoundOutput;

    async fn run(&mut self, cx: IterationContext<RoundOutput>) -> Result<RoundOutput, IterationError> {
        let may_call = cx.iteration() <= self.chat.limits.rounds;
        if !may_call {
            (self.on_event)(TurnEvent::OutOfRounds);
        }
        self.make_room();
        self.tell_if_full();
        let reply = tokio::select! {
            biased;
            () = cx.cancelled() => return Err(cut()),
            reply = self.ask(may_call, cx.meter()) => reply,
        };
        let Reply { text, calls, usage, truncated } = reply.map_err(|error| self.failed(error))?;
        // At this point the model has read all results in the draft.
        let keep = kept_bytes(self.chat.limits.kept_result_bytes, self.model.context_window());
        let made_way = compact(&mut self.draft.history, keep);
        self.draft.counted =
            usage.input_tokens.zip(usage.output_tokens).map(|(read, written)| read + written);
        // The conversation contains neither the removed results nor the instruction of the last request.
        self.draft.counted = self.draft.counted.filter(|_| may_call && !made_way);
        (self.on_event)(TurnEvent::Replied);
        // Calls that are not allowed do not continue the turn.
        let wanted_calls = !may_call && !calls.is_empty();
        let calls = if may_call { calls } else { Vec::new() };
        let is_last = calls.is_empty();
        let calls = tokio::select! {
            biased;
            () = cx.cancelled(), if !is_last => return Err(cut()),
            calls = self.answer(calls, truncated) => calls,
        };
        self.draft.history.push(Message::Assistant { text: text.clone(), calls });
        Ok(if is_last { RoundOutput::Last { text, truncated, wanted_calls } } else { RoundOutput::Called })
    }
}

impl Round<'_> {
    /// Removes the oldest results that the model has read if the next request would leave little of the window.
    fn make_room(&mut self) {
        let Self { chat, model, draft, .. } = self;
        let measure = chat.measure_draft(&draft.history, draft.counted, model.context_window());
        let Some(window) = measure.window.filter(|_| measure.reaches(SUMMARISE_AT)) else { return };
        let leave = (window as f64 * AFTER_SUMMARY) as u64;
        if free_tokens(&mut draft.history, measure.tokens.saturating_sub(leave)) {
            // The server counted the removed results.
            draft.counted = None;
        }
    }

    /// Reports a full window. The caller has measured the first request; later requests also contain results of tools.
    fn tell_if_full(&mut self) {
        let Self { chat, model, draft, on_event, .. } = self;
        let has_results = draft.history.messages().last().is_some_and(|last| !last.calls().is_empty());
        let measure = chat.measure_draft(&draft.history, draft.counted, model.context_window());
        if has_results && !draft.is_full && measure.fill() == ContextFill::Over {
            draft.is_full = true;
            on_event(TurnEvent::Full(measure));
        }
    }

    async fn ask(&mut self, may_call: bool, own: Meter) -> Result<Reply, ModelError> {
        let Self { chat, model, draft, on_event, meter } = self;
        let meters: Vec<_> = [Some(own), meter.clone()].into_iter().flatten().collect();
        let instructions = chat.instructions();
        let last = (!may_call).then(|| match &instructions {
            Some(instructions) => format!("{instructions}\n\n{LAST_ROUND}"),
            None => LAST_ROUND.to_owned(),
        });
        let system = last.as_deref().or(instructions.as_deref());
        let messages = chat.with_context(draft.history.messages(), draft.asked);
        let request = Request::new(&messages).with_system(system).with_tools(&chat.definitions, may_call);
        metered(*model, request, &meters, &mut |delta: Delta<'_>| on_event(TurnEvent::Delta(delta))).await
    }

    /// Makes the calls one after the other, because a model that reads a file right after writing it relies on the
    /// order. It makes no calls of a cut reply: such a call may be incomplete, even if it parses.
    async fn answer(&mut self, calls: Vec<ToolCall>, truncated: bool) -> Vec<AnsweredCall> {
        let mut answered = Vec::with_capacity(calls.len());
        for call in calls {
            (self.on_event)(TurnEvent::Calling(&call));
            let result = match &self.chat.tools {
                Some(tools) => {
                    let report = match truncated {
                        true => ToolReport::rejected(&call.name, format!("{} {CUT_REPLY}", call.name)),
                        false => {
                            let on_output = |bytes: &[u8]| (self.on_event)(TurnEvent::Printed(bytes));
                            tools.call_watched(&call.name, &call.arguments, on_output).await
                        }
                    };
                    (self.on_event)(TurnEvent::Called(&report));
                    let result = report.text.clone();
                    self.draft.reports.push(report);
                    result
                }
                None => format!("there is no tool `{}`; no tools are available", call.name),
            };
            answered.push(AnsweredCall { call, result });
        }
        answered
    }

    fn failed(&mut self, error: ModelError) -> WorkError {
        let halt = Halt::new(StopReason::Failed, error.to_string());
        self.draft.failure = Some(error);
        halt.into()
    }
}

/// Builds the error of a round without a result. The loop itself records why it stopped the round.
fn cut() -> WorkError {
    WorkError::failed("interrupted")
}
