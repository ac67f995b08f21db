//! Facts about models: the window that a request asks for, and what `loop` learns from servers.

use std::{fs, path::PathBuf};

use loop_testing::Answer;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario},
};

/// A server with one model of Ollama, which supports a window of this size.
fn ollama(replies: usize, window: u64, page: &Value) -> ModelServer {
    let server = ModelServer::new(vec![Answer::deltas(["Hi."]); replies]);
    let mut show = json!({
        "model_info": { "general.architecture": "qwen3", "qwen3.context_length": window },
        "capabilities": ["completion", "tools"],
        "details": { "family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M" },
    });
    for (key, value) in page.as_object().into_iter().flatten() {
        show[key] = value.clone();
    }
    server.set_page("/api/show", show);
    server
}

fn asked(
    scenario: &Scenario,
    server: &ModelServer,
    args: &[&str],
    variables: &[(&str, &str)],
) -> CommandResult {
    let mut command = scenario.loop_command(args);
    command.env("OLLAMA_HOST", server.url()).envs(variables.iter().copied());
    RunningCommand::new(&mut command).finish()
}

const ASK: [&str; 5] = ["chat", "--model", "ollama:scripted", "--prompt", "Hello?"];

fn sent_window(server: &ModelServer) -> Value {
    server.requests().last().expect("a request").body["options"]["num_ctx"].clone()
}

#[test]
fn a_request_to_ollama_asks_for_a_window_that_the_model_supports() {
    for (supported, variables, page, sent) in [
        (131_072, &[][..], json!({}), 32_768),
        (8_192, &[], json!({}), 8_192),
        (131_072, &[("OLLAMA_CONTEXT_LENGTH", "65536")], json!({}), 65_536),
        (40_960, &[("OLLAMA_CONTEXT_LENGTH", "65536")], json!({}), 40_960),
        (131_072, &[], json!({ "parameters": "num_ctx    16384" }), 16_384),
    ] {
        let server = ollama(1, supported, &page);
        asked(&Scenario::new(), &server, &ASK, variables).exits(0);
        assert_eq!(sent_window(&server), sent, "{supported} {variables:?} {page}");
    }
}

#[test]
fn the_settings_of_a_model_decide_about_its_window() {
    let server = ollama(1, 131_072, &json!({}));
    let scenario = Scenario::new();
    scenario.write("user.toml", "[models.big]\nmodel = \"ollama:scripted\"\ncontext_tokens = 100000\n");
    let config = scenario.path("user.toml").display().to_string();
    let variables = [("OLLAMA_CONTEXT_LENGTH", "4096"), ("LOOP_CONFIG", &config)];
    asked(&scenario, &server, &["chat", "--model", "big", "--prompt", "Hello?"], &variables).exits(0);
    assert_eq!(sent_window(&server), 100_000);
}

#[test]
fn a_smaller_window_for_lack_of_memory_is_reported() {
    let lacking = Answer::status(500).message("model requires more system memory (9 GiB) than is available");
    let server = ModelServer::new([lacking, Answer::deltas(["Hi."])]);
    let ran = asked(&Scenario::new(), &server, &ASK, &[]).exits(0);
    ran.says(&["memory does not suffice", "16384 tokens"]);
    assert_eq!(sent_window(&server), 16_384);
}

/// The number of requests for facts.
fn shows(server: &ModelServer) -> usize {
    server.page_requests().iter().filter(|path| *path == "/api/show").count()
}

#[test]
fn facts_are_kept_for_the_model_with_this_digest() {
    let server = ollama(4, 8_192, &json!({}));
    let tags =
        |digest: &str| json!({ "models": [{ "name": "scripted:latest", "digest": digest, "size": 5 }] });
    let scenario = Scenario::new();
    server.set_page("/api/tags", tags("one"));
    asked(&scenario, &server, &ASK, &[]).exits(0);
    asked(&scenario, &server, &ASK, &[]).exits(0);
    assert_eq!((shows(&server), sent_window(&server)), (1, json!(8_192)));
    // The model was pulled again.
    server.set_page("/api/tags", tags("two"));
    asked(&scenario, &server, &ASK, &[]).exits(0);
    assert_eq!(shows(&server), 2);
}

#[test]
fn a_model_without_tool_calls_writes_them_into_its_text() {
    let server = ollama(1, 8_192, &json!({ "capabilities": ["completion"] }));
    asked(&Scenario::new(), &server, &ASK, &[]).exits(0);
    let body = &server.requests()[0].body;
    assert!(body.get("tools").is_none());
    assert!(body["messages"][0]["content"].as_str().is_some_and(|text| text.contains("`read_file`")));
}

#[test]
fn a_model_that_turns_out_to_write_calls_into_its_text_is_known_to_do_so() {
    let call = "```json\n{\"name\": \"list_files\", \"arguments\": {}}\n```";
    let server = ModelServer::new([call, "Nothing is here.", "Hello."].map(|text| Answer::deltas([text])));
    let scenario = Scenario::new();
    asked(&scenario, &server, &ASK, &[]).exits(0);
    asked(&scenario, &server, &ASK, &[]).exits(0);
    let has_tools: Vec<_> = server.requests().iter().map(|it| it.body.get("tools").is_some()).collect();
    assert_eq!(has_tools, [true, false, false]);
}

#[test]
fn a_tool_mode_can_turn_tools_off() {
    let server = ollama(1, 8_192, &json!({}));
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[models.plain]\nmodel = \"ollama:scripted\"\ntool_mode = \"none\"\n");
    asked(&scenario, &server, &["chat", "--model", "plain", "--prompt", "Hello?"], &[]).exits(0);
    let body = server.requests()[0].body.to_string();
    assert!(!body.contains("read_file"), "{body}");
}

#[test]
fn all_facts_are_listed_with_their_sources() {
    let server = ollama(0, 131_072, &json!({}));
    let scenario = Scenario::new();
    let ran = asked(&scenario, &server, &["models", "ollama:scripted"], &[]).exits(0);
    for line in [
        "budgeted window        32768 tokens",
        "window                 131072 tokens  (server, ",
        "family                 qwen3",
    ] {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    let table = asked(&scenario, &server, &["models"], &[]).exits(0).stdout;
    assert!(
        table.starts_with("NAME") && table.contains("ollama:scripted") && table.contains("32,768"),
        "{table}"
    );
    let json = asked(&scenario, &server, &["models", "ollama:scripted", "--json"], &[]).exits(0).stdout;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["facts"]["tools"]["source"], "server");
    assert_eq!(shows(&server), 1);
}

#[test]
fn kept_facts_are_asked_again_on_request() {
    let server = ollama(0, 8_192, &json!({}));
    server.set_page("/api/tags", json!({ "models": [{ "name": "scripted", "digest": "one" }] }));
    let scenario = Scenario::new();
    let ask = |args: &[&str]| {
        asked(&scenario, &server, &[&["models", "ollama:scripted"], args].concat(), &[]).exits(0)
    };
    ask(&[]);
    ask(&[]);
    assert_eq!(shows(&server), 1);
    ask(&["--refresh"]);
    assert_eq!(shows(&server), 2);
}

#[test]
fn a_bare_name_chooses_the_model_of_the_server_that_has_it() {
    let server = ollama(1, 8_192, &json!({}));
    server.set_page("/api/tags", json!({ "models": [{ "name": "gemma4:latest" }, { "name": "qwen3:8b" }] }));
    let scenario = Scenario::new();
    asked(&scenario, &server, &["chat", "--model", "gemma4", "--prompt", "Hi?"], &[]).exits(0);
    assert_eq!(server.requests()[0].body["model"], "gemma4:latest");
    let ran = asked(&scenario, &server, &["chat", "--model", "gemma5", "--prompt", "Hi?"], &[]).exits(2);
    ran.says(&["`ollama:gemma4:latest`"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_tag_chooses_the_model_that_has_it() {
    let server = ollama(1, 8_192, &json!({}));
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[models.small]\nmodel = \"ollama:scripted\"\ntags = [\"code\"]\n");
    asked(&scenario, &server, &["chat", "--model", "@code", "--prompt", "Hi?"], &[]).exits(0);
    assert_eq!(server.requests()[0].body["model"], "scripted");
}

#[test]
fn without_a_name_the_model_last_used_here_answers_and_never_an_embedder_first() {
    let server = ModelServer::new(vec![Answer::deltas(["Hi."]); 3]);
    server.set_page("/api/tags", json!({ "models": [{ "name": "a" }, { "name": "b" }] }));
    let scenario = Scenario::new();
    let unnamed = || asked(&scenario, &server, &["chat", "--prompt", "Hi?"], &[]).exits(0);
    unnamed().says(&["ollama:a answers, the first of the servers' models"]);
    asked(&scenario, &server, &["chat", "--prompt", "Hi?", "--model", "b"], &[]).exits(0);
    unnamed().says(&["ollama:b answers, as it did here last"]);

    let embedder = ModelServer::new([Answer::deltas(["Hi."])]);
    embedder.set_page("/api/show", json!({ "capabilities": ["embedding"] }));
    asked(&Scenario::new(), &embedder, &["chat", "--prompt", "Hi?", "--model", "scripted"], &[]).exits(0);
    asked(&Scenario::new(), &ollama(1, 8_192, &json!({})), &["chat", "--prompt", "Hi?"], &[]).exits(0);
}

/// Returns the files that remember which models were last used.
fn last_used(scenario: &Scenario) -> Vec<PathBuf> {
    let files = fs::read_dir(scenario.state().join("models")).expect("a folder");
    let paths = files.map(|file| file.expect("a file").path());
    paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("last-")))
        .collect()
}

#[test]
fn a_folder_or_a_model_with_a_secret_in_its_name_is_not_remembered() {
    const SECRET: &str = "Sup3rS3cretValue42xyz";
    let (scenario, server) = (Scenario::new(), ollama(2, 8_192, &json!({})));
    fs::create_dir(scenario.path(SECRET)).expect("a folder");
    let knowing = |folder: &str, model: &str| {
        let mut command = scenario.loop_command(&["chat", "--prompt", "Hi?", "--model", model]);
        command.env("OLLAMA_HOST", server.url()).env("MY_API_TOKEN", SECRET);
        RunningCommand::new(command.current_dir(scenario.path(folder))).finish().exits(0);
    };
    knowing(SECRET, "ollama:scripted");
    knowing("", &format!("ollama:{SECRET}"));
    assert!(last_used(&scenario).is_empty());
}

#[test]
fn a_damaged_file_about_the_model_last_used_causes_one_warning() {
    const DAMAGED: &str = "the model that was last used in this folder was damaged";
    let (scenario, server) = (Scenario::new(), ollama(5, 8_192, &json!({})));
    asked(&scenario, &server, &ASK, &[]).exits(0);
    let path = last_used(&scenario).remove(0);
    let whole = fs::read(&path).expect("a file");
    for damaged in [b"", &whole[..whole.len() / 2]] {
        fs::write(&path, damaged).expect("a file");
        asked(&scenario, &server, &ASK, &[]).exits(0).says(&["warning:", DAMAGED]);
        assert_eq!(fs::read(&path).expect("a file"), whole);
        assert!(!asked(&scenario, &server, &ASK, &[]).exits(0).stderr.contains(DAMAGED));
    }
}

#[test]
fn a_prompt_that_does_not_fit_is_not_sent() {
    let server = ollama(0, 4_096, &json!({}));
    let scenario = Scenario::new();
    scenario.write("long.txt", "word ".repeat(4_000));
    let long = "word ".repeat(4_000);
    let ran = asked(&scenario, &server, &["chat", "--model", "ollama:scripted", "--prompt", &long], &[]);
    ran.exits(3).says(&["was not sent", "of 4096 tokens"]);
    let ran = asked(&scenario, &server, &[&ASK[..], &["--system", "long.txt", "--no-tools"]].concat(), &[]);
    ran.exits(3).says(&["the system prompt is too long", "window of 4096 tokens"]);
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_server_on_a_public_network_without_encryption_causes_a_warning() {
    let scenario = Scenario::new();
    scenario.write("user.toml", "[models.far]\nmodel = \"ollama:x\"\nbase_url = \"http://192.0.2.1\"\n");
    let config = scenario.path("user.toml").display().to_string();
    let server = ollama(0, 8_192, &json!({}));
    let ran = asked(&scenario, &server, &["models", "far"], &[("LOOP_CONFIG", &config)]).exits(0);
    ran.says(&["is not encrypted"]);
}
