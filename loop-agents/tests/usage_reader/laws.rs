//! Laws that hold for any stream.

use loop_agents::usage::Format;
use loop_core::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{claude_message, pi_message, reader};

/// Generates a line that some format could understand, or arbitrary bytes.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        (0_u64..1000).prop_map(|n| json!(n)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|n| json!(n)),
        Just(Value::Null),
        Just(json!("7")),
        Just(json!({"m": [1]})),
    ];
    let lines = (any::<prop::sample::Index>(), number.clone(), number, "[abc]?", any::<bool>()).prop_map(
        |(which, one, two, id, flag)| {
            let lines = [
                claude_message(&id, 5, &id),
                json!({"type": "result", "is_error": flag, "result": one, "session_id": id,
                    "total_cost_usd": two, "usage": {"input_tokens": one, "output_tokens": two}}),
                json!({"type": "stream_event", "parent_tool_use_id": one, "event": {"type": "message_start",
                    "message": {"id": id, "model": "m", "usage": {"input_tokens": one}}}}),
                json!({"type": "stream_event", "parent_tool_use_id": one,
                    "event": {"type": "message_delta", "usage": {"output_tokens": two}}}),
                json!({"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": one}}),
                json!({"type": "thread.started", "thread_id": id}),
                json!({"type": "turn.completed", "usage": {"input_tokens": one, "cached_input_tokens": two}}),
                json!({"type": "turn.failed", "error": one}),
                json!({"type": "error", "error": {"data": two}, "message": id}),
                json!({"type": "step_finish", "part": {"id": id, "cost": one, "tokens": {"input": two, "output": one}}}),
                json!({"type": "text", "part": {"messageID": id, "text": id}}),
                pi_message(&id, &one, &two),
                json!({"response": id, "stats": {"models": {"m": {"tokens": {"prompt": one, "cached": two}}}}}),
            ];
            let line = which.get(&lines);
            if flag { line.to_string() } else { format!("{line:#}") }.into_bytes()
        },
    );
    prop_oneof![
        8 => lines,
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => "[{}\\[\\]\":,a-z0-9é ]{0,40}".prop_map(String::into_bytes),
    ]
}

fn format() -> impl Strategy<Value = Format> {
    prop::sample::select(Format::ALL.to_vec())
}

/// Checks that no input panics, and that the usage reported on the way never falls short of the final result.
fn obeys(format: Format, lines: &[Vec<u8>], cuts: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let stream = lines.join(&b'\n');
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
    cuts.extend([0, stream.len()]);
    cuts.sort_unstable();

    let mut whole = reader(format).model("m");
    let mut told = whole.feed(&stream);
    let reading = whole.finish();
    told += reading.last;

    let mut torn = reader(format).model("m");
    let mut torn_told = Usage::unknown();
    for ends in cuts.windows(2) {
        torn_told += torn.feed(&stream[ends[0]..ends[1]]);
    }
    let torn_reading = torn.finish();
    torn_told += torn_reading.last;

    prop_assert_eq!(torn_reading.total, reading.total);
    prop_assert_eq!(torn_reading.failure, reading.failure);
    prop_assert_eq!(torn_reading.notes, reading.notes);
    prop_assert_eq!(torn_told, told);
    prop_assert!(told.tokens() >= reading.total.tokens());
    Ok(())
}

proptest! {
    #[test]
    fn any_stream_says_the_same_however_it_is_torn(
        format in format(),
        lines in prop::collection::vec(line(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        obeys(format, &lines, &cuts)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50_000))]

    /// A million lines and more; about a minute in an optimized build.
    #[test]
    #[ignore = "a million lines: for the nightly run"]
    fn a_million_lines_are_no_reason_to_panic(
        format in format(),
        lines in prop::collection::vec(line(), 15..30),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        obeys(format, &lines, &cuts)?;
    }
}
