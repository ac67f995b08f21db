//! Observed behaviour of another agent, with the same inputs. Where it fails its users, these tests require the
//! opposite.

use loop_agents::chat::{Chat, Message, ProseTools, ScriptedModel, TurnLimits, fenced_blocks, written_calls};
use serde::Deserialize;
use serde_json::{Value, json};

use super::workshop;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    area: String,
    input: Value,
    expected: Value,
}

fn cases(area: &str) -> Vec<Case> {
    let all: Cases = serde_json::from_str(include_str!("cases.json")).expect("cases");
    let found: Vec<_> = all.cases.into_iter().filter(|case| case.area == area).collect();
    assert!(!found.is_empty(), "no case of {area}");
    found
}

/// We find the same calls as the other agent, and also parse arguments that were quoted once too often. There such a
/// call fails.
#[test]
fn prose_tool_calls() {
    for case in cases("proseToolCalls") {
        let text = case.input.as_str().unwrap();
        let found: Vec<_> = written_calls(text)
            .into_iter()
            .map(|call| json!({ "id": call.id, "name": call.name, "args": call.arguments }))
            .collect();
        let expected: Vec<_> = case
            .expected
            .as_array()
            .into_iter()
            .flatten()
            .map(|call| {
                let args: Value = serde_json::from_str(call["args"].as_str().unwrap()).unwrap();
                let args = args.as_str().map_or(args.clone(), |quoted| serde_json::from_str(quoted).unwrap());
                json!({ "id": call["id"], "name": call["name"], "args": args })
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// There any fence ends a block, indented fences are ignored, and empty lines at the end are lost. Our blocks follow
/// Markdown, so that a fence quoted in a block arrives unchanged.
#[test]
fn fenced_blocks_are_those_of_markdown() {
    let found: Vec<_> = cases("fencedBlocks")
        .iter()
        .map(|case| {
            let blocks = fenced_blocks(case.input.as_str().unwrap());
            blocks.into_iter().map(|block| (block.language, block.content)).collect::<Vec<_>>()
        })
        .collect();
    let block = |content: &str| vec![("go".to_owned(), content.to_owned())];
    assert_eq!(found, [vec![], block("x"), block("x\n```go\ny"), block("x\n\n")]);
}

/// There the second request has `[done]` in place of the result. Here it has the result, with any room for old results.
#[tokio::test]
async fn tool_results_reach_model() {
    for case in cases("toolResultsReachModel") {
        let (_folder, tools) = workshop();
        let compacted = case.input["tool_result_compaction"].as_bool().unwrap();
        let keep = if compacted { 0 } else { usize::MAX };
        let model = ScriptedModel::new().calls("search_files", json!({ "pattern": "needle" })).says("Found.");
        let mut chat =
            Chat::new(model.clone()).tools(tools).limits(TurnLimits::default().kept_result_bytes(keep));
        let turn = chat.turn("find it").run().await.unwrap();
        assert_eq!(turn.calls.len(), 1);
        let second = &model.requests()[1].messages;
        let result = &second[1].calls()[0];
        assert_eq!((second.len(), result.call.id.as_str()), (2, "c1"));
        assert!(result.result.contains("needle.txt:2:needle here"), "{}", result.result);
    }
}

/// 10 rounds, as there. But the final request without tools contains the results, and not only the conversation from
/// before them.
#[tokio::test]
async fn tool_loop_limit() {
    let expected = cases("toolLoopLimit").remove(0).expected;
    let rounds = expected["tool_rounds"].as_u64().unwrap();
    let (_folder, tools) = workshop();
    let calling = (0..rounds)
        .fold(ScriptedModel::new(), |model, _| model.calls("read_file", json!({ "path": "needle.txt" })));
    let model = calling.says("fallback text");
    let mut chat = Chat::new(model.clone()).tools(tools);
    let turn = chat.turn("go").run().await.unwrap();
    assert_eq!(json!(turn.text), expected["reply"]);
    assert!(turn.out_of_rounds && turn.calls.len() as u64 == rounds);
    let requests = model.requests();
    let (last, before) = requests.split_last().unwrap();
    assert_eq!(before.len() as u64, rounds);
    assert!(before.iter().all(|asked| asked.may_call) && !last.may_call);
    let results: Vec<_> =
        last.messages.iter().flat_map(Message::calls).map(|answered| &answered.result).collect();
    assert_eq!(results.len() as u64, rounds);
    assert!(results.iter().all(|result| result.contains("needle here")));
}

/// There the calls of older rounds are erased, which vendors refuse. Here they stay, with a note in place of the
/// removed result, and the newest result is whole.
#[tokio::test]
async fn tool_compaction() {
    let expected = cases("toolCompaction").remove(0).expected;
    let (folder, tools) = workshop();
    for name in ["first", "second"] {
        std::fs::write(folder.path().join(name), format!("{name} ").repeat(100)).unwrap();
    }
    let read = |name: &str| json!({ "path": name });
    let model = ScriptedModel::new()
        .calls("read_file", read("first"))
        .calls("read_file", read("second"))
        .says("Done.");
    let mut chat = Chat::new(model.clone()).tools(tools).limits(TurnLimits::default().kept_result_bytes(0));
    chat.turn("hi").run().await.unwrap();
    let third = &model.requests()[2].messages;
    // A call and its result are one message here, and two there.
    assert_eq!(1 + 2 * (third.len() - 1), expected.as_array().unwrap().len());
    let answered: Vec<_> = third.iter().flat_map(Message::calls).collect();
    assert_eq!(answered[0].call.arguments, read("first"));
    assert!(answered[0].result.starts_with("(you have read this result of "), "{}", answered[0].result);
    assert!(answered[1].result.contains("second second"), "{}", answered[1].result);
}

/// The model gets a list of the tools in the same turn, so that it can correct itself at once.
#[tokio::test]
async fn unknown_tool_correction() {
    let case = cases("unknownToolCorrection").remove(0);
    assert_eq!(case.input, "reply is one prose call to tool 'nope'");
    let (_folder, tools) = workshop();
    let model = ScriptedModel::new()
        .says("```json\n{\"name\": \"nope\", \"arguments\": {}}\n```")
        .says("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"needle.txt\"}}\n```")
        .says("It is there.");
    let mut chat = Chat::new(ProseTools::new(model.clone())).tools(tools);
    let turn = chat.turn("go").run().await.unwrap();
    assert_eq!(turn.text, "It is there.");
    assert_eq!(turn.calls.iter().map(|call| call.done).collect::<Vec<_>>(), [false, true]);
    let corrected = model.requests()[1].messages.last().unwrap().text().to_owned();
    assert!(
        corrected.contains("nope") && corrected.contains("read_file, run_command, search_files"),
        "{corrected}"
    );
    let roles = |messages: &[Message]| {
        messages.iter().map(|message| matches!(message, Message::User { .. })).collect::<Vec<_>>()
    };
    assert_eq!(roles(&model.requests()[1].messages), [true, false, true], "as there: user, assistant, user");
    assert!(model.requests()[2].messages.last().unwrap().text().contains("needle here"));
}
