//! The streams that servers send back.

use loop_agents::{
    chat::{Chat, Delta, Endpoint, GenaiModel, Reply, Retry, TurnEvent, Vendor},
    tools::Toolbox,
};
use loop_core::Usage;
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use loop_testing::{Answer, Call, Gate};
use serde_json::json;

use super::{VENDORS, ask, ask_and_record, model, serve};

/// The server sends a piece only after the client has seen the one before.
#[tokio::test]
async fn each_piece_is_seen_before_the_next_is_sent() {
    for vendor in VENDORS {
        let gate = Gate::new();
        let pieces = ["One ", "two ", "thr", "ee."];
        let server = serve([Answer::deltas(pieces).usage(9, 4).gated(&gate)]).await;
        let mut seen = Vec::new();
        let model = model(vendor, &server);
        let reply = ask_and_record(&model, |delta| {
            if let Delta::Text(text) = delta {
                seen.push(text.to_owned());
                gate.open();
            }
        });
        let reply = reply.await.unwrap();
        assert_eq!(seen, pieces, "{vendor:?}");
        assert_eq!(reply.text, "One two three.");
        assert_eq!(reply.usage.tokens(), Some(13), "{vendor:?}");
        assert!(!reply.truncated && reply.calls.is_empty());
    }
}

#[tokio::test]
async fn calls_come_whole_out_of_their_pieces() {
    for vendor in VENDORS {
        let first = Call::new("call_a", "read_file", ["{\"pa", "th\": \"a", " b.txt\"}"]);
        let second = Call::new("call_b", "whoami", ["{", "}"]);
        let server = serve([Answer::calls([first, second]).usage(9, 4)]).await;
        let reply = ask(&model(vendor, &server)).await.unwrap();
        let calls: Vec<_> =
            reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        let expected = [("read_file", json!({ "path": "a b.txt" })), ("whoami", json!({}))];
        assert_eq!(calls, expected, "{vendor:?}");
        if matches!(vendor, Vendor::OpenAi | Vendor::Anthropic) {
            assert_eq!((reply.calls[0].id.as_str(), reply.calls[1].id.as_str()), ("call_a", "call_b"));
        }
    }
}

/// The `genai` crate fills a gap with copies of the call after it.
#[tokio::test]
async fn a_gap_in_the_numbers_of_calls_makes_no_call() {
    let first = Call::new("call_a", "read_file", ["{\"pa", "th\": \"a\"}"]);
    let second = Call::new("call_b", "whoami", ["{", "}"]);
    let answer = Answer::calls([first, second]).replaced("\"index\":1", "\"index\":3");
    let server = serve([answer]).await;
    let reply = ask(&model(Vendor::OpenAi, &server)).await.unwrap();
    let calls: Vec<_> = reply.calls.iter().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("call_a", json!({ "path": "a" })), ("call_b", json!({}))]);
}

#[tokio::test]
async fn usage_that_is_missing_is_unknown_and_makes_a_sum_partial() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas(["Hello."])]).await;
        let reply = ask(&model(vendor, &server)).await.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.usage),
            ("Hello.", Usage::unknown().with_partial_tokens()),
            "{vendor:?}"
        );
    }
}

#[tokio::test]
async fn a_reply_at_its_greatest_length_is_marked() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas(["Once upon"]).truncated()]).await;
        let reply = ask(&model(vendor, &server)).await.unwrap();
        assert!(reply.truncated, "{vendor:?}");
    }
}

#[tokio::test]
async fn what_a_model_with_a_price_costs_is_estimated() {
    let server = serve([Answer::deltas(["Hi."]).usage(1_000_000, 0)]).await;
    let endpoint = Endpoint::new(Vendor::OpenAi).base_url(server.url());
    let reply: Reply = ask(&GenaiModel::new(endpoint, "gpt-5").unwrap()).await.unwrap();
    assert!(reply.usage.cost.is_some_and(|cost| cost.usd.as_micros() > 0), "{:?}", reply.usage);
}

/// A whole turn with each vendor's protocol: a call, its result, the reply.
#[tokio::test]
async fn a_turn_with_a_tool_works_with_every_vendor() {
    for vendor in VENDORS {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("note"), "forty-two").unwrap();
        let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default()).unwrap());
        let server = serve([
            Answer::calls([Call::new("c1", "read_file", ["{\"path\":", "\"note\"}"])]).usage(100, 10),
            Answer::deltas(["It says ", "forty-two."]).usage(150, 5),
        ]);
        let server = server.await;
        let mut chat = Chat::new(Retry::new(model(vendor, &server))).system("Be short.").tools(tools);
        let mut heard = String::new();
        let turn = chat.turn("What does it say?").on_event(|event| {
            if let TurnEvent::Delta(Delta::Text(text)) = event {
                heard.push_str(text);
            }
        });
        let turn = turn.run().await.unwrap();
        assert_eq!(turn.text, "It says forty-two.", "{vendor:?}");
        assert_eq!((heard.as_str(), turn.usage.tokens()), ("It says forty-two.", Some(265)));
        let second = server.requests()[1].body.to_string();
        assert!(second.contains("forty-two") && second.contains("Be short."), "{vendor:?}: {second}");
    }
}
