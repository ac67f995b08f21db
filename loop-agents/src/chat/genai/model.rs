//! A model behind a server.

use std::{fmt, future::poll_fn, pin::Pin, time::Duration};

use async_trait::async_trait;
use futures_core::Stream;
use genai::{
    ModelIden, ServiceTarget,
    chat::{ChatOptions, ChatStream, ChatStreamEvent, StopReason, StreamEnd},
};

use tokio::time::{Instant, timeout_at};

use super::{
    super::{
        ChatModel, Delta, ModelError, ModelErrorKind, OnDelta, Reply, Request, Vendor,
        context::request_tokens, model::SmallerWindow,
    },
    Effort, Endpoint, GenaiError, convert,
    endpoint::{as_base, local},
    errors::{model_error, stopped, too_large},
    raw_arguments::RawArguments,
    relay::{self, Relay, RunningRelay, Upstream},
    reply_bounds::{CrossedBound, ReplyBounds},
    reported_usage::ReportedUsage,
    usage::{larger, usage},
    window::Window,
};
use crate::usage::Prices;

/// A model behind a server. It makes one attempt for each request; see [`Retry`](crate::chat::Retry).
///
/// It estimates the cost of a reply from a list of [`Prices`]. An interrupted reply is an error, not a short reply.
///
/// A reply is [too large](ModelErrorKind::TooLarge) if its text, thoughts and tool calls exceed 32 MiB, if the
/// arguments of a call exceed 1 MiB, if it has more than 1,000 calls, or if a line of the stream is longer than 4 MiB.
/// It reads up to 64 KiB of an error. A server that sends forever, however slowly, is cut after the time limit for a
/// reply. Time and memory grow no faster than the server's response.
///
/// # Default
/// The bundled prices; 10 minutes of silence before a server counts as dead (a model on a small machine reads a long
/// prompt for minutes); one hour for a whole reply; the vendor's own limit on the length of replies; a window of 32,768
/// tokens at Ollama, and an unknown one elsewhere.
///
/// ```
/// use loop_agents::chat::{Chat, Endpoint, GenaiModel, Retry, Vendor};
/// let server = Endpoint::new(Vendor::OpenAi).base_url("http://localhost:8080");
/// let chat = Chat::new(Retry::new(GenaiModel::new(server, "qwen3")?));
/// assert_eq!(chat.model_name(), "qwen3");
/// # Ok::<(), loop_agents::chat::GenaiError>(())
/// ```
#[derive(Clone)]
pub struct GenaiModel {
    name: String,
    endpoint: Endpoint,
    upstream: Upstream,
    target: ServiceTarget,
    options: ChatOptions,
    silence: Duration,
    time: Duration,
    prices: Prices,
    window: Window,
}

/// See [`GenaiModel`].
const MAX_SILENCE: Duration = Duration::from_mins(10);
const MAX_TIME: Duration = Duration::from_hours(1);

impl GenaiModel {
    /// Creates the model of this name on this server, without connecting yet.
    ///
    /// # Errors
    /// Fails if the address is invalid, or if a required key is missing.
    pub fn new(endpoint: Endpoint, model: impl Into<String>) -> Result<Self, GenaiError> {
        let name = model.into();
        let address = endpoint.address()?;
        let target = ServiceTarget {
            endpoint: as_base(&local(&address)),
            auth: endpoint.auth(&address)?,
            model: ModelIden::new(endpoint.vendor.adapter(), name.as_str()),
        };
        let options = convert::keeping_the_name(endpoint.vendor, ChatOptions::default())
            .with_capture_usage(true)
            .with_capture_tool_calls(true)
            .with_capture_content(true);
        let upstream = endpoint.upstream(&address)?;
        let (silence, time, prices) = (MAX_SILENCE, MAX_TIME, Prices::bundled());
        let window = Window::of(endpoint.vendor);
        let model = Self { name, endpoint, upstream, target, options, silence, time, prices, window };
        Ok(model.max_silence(MAX_SILENCE))
    }

    /// Sets how long the server may be silent, before the reply begins and between its parts. Comments and empty events
    /// do not count as parts.
    #[must_use]
    pub fn max_silence(mut self, time: Duration) -> Self {
        self.silence = time;
        self.options = self.options.with_stream_header_timeout(time).with_stream_read_timeout(time);
        self
    }

    /// Sets the time limit for a whole reply.
    #[must_use]
    pub const fn max_time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets the maximum number of tokens in a reply.
    #[must_use]
    pub fn max_reply_tokens(mut self, tokens: u32) -> Self {
        self.options = self.options.with_max_tokens(tokens);
        self
    }

    /// Sets how many tokens the model can read and write at once. Ollama gives the model a window of this size: if the
    /// server reports that its memory does not suffice, the model halves the window, down to 4,096 tokens, and reports
    /// [`Delta::SmallerWindow`]. Other servers are not asked for a size.
    #[must_use]
    pub fn with_context_window(mut self, tokens: u64) -> Self {
        self.window = Window::with_size(self.endpoint.vendor, tokens);
        self
    }

    /// Sets how hard the model should think. The vendor decides by default.
    #[must_use]
    pub fn reasoning(mut self, effort: Effort) -> Self {
        self.options = self.options.with_reasoning_effort(effort.asked());
        self
    }

    /// Returns the same model on another server of the same vendor's kind, which is asked without a key.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn moved_to(&self, url: impl Into<String>) -> Result<Self, GenaiError> {
        let endpoint = Endpoint::new(self.endpoint.vendor).base_url(url);
        let Self { target, upstream, .. } = Self::new(endpoint.clone(), self.name.clone())?;
        Ok(Self { endpoint, target, upstream, ..self.clone() })
    }

    /// Returns the address of the server.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sets the prices of tokens.
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Sends the request. The reply arrives through the relay that runs beside the stream.
    async fn open(&self, request: &Request<'_>) -> Result<(ChatStream, RunningRelay), ModelError> {
        let local = |error: &dyn fmt::Display| {
            ModelError::new(&self.name, ModelErrorKind::Unreachable, error.to_string())
        };
        let relay = Relay::open().map_err(|error| local(&error))?;
        let client = relay::client(&relay).map_err(|error| local(&error))?;
        let window = self.window.requested();
        let mut relay = RunningRelay::new(relay, Upstream { window, ..self.upstream.clone() });
        let vendor = self.endpoint.vendor;
        let options = convert::options(vendor, request, self.options.clone());
        let request = convert::request(vendor, request);
        let opening = client.exec_chat_stream(self.target.clone(), request, Some(&options));
        match relay.beside(opening).await {
            Ok(response) => Ok((response.stream, relay)),
            Err(error) => Err(self.failed(&error, &mut relay, false)),
        }
    }

    /// Builds the reply. `has_content` tells whether it has any content, and `reported` holds the usage that its events
    /// reported.
    fn finished(
        &self,
        text: String,
        raw: &RawArguments,
        end: StreamEnd,
        (has_content, reported): (bool, &ReportedUsage),
    ) -> Result<Reply, ModelError> {
        let error = |kind, message: &str| Err(ModelError::new(&self.name, kind, message));
        match &end.captured_stop_reason {
            // These two vendors end each reply with a reason. Without one, the connection ended too early.
            None if matches!(self.endpoint.vendor, Vendor::Ollama | Vendor::Gemini) => {
                return error(ModelErrorKind::CutOff, "");
            }
            Some(StopReason::ContentFilter(reason)) => {
                return error(
                    ModelErrorKind::Refused,
                    &format!("the vendor's filter cut the reply ({reason})"),
                );
            }
            _ => {}
        }
        let truncated = matches!(end.captured_stop_reason, Some(StopReason::MaxTokens(_)));
        let is_whole = reported.is_whole(self.endpoint.vendor, has_content);
        let larger_usage = larger(end.captured_usage.as_ref(), reported.usage(self.endpoint.vendor));
        let used = usage(Some(&larger_usage), is_whole, &self.name, &self.prices);
        let calls = end.captured_into_tool_calls().unwrap_or_default();
        let calls = calls.into_iter().map(|call| convert::made(raw.restore(call))).collect();
        Ok(Reply { text, calls, usage: used, truncated })
    }

    /// Converts an error, and removes the key and the address's secrets even if the server repeats them.
    fn failed(&self, error: &genai::Error, relay: &mut RunningRelay, began: bool) -> ModelError {
        let error = match relay.take_error() {
            Some(error) => stopped(&self.name, error, began),
            None => model_error(&self.name, error, began),
        };
        self.endpoint.conceal(&self.name, error)
    }
}

#[async_trait]
impl ChatModel for GenaiModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_window(&self) -> Option<u64> {
        self.window.tokens()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        loop {
            let asked = self.window.requested();
            let mut has_begun = false;
            let mut listen = |delta: Delta<'_>| {
                has_begun = true;
                on_delta(delta);
            };
            let error = match self.attempt(&request, &mut listen).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let asked = asked.filter(|_| !has_begun);
            let Some(smaller) = asked.and_then(|asked| self.window.reduce_after(asked, &error)) else {
                return Err(error);
            };
            on_delta(Delta::SmallerWindow(SmallerWindow { tokens: smaller }));
            // The server would silently cut the beginning of a conversation that does not fit.
            if request_tokens(&request) >= smaller {
                let problem =
                    format!("it does not fit into {smaller} tokens, for which the server's memory suffices");
                return Err(ModelError::new(&self.name, ModelErrorKind::TooLong, problem));
            }
        }
    }
}

impl GenaiModel {
    /// Makes one request.
    async fn attempt(&self, request: &Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        let (stream, mut relay) = self.open(request).await?;
        let reply = self.receive(stream, &mut relay, on_delta).await;
        reply.map_err(|error| {
            let reported = relay.reported();
            if !reported.has_begun() {
                return error;
            }
            let so_far = reported.usage(self.endpoint.vendor);
            error.with_usage(usage(Some(&so_far), false, &self.name, &self.prices))
        })
    }
}

impl GenaiModel {
    /// Reads a reply to its end.
    async fn receive(
        &self,
        mut stream: ChatStream,
        relay: &mut RunningRelay,
        on_delta: OnDelta<'_>,
    ) -> Result<Reply, ModelError> {
        let (mut text, mut raw) = (String::new(), RawArguments::default());
        let mut bounds = ReplyBounds::default();
        let too_large = |crossed: CrossedBound| too_large(&self.name, crossed);
        let (mut began, mut has_content) = (false, false);
        let end = Instant::now() + self.time;
        let mut quiet_until = Instant::now() + self.silence;
        loop {
            let waited = timeout_at(end.min(quiet_until), relay.beside(next(&mut stream))).await;
            let Some(event) = waited.map_err(|_| self.too_slow(end))? else { break };
            let before = bounds.progress();
            match event.map_err(|error| self.failed(&error, relay, began))? {
                ChatStreamEvent::Chunk(chunk) => {
                    began = true;
                    has_content |= !chunk.content.is_empty();
                    bounds.add_text(&chunk.content).map_err(too_large)?;
                    on_delta(Delta::Text(&chunk.content));
                    text.push_str(&chunk.content);
                }
                ChatStreamEvent::ReasoningChunk(chunk) => {
                    began = true;
                    has_content |= !chunk.content.is_empty();
                    bounds.add_text(&chunk.content).map_err(too_large)?;
                    on_delta(Delta::Thought(&chunk.content));
                }
                ChatStreamEvent::ToolCallChunk(chunk) => {
                    (began, has_content) = (true, true);
                    bounds.call(&chunk.tool_call).map_err(too_large)?;
                    raw.add(chunk.tool_call);
                }
                ChatStreamEvent::End(end) => {
                    return self.finished(text, &raw, end, (has_content, relay.reported()));
                }
                _ => {}
            }
            if bounds.progress() > before {
                quiet_until = Instant::now() + self.silence;
            }
        }
        Err(match relay.take_error() {
            Some(error) => stopped(&self.name, error, began),
            None => ModelError::new(&self.name, ModelErrorKind::CutOff, ""),
        })
    }
}

impl GenaiModel {
    /// Builds the error of a reply that has passed its `end`, or whose parts were too far apart.
    fn too_slow(&self, end: Instant) -> ModelError {
        if Instant::now() < end {
            return ModelError::new(&self.name, ModelErrorKind::Silent, "");
        }
        let limit = format!("it was not complete after {:?}", self.time);
        ModelError::new(&self.name, ModelErrorKind::TooLarge, limit)
    }
}

async fn next(stream: &mut ChatStream) -> Option<genai::Result<ChatStreamEvent>> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

impl fmt::Debug for GenaiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiModel")
            .field("name", &self.name)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
