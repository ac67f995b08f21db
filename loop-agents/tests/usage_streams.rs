//! Streams that differ from what their agents intended: mixed with other output, repeated, cut, or in another format.
//! The reader counts each readable part once, and notes the others.

use std::{fs, path::Path};

use loop_agents::usage::{AgentReport, Format, Prices, UsageReader};
use loop_core::{Cost, CostQuality, Usage, Usd};
use serde_json::{Value, json};

fn prices() -> Prices {
    let table = r#"{"date": "2026-07-17", "usd_per_million_tokens": {"m": {"input": 1, "output": 10}}}"#;
    Prices::from_json(table).expect("a price table")
}

/// Returns the usage reported to a meter, and the reading.
fn read(format: Format, stream: &str) -> (Usage, AgentReport) {
    let mut reader = UsageReader::new(format, prices());
    let told = reader.feed(stream.as_bytes());
    let reading = reader.finish();
    (told + reading.last, reading)
}

fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/streams").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns a message of claude from this model.
fn message(id: &str, model: &str, words: &str) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null, "message": {"id": id, "model": model,
        "content": [{"type": "text", "text": words}], "usage": {"input_tokens": 100, "output_tokens": 3}}})
}

fn result(fields: &Value) -> Value {
    let mut result = json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"});
    result.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    result
}

fn pi(id: &str, model: &str, usd: f64) -> Value {
    json!({"type": "message_end", "message": {"role": "assistant", "responseId": id, "model": model, "content": [],
        "usage": {"input": 100, "output": 1, "cost": {"total": usd}}}})
}

#[test]
fn a_key_that_appears_twice_is_refused_in_every_stream() {
    let streams = [
        (
            Format::ClaudeStreamJson,
            r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"x",
                "usage":{"input_tokens":5,"output_tokens":1},"total_cost_usd":0.02,"total_cost_usd":0}"#,
        ),
        (
            Format::CodexJson,
            r#"{"type":"turn.completed","usage":{"input_tokens":100,"input_\u0074okens":0,"output_tokens":3}}"#,
        ),
        (
            Format::GeminiJson,
            r#"{"response":"x","stats":{"models":{"m":{"tokens":{"prompt":9,"candidates":3}}}},
                "stats":{"models":{"m":{"tokens":{"prompt":0,"candidates":0}}}}}"#,
        ),
        (
            Format::OpencodeJson,
            r#"{"type":"step_finish","part":{"id":"p","tokens":{"input":1,"output":1},"cost":0.02,"cost":0}}"#,
        ),
        (
            Format::PiJson,
            r#"{"type":"message_end","message":{"role":"assistant","responseId":"r","content":[],
                "usage":{"input":5,"output":1,"cost":{"total":0.02,"total":0}}}}"#,
        ),
    ];
    for (format, stream) in streams {
        let (told, reading) = read(format, &(stream.replace('\n', "") + "\n"));
        let is_known = told.cost.is_some_and(|cost| cost.quality == CostQuality::Known);
        assert!(!is_known, "{format}: {told:?}");
        assert_ne!(told.input_tokens, Some(0), "{format}");
        let warned = reading.notes.iter().any(|note| note.contains("appears twice in one object"));
        assert!(warned, "{format}: {:?}", reading.notes);
    }
}

#[test]
fn a_message_without_a_price_makes_the_sum_a_lower_bound() {
    let stream = lines(&[pi("a", "m", 0.5), pi("b", "home-made", 0.0)]);
    let expected = Some(Cost::at_least(Usd::micros(500_000)));
    let (told, reading) = read(Format::PiJson, &stream);
    assert_eq!((told.cost, reading.total.cost), (expected, expected));
    let (told, _) = read(Format::PiJson, &lines(&[pi("b", "home-made", 0.0), pi("a", "m", 0.5)]));
    assert_eq!(told.cost, expected);
}

#[test]
fn an_agent_has_come_to_its_end_only_if_its_stream_says_so() {
    let said = message("a", "m", "STATUS: COMPLETE");
    let mut cut = said.clone();
    cut["message"]["stop_reason"] = "max_tokens".into();
    let ended = |how: &Value| result(how);
    let spoken = json!({"type": "item.completed", "item": {"type": "agent_message", "text": "done"}});
    let turn = json!({"type": "turn.completed", "usage": {}});
    let stopped = |reason: &str| {
        let mut answer = pi("a", "m", 0.5);
        answer["message"]["stopReason"] = reason.into();
        vec![answer]
    };
    let (claude, codex, pi) = (Format::ClaudeStreamJson, Format::CodexJson, Format::PiJson);
    for (format, stream, is_end) in [
        (claude, vec![said.clone(), ended(&json!({}))], true),
        (claude, vec![said.clone(), ended(&json!({"stop_reason": "end_turn"}))], true),
        (claude, vec![cut.clone(), said.clone(), ended(&json!({}))], true),
        (claude, vec![said.clone()], false),
        (claude, vec![ended(&json!({})), said.clone()], false),
        (claude, vec![cut, ended(&json!({}))], false),
        (claude, vec![said.clone(), ended(&json!({"stop_reason": "max_tokens"}))], false),
        (claude, vec![said, ended(&json!({"subtype": "error_max_turns"}))], false),
        (codex, vec![spoken.clone(), turn.clone()], true),
        (codex, vec![spoken.clone()], false),
        (codex, vec![turn, spoken], false),
        (pi, stopped("stop"), true),
        (pi, stopped("length"), false),
        (pi, stopped("toolUse"), false),
    ] {
        let (_, reading) = read(format, &lines(&stream));
        assert_eq!(reading.unfinished.is_none(), is_end, "{stream:?}");
    }
    // The output is not a stream of this kind, so only the exit code counts.
    assert_eq!(read(claude, "STATUS: COMPLETE\n").1.unfinished, None);
}

#[test]
fn a_document_counts_whatever_stands_around_it() {
    let document = recorded("gemini/tool.stdout");
    let (expected, _) = read(Format::GeminiJson, &document);
    assert!(expected.tokens() > Some(0));
    let document = document.trim_end();
    for around in [
        format!("{document} bye\n"),
        format!("Loaded cached credentials.\n{document}\nbye\n"),
        format!("\u{feff}{document}"),
        document.replace('\n', "\r\n"),
        format!("{{\n{document}"),
        format!("{{ not JSON, and of several\nlines\n{document}"),
        format!("{document}{{"),
    ] {
        assert_eq!(read(Format::GeminiJson, &around).0, expected, "{around}");
    }
}

#[test]
fn a_brace_that_is_never_closed_takes_no_line_with_it() {
    let stream = recorded("gemini/stream.stdout");
    let (expected, _) = read(Format::GeminiJson, &stream);
    assert_eq!(read(Format::GeminiJson, &format!("{{\n{stream}")).0, expected);
    for (name, format) in [("pi/tool", Format::PiJson), ("codex/tool", Format::CodexJson)] {
        let stream = recorded(&format!("{name}.stdout"));
        let (expected, _) = read(format, &stream);
        assert_eq!(read(format, &format!("fn main() {{\n{{ \n{stream}")).0, expected, "{name}");
    }
}

#[test]
fn a_document_that_is_cut_is_noted() {
    let document = recorded("gemini/tool.stdout");
    let end = document[..document.len() / 2].rfind('\n').expect("several lines");
    let (told, reading) = read(Format::GeminiJson, &document[..end]);
    assert!(told.is_unknown());
    assert_eq!(reading.notes[0], "an object began and did not end, so it counts as text");
}

#[test]
fn two_objects_on_one_line_both_count() {
    let stream = format!("{}{}\n", pi("a", "m", 0.5), pi("b", "m", 0.25));
    assert_eq!(read(Format::PiJson, &stream).0.cost, Some(Cost::known(Usd::micros(750_000))));
}

#[test]
fn a_mark_at_the_start_of_a_stream_hides_nothing() {
    let stream = format!("\u{feff}{}", lines(&[pi("a", "m", 0.5)]));
    let (told, reading) = read(Format::PiJson, &stream);
    assert_eq!((told.tokens(), reading.notes), (Some(101), vec![]));
}

#[test]
fn the_json_of_another_agent_is_noted() {
    let streams = [
        ("claude/tool", Format::ClaudeStreamJson),
        ("codex/tool", Format::CodexJson),
        ("gemini/stream", Format::GeminiJson),
        ("gemini/tool", Format::GeminiJson),
        ("opencode/tool", Format::OpencodeJson),
        ("pi/tool", Format::PiJson),
    ];
    for (name, own) in streams {
        let stream = recorded(&format!("{name}.stdout"));
        for format in [own].into_iter().chain(streams.map(|(_, format)| format)) {
            let (_, reading) = read(format, &stream);
            let noted =
                reading.notes.iter().any(|note| note.starts_with("the agent printed nothing in the format"));
            assert_eq!(noted, format != own, "{name} as {format}: {:?}", reading.notes);
        }
    }
}

#[test]
fn an_agent_that_is_cut_at_once_has_its_format_all_the_same() {
    for (name, format) in [
        ("claude/tool", Format::ClaudeStreamJson),
        ("codex/tool", Format::CodexJson),
        ("opencode/tool", Format::OpencodeJson),
        ("pi/tool", Format::PiJson),
    ] {
        let stream = recorded(&format!("{name}.stdout"));
        let first = stream.lines().next().expect("a line");
        assert_eq!(read(format, first).1.notes, [""; 0], "{name}");
    }
}

#[test]
fn a_stream_that_is_said_twice_counts_once_in_whichever_order() {
    for (name, format) in [
        ("claude/tool", Format::ClaudeStreamJson),
        ("codex/resumed-second", Format::CodexJson),
        ("gemini/stream", Format::GeminiJson),
        ("opencode/tool", Format::OpencodeJson),
        ("pi/tool", Format::PiJson),
    ] {
        let stream = recorded(&format!("{name}.stdout"));
        let reversed: String = stream.lines().rev().map(|line| format!("{line}\n")).collect();
        let (expected, _) = read(format, &stream);
        for again in [&stream, &reversed] {
            let (told, _) = read(format, &format!("{stream}{again}"));
            assert_eq!((told.tokens(), told.cost), (expected.tokens(), expected.cost), "{name}");
        }
    }
    let turns = [message("a", "m", ""), message("b", "m", "")];
    let totals = [500, 1000].map(|input| {
        result(
            &json!({"total_cost_usd": 0.001, "modelUsage": {"m": {"inputTokens": input, "outputTokens": 4}}}),
        )
    });
    let stream = [turns[0].clone(), totals[0].clone(), turns[1].clone(), totals[1].clone()];
    let mut doubled = stream.to_vec();
    doubled.extend(stream.into_iter().rev());
    assert_eq!(read(Format::ClaudeStreamJson, &lines(&doubled)).0.tokens(), Some(1004));
}

#[test]
fn a_total_that_comes_to_what_was_estimated_makes_it_known() {
    let total = |usd: f64| {
        let usage = json!({"m": {"inputTokens": 100, "outputTokens": 3}});
        lines(&[message("a", "m", ""), result(&json!({"total_cost_usd": usd, "modelUsage": usage}))])
    };
    let revised = |usd| read(Format::ClaudeStreamJson, &total(usd)).1.cost_quality;
    assert_eq!(revised(0.002), Some(CostQuality::Known));
    // The meter already got more than the final amount, and a report cannot be withdrawn.
    assert_eq!(revised(0.000_1), None);
    assert_eq!(read(Format::PiJson, &lines(&[pi("a", "m", 0.5)])).1.cost_quality, None);
}

#[test]
fn a_limit_of_the_agents_own_ends_work_that_can_be_judged() {
    for subtype in ["error_max_turns", "error_max_budget_usd"] {
        let ended = result(&json!({"subtype": subtype, "is_error": true, "total_cost_usd": 0.5}));
        let (_, reading) = read(Format::ClaudeStreamJson, &lines(&[message("a", "m", "half of it"), ended]));
        assert_eq!(reading.failure, None);
        assert_eq!(reading.fault, Some(format!("the agent reached its own limit: {subtype}")));
    }
}

#[test]
fn what_the_model_writes_about_limits_is_no_limit() {
    let words = "I added a rate limit: 429, and clients may try again in 5 minutes.";
    let failed = |line: &Value| result(&json!({"is_error": true, "result": words, "api_error_status": line}));
    let limit = |lines_: &[Value]| {
        let (_, reading) = read(Format::ClaudeStreamJson, &lines(lines_));
        reading.failure.expect("a failure").rate_limit
    };
    assert_eq!(limit(&[message("a", "m", words), failed(&Value::Null)]), None);
    // The same words count as the program's own after a message of its own, or together with the status.
    assert!(limit(&[message("a", "<synthetic>", words), failed(&Value::Null)]).is_some());
    assert!(limit(&[message("a", "m", words), failed(&json!(429))]).is_some());
}

#[test]
fn a_result_without_words_leaves_the_last_ones() {
    let stream = lines(&[message("a", "m", "Done."), result(&json!({"result": ""}))]);
    let text = read(Format::ClaudeStreamJson, &stream).1.text.expect("a text");
    assert_eq!(text.to_bytes(), b"Done.");
}
