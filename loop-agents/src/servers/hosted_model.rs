//! A model behind a server that is started for it.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use loop_core::with_causes;

use super::{ManagedServer, ServerError, ServerPlace};
use crate::chat::{ChatModel, Delta, GenaiModel, ModelError, ModelErrorKind, OnDelta, Reply, Request};

/// The time before the next try when a server has ended twice in a row. It is short beside the time that a server takes to
/// load a model, and long beside a crash at each start.
const WAIT: Duration = Duration::from_secs(60);

/// The number of replies in a row that may wait for the server. After that, the failures count as those of any model.
const MAX_WAITS: u32 = 5;

/// A model whose server starts at the first request.
///
/// If the connection fails, the server starts again once, and the request is repeated once, unless it follows a call of a
/// tool. If that fails too, the error is [`ServerEnded`](ModelErrorKind::ServerEnded), with which a run waits instead of
/// failing, up to five times in a row. A server that was never ready is [`NotStarted`](ModelErrorKind::NotStarted).
///
/// The window of the model is at most the window that its server reports.
pub struct HostedModel {
    server: Arc<ManagedServer>,
    model: GenaiModel,
    wrap: Box<Wrap>,
    current: Mutex<Option<(u16, Arc<dyn ChatModel>)>>,
    failures: AtomicU32,
}

type Wrap = dyn Fn(GenaiModel) -> Box<dyn ChatModel> + Send + Sync;

impl HostedModel {
    /// Creates the model. The address of `model` is replaced by that of the server. `wrap` adds retries and the like.
    pub fn new(
        server: Arc<ManagedServer>,
        model: GenaiModel,
        wrap: impl Fn(GenaiModel) -> Box<dyn ChatModel> + Send + Sync + 'static,
    ) -> Self {
        let (wrap, current) = (Box::new(wrap), Mutex::default());
        Self { server, model, wrap, current, failures: AtomicU32::new(0) }
    }

    fn current(&self) -> Option<(u16, Arc<dyn ChatModel>)> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the model at this place.
    async fn at(&self, place: &ServerPlace) -> Result<Arc<dyn ChatModel>, ModelError> {
        if let Some((_, model)) = self.current().filter(|(port, _)| *port == place.port) {
            return Ok(model);
        }
        let moved = self.model.moved_to(format!("http://127.0.0.1:{}", place.port));
        let moved = moved.map_err(|error| self.error(ModelErrorKind::NotStarted, &error))?;
        // A server that reports nothing is used as the settings describe it.
        let facts = moved.endpoint().facts_of(moved.name(), "").await.unwrap_or_default();
        let windows = [facts.window.map(|fact| fact.value), moved.context_window()];
        let moved = match windows.into_iter().flatten().min() {
            Some(tokens) => moved.with_context_window(tokens),
            None => moved,
        };
        let model: Arc<dyn ChatModel> = Arc::from((self.wrap)(moved));
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some((place.port, Arc::clone(&model)));
        Ok(model)
    }

    /// Makes one request, which ends with the server.
    async fn attempt(
        &self,
        place: &ServerPlace,
        request: &Request<'_>,
        on_delta: OnDelta<'_>,
    ) -> Result<Reply, ModelError> {
        let model = self.at(place).await?;
        tokio::select! {
            biased;
            reply = model.reply(*request, on_delta) => reply,
            () = place.gone.cancelled() => Err(ModelError::new(self.name(), ModelErrorKind::CutOff, "the server's process ended")),
        }
    }

    fn error(&self, kind: ModelErrorKind, error: &dyn std::error::Error) -> ModelError {
        ModelError::new(self.name(), kind, with_causes(error))
    }

    /// Builds the error for a server that is away.
    fn ended(&self, why: String) -> ModelError {
        let waits = self.failures.fetch_add(1, Ordering::Relaxed) < MAX_WAITS;
        let kind =
            if waits { ModelErrorKind::ServerEnded { wait: WAIT } } else { ModelErrorKind::Unreachable };
        ModelError::new(self.name(), kind, why)
    }

    async fn not_started(&self, error: ServerError) -> ModelError {
        match self.server.was_ready().await {
            true => self.ended(with_causes(&error)),
            false => self.error(ModelErrorKind::NotStarted, &error),
        }
    }
}

/// Returns whether the server may be gone.
const fn is_lost(kind: ModelErrorKind) -> bool {
    matches!(kind, ModelErrorKind::Unreachable | ModelErrorKind::CutOff)
}

#[async_trait]
impl ChatModel for HostedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.current().map_or_else(|| self.model.context_window(), |(_, model)| model.context_window())
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        let place = match self.server.place().await {
            Ok(place) => place,
            Err(error) => return Err(self.not_started(error).await),
        };
        let mut was_heard = false;
        let mut listen = |delta: Delta<'_>| {
            was_heard = true;
            on_delta(delta);
        };
        let mut reply = self.attempt(&place, &request, &mut listen).await;
        if let Err(error) = &reply
            && is_lost(error.kind())
        {
            let usage = error.usage();
            let place = match self.server.restart(&place).await {
                Ok(place) => place,
                Err(error) => return Err(self.not_started(error).await.with_usage(usage)),
            };
            // A turn that called a tool is not repeated, because the tool would act twice.
            if !request.follows_calls() {
                if was_heard {
                    on_delta(Delta::Restarted);
                }
                on_delta(Delta::Used(usage));
                reply = self.attempt(&place, &request, on_delta).await;
            }
        }
        match reply {
            Err(error) if is_lost(error.kind()) => {
                Err(self.ended(with_causes(&error)).with_usage(error.usage()))
            }
            reply => {
                self.failures.store(0, Ordering::Relaxed);
                reply
            }
        }
    }
}

impl fmt::Debug for HostedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedModel")
            .field("server", &self.server)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use loop_testing::{Answer, ScriptedServer};
    use serde_json::json;

    use super::*;
    use crate::{
        chat::{Endpoint, Message, Vendor},
        servers::{ServerCommand, ServerSurroundings},
    };

    #[tokio::test]
    async fn a_server_that_was_ready_and_ends_defers_five_requests_and_then_fails() {
        let server = ScriptedServer::start([Answer::deltas(["Hello."])]).await.expect("a server");
        server.set_page("/health", json!({}));
        let port = server.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        let command = ServerCommand::new("exit {port}").expect("a command");
        let managed =
            ManagedServer::new("own", command, ServerSurroundings::default()).usually_at(port, None);
        let model =
            GenaiModel::new(Endpoint::new(Vendor::OpenAi).key("k".into()), "scripted").expect("a model");
        let model = HostedModel::new(Arc::new(managed), model, |model| Box::new(model));
        let messages = [Message::user("Hi")];
        let reply =
            async || model.reply(Request::new(&messages), &mut |_| {}).await.map_err(|error| error.kind());
        assert_eq!(reply().await.map(|reply| reply.text), Ok("Hello.".to_owned()));
        drop(server);
        for _ in 0..MAX_WAITS {
            assert_eq!(reply().await.map(|_| ()), Err(ModelErrorKind::ServerEnded { wait: WAIT }));
        }
        assert_eq!(reply().await.map(|_| ()), Err(ModelErrorKind::Unreachable));
    }
}
