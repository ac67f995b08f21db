//! Retries of failed requests.
//!
//! A server that is overloaded for a minute must not end a night's work. Nor may a retry do a night's work twice. So
//! [`Retry`] repeats a request that failed for a passing reason, but only while there is nothing that it could do
//! twice: once a turn has called a tool, the turn itself fails, and its caller decides whether to repeat it.

use std::time::Duration;

use async_trait::async_trait;
use loop_core::{
    DEFAULT_OVERRUN, Halt, Iteration, IterationContext, IterationError, Loop, Step, StopReason, WorkError,
    condition_fn,
};
use loop_guardrails::Backoff;

use super::{ChatModel, Delta, ModelError, ModelErrorKind, OnDelta, Reply, Request};

/// A model with retries after [passing](ModelErrorKind::is_passing) errors, except of a server that was
/// [silent](ModelErrorKind::Silent) for too long.
///
/// If a reply breaks off, [`Delta::Restarted`] discards the part that was shown, and [`Delta::Used`] reports its usage,
/// so that a budget counts it before the next attempt.
///
/// # Default
/// Four attempts. The second follows at once, or after twice the [`overrun`](Self::overrun) of 50 ms if an attempt used
/// something. Later attempts wait for a second, two seconds and so on, at most a minute, with jitter. It waits for a
/// rate limit that ends within a minute. A longer one is an error that tells when the limit ends, so that the caller
/// can wait visibly.
///
/// ```
/// use loop_agents::chat::{Chat, ModelErrorKind, Retry, ScriptedModel};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new().fails(ModelErrorKind::ServerFailed).says("Here I am.");
/// let mut chat = Chat::new(Retry::new(model));
/// assert_eq!(chat.turn("Are you there?").run().await?.text, "Here I am.");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Retry<M> {
    model: M,
    tries: u64,
    pace: Backoff,
    max_wait: Duration,
    overrun: Duration,
}

impl<M: ChatModel> Retry<M> {
    /// Adds retries to this model.
    pub const fn new(model: M) -> Self {
        let pace = Backoff::new(Duration::from_secs(1));
        Self { model, tries: 4, pace, max_wait: Duration::from_secs(60), overrun: DEFAULT_OVERRUN }
    }

    /// Sets the maximum number of attempts for each request; zero counts as one.
    #[must_use]
    pub const fn tries(mut self, tries: u64) -> Self {
        self.tries = if tries == 0 { 1 } else { tries };
        self
    }

    /// Sets the waits between attempts. Give each run its own [seed](Backoff::seed).
    #[must_use]
    pub const fn pace(mut self, pace: Backoff) -> Self {
        self.pace = pace;
        self
    }

    /// Sets the longest rate limit to wait for.
    #[must_use]
    pub const fn max_wait(mut self, max_wait: Duration) -> Self {
        self.max_wait = max_wait;
        self
    }

    /// Sets how long the surrounding loop holds a report of usage that crosses a limit: its [`Loop::overrun`]. An
    /// attempt after one with usage begins after twice this time, so that the loop can end the request before it costs
    /// more.
    ///
    /// # Default
    /// [`DEFAULT_OVERRUN`].
    #[must_use]
    pub const fn overrun(mut self, overrun: Duration) -> Self {
        self.overrun = overrun;
        self
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Retry<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn context_window(&self) -> Option<u64> {
        self.model.context_window()
    }

    async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        if request.follows_calls() {
            return self.model.reply(request, on_delta).await;
        }
        let mut failure = None;
        let mut left = self.tries;
        let attempt =
            Attempt { retry: self, request, on_delta, heard: false, left: &mut left, failure: &mut failure };
        let report = Loop::new(attempt)
            .until(condition_fn(|step: &Step<Reply>, _| step.output().is_some()))
            .at_most(self.tries)
            .pace(self.pace)
            .run()
            .await;
        let Ok(report) = report else { unreachable!("the loop has a goal and a bound") };
        match (report.output(), failure) {
            (Some(reply), _) => Ok(reply.clone()),
            (None, Some(error)) => Err(error),
            (None, None) => unreachable!("a try without a reply has an error"),
        }
    }
}

/// One attempt.
struct Attempt<'a, M> {
    retry: &'a Retry<M>,
    request: Request<'a>,
    on_delta: OnDelta<'a>,
    /// Whether pieces of an earlier attempt were passed on.
    heard: bool,
    /// The remaining attempts. The loop's own bound does not count deferred ones.
    left: &'a mut u64,
    /// The error itself, because the loop keeps only its text.
    failure: &'a mut Option<ModelError>,
}

#[async_trait]
impl<M: ChatModel> Iteration for Attempt<'_, M> {
    type Output = Reply;

    async fn run(&mut self, _cx: IterationContext<Reply>) -> Result<Reply, IterationError> {
        *self.left -= 1;
        if std::mem::take(&mut self.heard) {
            (self.on_delta)(Delta::Restarted);
        }
        let Self { heard, on_delta, .. } = self;
        let mut listen = |delta: Delta<'_>| {
            *heard = true;
            on_delta(delta);
        };
        let error = match self.retry.model.reply(self.request, &mut listen).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let next = match error.kind() {
            _ if *self.left == 0 => given_up(&error),
            ModelErrorKind::RateLimited { reset: Some(reset) } if reset <= self.retry.max_wait => {
                WorkError::Later { after: reset }
            }
            ModelErrorKind::RateLimited { reset: Some(_) } => given_up(&error),
            // Somebody has waited for ten minutes already.
            ModelErrorKind::Silent => given_up(&error),
            kind if kind.is_passing() => WorkError::failed(error.to_string()),
            _ => given_up(&error),
        };
        let (usage, kind) = (error.usage(), error.kind());
        *self.failure = Some(error);
        if matches!(next, WorkError::Halt(_)) {
            return Err(next);
        }
        // After pieces of a reply, `Restarted` says enough.
        if !self.heard {
            (self.on_delta)(Delta::Retrying(kind));
        }
        if !usage.is_unknown() {
            (self.on_delta)(Delta::Used(usage));
            tokio::time::sleep(self.retry.overrun.saturating_mul(2)).await;
        }
        Err(next)
    }
}

fn given_up(error: &ModelError) -> WorkError {
    Halt::new(StopReason::Failed, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::Usage;
    use loop_guardrails::MaxTokens;
    use proptest::{collection::vec, prelude::*};
    use serde_json::json;
    use tokio::time::Instant;

    use super::{
        super::{AnsweredCall, Message, ScriptedModel, ToolCall},
        *,
    };

    fn any_kind() -> impl Strategy<Value = ModelErrorKind> {
        prop_oneof![
            Just(ModelErrorKind::ServerFailed),
            Just(ModelErrorKind::Unreachable),
            Just(ModelErrorKind::Unauthorized),
            Just(ModelErrorKind::TooLong),
            Just(ModelErrorKind::Silent),
            (0..120_u64).prop_map(|seconds| ModelErrorKind::RateLimited {
                reset: Some(Duration::from_secs(seconds))
            }),
            Just(ModelErrorKind::RateLimited { reset: None }),
        ]
    }

    fn script(kinds: &[ModelErrorKind]) -> ScriptedModel {
        kinds.iter().fold(ScriptedModel::new(), |model, kind| model.fails(*kind)).says("at last")
    }

    async fn ask(model: &ScriptedModel, messages: &[Message]) -> (Result<Reply, ModelError>, Duration) {
        let began = Instant::now();
        let reply = Retry::new(model.clone()).reply(Request::new(messages), &mut |_| {}).await;
        (reply, began.elapsed())
    }

    fn on_virtual_time<T>(work: impl Future<Output = T>) -> T {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
    }

    proptest! {
        /// It retries exactly while the errors are passing, makes at most four attempts, and waits for the end of a
        /// limit.
        #[test]
        fn it_is_asked_again_while_that_may_help(kinds in vec(any_kind(), 0..6)) {
            let model = script(&kinds);
            let (reply, waited) = on_virtual_time(ask(&model, &[Message::user("hi")]));
            let waits = |kind: &ModelErrorKind| match kind {
                ModelErrorKind::RateLimited { reset: Some(reset) } => reset.as_secs() <= 60,
                kind => kind.is_passing() && *kind != ModelErrorKind::Silent,
            };
            let passing = kinds.iter().take_while(|kind| waits(kind)).count();
            let asked = (passing + 1).min(4);
            prop_assert_eq!(model.requests().len(), asked);
            prop_assert_eq!(reply.is_ok(), passing == kinds.len() && passing < 4);
            if let Err(error) = reply {
                prop_assert_eq!(error.kind(), kinds[asked - 1]);
            }
            let limits: Duration = kinds[..asked - 1].iter().filter_map(|kind| match kind {
                ModelErrorKind::RateLimited { reset } => *reset,
                _ => None,
            }).sum();
            prop_assert!(waited >= limits, "{:?} of {:?}", waited, limits);
        }

        /// It reports the usage of each attempt once: with the next attempt, the reply, or the error.
        #[test]
        fn nothing_that_a_try_used_is_lost(tries in vec((any_kind(), 0..1000_u64), 0..6)) {
            let used = |tokens: u64| match tokens {
                0 => Usage::unknown(),
                tokens => Usage::unknown().with_tokens(tokens, 1),
            };
            let model = tries.iter().fold(ScriptedModel::new(), |model, (kind, tokens)| model.fails_after(*kind, used(*tokens)));
            let model = model.replies(Reply::text("at last").with_usage(used(7)));
            let mut told = Usage::unknown();
            let mut listen = |delta: Delta<'_>| if let Delta::Used(usage) = delta { told += usage };
            let messages = [Message::user("hi")];
            let reply = on_virtual_time(Retry::new(model.clone()).reply(Request::new(&messages), &mut listen));
            told += reply.map_or_else(|error| error.usage(), |reply| reply.usage);
            let made = tries.iter().map(|(_, tokens)| *tokens).chain([7]).take(model.requests().len());
            prop_assert_eq!(told, made.map(used).fold(Usage::unknown(), |sum, usage| sum + usage));
        }

        /// After a tool call it does not retry.
        #[test]
        fn a_turn_that_called_a_tool_is_not_asked_again(kind in any_kind()) {
            let model = script(&[kind]);
            let call = AnsweredCall { call: ToolCall::new("c", "t", json!({})), result: "r".into() };
            let messages = [Message::user("hi"), Message::Assistant { text: String::new(), calls: vec![call] }];
            let (reply, _) = on_virtual_time(ask(&model, &messages));
            prop_assert_eq!(reply.unwrap_err().kind(), kind);
            prop_assert_eq!(model.requests().len(), 1);
        }
    }

    /// Reports the usage of its attempts, and ends when its loop cancels it.
    struct Asks(Retry<ScriptedModel>);

    #[async_trait]
    impl Iteration for Asks {
        type Output = Reply;
        async fn run(&mut self, cx: IterationContext<Reply>) -> Result<Reply, IterationError> {
            let (meter, messages) = (cx.meter(), [Message::user("hi")]);
            let mut listen = |delta: Delta<'_>| {
                if let Delta::Used(usage) = delta {
                    meter.add(usage);
                }
            };
            tokio::select! {
                biased;
                reply = self.0.reply(Request::new(&messages), &mut listen) => Ok(reply?),
                () = cx.cancelled() => Err(WorkError::failed("interrupted")),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_try_begins_when_the_one_before_has_used_up_a_budget() {
        for overrun in [DEFAULT_OVERRUN, Duration::from_secs(1)] {
            let model = ScriptedModel::new();
            let model =
                model.fails_after(ModelErrorKind::CutOff, Usage::unknown().with_tokens(10, 1)).says("no");
            let asks = Asks(Retry::new(model.clone()).overrun(overrun));
            let run = Loop::new(asks).until(loop_core::never()).at_most(1).guard(MaxTokens::new(5));
            let report = run.overrun(overrun).run().await.unwrap();
            assert_eq!(report.reason(), Some(&StopReason::TokensExceeded));
            assert_eq!(model.requests().len(), 1, "with {overrun:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_heard_of_a_broken_reply_is_taken_back() {
        struct Breaks(ScriptedModel);
        #[async_trait]
        impl ChatModel for Breaks {
            fn name(&self) -> &str {
                "breaks"
            }
            async fn reply(&self, request: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
                on_delta(Delta::Text("Once "));
                self.0.reply(request, on_delta).await
            }
        }
        let mut heard = Vec::new();
        let model = Retry::new(Breaks(script(&[ModelErrorKind::CutOff])));
        let mut listen = |delta: Delta<'_>| heard.push(format!("{delta:?}"));
        model.reply(Request::new(&[Message::user("hi")]), &mut listen).await.unwrap();
        assert_eq!(heard, [r#"Text("Once ")"#, "Restarted", r#"Text("Once ")"#, r#"Text("at last")"#]);
    }
}
