//! The memory for a long session, measured in a separate process.

#![cfg(all(test, target_os = "linux"))]

use std::fs;

use jiff::Timestamp;
use loop_core::Usage;
use loop_telemetry::transcript::{ConversationChange, SessionInfo, SessionStore, TranscriptEntry};

const MESSAGES: usize = 10_000;
const TURN: usize = 20;

/// Returns the peak memory of this process, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("what the kernel knows of us");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().strip_suffix(" kB").and_then(|peak| peak.parse::<u64>().ok()).expect("kibibytes") * 1024
}

#[test]
fn ten_thousand_messages_are_written_and_restored_within_100_mib() {
    let state = tempfile::tempdir().unwrap();
    let store = SessionStore::at(state.path());
    let info = SessionInfo::new("s", "/ws", "qwen3", Timestamp::UNIX_EPOCH);
    let mut transcript = store.begin::<String>(&info, || Timestamp::UNIX_EPOCH).unwrap();
    let said = |number: usize| format!("{number}: {}", "what was said. ".repeat(64));
    // We use turns of many messages, because each end of a turn waits for the disk.
    for first in (0..MESSAGES).step_by(TURN) {
        let messages: Vec<_> = (first..first + TURN).map(said).collect();
        let model = "qwen3".to_owned();
        transcript.append(&TranscriptEntry::Asked { prompt: said(first), model: model.clone() }).unwrap();
        let change = ConversationChange { kept: first, messages };
        transcript.append(&TranscriptEntry::Answered { change, usage: Usage::unknown(), model }).unwrap();
    }
    drop(transcript);
    let (_transcript, conversation) = store.resume::<String>("s", || Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(conversation.messages.len(), MESSAGES);
    assert_eq!(conversation.messages[MESSAGES - 1], said(MESSAGES - 1));
    let peak = peak();
    assert!(peak < 100 << 20, "{peak} bytes");
}
