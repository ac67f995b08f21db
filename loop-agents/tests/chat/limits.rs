//! Limits in time, on virtual time.

use std::time::Duration;

use loop_agents::chat::{Chat, ChatModel, ModelError, OnDelta, Reply, Request, TurnError, TurnLimits};
use loop_core::StopReason;
use tokio::time::Instant;

/// Never answers.
struct Hangs;

#[loop_core::async_trait]
impl ChatModel for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }
    async fn reply(&self, _: Request<'_>, _: OnDelta<'_>) -> Result<Reply, ModelError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_at_its_time_whatever_the_model_does() {
    let began = Instant::now();
    let mut chat = Chat::new(Hangs).limits(TurnLimits::default().time(Duration::from_secs(90)));
    match chat.turn("go").run().await.unwrap_err() {
        TurnError::Limit { halt, .. } => assert_eq!(halt.reason, StopReason::TimeExceeded),
        other => panic!("{other}"),
    }
    assert_eq!(began.elapsed(), Duration::from_secs(90));
}
