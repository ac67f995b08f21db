//! The stored data of a session, and how a person lists and removes it.

use std::fs;

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{chat_harness::ChatHarness, model_server::ModelServer, screen::SIZES, support::Scenario};

fn server(replies: &[&'static str]) -> ModelServer {
    ModelServer::new(replies.iter().map(|reply| Answer::deltas([*reply])))
}

fn chat(scenario: &Scenario, server: &ModelServer, args: &[&str], size: (u16, u16)) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, args, size);
    chat.wait_for_prompt_after("/help");
    chat
}

/// Has one session with this prompt, named like it.
fn talks(scenario: &Scenario, prompt: &str, size: (u16, u16)) {
    let server = server(&["Fine."]);
    let mut chat = chat(scenario, &server, &[], size);
    chat.says(prompt, "Fine.");
    chat.says(&format!("/rename {prompt}"), prompt);
    chat.leaves();
}

/// Returns everything that the state directory contains, as one text.
fn stored(scenario: &Scenario) -> String {
    let mut texts = Vec::new();
    let mut folders = vec![scenario.state()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned());
            }
        }
    }
    texts.join("\n")
}

fn listed(scenario: &Scenario) -> Vec<Value> {
    let listed = scenario.run(&["session", "list", "--json"]).exits(0);
    listed.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn nothing_is_kept_of_a_session_that_is_not_recorded() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), server(&["An unkept reply."]));
        let mut chat = chat(&scenario, &server, &["--no-record"], size);
        chat.says("an unkept prompt", "An unkept reply.");
        chat.says("/record", "nothing of this session is recorded");
        chat.leaves();
        let stored = stored(&scenario);
        assert!(!stored.contains("unkept"), "{stored}");
        scenario.run(&["session", "list"]).exits(0).says(&["there are no stored sessions of this folder"]);
    }
}

#[test]
fn a_record_that_is_switched_off_is_removed_and_one_that_is_switched_on_is_whole() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = server(&["First reply.", "Second reply.", "Third reply.", "Fourth reply."]);
        let mut chat = chat(&scenario, &server, &[], size);
        chat.says("the first prompt", "First reply.");
        chat.says("/context add remember this", "pinned");
        assert!(stored(&scenario).contains("First reply."));
        chat.says("/record off", "nothing of this session is recorded");
        chat.sees("what was recorded until now is removed");
        chat.says("the second prompt", "Second reply.");
        let off = stored(&scenario);
        assert!(!off.contains("First reply.") && !off.contains("second prompt"), "{off}");
        chat.says("/record on", "the session is recorded");
        chat.says("the third prompt", "Third reply.");
        chat.leaves();
        let mut chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.wait_for_prompt_after("6 messages");
        chat.says("/context show", "remember this");
        chat.says("the fourth prompt", "Fourth reply.");
        // What another process recorded stays, and what follows it is not recorded.
        chat.says("/record off", "what is stored of this session until now stays");
        chat.says("/status", "off: nothing is recorded");
        chat.leaves();
        let shown = scenario.run(&["session", "show"]).exits(0);
        for reply in ["First", "Second", "Third", "Fourth"] {
            assert!(shown.stdout.contains(&format!("{reply} reply.")), "{}", shown.stdout);
        }
    }
}

#[test]
fn sessions_are_listed_shown_and_removed() {
    for size in SIZES {
        let scenario = Scenario::new();
        for prompt in ["alpha", "beta", "gamma"] {
            talks(&scenario, prompt, size);
        }
        let names = |sessions: &[Value]| -> Vec<String> {
            sessions.iter().map(|session| session["name"].as_str().expect("a name").to_owned()).collect()
        };
        let sessions = listed(&scenario);
        assert_eq!(names(&sessions), ["gamma", "beta", "alpha"]);
        let table = scenario.run(&["session", "list"]).exits(0).stdout;
        assert!(table.contains("alpha") && table.contains("this one"), "{table}");
        let shown = scenario.run(&["session", "show", "beta"]).exits(0).stdout;
        assert!(shown.contains("beta") && shown.contains("Fine."), "{shown}");
        let entries = scenario.run(&["session", "show", "beta", "--json"]).exits(0).stdout;
        let kind = |line: &str| {
            let entry = serde_json::from_str::<Value>(line).expect("JSON")["entry"].take();
            let key = || entry.as_object()?.keys().next().cloned();
            entry.as_str().map(str::to_owned).or_else(key).expect("a kind")
        };
        let kinds: Vec<_> = entries.lines().map(kind).collect();
        assert_eq!(kinds, ["begun", "asked", "answered", "renamed", "ended"]);
        // A typo in one name removes nothing.
        scenario.run(&["session", "rm", "beta", "delta"]).exits(2).says(&["no session is called \"delta\""]);
        assert_eq!(listed(&scenario).len(), 3);
        scenario.run(&["session", "rm", "beta"]).exits(0);
        assert_eq!(names(&listed(&scenario)), ["gamma", "alpha"]);
        // A damaged session is removed by its id.
        let id = sessions[0]["session"].as_str().expect("an id");
        let file = scenario.state().join("sessions").join(id).with_extension("jsonl");
        fs::write(&file, "").expect("a session");
        scenario.run(&["session", "rm", id]).exits(0);
        assert!(!file.exists() && !file.with_extension("name").exists());
        // Nobody removes a session in use, and the last ones are kept.
        let server = server(&["Open."]);
        let mut open = chat(&scenario, &server, &[], size);
        open.says("delta", "Open.");
        let here = listed(&scenario)[0]["session"].as_str().expect("an id").to_owned();
        scenario.run(&["session", "rm", &here]).exits(2).says(&["another process"]);
        scenario.run(&["session", "rm", "--keep", "0"]).exits(0);
        open.says("/session list", &here);
        open.says(&format!("/session rm {here}"), "this is that session");
        open.leaves();
        assert_eq!(listed(&scenario).len(), 1);
    }
}

#[test]
fn old_sessions_are_removed_when_one_ends() {
    for size in SIZES {
        let scenario = Scenario::new();
        for prompt in ["alpha", "beta"] {
            talks(&scenario, prompt, size);
        }
        let ends = |server: &ModelServer, keep: &str| {
            let mut chat =
                ChatHarness::open(&scenario, &["chat", "--model", "openai:scripted"], size, |command| {
                    crate::chat_harness::answered_by(command, server);
                    command.env("LOOP_KEEP_SESSIONS", keep);
                });
            chat.wait_for_prompt_after("/help");
            chat.says("gamma", "Fine.");
            chat
        };
        let server = server(&["Fine.", "Fine."]);
        let mut chat = ends(&server, "many");
        chat.types("/exit\r");
        chat.sees("LOOP_KEEP_SESSIONS has to be a whole number");
        chat.finish().exits(0);
        assert_eq!(listed(&scenario).len(), 3);
        ends(&server, "2").leaves();
        assert_eq!(listed(&scenario).len(), 2);
    }
}

#[test]
fn decisions_are_counted_and_forgotten() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("a.txt", "hello\n");
        scenario.write(".env", "KEY=1\n");
        let server = server(&[]);
        let mut chat = chat(&scenario, &server, &[], size);
        chat.says("/audit clear", "forgot");
        chat.says("/audit", "no decisions yet");
        chat.says("/read a.txt", "read a.txt");
        chat.says("/read .env", "secret");
        chat.says("/audit status", "1 allowed, 1 denied");
        chat.leaves();
        assert!(stored(&scenario).contains("denied"));
    }
}

#[test]
fn the_model_writes_agents_md_after_a_yes_and_the_cost_is_shown() {
    for size in SIZES {
        let scenario = Scenario::new();
        let arguments = json!({ "path": "AGENTS.md", "content": "Run `make test`.\n" }).to_string();
        let write = Call::new("c1", "write_file", [arguments.as_str()]);
        let server = ModelServer::new([Answer::calls([write]), Answer::deltas(["Written."])]);
        let mut chat = chat(&scenario, &server, &[], size);
        chat.says("/cost", "unknown");
        chat.types("/init mention make\r");
        chat.sees("+Run `make test`.");
        chat.types("yes\r");
        chat.wait_for_prompt_after("Written.");
        assert_eq!(scenario.read("AGENTS.md"), "Run `make test`.\n");
        let sent = server.requests().last().expect("a request").body["messages"].to_string();
        assert!(sent.contains("The user adds: mention make"), "{sent}");
        chat.says("/cost", "turns           1");
        chat.leaves();
    }
}

/// The bytes of `dot.png`.
const PICTURE: &str = "cGljdHVyZQ==";

#[test]
fn an_attached_image_survives_a_crash_and_is_stored_once() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["I see."])]);
        scenario.write("dot.png", "picture");
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/attach dot.png", "dot.png, 7 B, goes with the next prompt");
        chat.killed();
        let mut chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.wait_for_prompt_after("dot.png, attached before, goes with the next prompt");
        chat.says("What is it?", "I see.");
        chat.leaves();
        let sent = server.requests().pop().expect("a request").body.to_string();
        assert!(sent.contains(PICTURE), "{sent}");
        let stored = stored(&scenario);
        assert_eq!(stored.matches(PICTURE).count(), 1, "{stored}");
        // The picture was sent, so it waits no longer.
        let chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.wait_for_prompt_after("I see.");
        assert!(!chat.page().contains("attached before"), "{}", chat.page());
        chat.leaves();
    }
}

#[test]
fn a_resumed_session_names_the_prompt_that_got_no_reply() {
    let scenario = Scenario::new();
    talks(&scenario, "Milk", SIZES[0]);
    let server = ModelServer::new([Answer::status(401), Answer::deltas(["Better."])]);
    for (prompt, warns) in [("Butter?", true), ("Again?", false)] {
        let mut chat = ChatHarness::chat(&scenario, &server, &["--resume"], SIZES[0]);
        chat.wait_for_prompt_after("Fine.");
        chat.says(prompt, if warns { "401" } else { "Better." });
        chat.leaves();
        let chat = ChatHarness::chat(&scenario, &server, &["--resume"], SIZES[0]);
        chat.wait_for_prompt_after(if warns { "Fine." } else { "Better." });
        assert_eq!(chat.page().contains("its last prompt got no reply"), warns, "{}", chat.page());
        assert_eq!(chat.page().contains(": Butter?"), warns, "{}", chat.page());
        chat.leaves();
    }
}

#[test]
fn a_script_continues_a_stored_conversation() {
    let scenario = Scenario::new();
    talks(&scenario, "Milk", SIZES[0]);
    let server = server(&["It was milk.", "Twice."]);
    for (prompt, reply) in [("/what was it?", "It was milk.\n"), ("Again?", "Twice.\n")] {
        let args = ["chat", "--model", "openai:scripted", "--resume", "-p", prompt];
        let ran = server.run(&scenario, &args).exits(0);
        assert_eq!(ran.stdout, reply, "{}", ran.stderr);
    }
    let asked = server.requests().pop().expect("a request").body["messages"].to_string();
    for text in ["Milk", "Fine.", "/what was it?", "It was milk.", "Again?"] {
        assert!(asked.contains(text), "{text}: {asked}");
    }
    let listed = scenario.run(&["session", "list", "--json"]).exits(0).stdout;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    server.run(&scenario, &["chat", "--model", "openai:scripted", "--resume", "nosuch", "-p", "Hi"]).exits(2);
}

#[test]
fn an_error_outside_of_a_session_breaks_between_words() {
    let scenario = Scenario::new();
    let args = ["session", "show", "no-such-session-with-this-name"];
    let whole = scenario.run(&args).exits(2).stderr;
    let words: Vec<_> = whole.split_whitespace().collect();
    let chat = ChatHarness::open(&scenario, &args, (40, 24), |command| {
        command.env("NO_COLOR", "1");
    });
    chat.sees(words.last().expect("a word"));
    assert_eq!(chat.page().split_whitespace().collect::<Vec<_>>(), words);
    chat.finish().exits(2);
}
