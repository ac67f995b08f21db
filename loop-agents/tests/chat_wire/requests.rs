//! The requests that the models send.

use loop_agents::{
    chat::{
        AnsweredCall, Attachment, ChatModel, Delta, Endpoint, GenaiError, GenaiModel, Message,
        ModelErrorKind, Request, ToolCall, Vendor,
    },
    tools::{ToolDefinition, Toolbox},
};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use loop_testing::{Answer, ScriptedServer};
use serde_json::{Value, json};

use super::{KEY, VENDORS, ask, ask_and_record, model, serve};

fn definitions() -> Vec<ToolDefinition> {
    let folder = tempfile::tempdir().expect("a folder");
    Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace"))
        .definitions()
}

/// Returns a conversation with two calls in one message.
fn conversation() -> Vec<Message> {
    let answered = |id: &str, result: &str| {
        let mut call = ToolCall::new(id, "read_file", json!({ "path": id }));
        call.seals = vec!["sealed".into()];
        AnsweredCall { call, result: result.into() }
    };
    let mut broken = answered("c2", "no");
    broken.call.arguments = json!("{\"path");
    vec![
        Message::user("Read."),
        Message::Assistant { text: "I shall.".into(), calls: vec![answered("c1", "AAA"), broken] },
    ]
}

async fn sent(vendor: Vendor, may_call: bool) -> Value {
    let server = serve([Answer::deltas(["Done."])]).await;
    let (messages, tools) = (conversation(), definitions());
    let request = Request::new(&messages).with_system(Some("Be short.")).with_tools(&tools, may_call);
    model(vendor, &server).reply(request, &mut |_| {}).await.expect("a reply");
    server.requests().remove(0).body
}

#[tokio::test]
async fn openai_gets_each_result_after_its_calls() {
    let body = sent(Vendor::OpenAi, true).await;
    let roles: Vec<_> = body["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
    assert_eq!(body["messages"][2]["tool_calls"][0]["id"], "c1");
    assert_eq!(body["messages"][3]["tool_call_id"], "c1");
    assert_eq!(
        (&body["messages"][3]["content"], &body["messages"][4]["content"]),
        (&json!("AAA"), &json!("no"))
    );
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn anthropic_gets_all_results_in_one_message() {
    let body = sent(Vendor::Anthropic, true).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    let results: Vec<_> =
        messages[2]["content"].as_array().unwrap().iter().map(|part| part["tool_use_id"].clone()).collect();
    assert_eq!(results, ["c1", "c2"]);
    assert!(
        messages[1]["content"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["type"] == "tool_use")
            .all(|part| part["input"].is_object())
    );
}

#[tokio::test]
async fn gemini_gets_its_seals_back() {
    let body = sent(Vendor::Gemini, true).await;
    let contents = body["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 3);
    assert!(body["contents"][1].to_string().contains("sealed"), "{body:#}");
    assert_eq!(contents[2]["parts"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn ollama_gets_every_result() {
    let body = sent(Vendor::Ollama, true).await;
    let messages = body["messages"].as_array().unwrap();
    let results: Vec<_> =
        messages.iter().filter(|m| m["role"] == "tool").map(|m| m["content"].clone()).collect();
    assert_eq!(results, ["AAA", "no"]);
}

#[tokio::test]
async fn a_request_to_ollama_asks_for_the_window_that_is_budgeted() {
    for window in [None, Some(8_192)] {
        let server = serve([Answer::deltas(["Hi."])]).await;
        let mut model = model(Vendor::Ollama, &server).max_reply_tokens(5);
        if let Some(tokens) = window {
            model = model.with_context_window(tokens);
        }
        ask(&model).await.unwrap();
        let options = json!({ "num_predict": 5, "num_ctx": window.unwrap_or(32_768) });
        assert_eq!(server.requests()[0].body["options"], options);
        assert_eq!(model.context_window(), Some(window.unwrap_or(32_768)));
    }
    for vendor in [Vendor::OpenAi, Vendor::Anthropic, Vendor::Gemini] {
        let server = serve([Answer::deltas(["Hi."])]).await;
        ask(&model(vendor, &server).with_context_window(8_192)).await.unwrap();
        assert!(!server.requests()[0].body.to_string().contains("num_ctx"), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_server_without_memory_is_asked_for_a_smaller_window() {
    let lacking = || Answer::status(500).message("model requires more system memory than is available");
    let server = serve([lacking(), lacking(), Answer::deltas(["Hi."]), Answer::deltas(["Again."])]).await;
    let model = model(Vendor::Ollama, &server);
    let mut sizes = Vec::new();
    let hear = |delta: Delta<'_>| {
        if let Delta::SmallerWindow(smaller) = delta {
            sizes.push(smaller.tokens);
        }
    };
    assert_eq!(ask_and_record(&model, hear).await.unwrap().text, "Hi.");
    assert_eq!(sizes, [16_384, 8_192]);
    // A copy of the model asks for the smaller window, too.
    ask(&model.clone()).await.unwrap();
    let asked = server.requests().iter().map(|it| it.body["options"]["num_ctx"].clone()).collect::<Vec<_>>();
    assert_eq!(asked, [32_768, 16_384, 8_192, 8_192]);
    assert_eq!(model.context_window(), Some(8_192));
}

#[tokio::test]
async fn a_conversation_beyond_the_smaller_window_is_not_sent_again() {
    let server = serve([Answer::status(500).message("cudaMalloc failed: out of memory")]).await;
    let long = [Message::user("word ".repeat(20_000))];
    let model = model(Vendor::Ollama, &server);
    let error = model.reply(Request::new(&long), &mut |_| {}).await.unwrap_err();
    assert_eq!((error.kind(), server.requests().len()), (ModelErrorKind::TooLong, 1), "{error}");
}

#[tokio::test]
async fn every_vendor_gets_the_picture_and_the_words() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas(["A cat."])]).await;
        let picture = Attachment::new("image/png", b"\x89PNG").named("a.png");
        let messages = [Message::user("What is it?").with_attachment(picture)];
        model(vendor, &server).reply(Request::new(&messages), &mut |_| {}).await.expect("a reply");
        let body = server.requests().remove(0).body.to_string();
        assert!(body.contains("iVBORw==") && body.contains("What is it?"), "{vendor:?}: {body}");
    }
}

#[tokio::test]
async fn tools_that_must_not_be_called_cannot_be() {
    for vendor in [Vendor::OpenAi, Vendor::Gemini, Vendor::Ollama] {
        assert!(sent(vendor, true).await.get("tools").is_some());
        assert!(sent(vendor, false).await.get("tools").is_none(), "{vendor:?}");
    }
    let body = sent(Vendor::Anthropic, false).await;
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
    assert!(body["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
}

async fn headers(endpoint: Endpoint, server: &ScriptedServer) -> loop_testing::RecordedRequest {
    let endpoint = endpoint.base_url(server.url());
    ask(&GenaiModel::new(endpoint, "test-model").expect("a model")).await.expect("a reply");
    server.requests().remove(0)
}

#[tokio::test]
async fn keys_are_where_each_vendor_looks_for_them_and_absent_without_one() {
    for (vendor, header, value) in [
        (Vendor::OpenAi, "authorization", format!("Bearer {KEY}")),
        (Vendor::Anthropic, "x-api-key", KEY.to_owned()),
        (Vendor::Gemini, "x-goog-api-key", KEY.to_owned()),
    ] {
        let server = serve([Answer::deltas(["Hi."])]).await;
        let request = headers(Endpoint::new(vendor).key(KEY.into()), &server).await;
        assert_eq!(request.headers[header], value, "{vendor:?}");
        assert!(!request.path.contains(KEY));
    }
    for vendor in [Vendor::OpenAi, Vendor::Ollama] {
        let server = serve([Answer::deltas(["Hi."])]).await;
        let request = headers(Endpoint::new(vendor), &server).await;
        assert!(request.headers.get("authorization").is_none(), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_name_is_sent_as_it_is() {
    for vendor in [Vendor::OpenAi, Vendor::Ollama] {
        let server = serve([Answer::deltas(["Hi."])]).await;
        let endpoint = Endpoint::new(vendor).base_url(server.url());
        ask(&GenaiModel::new(endpoint, "team/my-model:7b-high").unwrap()).await.unwrap();
        let body = server.requests().remove(0).body;
        assert_eq!(body["model"], "team/my-model:7b-high", "{vendor:?}");
        assert!(body.get("reasoning_effort").is_none());
    }
}

#[tokio::test]
async fn a_server_tells_which_models_it_has() {
    for vendor in [Vendor::OpenAi, Vendor::Ollama] {
        let server = serve([]).await;
        let models = Endpoint::new(vendor).base_url(server.url()).models().await.unwrap();
        assert_eq!(models, ["scripted"], "{vendor:?}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Endpoint::new(Vendor::Ollama).base_url(format!("http://127.0.0.1:{port}"));
    match nobody.models().await.unwrap_err() {
        GenaiError::Server(error) => assert_eq!(error.kind(), ModelErrorKind::Unreachable),
        other => panic!("{other}"),
    }
}
