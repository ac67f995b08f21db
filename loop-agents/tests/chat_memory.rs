//! The memory of a long conversation. This test has a separate process, because it measures the whole process.
#![cfg(feature = "chat")]
#![cfg(all(test, target_os = "linux"))]

use std::fs;

use async_trait::async_trait;
use loop_agents::chat::{Chat, ChatModel, History, Message, ModelError, OnDelta, Reply, Request};

const MESSAGES: usize = 10_000;

/// Answers with the number of messages in the request.
struct Counts;

#[async_trait]
impl ChatModel for Counts {
    fn name(&self) -> &str {
        "counts"
    }
    async fn reply(&self, request: Request<'_>, _: OnDelta<'_>) -> Result<Reply, ModelError> {
        Ok(Reply::text(request.messages.len().to_string()))
    }
}

/// Returns the peak memory of this process in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("what the kernel knows of us");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().strip_suffix(" kB").and_then(|peak| peak.parse::<u64>().ok()).expect("kibibytes") * 1024
}

#[tokio::test]
async fn ten_thousand_messages_take_less_than_100_mib() {
    let text = |number: usize| format!("{number}: {}", "what was said. ".repeat(64));
    let said = (0..MESSAGES).map(|number| match number % 2 {
        0 => Message::user(text(number)),
        _ => Message::assistant(text(number)),
    });
    let mut chat = Chat::new(Counts).with_history(said.collect::<History>());
    assert_eq!(chat.turn("How many?").run().await.unwrap().text, "10001");
    assert!(chat.measure().tokens > 2_000_000);
    let summary = chat.summarise().run().await.unwrap();
    assert_eq!(summary.text, (summary.replaced + 1).to_string());
    let peak = peak();
    assert!(peak < 100 << 20, "{peak} bytes");
}
