//! Usage reports with wrong figures.

use loop_agents::usage::{Format, Prices, UsageReader};
use loop_core::{Cost, CostQuality, Usd};
use serde_json::{Value, json};

use crate::{claude_message, claude_result, read, reader, text};

/// The format, the output of an agent, and the counts in that output.
type Stream = (Format, String, Vec<(&'static str, u64)>);

/// Returns one stream for each format in which an agent reports, with some words in it.
fn streams() -> Vec<Stream> {
    let claude = |mut result: Value, cost: Value| {
        result["total_cost_usd"] = cost;
        text(&[claude_message("a", 100, "many words"), result])
    };
    let turn = |usage: Value| {
        let mut result = claude_result(0.0, 1, 1);
        result["modelUsage"] = Value::Null;
        result["usage"] = usage;
        result
    };
    let codex = [
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "item.completed", "item": {"type": "agent_message", "text": "many words"}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 777, "output_tokens": 888}}),
    ];
    let document = json!({"response": "many words", "stats": {"models": {"m": {"tokens":
        {"prompt": 777, "candidates": 888, "thoughts": 5}}}}});
    let gemini = [
        json!({"type": "message", "role": "assistant", "content": "many words"}),
        json!({"type": "result", "status": "success", "stats": {"models": {"m":
            {"input_tokens": 777, "output_tokens": 888}}}}),
    ];
    let opencode = |cost: Value| {
        text(&[
            json!({"type": "text", "part": {"messageID": "x", "text": "many words"}}),
            json!({"type": "step_finish", "part": {"id": "x", "cost": cost,
                "tokens": {"input": 777, "output": 888, "reasoning": 5}}}),
        ])
    };
    let pi = |cost: Value| {
        text(&[
            json!({"type": "message_end", "message": {"role": "assistant", "responseId": "r", "model": "m",
            "stopReason": "stop", "content": [{"type": "text", "text": "many words"}],
            "usage": {"input": 777, "output": 888, "cost": {"total": cost}}}}),
        ])
    };
    let (short, long) =
        (vec![("input", 777), ("output", 888)], vec![("input_tokens", 777), ("output_tokens", 888)]);
    let models = vec![("inputTokens", 777), ("outputTokens", 888)];
    let result = claude_result(0.0, 777, 888);
    let of_turn = turn(json!({"input_tokens": 777, "output_tokens": 888}));
    vec![
        (Format::ClaudeStreamJson, claude(result.clone(), json!(0.5)), models.clone()),
        (Format::ClaudeStreamJson, claude(result, Value::Null), models),
        (Format::ClaudeStreamJson, claude(of_turn.clone(), json!(0.5)), long.clone()),
        (Format::ClaudeStreamJson, claude(of_turn, json!(0)), long.clone()),
        (Format::CodexJson, text(&codex), long.clone()),
        (Format::GeminiJson, document.to_string(), vec![("prompt", 777), ("candidates", 888)]),
        (Format::GeminiJson, text(&gemini), long),
        (Format::OpencodeJson, opencode(json!(0.5)), short.clone()),
        (Format::OpencodeJson, opencode(json!(0)), short.clone()),
        (Format::PiJson, pi(json!(0.5)), short.clone()),
        (Format::PiJson, pi(json!(0)), short),
    ]
}

fn cost_of(mut reader: UsageReader, stream: &str) -> (Option<Cost>, Option<Cost>) {
    let told = reader.feed(stream.as_bytes());
    let reading = reader.finish();
    (reading.total.cost, (told + reading.last).cost)
}

#[test]
fn a_count_that_is_none_makes_the_cost_a_lower_bound() {
    for (format, stream, counts) in streams() {
        let (whole, _) = cost_of(reader(format).model("m"), &stream);
        assert!(whole.is_some_and(|cost| cost.quality < CostQuality::Partial), "{format}: {whole:?}");
        for (name, count) in counts {
            let written = format!("\"{name}\":{count}");
            assert!(stream.contains(&written), "{format}: {written}");
            let values = ["null", "0", "-5", "1e23", "1e300", "99999999999999999999", "1.5", "\"7\"", "[7]"];
            let mut wrong: Vec<_> = values.iter().map(|value| format!("\"{name}\":{value}")).collect();
            wrong.push("\"nothing\":1".to_owned());
            wrong.push(format!("{written},\"{name}\":1"));
            wrong.push(format!("\"{name}\":1,{written}"));
            for wrong in wrong {
                let (total, told) = cost_of(reader(format).model("m"), &stream.replace(&written, &wrong));
                for cost in [total, told] {
                    let quality = cost.map(|cost| cost.quality);
                    assert_eq!(quality, Some(CostQuality::Partial), "{format}: {wrong} in {stream}");
                }
            }
        }
    }
}

#[test]
fn a_message_without_figures_beside_one_with_them_makes_a_lower_bound() {
    let message = |id: &str, usage: Value| {
        json!({"type": "message_end", "message": {"role": "assistant", "responseId": id, "model": "m",
            "stopReason": "stop", "content": [{"type": "text", "text": "many words"}], "usage": usage}})
    };
    let lines = [message("a", json!({"input": 5, "output": 5})), message("b", Value::Null)];
    let cost = read(Format::PiJson, &lines).total.cost;
    assert_eq!(cost.map(|cost| cost.quality), Some(CostQuality::Partial));
}

#[test]
fn a_model_without_a_price_to_pay_stays_free() {
    let table = r#"{"date":"","usd_per_million_tokens":{"m":{"input":0,"output":0}}}"#;
    for (format, stream, counts) in streams().into_iter().filter(|(_, stream, _)| !stream.contains("0.5")) {
        for (name, count) in counts {
            let stream = stream.replace(&format!("\"{name}\":{count}"), "\"nothing\":1");
            let prices = Prices::from_json(table).expect("prices");
            let (total, _) = cost_of(UsageReader::new(format, prices).model("m"), &stream);
            assert_eq!(total, Some(Cost::estimated(Usd::ZERO)), "{format}: {stream}");
        }
    }
}
