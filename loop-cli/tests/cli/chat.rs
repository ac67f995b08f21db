//! `loop chat`: a prompt, a reply, and the failures between them.

use std::{
    fs::File,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use loop_testing::{Answer, Call, Gate};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::{KEY, ModelServer},
    support::{CommandResult, RunningCommand, Scenario, shown, wait_until},
    terminal::Terminal,
};

fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

fn calls(tool: &str, arguments: &Value) -> Answer {
    Answer::calls([Call::new("c1", tool, [arguments.to_string().as_str()])])
}

/// Returns the texts of the messages in a request.
fn said(request: &Value) -> String {
    request["messages"].to_string()
}

#[test]
fn each_piece_of_a_reply_is_seen_before_the_next_is_sent() {
    let gate = Gate::new();
    let server = ModelServer::new([Answer::deltas(["Three ", "little ", "words.\n"]).gated(&gate)]);
    let scenario = Scenario::new();
    let args = ["chat", "--model", "openai:scripted", "--prompt", "Say three words"];
    let chat = ChatHarness::open(&scenario, &args, (80, 24), |command| answered_by(command, &server));
    for piece in ["Three", "Three little"] {
        wait_until(piece, || chat.page() == piece);
        gate.open();
    }
    chat.sees("Three little words.");
    chat.finish().exits(0);
}

#[test]
fn a_reply_ends_its_line() {
    let server = ModelServer::new([says("Forty-two.")]);
    let ran = server.chat(&Scenario::new(), "What is the answer?", &[]).exits(0);
    assert_eq!(ran.stdout, "Forty-two.\n");
}

#[test]
fn tools_work_in_the_folder_and_are_audited() {
    let server = ModelServer::new([
        calls("write_file", &json!({ "path": "poem", "content": "Roses\n" })),
        Answer::deltas(["I have ", "begun."]).usage(30, 4),
    ]);
    let scenario = Scenario::new();
    let ran = server.chat(&scenario, "Write a poem.", &[]).exits(0);
    assert_eq!((ran.stdout.as_str(), scenario.read("poem").as_str()), ("I have begun.\n", "Roses\n"));
    shown("chat_tool", &ran.stderr);
    let audit = std::fs::read_to_string(scenario.state().join("audit/audit.jsonl")).expect("an audit");
    assert_eq!(audit.lines().count(), 2, "{audit}");
}

#[test]
fn what_the_policy_denies_is_not_done_and_the_model_hears_of_it() {
    let denied = Answer::calls([
        Call::new("c1", "run_command", [r#"{"command": "curl http://example.org"}"#]),
        Call::new("c2", "read_file", [r#"{"path": ".env"}"#]),
    ]);
    let server = ModelServer::new([denied, says("I may not.")]);
    let scenario = Scenario::new();
    scenario.write(".env", "PASSWORD=open-sesame");
    let ran = server.chat(&scenario, "Fetch it.", &["--json"]).exits(0);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let outcomes: Vec<_> =
        answer["tool_calls"].as_array().expect("calls").iter().map(|call| &call["outcome"]).collect();
    assert_eq!(outcomes, ["rejected", "rejected"]);
    let heard = said(&server.requests()[1].body);
    assert!(!heard.contains("open-sesame") && heard.contains("curl"), "{heard}");
}

#[test]
fn a_program_gets_one_line_of_json() {
    let server = ModelServer::new([
        calls("read_file", &json!({ "path": "notes" })).usage(100, 10),
        Answer::deltas(["It says ", "hello."]).usage(200, 5),
    ]);
    let scenario = Scenario::new();
    scenario.write("notes", "hello");
    let ran = server.chat(&scenario, "What do my notes say?", &["--json", "--tools", "read_file"]).exits(0);
    assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""));
    let (line, elapsed) = ran.stdout.split_once(",\"elapsed_seconds\":").expect("a time");
    assert!(
        elapsed.trim_end().trim_end_matches('}').parse::<f64>().is_ok_and(|seconds| seconds > 0.0),
        "{elapsed}"
    );
    shown("chat_json", line);
    let tools = server.requests()[0].body["tools"].as_array().map(Vec::len);
    assert_eq!(tools, Some(1));
}

/// A price without reported tokens is not a cost: `0.0` would look like a cost of nothing.
#[test]
fn a_cost_that_nobody_reported_is_null_and_one_of_a_part_is_a_lower_bound() {
    let looks = || calls("list_files", &json!({ "path": "." }));
    for (first, last, expected) in [
        (looks(), says("Done."), (Value::Null, "unknown", Value::Null)),
        (looks().usage(1000, 0), says("Done."), (json!(0.00125), "estimated", json!(true))),
        (looks().usage(1000, 1), says("Done.").usage(1000, 1), (json!(0.00252), "estimated", Value::Null)),
    ] {
        let server = ModelServer::new([first, last]);
        let args = ["chat", "--model", "openai:gpt-5", "--prompt", "Look around", "--json"];
        let ran = server.run(&Scenario::new(), &args).exits(0);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let (cost, state, is_lower_bound) = expected;
        assert_eq!(
            (&answer["estimated_cost_usd"], &answer["cost_state"], &answer["cost_is_lower_bound"]),
            (&cost, &json!(state), &is_lower_bound),
            "{answer}"
        );
        assert_eq!(answer["usage"]["input_tokens"].is_null(), cost.is_null(), "{answer}");
    }
}

#[test]
fn what_is_piped_in_is_read_once_and_stands_before_the_prompt() {
    let server = ModelServer::new([says("Good.")]);
    let scenario = Scenario::new();
    scenario.write("diff", "+ a line\n");
    let chat = ["chat", "--model", "openai:scripted", "--no-tools", "--prompt", "Is it good?"];
    let mut command = server.command(&scenario, &chat);
    command
        .stdin(File::open(scenario.path("diff")).expect("a file"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    assert_eq!(RunningCommand::as_it_is(&mut command).finish().exits(0).stdout, "Good.\n");
    let request = &server.requests()[0].body;
    assert_eq!(request["messages"], json!([{ "role": "user", "content": "+ a line\n\nIs it good?" }]));
    assert_eq!(request["tools"], Value::Null);
}

#[test]
fn without_a_prompt_what_is_piped_in_is_the_prompt() {
    let server = ModelServer::new([says("Four.")]);
    let scenario = Scenario::new();
    scenario.write("question", "What is two and two?\n");
    let mut command = server.command(&scenario, &["chat", "--model", "openai:scripted"]);
    command.stdin(File::open(scenario.path("question")).expect("a file"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    assert_eq!(RunningCommand::as_it_is(&mut command).finish().exits(0).stdout, "Four.\n");
    assert_eq!(server.requests()[0].body["messages"][0]["content"], "What is two and two?");
}

#[test]
fn json_is_for_one_prompt_and_not_for_a_session() {
    let scenario = Scenario::new();
    Terminal::new(&scenario, &["chat", "--model", "ollama:x", "--json"])
        .finish()
        .exits(2)
        .says(&["write `--prompt TEXT`"]);
}

#[test]
fn a_reply_cannot_steer_the_terminal() {
    let server = ModelServer::new([says("\u{1b}[2Jwiped")]);
    let scenario = Scenario::new();
    let chat = ["chat", "--model", "openai:scripted", "--prompt", "Wipe it."];
    let terminal = Terminal::with(&scenario, &chat, |command| {
        command.env("OPENAI_BASE_URL", server.url()).env("OPENAI_API_KEY", KEY);
    });
    let ran = terminal.finish().exits(0);
    assert!(ran.stderr.contains("wiped") && !ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

#[test]
fn a_system_prompt_is_a_file() {
    let server = ModelServer::new([says("Ahoy.")]);
    let scenario = Scenario::new();
    scenario.write("pirate.md", "You are a pirate.");
    server.chat(&scenario, "Greet me.", &["--system", "pirate.md"]).exits(0);
    assert!(said(&server.requests()[0].body).contains("You are a pirate."));
    server.chat(&scenario, "Greet me.", &["--system", "gone.md"]).exits(2).says(&["--system gone.md"]);
}

#[test]
fn a_passing_failure_is_waited_for() {
    let limit = || Answer::status(429).header("retry-after-ms", "1");
    let server = ModelServer::new([limit(), Answer::status(500), says("At last.")]);
    let ran = server.chat(&Scenario::new(), "Hello?", &[]).exits(0);
    assert_eq!((ran.stdout.as_str(), server.requests().len()), ("At last.\n", 3));
}

#[test]
fn a_rate_limit_that_lasts_is_said_with_its_end() {
    let server = ModelServer::new([Answer::status(429).header("retry-after", "7200")]);
    let ran = server.chat(&Scenario::new(), "Hello?", &[]).exits(3);
    shown("chat_rate_limit", &ran.stderr);
}

#[test]
fn a_key_that_is_refused_is_not_shown_even_if_the_server_repeats_it() {
    let server = ModelServer::new([Answer::status(401).message(&format!("{KEY} is not known"))]);
    let ran = server.chat(&Scenario::new(), "Hello?", &[]).exits(3).says(&["check the API key"]);
    assert!(!format!("{ran:?}").contains(KEY), "{ran:?}");
}

#[test]
fn a_reply_that_breaks_off_begins_again_and_that_is_said() {
    let server = ModelServer::new([says("Once upon").breaks(), says("Once upon a time.")]);
    let ran = server.chat(&Scenario::new(), "Tell me a story.", &[]).exits(0).says(&["the reply broke off"]);
    // A program that reads the reply gets nothing twice.
    assert_eq!(ran.stdout, "Once upon a time.\n");
}

#[test]
fn a_turn_that_has_called_a_tool_is_not_asked_again() {
    let server = ModelServer::new([calls("whoami", &json!({})), Answer::status(500), says("never")]);
    let ran = server.chat(&Scenario::new(), "Who am I?", &[]).exits(3).says(&["after 1 tool call"]);
    assert_eq!((ran.stdout.as_str(), server.requests().len()), ("", 2));
}

#[test]
fn a_secret_in_a_reply_is_not_shown() {
    let server = ModelServer::new([Answer::deltas(["Your key is not-to-be", "-shown-8237, is it?"])]);
    let ran = server.chat(&Scenario::new(), "What is my key?", &[]).exits(0);
    assert_eq!(ran.stdout, "Your key is [redacted], is it?\n");
}

#[test]
fn ctrl_c_ends_a_turn_at_once() {
    let stalled = ModelServer::new([says("Let me think").stalls()]);
    let scenario = Scenario::new();
    let args = ["chat", "--model", "openai:scripted", "--prompt", "Think."];
    let chat = ChatHarness::open(&scenario, &args, (80, 24), |command| answered_by(command, &stalled));
    chat.sees("Let me think");
    chat.started().signal(Signal::INT);
    chat.finish().exits(130);
}

#[test]
fn ctrl_c_reaches_the_command_of_a_tool() {
    let scenario = Scenario::new();
    let server = ModelServer::new([calls("run_command", &json!({ "command": "hold" }))]);
    scenario.write("user.toml", "[policy]\nallow = [\"hold\"]\n");
    scenario.write("bin/hold", "#!/bin/sh\nexec 9> fifo; echo held >&9; sleep 1000");
    std::fs::set_permissions(scenario.path("bin/hold"), PermissionsExt::from_mode(0o755)).expect("a program");
    let fifo = scenario.fifo("fifo");
    let chat = ["chat", "--model", "openai:scripted", "--prompt", "Hold it."];
    let mut command = server.command(&scenario, &chat);
    let path = format!("{}:{}", scenario.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let started = RunningCommand::new(command.env("LOOP_CONFIG", "user.toml").env("PATH", path));
    assert_eq!(fifo.line(), "held\n");
    started.signal(Signal::INT);
    started.finish().exits(130);
    fifo.released();
}

/// Runs `loop chat` in an environment without models.
fn nobody(scenario: &Scenario, args: &[&str]) -> Command {
    let mut command = scenario.loop_command(&[&["chat", "--prompt", "Hello?"], args].concat());
    // No server listens there, whatever runs on this machine.
    command.env("OLLAMA_HOST", "127.0.0.1:1");
    command
}

fn ended(mut command: Command) -> CommandResult {
    RunningCommand::new(&mut command).finish()
}

#[test]
fn without_a_model_there_are_three_ways_to_get_one() {
    let ran = ended(nobody(&Scenario::new(), &[])).exits(2);
    shown("chat_no_model", &ran.stderr);
}

#[test]
fn without_a_name_the_first_model_of_an_ollama_that_answers_is_taken() {
    let server = ModelServer::new([says("I am here.")]);
    let scenario = Scenario::new();
    let mut command = nobody(&scenario, &[]);
    command.env("OLLAMA_HOST", server.url());
    assert_eq!(ended(command).exits(0).stdout, "I am here.\n");
    assert_eq!(server.requests()[0].body["model"], "scripted");
}

#[test]
fn a_model_is_named_by_flag_settings_or_environment_in_this_order() {
    let server = ModelServer::new(["1", "2", "3", "4", "5", "6"].map(says));
    let scenario = Scenario::new();
    let home = "[chat]\nmodel = \"of-the-user\"\n[models.of-the-user]\nmodel = \"openai:user\"\n";
    let asked = |args: &[&str]| {
        let args = [&["chat", "--prompt", "Who are you?"], args].concat();
        let mut command = server.command(&scenario, &args);
        command.env("LOOP_MODEL", "openai:variable").env("LOOP_CONFIG", scenario.path("user.toml"));
        ended(command).exits(0);
        server.requests().last().expect("a request").body["model"].clone()
    };
    scenario.write("user.toml", "\n");
    assert_eq!(asked(&[]), "variable");
    scenario.write("user.toml", home);
    assert_eq!(asked(&[]), "user");
    scenario.write("loop.toml", "[chat]\nmodel = \"openai:project\"\n");
    assert_eq!(asked(&[]), "project");
    assert_eq!(asked(&["--model", "openai:flag"]), "flag");
    // One name is the project's own, and one is a model's, which the project cannot redefine.
    scenario
        .write("loop.toml", "[models]\nfast = { model = \"openai:x\" }\ngpt-5 = { model = \"openai:y\" }\n");
    assert_eq!(asked(&["--model", "fast"]), "x");
    assert_eq!(asked(&["--model", "gpt-5"]), "gpt-5");
}

#[test]
fn a_server_of_the_users_own_gets_the_key_that_stands_beside_it_and_no_other() {
    let server = ModelServer::new([says("1"), says("2")]);
    let scenario = Scenario::new();
    let url = server.url();
    scenario.write(
        "user.toml",
        format!(
            "[models.box]\nmodel = \"openai:qwen3\"\nbase_url = \"{url}\"\n\
             [models.gateway]\nmodel = \"openai:qwen3\"\nbase_url = \"{url}\"\nkey_env = \"GATEWAY_API_KEY\"\n"
        ),
    );
    for model in ["box", "gateway"] {
        let mut command = scenario.loop_command(&["chat", "--prompt", "Hi", "--model", model]);
        command
            .env("OPENAI_API_KEY", KEY)
            .env("GATEWAY_API_KEY", "the-gateways-own")
            .env("LOOP_CONFIG", "user.toml");
        ended(command).exits(0);
    }
    let keys: Vec<_> =
        server.requests().iter().map(|request| request.headers.get("authorization").cloned()).collect();
    assert_eq!(keys[0], None);
    assert_eq!(keys[1].as_ref().expect("a key"), "Bearer the-gateways-own");
}

#[test]
fn a_project_cannot_send_anybody_to_a_server_of_its_own() {
    let scenario = Scenario::new();
    scenario.write(
        "loop.toml",
        "[chat]\nmodel = \"fast\"\n[models.fast]\nmodel = \"openai:x\"\nbase_url = \"http://evil\"\n",
    );
    let ran = ended(nobody(&scenario, &[])).exits(2);
    shown("chat_project_server", &ran.stderr);
}

#[test]
fn what_was_asked_for_wrongly_is_said_before_anything_is_sent() {
    for (args, expected) in [
        (vec!["--model", "qwen3"], "`ollama:qwen3`"),
        (vec!["--model", "claude-sonnet-4-5"], "set ANTHROPIC_API_KEY"),
        (vec!["--model", "ollama:x", "--tools", "read"], "did you mean `read_file`?"),
        (vec!["--model", "ollama:x", "--prompt", " "], "the prompt is empty"),
    ] {
        let args = match args.contains(&"--prompt") {
            true => [vec!["chat"], args].concat(),
            false => [vec!["chat", "--prompt", "Hi"], args].concat(),
        };
        ended(Scenario::new().loop_command(&args)).exits(2).says(&[expected]);
    }
}

#[test]
fn settings_allow_more_rounds_of_calls_and_a_project_fewer() {
    let reads = || calls("list_files", &json!({}));
    for (user, project, rounds) in [(2, 9, 2), (9, 1, 1)] {
        let scenario = Scenario::new();
        scenario.write("../home/.config/loop/loop.toml", format!("[chat]\nrounds = {user}\n"));
        scenario.write("loop.toml", format!("[chat]\nrounds = {project}\n"));
        let server = ModelServer::new([reads(), reads(), reads()]);
        server.chat(&scenario, "Look.", &[]).exits(0).says(&["raise `rounds` under `[chat]`"]);
        let requests = server.requests();
        assert_eq!(requests.len(), rounds + 1);
        assert!(requests[rounds].body.get("tools").is_none() && requests[0].body.get("tools").is_some());
    }
}
