//! A model whose requests are in the debug log.

use std::time::Instant;

use async_trait::async_trait;
use loop_agents::chat::{ChatModel, Delta, ModelError, OnDelta, Reply, Request};
use loop_core::with_causes;
use loop_telemetry::DebugLog;
use serde_json::{Value, json};

use crate::remaining::millis;

/// Writes each request to the log, and how it ended: with a reply, with an error, or cut. It is inside of the retries, so
/// that each attempt is seen.
#[derive(Debug, Clone)]
pub(super) struct LoggedModel<M> {
    model: M,
    log: Option<DebugLog>,
}

impl<M> LoggedModel<M> {
    pub(super) const fn new(model: M, log: Option<DebugLog>) -> Self {
        Self { model, log }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for LoggedModel<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.model.context_window()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        let Some(log) = &self.log else { return self.model.reply(request, on_delta).await };
        let mut open = OpenRequest::begin(log, self.name(), &request);
        let (begun, mut first, mut last) = (open.begun, None, None);
        let mut listen = |delta: Delta<'_>| {
            if matches!(delta, Delta::Text(_) | Delta::Thought(_)) {
                last = Some(millis(begun.elapsed()));
                first = first.or(last);
            }
            on_delta(delta);
        };
        let reply = self.model.reply(request, &mut listen).await;
        let times = json!({ "first_token_ms": first, "last_token_ms": last });
        match &reply {
            Ok(reply) => {
                let calls: Vec<_> = reply.calls.iter().map(|call| &call.name).collect();
                let text = log.has_texts().then_some(&reply.text);
                let cut = reply.truncated;
                open.end(
                    "reply",
                    &[times, json!({ "usage": reply.usage, "calls": calls, "cut": cut, "text": text })],
                );
            }
            Err(error) => {
                let why = with_causes(error);
                open.end("request_failed", &[times, json!({ "usage": error.usage(), "error": why })]);
            }
        }
        reply
    }
}

/// A request without an end yet. Dropping it logs that it was cut.
struct OpenRequest<'a> {
    log: &'a DebugLog,
    number: u64,
    begun: Instant,
    is_ended: bool,
}

impl<'a> OpenRequest<'a> {
    fn begin(log: &'a DebugLog, model: &str, request: &Request<'_>) -> Self {
        let number = log.next_request();
        let messages = serde_json::to_string(request.messages).unwrap_or_default();
        let bytes = request.system.map_or(0, str::len) + messages.len();
        let tools: Vec<_> = request.tools.iter().map(|tool| &tool.name).collect();
        let texts = || json!({ "system": request.system, "messages": request.messages });
        log.write(
            "request",
            &json!({
                "request": number,
                "model": model,
                "messages": request.messages.len(),
                "estimated_tokens": bytes.div_ceil(4),
                "tools": tools,
                "may_call": request.may_call,
                "texts": log.has_texts().then(texts),
            }),
        );
        Self { log, number, begun: Instant::now(), is_ended: false }
    }

    fn end(&mut self, event: &str, fields: &[Value]) {
        self.is_ended = true;
        let mut all = json!({ "request": self.number, "ms": millis(self.begun.elapsed()) });
        for (name, value) in fields.iter().filter_map(Value::as_object).flatten() {
            all[name] = value.clone();
        }
        self.log.write(event, &all);
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        if !self.is_ended {
            self.end("request_cut", &[]);
        }
    }
}
