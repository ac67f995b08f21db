//! Laws of a turn.

use std::sync::{Arc, Mutex};

use loop_agents::{
    chat::{
        AnsweredCall, Chat, ChatModel, ContextFill, Delta, History, Message, ModelError, ModelErrorKind,
        OnDelta, ProseTools, Reply, Request, Retry, ScriptedModel, ToolCall, TurnError, TurnEvent,
        TurnLimits,
    },
    tools::Toolbox,
};
use loop_core::{CancellationToken, StopReason, Usage};
use proptest::{collection::vec, prelude::*};
use serde_json::json;

use super::workshop;

fn said(text: &str) -> History {
    [Message::user("before"), Message::assistant(text)].into_iter().collect()
}

/// Cancels at the first request, and then never answers.
struct Cancels(CancellationToken);

#[loop_core::async_trait]
impl ChatModel for Cancels {
    fn name(&self) -> &str {
        "cancels"
    }
    async fn reply(&self, _: Request<'_>, on_delta: OnDelta<'_>) -> Result<Reply, ModelError> {
        on_delta(Delta::Text("Well, "));
        self.0.cancel();
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_cancelled_turn_has_never_been() {
    let token = CancellationToken::new();
    let mut chat = Chat::new(Cancels(token.clone())).with_history(said("hello"));
    let error = chat.turn("and now?").cancel_on(token).run().await.unwrap_err();
    assert!(matches!(error, TurnError::Cancelled { calls: 0 }), "{error}");
    assert_eq!(chat.history(), &said("hello"));
}

#[tokio::test]
async fn a_turn_that_is_cancelled_in_a_call_has_never_been() {
    let (_folder, tools) = workshop();
    let tools = tools.environment([("PATH", std::env::var_os("PATH").unwrap())], &Default::default());
    let token = CancellationToken::new();
    let model = ScriptedModel::new().calls("run_command", json!({ "command": "tail -f needle.txt" }));
    let mut chat = Chat::new(model).tools(tools).with_history(said("hello"));
    let cancel = token.clone();
    let turn = chat.turn("wait").cancel_on(token).on_event(move |event| {
        if let TurnEvent::Calling(_) = event {
            cancel.cancel();
        }
    });
    let error = turn.run().await.unwrap_err();
    assert!(matches!(error, TurnError::Cancelled { .. }), "{error}");
    assert_eq!(chat.history(), &said("hello"));
}

#[tokio::test]
async fn results_that_fill_the_window_are_told_of_before_they_are_sent() {
    let reads = || ScriptedModel::new().calls("read_file", json!({ "path": "long.txt" }));
    for (window, full) in [(10_000, 1), (1_000_000, 0)] {
        let (folder, tools) = workshop();
        std::fs::write(folder.path().join("long.txt"), "a line\n".repeat(8_000)).unwrap();
        // A second call does not repeat the event.
        let model = reads().calls("list_files", json!({})).says("long").with_window(window);
        let mut chat = Chat::new(model.clone()).tools(tools);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (heard, asked) = (seen.clone(), model.clone());
        let turn = chat.turn("read it").on_event(move |event| {
            if let TurnEvent::Full(measure) = event {
                heard.lock().unwrap().push((measure.fill(), asked.requests().len()));
            }
        });
        turn.run().await.unwrap();
        assert_eq!(*seen.lock().unwrap(), vec![(ContextFill::Over, 1); full]);
    }
}

#[tokio::test]
async fn a_turn_that_fails_after_a_call_is_not_tried_again_and_says_what_it_had_done() {
    let (folder, tools) = workshop();
    let model = ScriptedModel::new()
        .calls("write_file", json!({ "path": "made", "content": "x" }))
        .fails(ModelErrorKind::ServerFailed)
        .says("never asked for");
    let mut chat = Chat::new(Retry::new(model.clone())).tools(tools).with_history(said("hello"));
    let error = chat.turn("write").run().await.unwrap_err();
    assert_eq!(error.to_string(), "the model did not answer after 1 tool call");
    assert_eq!(model.requests().len(), 2);
    assert_eq!(chat.history(), &said("hello"));
    assert!(folder.path().join("made").exists());
}

#[tokio::test]
async fn everything_is_heard_in_its_order() {
    let (_folder, tools) = workshop();
    let model = ScriptedModel::new().calls("whoami", json!({})).says("You.");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    let mut chat = Chat::new(model).tools(tools);
    let turn = chat.turn("who?").on_event(move |event| {
        log.lock().unwrap().push(match event {
            TurnEvent::Delta(Delta::Text(text)) => format!("says {text}"),
            TurnEvent::Calling(call) => format!("calls {}", call.name),
            TurnEvent::Called(report) => format!("{:?}", report.outcome),
            other => format!("{other:?}"),
        });
    });
    turn.run().await.unwrap();
    assert_eq!(*heard.lock().unwrap(), ["Replied", "calls whoami", "Done", "says You.", "Replied"]);
}

/// A call in a cut reply may be incomplete, even if it parses.
#[tokio::test]
async fn no_call_of_a_reply_that_was_cut_is_made() {
    let (_folder, tools) = workshop();
    let call = ToolCall::new("c1", "whoami", json!({}));
    let model = ScriptedModel::new().replies(Reply::default().with_call(call).truncated()).says("I see.");
    let mut chat = Chat::new(model.clone()).tools(tools);
    let turn = chat.turn("who?").run().await.unwrap();
    assert!(!turn.calls[0].done && turn.failure().is_none());
    let result = model.requests()[1].messages[1].calls()[0].result.clone();
    assert!(
        result.starts_with("whoami was not called: the reply reached its token limit and was cut"),
        "{result}"
    );
}

#[tokio::test]
async fn who_asks_for_calls_without_rounds_has_not_come_to_an_end() {
    let (_folder, tools) = workshop();
    let call = || ToolCall::new("c1", "whoami", json!({}));
    let model = ScriptedModel::new()
        .replies(Reply::default().with_call(call()))
        .replies(Reply::text("STATUS: COMPLETE").with_call(call()));
    let mut chat = Chat::new(model).tools(tools).limits(TurnLimits::default().rounds(1));
    let turn = chat.turn("go").run().await.unwrap();
    assert!(turn.wanted_calls && turn.failure().is_some());
}

#[tokio::test]
async fn a_prompt_of_nothing_is_refused() {
    let error = Chat::new(ScriptedModel::new()).turn(" \n").run().await.unwrap_err();
    assert!(matches!(error, TurnError::EmptyPrompt));
}

#[tokio::test]
async fn a_model_without_tools_that_calls_one_is_told_so() {
    let model = ScriptedModel::new().calls("read_file", json!({})).says("I see.");
    let mut chat = Chat::new(model.clone());
    assert_eq!(chat.turn("read").run().await.unwrap().text, "I see.");
    assert!(model.requests()[1].messages[1].calls()[0].result.contains("no tools are available"));
}

#[tokio::test]
async fn a_conversation_with_calls_can_be_gone_on_with_in_words() {
    let call = AnsweredCall {
        call: ToolCall::new("c1", "read_file", json!({ "path": "a" })),
        result: "```\nA".into(),
    };
    let before = [
        Message::user("read"),
        Message::Assistant { text: String::new(), calls: vec![call] },
        Message::assistant("It says A."),
    ];
    let model = ScriptedModel::new().says("Yes.");
    let mut chat = Chat::new(ProseTools::new(model.clone())).with_history(before.into_iter().collect());
    chat.turn("sure?").run().await.unwrap();
    let words: Vec<_> =
        model.requests()[0].messages.iter().map(|message| message.text().to_owned()).collect();
    assert_eq!(
        words,
        [
            "read",
            "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\":\"a\"}}\n```",
            "Result of `read_file`:\n````\n```\nA\n````",
            "It says A.",
            "sure?",
        ]
    );
}

/// Builds a script: each number is a round with that many calls, and zero is a reply.
fn scripted(rounds: &[u8]) -> ScriptedModel {
    rounds.iter().fold(ScriptedModel::new(), |model, calls| {
        let call = |index| ToolCall::new(format!("c{index}"), "count", json!({ "path": "needle.txt" }));
        model.replies((0..*calls).fold(Reply::text("hm"), |reply, index| reply.with_call(call(index))))
    })
}

fn counting(folder: &std::path::Path) -> Toolbox {
    use loop_agents::tools::{Tool, ToolContext, ToolError};
    use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

    /// Answers each call with a unique number.
    struct Count(std::sync::atomic::AtomicUsize);

    #[loop_core::async_trait]
    impl Tool for Count {
        type Arguments = serde_json::Value;
        fn name(&self) -> &str {
            "count"
        }
        fn description(&self) -> &str {
            "Counts."
        }
        async fn call(&self, _: serde_json::Value, _: &ToolContext) -> Result<String, ToolError> {
            let number = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(format!("<{number}>{}", "x".repeat(300)))
        }
    }
    Toolbox::new(Workspace::open(folder, ActionPolicy::default()).expect("a workspace")).with(Count(0.into()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// For any calls and any amount of kept results: the request after a call contains the whole result, no request
    /// follows the last allowed one, and the conversation is valid.
    #[test]
    fn every_result_reaches_the_model_whole(rounds in vec(0..4_u8, 1..8), limit in 0..6_u64, keep in 0..2_000_usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut script = rounds.clone();
        script.push(0);
        let model = scripted(&script);
        let limits = TurnLimits::default().rounds(limit).kept_result_bytes(keep);
        let mut chat = Chat::new(model.clone()).tools(counting(folder.path())).limits(limits);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let turn = runtime.block_on(chat.turn("go").run()).unwrap();

        let requests = model.requests();
        let calling = script.iter().take_while(|calls| **calls > 0).count() as u64;
        prop_assert_eq!(requests.len() as u64, calling.min(limit) + 1);
        prop_assert_eq!(turn.out_of_rounds, calling >= limit && script[0..].len() as u64 > limit && calling.min(limit) == limit);
        let mut number = 0;
        for asked in &requests[1..] {
            for answered in asked.messages.last().unwrap().calls() {
                prop_assert_eq!(&answered.result, &format!("<{number}>{}", "x".repeat(300)));
                number += 1;
            }
        }
        prop_assert_eq!(turn.calls.len(), number);
        let history = chat.history().messages().to_vec();
        prop_assert_eq!(&history.iter().cloned().collect::<History>(), chat.history());
    }
}

/// The fewest bytes of a request: its texts, calls and results.
fn sent_bytes(messages: &[Message]) -> usize {
    let calls = messages.iter().flat_map(Message::calls);
    let calls = calls.map(|answered| answered.result.len() + answered.call.arguments.to_string().len());
    messages.iter().map(|message| message.text().len()).sum::<usize>() + calls.sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// If a request is larger than the window, it contains no result that the model has read.
    #[test]
    fn no_request_exceeds_the_window_while_a_read_result_can_be_left_out(
        rounds in vec(0..4_u8, 1..12),
        window in 500..3_000_u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut script = rounds;
        script.push(0);
        let model = scripted(&script).with_window(window);
        let mut chat = Chat::new(model.clone()).tools(counting(folder.path()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(chat.turn("go").run()).unwrap();
        for asked in model.requests() {
            let (last, read) = asked.messages.split_last().unwrap();
            let is_kept = read.iter().flat_map(Message::calls).any(|answered| answered.result.len() > 300);
            let fits = sent_bytes(&asked.messages) as u64 <= window * 4;
            prop_assert!(fits || !is_kept, "{} bytes of {window} tokens", sent_bytes(&asked.messages));
            prop_assert!(last.calls().iter().all(|answered| answered.result.len() > 300));
        }
    }
}

#[tokio::test]
async fn limits_of_a_turn_are_guardrails_of_its_loop() {
    let (_folder, tools) = workshop();
    let reply = |calls: bool| {
        let reply = Reply::text("so").with_usage(Usage::unknown().with_tokens(900, 100));
        if calls { reply.with_call(ToolCall::new("c", "whoami", json!({}))) } else { reply }
    };
    let model = ScriptedModel::new().replies(reply(true)).replies(reply(true)).replies(reply(true));
    let mut chat =
        Chat::new(model).tools(tools).limits(TurnLimits::default().tokens(2_500)).with_history(said("hello"));
    match chat.turn("go").run().await.unwrap_err() {
        TurnError::Limit { halt, calls } => {
            assert_eq!((halt.reason, calls), (StopReason::TokensExceeded, 3));
        }
        other => panic!("{other}"),
    }
    assert_eq!(chat.history(), &said("hello"));

    // The reply that crosses the limit counts, because it is already there.
    let mut chat =
        Chat::new(ScriptedModel::new().replies(reply(false))).limits(TurnLimits::default().tokens(10));
    let turn = chat.turn("go").run().await.unwrap();
    assert_eq!((turn.text.as_str(), turn.usage.tokens()), ("so", Some(1_000)));
}
