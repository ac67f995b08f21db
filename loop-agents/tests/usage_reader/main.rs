//! The oddities of real agents, with one test each, and laws that hold for any stream.

mod figures;
mod laws;

use std::time::{Duration, SystemTime};

use loop_agents::usage::{AgentFailure, AgentReport, Format, Prices, UsageReader};
use loop_core::{Cost, CostQuality, Usage, Usd};
use serde_json::{Value, json};

fn prices() -> Prices {
    let table = json!({"date": "2026-07-17", "usd_per_million_tokens": {
        "m": {"input": 1, "cached_input": 0.1, "cache_write": 2, "output": 10},
    }});
    Prices::from_json(&table.to_string()).expect("a price table")
}

fn reader(format: Format) -> UsageReader {
    UsageReader::new(format, prices())
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn read(format: Format, lines: &[Value]) -> AgentReport {
    let mut reader = reader(format);
    reader.feed(text(lines).as_bytes());
    reader.finish()
}

fn failure(format: Format, lines: &[Value]) -> AgentFailure {
    read(format, lines).failure.expect("a failure")
}

fn estimated(micros: u64) -> Cost {
    Cost::estimated(Usd::micros(micros))
}

fn known(micros: u64) -> Cost {
    Cost::known(Usd::micros(micros))
}

/// Returns a message of claude with `input` tokens, the placeholder of 3 output tokens, and one block.
fn claude_message(id: &str, input: u64, words: &str) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null, "session_id": "s", "message": {
        "id": id, "model": "m", "content": [{"type": "text", "text": words}],
        "usage": {"input_tokens": input, "output_tokens": 3},
    }})
}

fn claude_result(usd: f64, input: u64, output: u64) -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s", "result": "done",
        "total_cost_usd": usd, "modelUsage": {"m": {"inputTokens": input, "outputTokens": output}}})
}

fn pi_message(id: &str, input: &Value, cost: &Value) -> Value {
    json!({"type": "message_end", "message": {"role": "assistant", "responseId": id, "model": "m", "content": [],
        "usage": {"input": input, "output": 1, "cost": {"total": cost}}}})
}

#[test]
fn two_messages_with_one_id_out_of_order_count_once() {
    let (a, b) = (claude_message("a", 100, ""), claude_message("b", 70, ""));
    let reading = read(Format::ClaudeStreamJson, &[a.clone(), b.clone(), a, b]);
    assert_eq!(reading.total.input_tokens, Some(170));
}

#[test]
fn a_placeholder_is_no_output_and_the_price_is_that_of_the_words() {
    let reading = read(Format::ClaudeStreamJson, &[claude_message("a", 100, &"word ".repeat(80))]);
    assert_eq!(reading.total.output_tokens, None);
    assert_eq!(reading.total.cost, Some(estimated(100 + 10 * 100)));
}

#[test]
fn a_total_replaces_the_running_sum_and_makes_the_cost_known() {
    let mut reader = reader(Format::ClaudeStreamJson);
    let first = reader.feed(text(&[claude_message("a", 100, "")]).as_bytes());
    assert_eq!((first.input_tokens, first.cost), (Some(100), Some(estimated(130))));
    let rest = reader.feed(text(&[claude_result(0.002, 120, 50)]).as_bytes());
    // An estimate that was already reported stays an estimate.
    assert_eq!(rest, Usage::unknown().with_tokens(20, 50).with_cost(estimated(1870)));
    assert_eq!(reader.finish().total, Usage::unknown().with_tokens(120, 50).with_cost(known(2000)));
}

#[test]
fn a_total_of_zero_after_a_crash_replaces_nothing() {
    let reading = read(Format::ClaudeStreamJson, &[claude_message("a", 100, ""), claude_result(0.0, 0, 0)]);
    assert_eq!(reading.total.input_tokens, Some(100));
    assert!(reading.notes.iter().any(|note| note.contains("is zero")), "{:?}", reading.notes);
}

#[test]
fn a_lower_total_takes_nothing_back_and_is_noted() {
    let mut reader = reader(Format::ClaudeStreamJson);
    let told = reader.feed(text(&[claude_message("a", 100, "")]).as_bytes());
    let rest = reader.feed(text(&[claude_result(0.000_05, 40, 1)]).as_bytes());
    let reading = reader.finish();
    assert_eq!((told + rest).input_tokens, Some(100));
    assert_eq!(reading.total, Usage::unknown().with_tokens(40, 1).with_cost(known(50)));
    assert!(reading.notes.iter().any(|note| note.contains("less than")), "{:?}", reading.notes);
}

#[test]
fn several_turns_of_one_process_count_once_each() {
    let lines = [
        claude_message("a", 500, ""),
        claude_result(0.005, 500, 48),
        claude_message("b", 500, ""),
        claude_result(0.011, 1000, 96),
    ];
    let total = read(Format::ClaudeStreamJson, &lines).total;
    assert_eq!(total, Usage::unknown().with_tokens(1000, 96).with_cost(known(11_000)));
}

#[test]
fn a_repeated_total_counts_once_and_is_noted() {
    let result = claude_result(0.005, 500, 48);
    let reading = read(Format::ClaudeStreamJson, &[result.clone(), result]);
    assert_eq!(reading.total.cost, Some(known(5000)));
    assert!(reading.notes.iter().any(|note| note.contains("twice")), "{:?}", reading.notes);
}

#[test]
fn a_result_that_says_is_error_is_a_failure() {
    let result =
        json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 500"});
    let failed = failure(Format::ClaudeStreamJson, &[result]);
    assert_eq!((failed.message.as_str(), failed.rate_limit), ("API Error: 500", None));
    let result = json!({"type": "result", "subtype": "error_during_execution", "is_error": false});
    assert_eq!(failure(Format::ClaudeStreamJson, &[result]).message, "error_during_execution");
}

#[test]
fn a_rate_limit_ends_when_a_line_or_the_words_say_so() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_785_000_000);
    let event = json!({"type": "rate_limit_event", "rate_limit_info":
        {"status": "rejected", "resetsAt": 1_785_000_600, "rateLimitType": "five_hour"}});
    let result = json!({"type": "result", "is_error": true, "result": "You've hit your limit"});
    let failed = failure(Format::ClaudeStreamJson, &[event, result]);
    assert_eq!(failed.rate_limit.unwrap().wait(now), Some(Duration::from_secs(600)));
    assert!(failed.to_string().starts_with("the agent reports a rate limit: "), "{failed}");

    let words =
        json!({"type": "result", "is_error": true, "result": "Claude AI usage limit reached|1785000060"});
    let failed = failure(Format::ClaudeStreamJson, &[words]);
    assert_eq!(failed.rate_limit.unwrap().wait(now), Some(Duration::from_secs(60)));
}

#[test]
fn a_limit_that_was_only_announced_is_no_failure() {
    let event = json!({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed_warning"}});
    let reading = read(Format::ClaudeStreamJson, &[event, claude_result(0.1, 5, 5)]);
    assert_eq!(reading.failure, None);
}

#[test]
fn a_subagent_has_no_last_word() {
    let mut inner = claude_message("b", 10, "of the subagent");
    inner["parent_tool_use_id"] = json!("toolu_1");
    let reading = read(Format::ClaudeStreamJson, &[claude_message("a", 10, "of the agent"), inner]);
    assert_eq!(reading.text.unwrap().to_bytes(), b"of the agent");
    assert_eq!(reading.total.input_tokens, Some(20));
}

#[test]
fn an_error_before_another_try_is_no_failure() {
    let thread = json!({"type": "thread.started", "thread_id": "t"});
    let error = json!({"type": "error", "message": "Reconnecting... 1/5"});
    let item = json!({"type": "item.completed", "item": {"type": "error", "message": "a warning"}});
    let done = json!({"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 1}});
    let reading = read(Format::CodexJson, &[thread.clone(), item.clone(), error.clone(), done]);
    assert_eq!((reading.failure, reading.total.tokens()), (None, Some(6)));
    assert_eq!(failure(Format::CodexJson, &[thread, item, error]).message, "Reconnecting... 1/5");
}

#[test]
fn a_cost_of_zero_for_tokens_is_not_believed() {
    let reading = read(Format::PiJson, &[pi_message("a", &json!(100), &json!(0))]);
    assert_eq!(reading.total.cost, Some(estimated(110)));
    let mut unpriced = pi_message("a", &json!(100), &json!(0));
    unpriced["message"]["model"] = json!("home-made");
    let reading = read(Format::PiJson, &[unpriced]);
    assert_eq!(reading.total.cost, Some(Cost::at_least(Usd::ZERO)));
    assert!(reading.notes[0].contains("no price for the model `home-made`"), "{:?}", reading.notes);
}

#[test]
fn negative_and_huge_numbers_are_refused_and_noted() {
    for bad in [json!(-5), json!(1e300), json!(u64::MAX), json!("7"), json!(1.5)] {
        let lines = [pi_message("a", &bad, &bad), pi_message("b", &json!(10), &json!(0.5))];
        let reading = read(Format::PiJson, &lines);
        assert_eq!(reading.total.input_tokens, Some(10), "{bad}");
        assert!(reading.notes.iter().any(|note| note.starts_with("refused: input: ")), "{:?}", reading.notes);
    }
}

#[test]
fn a_number_that_json_does_not_have_is_refused_and_the_others_count() {
    let mut reader = reader(Format::PiJson);
    let line = pi_message("a", &json!(10), &json!("NAN")).to_string().replace("\"NAN\"", "NaN");
    assert_eq!(reader.feed(format!("{line}\n").as_bytes()).input_tokens, Some(10));
    let usage = reader.feed(text(&[pi_message("b", &json!(10), &json!(0.5))]).as_bytes());
    assert_eq!(usage.cost.map(|cost| cost.usd), Some(Usd::micros(500_000)));
    let notes = reader.finish().notes;
    assert!(notes.iter().any(|note| note.starts_with("refused: total: \"NaN\"")), "{notes:?}");
}

#[test]
fn half_of_a_character_and_a_deep_input_hide_no_number_and_no_failure() {
    let half = claude_result(5.0, 100, 10).to_string().replace("\"result\":\"", "\"result\":\"cut \\ud83d ");
    let failed = half.replace("\"is_error\":false", "\"is_error\":true");
    assert!(half.contains("\\ud83d") && half != failed, "{half}");
    for (line, fails) in [(half, false), (failed, true)] {
        let mut reader = reader(Format::ClaudeStreamJson);
        assert_eq!(reader.feed(format!("{line}\n").as_bytes()).cost, Some(known(5_000_000)));
        assert_eq!(reader.finish().failure.is_some(), fails);
    }
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let line = claude_message("a", 1000, "x").to_string();
    let line = line.replace("\"usage\":", &format!("\"input\":{deep},\"usage\":"));
    let mut reader = reader(Format::ClaudeStreamJson);
    assert_eq!(reader.feed(format!("{line}\n").as_bytes()).input_tokens, Some(1000));
}

#[test]
fn a_total_without_a_price_has_that_of_the_model_that_spoke() {
    let mut result = claude_result(0.0, 1, 1);
    result["modelUsage"] = Value::Null;
    result["usage"] = json!({"input_tokens": 1_000_000, "output_tokens": 1});
    let reading = read(Format::ClaudeStreamJson, &[claude_message("a", 1000, "x"), result]);
    assert_eq!(reading.total.cost, Some(estimated(1_000_010)));
}

#[test]
fn a_cost_without_a_count_of_what_was_read_is_a_lower_bound() {
    let mut message = claude_message("a", 1000, "many words, and each of them has its price");
    message["message"]["usage"]["input_tokens"] = json!(-5);
    let reading = read(Format::ClaudeStreamJson, &[message]);
    assert_eq!(
        reading.total.cost.map(|cost| cost.quality),
        Some(CostQuality::Partial),
        "{:?}",
        reading.total
    );
}

#[test]
fn an_answer_whose_id_comes_back_in_the_next_run_or_process_counts_again() {
    let mut reader = reader(Format::PiJson);
    let answer = text(&[pi_message("chatcmpl-7", &json!(10), &json!(2.0))]);
    for _ in 0..2 {
        assert_eq!(reader.feed(answer.as_bytes()).cost, Some(known(2_000_000)));
        assert!(reader.feed(answer.as_bytes()).is_unknown());
        reader.finish();
    }
    for session in ["x", "y"] {
        let process = format!("{}\n{answer}", json!({"type": "session", "id": session}));
        assert_eq!(reader.feed(process.as_bytes()).cost, Some(known(2_000_000)));
    }
}

#[test]
fn what_is_lost_is_noted() {
    let mut reader = reader(Format::ClaudeStreamJson);
    reader.feed(text(&[json!({"type": "system"})]).as_bytes());
    assert!(reader.finish().is_silent);
    reader.feed(format!("done {}\n", claude_result(4.5, 5, 5)).as_bytes());
    assert!(reader.take_notes()[0].contains("follows other text"));
}

#[test]
fn lines_of_a_mebibyte_count_and_endless_ones_harm_no_other() {
    let mut reader = reader(Format::ClaudeStreamJson);
    let long = claude_message("a", 100, &"x".repeat(1024 * 1024));
    assert_eq!(reader.feed(text(&[long]).as_bytes()).input_tokens, Some(100));
    for _ in 0..10 {
        reader.feed(&[b'x'; 1024 * 1024]);
    }
    let usage = reader.feed(format!("\n{}\n", claude_message("b", 7, "")).as_bytes());
    assert_eq!(usage.input_tokens, Some(7));
    let notes = reader.finish().notes;
    assert_eq!(notes, ["refused: a line of more than 8388608 bytes"]);
}

#[test]
fn bytes_that_are_no_text_do_not_hide_the_numbers_beside_them() {
    let mut reader = reader(Format::ClaudeStreamJson);
    let mut line = text(&[claude_message("a", 100, "BYTES")]).into_bytes();
    let at = line.windows(5).position(|window| window == b"BYTES").unwrap();
    line.splice(at..at + 5, [0xff, 0xfe, 0x80]);
    assert_eq!(reader.feed(&line).input_tokens, Some(100));
}

#[test]
fn a_document_that_never_ends_is_given_up() {
    let mut reader = reader(Format::GeminiJson);
    reader.feed(b"{\n");
    for _ in 0..10 {
        reader.feed(format!("{}\n", "x".repeat(1024 * 1024)).as_bytes());
    }
    let document = json!({"response": "hi", "stats": {"models": {"m": {"tokens": {"prompt": 5}}}}});
    reader.feed(format!("{}\n", serde_json::to_string_pretty(&document).unwrap()).as_bytes());
    let reading = reader.finish();
    assert_eq!(reading.total.input_tokens, Some(5));
    assert_eq!(reading.notes, ["refused: an object of more than 8388608 bytes"]);
}

#[test]
fn a_wrong_format_is_noted_with_the_flags_that_are_missing() {
    let mut reader = reader(Format::CodexJson);
    reader.feed(b"I am done.\n");
    let reading = reader.finish();
    assert_eq!(
        reading.notes,
        ["the agent printed nothing in the format codex-json; does it run with `exec --json`?"]
    );
    assert!(reading.text.is_none() && reading.total.is_unknown());
}

#[test]
fn text_says_nothing_whatever_it_looks_like() {
    for format in [Format::Text, Format::UsageFile] {
        let mut reader = reader(format);
        assert!(reader.feed(text(&[claude_result(5.0, 5, 5)]).as_bytes()).is_unknown());
        let reading = reader.finish();
        assert!(reading.total.is_unknown() && reading.text.is_none() && reading.notes.is_empty());
    }
}
