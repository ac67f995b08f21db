//! `loop chat` at a terminal.

use std::fs;

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    chat_harness::{CTRL_C, ChatHarness, answered_by},
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

fn says(text: &str) -> Answer {
    Answer::deltas([text]).usage(184, 31)
}

/// Returns the texts of the messages in the server's last request.
fn asked(server: &ModelServer) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().expect("messages").clone();
    messages.iter().map(|message| message["content"].to_string()).collect()
}

/// Returns the stored sessions, entry by entry.
pub(crate) fn transcript_entries(scenario: &Scenario) -> Vec<Vec<Value>> {
    let Ok(files) = fs::read_dir(scenario.state().join("sessions")) else { return Vec::new() };
    let paths = files.map(|file| file.expect("a file").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    paths.sort();
    let entries = |path| -> Vec<Value> {
        let text = fs::read_to_string(path).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    paths.into_iter().map(entries).collect()
}

#[test]
fn a_session_is_driven_screen_by_screen() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("a.txt", "hello\n");
        let code = "See:\n```rust\nfn main() {}\n```\nThat is all.";
        let calls = Answer::calls([Call::new("c1", "list_files", ["{}"])]).usage(200, 20);
        let server = ModelServer::new([says("Good morning."), says(code), calls, says("There is a.txt.")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.shows(&format!("session_1_start_{}", size.0));
        chat.says("Hello?", "tok/s");
        chat.shows(&format!("session_2_turn_{}", size.0));
        chat.says("/clear", "forgotten");
        chat.says("Show me \\\rsome code", "That is all.");
        chat.says("What is here?", "There is a.txt.");
        chat.shows(&format!("session_3_tool_{}", size.0));
        chat.says("/run cat a.txt", "(exit 0)");
        chat.says("/tols", "did you mean /tools?");
        chat.says("/read", "the file or the address is missing");
        chat.shows(&format!("session_4_commands_{}", size.0));
        chat.types("not sent");
        chat.sees("> not sent");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("Ctrl+D leaves");
        chat.types("\u{4}");
        chat.finish().exits(0);

        let entries = transcript_entries(&scenario);
        assert_eq!(entries.len(), 1);
        let kinds: Vec<_> = entries[0].iter().map(ToString::to_string).collect();
        for kind in ["begun", "asked", "called", "answered", "cleared", "ran"] {
            assert!(kinds.iter().any(|line| line.contains(&format!("\"{kind}\""))), "{kind}: {kinds:#?}");
        }
    }
}

#[test]
fn ctrl_c_ends_the_turn_and_not_the_session() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["hal", "f"]).stalls(), says("Here.")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Hello?\r");
        chat.sees("half");
        chat.sees("scripted replies");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("interrupted");
        chat.shows(&format!("session_interrupted_{}", size.0));
        chat.says("And now?", "Here.");
        // The transcript has the text so far.
        let unanswered = |line: &Value| line.to_string().contains("\"said\":\"half…\"");
        assert_eq!(transcript_entries(&scenario)[0].iter().filter(|line| unanswered(line)).count(), 1);
        // The cancelled turn is not part of the conversation.
        assert!(!asked(&server).iter().any(|text| text.contains("Hello?")));
        chat.leaves();
    }
}

#[test]
fn a_command_is_ended_by_ctrl_c() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        let mut chat =
            ChatHarness::with_settings(&scenario, &server, "[policy]\nallow = [\"sleep\"]\n", size);
        chat.wait_for_prompt_after("/help");
        chat.types("/run sleep 1000\r");
        chat.sees("running");
        // The text typed ahead is still there.
        chat.types("and then");
        chat.types(CTRL_C);
        chat.wait_for_typed_prompt_after("and then", "interrupted");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("Ctrl+D leaves");
        chat.types("/run sleep 2000\r");
        chat.sees("running: /run sleep 2000");
        chat.started().signal(Signal::HUP);
        chat.finish().exits(129);
        // The command counts as run, however it ended.
        let entries = transcript_entries(&scenario).pop().expect("a session");
        let ran: Vec<_> =
            entries.iter().filter_map(|entry| entry["event"]["ran"]["output"].as_str()).collect();
        assert_eq!(ran, ["[I ran: sleep 1000]\n(interrupted)", "[I ran: sleep 2000]\n(interrupted)"]);
    }
}

#[test]
fn a_context_that_is_full_is_reported_whoever_answers_and_within_a_turn() {
    let scenario = Scenario::new();
    scenario.write("long.txt", "a line\n".repeat(8_000));
    let reads = Answer::calls([Call::new("c1", "read_file", [r#"{"path":"long.txt"}"#])]);
    let server = ModelServer::new([reads, Answer::deltas([" "])]);
    let url = server.url();
    let model = |name, tokens| {
        format!(
            "[models.{name}]\nmodel = \"openai:scripted\"\nbase_url = \"{url}\"\ncontext_tokens = {tokens}\n"
        )
    };
    let settings = model("tiny", 1_000) + &model("small", 10_000);
    let mut chat = ChatHarness::with_settings(&scenario, &server, &settings, (120, 40));
    chat.wait_for_prompt_after("/help");
    // The model that answers otherwise has enough context, or an unknown size.
    chat.says("@tiny Hello?", "the prompt was not sent, because it does not fit");
    chat.sees("of 1000 tokens");
    assert!(server.requests().is_empty());
    chat.says("/model use small", "small");
    chat.says("Read it.", "(empty reply)");
    chat.sees("of 10000 tokens: the model may refuse this");
    chat.leaves();
}

#[test]
fn a_session_is_gone_on_with_as_it_was_left() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("One."), says("Two."), says("Three.")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("First?", "tok/s");
        chat.says("/tools off", "tools are off");
        chat.leaves();

        // The command line names no model, so the session's own model answers.
        let resumed = |args: &[&str]| {
            let chat =
                ChatHarness::open(&scenario, &[&["chat", "--resume"], args].concat(), size, |command| {
                    answered_by(command, &server);
                    command.env("OLLAMA_HOST", "127.0.0.1:1");
                });
            chat.wait_for_prompt_after("/help");
            chat
        };
        let mut chat = resumed(&[]);
        assert!(!chat.page().contains("warning"), "{}", chat.page());
        chat.sees("2 messages, without tools");
        chat.sees("scripted, without tools");
        chat.says("/status", "1 turn, 2 messages");
        chat.says("Second?", "Two.");
        assert_eq!(server.requests()[1].body.get("tools"), None);
        chat.leaves();
        // The tools stay off until the user turns them on.
        resumed(&[]).leaves();
        let mut chat = resumed(&["--tools", "read_file"]);
        chat.sees("scripted, with tools");
        chat.says("/status", "2 turns, 4 messages");
        chat.leaves();
        let mut chat = resumed(&[]);
        chat.says("/status", "on, all of them");
        chat.leaves();
        // A session that began without tools continues without them.
        let mut chat = resumed(&["--no-tools"]);
        chat.says("Third?", "Three.");
        chat.leaves();
        resumed(&[]).sees("scripted, without tools");
    }
}

#[test]
fn the_model_of_a_session_goes_on_answering() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), ModelServer::new([says("One.")]));
        let chat = |args: &[&str]| {
            let chat = ChatHarness::open(&scenario, &[&["chat"], args].concat(), size, |command| {
                answered_by(command, &server);
                command.env("LOOP_MODEL", "openai:scripted");
            });
            chat.wait_for_prompt_after("/help");
            chat
        };
        let mut first = chat(&[]);
        first.says("First?", "One.");
        first.says("/model use openai:other", "other");
        first.leaves();
        let named = chat(&["--resume", "--model", "openai:scripted"]);
        named.sees("scripted, with");
        named.leaves();
        let mut again = chat(&["--resume"]);
        again.sees("scripted, with");
        again.says("/model use openai:other", "other");
        again.leaves();
        let resumed = chat(&["--resume"]);
        resumed.sees("2 messages, other answers");
        resumed.sees("other, with");
        resumed.leaves();
        let mut continued = chat(&[]);
        continued.says("/session continue", "2 messages, other answers");
        continued.leaves();
        // A session that no longer exists.
        let sessions = fs::read_dir(scenario.state().join("sessions")).expect("a folder");
        let file = sessions.map(|file| file.expect("a file").path()).find(|path| path.extension().is_some());
        let id = file
            .as_ref()
            .and_then(|path| path.file_stem())
            .expect("a session")
            .to_string_lossy()
            .into_owned();
        let mut elsewhere = ChatHarness::open(&scenario, &["chat", "--resume", &id], size, |command| {
            command.env("OLLAMA_HOST", "127.0.0.1:1").env("NO_COLOR", "1");
        });
        elsewhere.sees("openai:other answered there, but cannot answer here");
        elsewhere.sees("; nobody answers");
        elsewhere.types("/exit\r");
    }
}

#[test]
fn a_session_that_cannot_be_read_is_said_to_be_there() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), ModelServer::new([says("One.")]));
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("First?", "One.");
        fs::write(scenario.state().join("sessions/broken.jsonl"), "\0\n").expect("a file");
        chat.says("/session list", "cannot be read: line 1 of");
        chat.says("/session continue broken", "is damaged");
        chat.leaves();
        // This session is now newer than the other one.
        fs::write(scenario.state().join("sessions/broken.jsonl"), "\0\n").expect("a file");
        let chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.sees("broken, used later, cannot be read");
        chat.wait_for_prompt_after("/help");
        chat.leaves();
        // Exit code 2, because the command line names an unusable session.
        for (named, why) in [("no-such", "no-such"), ("broken", "is damaged")] {
            let chat = ChatHarness::chat(&scenario, &server, &["--resume", named], size);
            chat.sees("error: ");
            chat.finish().exits(2).says(&[why]);
        }
    }
}

#[test]
fn what_a_command_printed_is_known_to_the_model() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("AGENTS.md", "Be brief.\n");
        scenario.write("a.txt", "a word that nobody guesses: quince\n");
        let server = ModelServer::new([says("I see.")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &["--no-tools"], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/read a.txt", "read a.txt");
        chat.says("/context add Answer in Latvian.", "pinned");
        chat.says("What is in it?", "I see.");
        let asked = asked(&server).join("\n");
        for part in ["Be brief.", "The date", "quince", "Answer in Latvian.", "What is in it?"] {
            assert!(asked.contains(part), "{part}: {asked}");
        }
        chat.leaves();
    }
}

#[test]
fn a_session_is_gone_on_with_after_it_was_killed() {
    for size in SIZES {
        let scenario = Scenario::new();
        let reply = "# A heading\n\n  é and `code`\n";
        let server = ModelServer::new([says(reply), Answer::deltas(["half"]).stalls(), says("Yes.")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("First?", "tok/s");
        chat.types("Second?\r");
        chat.sees("half");
        chat.started().signal(Signal::KILL);
        drop(chat);
        assert_eq!(transcript_entries(&scenario).len(), 1);

        let mut chat = ChatHarness::chat(&scenario, &server, &["--resume"], size);
        chat.wait_for_prompt_after("in this turn: Second?");
        chat.says("Third?", "Yes.");
        let asked = asked(&server);
        let said: Vec<_> = asked
            .iter()
            .filter(|text| ["First?", "heading", "Third?", "Second?"].iter().any(|part| text.contains(part)))
            .collect();
        assert_eq!(said.len(), 3, "{asked:?}");
        assert!(asked.contains(&Value::from(reply).to_string()), "{asked:?}");
        chat.leaves();
    }
}

#[test]
fn a_session_without_a_model_says_so_and_has_everything_else() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("a.txt", "hello\n");
        let mut chat = ChatHarness::open(&scenario, &["chat"], size, |command| {
            command.env("NO_COLOR", "1").env("OLLAMA_HOST", "127.0.0.1:1");
        });
        chat.wait_for_prompt_after("no model, with tools");
        chat.says("Hello?", "no model is selected");
        chat.says("/loop 1s Hello?", "no model is selected");
        chat.says("/files", "a.txt");
        chat.leaves();
    }
}
