//! `loop chat` at a terminal.

use std::fs;

use loop_testing::{Answer, Call};
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    model_server::Server,
    seat::{CTRL_C, Seat, answered_by},
    support::World,
};

const SIZE: (u16, u16) = (80, 24);

fn says(text: &str) -> Answer {
    Answer::deltas([text]).usage(1840, 312)
}

/// The texts of the messages that the server was sent last.
fn asked(server: &Server) -> Vec<String> {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().expect("messages").clone();
    messages.iter().map(|message| message["content"].to_string()).collect()
}

/// The sessions that were kept, entry by entry.
pub(crate) fn kept(world: &World) -> Vec<Vec<Value>> {
    let Ok(files) = fs::read_dir(world.state().join("sessions")) else { return Vec::new() };
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
    let world = World::new();
    world.write("a.txt", "hello\n");
    let code = "See:\n```rust\nfn main() {}\n```\nThat is all.";
    let calls = Answer::calls([Call::new("c1", "list_files", ["{}"])]).usage(2000, 20);
    let server = Server::new([says("Good morning."), says(code), calls, says("There is a.txt.")]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.shows("session_1_start");
    seat.says("Hello?", "tok/s");
    seat.shows("session_2_turn");
    seat.says("/clear", "forgotten");
    seat.says("Show me \\\rsome code", "That is all.");
    seat.says("What is here?", "There is a.txt.");
    seat.shows("session_3_tool");
    seat.says("!cat a.txt", "(exit 0)");
    seat.says("/tols", "did you mean /tools?");
    seat.says("/read", "the file is missing");
    seat.shows("session_4_commands");
    seat.types("not sent");
    seat.sees("> not sent");
    seat.types(CTRL_C);
    seat.is_asked_after("Ctrl+D leaves");
    seat.types("\u{4}");
    seat.finish().exits(0);

    let entries = kept(&world);
    assert_eq!(entries.len(), 1);
    let kinds: Vec<_> = entries[0].iter().map(ToString::to_string).collect();
    for kind in ["begun", "asked", "called", "answered", "cleared", "ran"] {
        assert!(kinds.iter().any(|line| line.contains(&format!("\"{kind}\""))), "{kind}: {kinds:#?}");
    }
}

#[test]
fn ctrl_c_ends_the_turn_and_not_the_session() {
    let world = World::new();
    let server = Server::new([Answer::deltas(["hal", "f"]).stalls(), says("Here.")]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.types("Hello?\r");
    seat.sees("half");
    seat.sees("scripted replies");
    seat.types(CTRL_C);
    seat.is_asked_after("interrupted");
    seat.shows("session_interrupted");
    seat.says("And now?", "Here.");
    // The transcript has the text so far.
    let unanswered = |line: &Value| line.to_string().contains("\"said\":\"half\"");
    assert_eq!(kept(&world)[0].iter().filter(|line| unanswered(line)).count(), 1);
    // The turn that was ended has never been.
    assert!(!asked(&server).iter().any(|text| text.contains("Hello?")));
    seat.leaves();
}

#[test]
fn a_command_is_ended_by_ctrl_c() {
    let world = World::new();
    let mut seat = Seat::with_settings(&world, &Server::new([]), "[policy]\nallow = [\"sleep\"]\n", SIZE);
    seat.is_asked_after("/help");
    seat.types("!sleep 1000\r");
    seat.sees("running");
    // The text typed ahead is still there.
    seat.types("and then");
    seat.types(CTRL_C);
    seat.is_asked_after_typing("and then", "interrupted");
    seat.types(CTRL_C);
    seat.is_asked_after("Ctrl+D leaves");
    seat.types("!sleep 2000\r");
    seat.sees("running: !sleep 2000");
    seat.started().signal(Signal::HUP);
    seat.finish().exits(129);
    // However it ended, it was run.
    let entries = kept(&world).pop().expect("a session");
    let ran: Vec<_> = entries.iter().filter_map(|entry| entry["event"]["ran"]["output"].as_str()).collect();
    assert_eq!(ran, ["[I ran: sleep 1000]\n(interrupted)", "[I ran: sleep 2000]\n(interrupted)"]);
}

#[test]
fn a_context_that_is_full_is_told_of_whoever_answers_and_within_a_turn() {
    let world = World::new();
    world.write("long.txt", "a line\n".repeat(8_000));
    let reads = Answer::calls([Call::new("c1", "read_file", [r#"{"path":"long.txt"}"#])]);
    let server = Server::new([says("Hello."), reads, Answer::deltas([" "])]);
    let url = server.url();
    let model = |name, tokens| {
        format!(
            "[models.{name}]\nmodel = \"openai:scripted\"\nbase_url = \"{url}\"\ncontext_tokens = {tokens}\n"
        )
    };
    let settings = model("tiny", 1_000) + &model("small", 10_000);
    let mut seat = Seat::with_settings(&world, &server, &settings, (120, 40));
    seat.is_asked_after("/help");
    // The model that answers otherwise has room, or nobody knows.
    seat.says("@tiny Hello?", "tok/s");
    seat.sees("of 1000 tokens: the model may refuse this");
    seat.says("/clear", "forgotten");
    seat.says("/model use small", "small");
    seat.says("Read it.", "(empty reply)");
    seat.sees("of 10000 tokens: the model may refuse this");
    seat.leaves();
}

#[test]
fn a_session_is_gone_on_with_as_it_was_left() {
    let world = World::new();
    let server = Server::new([says("One."), says("Two."), says("Three.")]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says("First?", "tok/s");
    seat.says("/tools off", "tools are off");
    seat.leaves();

    // No model is named here, so it is that session's.
    let resumed = |args: &[&str]| {
        let seat = Seat::open(&world, &[&["chat", "--resume"], args].concat(), SIZE, |command| {
            answered_by(command, &server);
            command.env("OLLAMA_HOST", "127.0.0.1:1");
        });
        seat.is_asked_after("/help");
        seat
    };
    let mut seat = resumed(&[]);
    assert!(!seat.page().contains("warning"), "{}", seat.page());
    seat.sees("2 messages, without tools");
    seat.sees("scripted, without tools");
    seat.says("/status", "1 turn, 2 messages");
    seat.says("Second?", "Two.");
    assert_eq!(server.requests()[1].body.get("tools"), None);
    seat.leaves();
    // Still, and until somebody says otherwise.
    resumed(&[]).leaves();
    let mut seat = resumed(&["--tools", "read_file"]);
    seat.sees("scripted, with tools");
    seat.says("/status", "2 turns, 4 messages");
    seat.leaves();
    let mut seat = resumed(&[]);
    seat.says("/status", "on, all of them");
    seat.leaves();
    // A session that began without tools continues without them.
    let mut seat = resumed(&["--no-tools"]);
    seat.says("Third?", "Three.");
    seat.leaves();
    resumed(&[]).sees("scripted, without tools");
}

#[test]
fn the_model_of_a_session_goes_on_answering() {
    let (world, server) = (World::new(), Server::new([says("One.")]));
    let seat = |args: &[&str]| {
        let seat = Seat::open(&world, &[&["chat"], args].concat(), SIZE, |command| {
            answered_by(command, &server);
            command.env("LOOP_MODEL", "openai:scripted");
        });
        seat.is_asked_after("/help");
        seat
    };
    let mut first = seat(&[]);
    first.says("First?", "One.");
    first.says("/model use openai:other", "other");
    first.leaves();
    let named = seat(&["--resume", "--model", "openai:scripted"]);
    named.sees("scripted, with");
    named.leaves();
    let mut again = seat(&["--resume"]);
    again.sees("scripted, with");
    again.says("/model use openai:other", "other");
    again.leaves();
    let resumed = seat(&["--resume"]);
    resumed.sees("2 messages, other answers");
    resumed.sees("other, with");
    resumed.leaves();
    let mut continued = seat(&[]);
    continued.says("/session continue", "2 messages, other answers");
    continued.leaves();
    // A session that no longer exists.
    let sessions = fs::read_dir(world.state().join("sessions")).expect("a folder");
    let file = sessions.map(|file| file.expect("a file").path()).find(|path| path.extension().is_some());
    let id =
        file.as_ref().and_then(|path| path.file_stem()).expect("a session").to_string_lossy().into_owned();
    let mut elsewhere = Seat::open(&world, &["chat", "--resume", &id], SIZE, |command| {
        command.env("OLLAMA_HOST", "127.0.0.1:1").env("NO_COLOR", "1");
    });
    elsewhere.sees("openai:other answered there, and cannot here");
    elsewhere.sees("nobody answers instead");
    elsewhere.types("/exit\r");
}

#[test]
fn a_session_that_cannot_be_read_is_said_to_be_there() {
    let (world, server) = (World::new(), Server::new([says("One.")]));
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says("First?", "One.");
    fs::write(world.state().join("sessions/broken.jsonl"), "\0\n").expect("a file");
    seat.says("/session list", "cannot be read: line 1 of");
    seat.says("/session continue broken", "is damaged");
    seat.leaves();
    // This session is now newer than the other one.
    fs::write(world.state().join("sessions/broken.jsonl"), "\0\n").expect("a file");
    let seat = Seat::chat(&world, &server, &["--resume"], SIZE);
    seat.sees("broken, used later, cannot be read");
    seat.is_asked_after("/help");
    seat.leaves();
    // Nothing was run: the command line names an unusable session.
    for (named, why) in [("no-such", "no-such"), ("broken", "is damaged")] {
        let seat = Seat::chat(&world, &server, &["--resume", named], SIZE);
        seat.sees("error: ");
        seat.finish().exits(2).says(&[why]);
    }
}

#[test]
fn what_a_command_printed_is_known_to_the_model() {
    let world = World::new();
    world.write("AGENTS.md", "Be brief.\n");
    world.write("a.txt", "a word that nobody guesses: quince\n");
    let server = Server::new([says("I see.")]);
    let mut seat = Seat::chat(&world, &server, &["--no-tools"], SIZE);
    seat.is_asked_after("/help");
    seat.says("/read a.txt", "read a.txt");
    seat.says("/context add Answer in Latvian.", "pinned");
    seat.says("What is in it?", "I see.");
    let asked = asked(&server).join("\n");
    for part in ["Be brief.", "The date", "quince", "Answer in Latvian.", "What is in it?"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    seat.leaves();
}

#[test]
fn a_session_is_gone_on_with_after_it_was_killed() {
    let world = World::new();
    let reply = "# A heading\n\n  é and `code`\n";
    let server = Server::new([says(reply), Answer::deltas(["half"]).stalls(), says("Yes.")]);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says("First?", "tok/s");
    seat.types("Second?\r");
    seat.sees("half");
    seat.started().signal(Signal::KILL);
    drop(seat);
    assert_eq!(kept(&world).len(), 1);

    let mut seat = Seat::chat(&world, &server, &["--resume"], SIZE);
    seat.is_asked_after("which was: Second?");
    seat.says("Third?", "Yes.");
    let asked = asked(&server);
    let said: Vec<_> = asked
        .iter()
        .filter(|text| ["First?", "heading", "Third?", "Second?"].iter().any(|part| text.contains(part)))
        .collect();
    assert_eq!(said.len(), 3, "{asked:?}");
    assert!(asked.contains(&Value::from(reply).to_string()), "{asked:?}");
    seat.leaves();
}

#[test]
fn a_session_without_a_model_says_so_and_has_everything_else() {
    let world = World::new();
    world.write("a.txt", "hello\n");
    let mut seat = Seat::open(&world, &["chat"], SIZE, |command| {
        command.env("NO_COLOR", "1").env("OLLAMA_HOST", "127.0.0.1:1");
    });
    seat.is_asked_after("no model, with tools");
    seat.says("Hello?", "no model answers here");
    seat.says("/loop 1s Hello?", "no model answers here");
    seat.says("/files", "a.txt");
    seat.leaves();
}

#[test]
fn what_is_no_terminal_is_no_session() {
    let world = World::new();
    let server = Server::new([]);
    let ran = server.run(&world, &["chat", "--model", "openai:scripted", "--resume"]).exits(2);
    ran.says(&["for a person at a terminal"]);
}

#[test]
fn a_session_whose_terminal_is_gone_ends() {
    for is_deaf in [false, true] {
        Seat::hung_up(&World::new(), &Server::new([]), is_deaf).exits(129);
    }
}
