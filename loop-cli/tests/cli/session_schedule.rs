//! Prompts that fire by the clock, in a session.

use std::{fs, path::PathBuf};

use loop_testing::{Answer, Call};
use serde_json::Value;

use crate::{
    chat_harness::ChatHarness,
    model_server::ModelServer,
    schedule::added,
    screen::SIZES,
    support::{RunningCommand, Scenario, wait_until},
};

fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

fn chat(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, &[], size);
    chat.wait_for_prompt_after("/help");
    chat
}

/// Returns the id at the start of the line that contains this text.
fn id(chat: &ChatHarness, text: &str) -> String {
    let page = chat.page();
    let line = page.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}:\n{page}"));
    line.split(' ').next().expect("an id").to_owned()
}

/// Returns the last input of the model.
fn sent_to_model(server: &ModelServer) -> String {
    let request = server.requests().pop().expect("a request");
    let messages = request.body["messages"].as_array().expect("messages").clone();
    messages.last().expect("a message")["content"].as_str().expect("text").to_owned()
}

#[test]
fn what_is_due_comes_above_what_is_being_typed() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("the build is green"), says("so it is")]);
        scenario.write("dot.png", "picture");
        let mut chat = chat(&scenario, &server, size);
        chat.says("/attach dot.png", "goes with the next prompt");
        chat.says("/every 45m look at the build", "cancel  /schedule delete");
        chat.sees("when    Every 45 minutes");
        chat.sees("by      this session; the job ends with it");
        chat.sees("until   its first fire after");
        let id = chat.page().split("/schedule delete ").nth(1).expect("the command")[..8].to_owned();
        chat.types(&format!("/schedule fire {id}\rhalf"));
        chat.sees("the build is green");
        assert!(chat.page().contains(&format!("[{id}] look at the build")), "{}", chat.page());
        chat.types(" a line\r");
        chat.wait_for_prompt_after("so it is");
        // The picture waited for the person's prompt.
        let sent: Vec<_> = server.requests().iter().map(|request| request.body.to_string()).collect();
        assert_eq!([&sent[0], &sent[1]].map(|sent| sent.contains("image_url")), [false, true]);
        assert!(sent[1].contains("half a line"), "{}", sent[1]);
        chat.says(&format!("/schedule delete {id}"), "is deleted");
        chat.says("/schedule", "nothing is scheduled in this session");
        chat.leaves();
    }
}

#[test]
fn commands_fire_too_and_what_cannot_be_a_job_is_refused() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("/schedule cron 0 9 * * 1-5 /status", "Weekdays at 9:00 AM");
        let id = chat.page().split("/schedule delete ").nth(1).expect("the command")[..8].to_owned();
        chat.says(&format!("/schedule pause {id}"), "paused");
        chat.says(&format!("/schedule resume {id}"), "Weekdays at 9:00 AM, in");
        chat.types(&format!("/schedule fire {id}\r"));
        chat.wait_for_prompt_after("known ones run");
        for (line, said) in [
            ("/every", "there is no prompt"),
            ("/every look on Monday", "`on Monday` looks like a time"),
            ("/every hour and a half look", "`every hour and a half` looks like a time"),
            ("/every 0m look", "0m"),
            ("/every 2s look", "2s is too short: a job fires at most once a minute"),
            ("/every 5m /loop 1s look", "cannot create loops or jobs"),
            ("/every 5m /exit", "cannot leave the session"),
            ("/schedule cron 61 9 * * * look", "61"),
            ("/schedule delete 00000000", "there is no job 00000000"),
            ("/schedule dance", "usage: /schedule"),
        ] {
            chat.says(line, said);
        }
        chat.leaves();
    }
}

#[test]
fn the_model_schedules_what_it_is_asked_to() {
    for size in SIZES {
        let scenario = Scenario::new();
        let create = r#"{"cron": "*/5 * * * *", "prompt": "look at the build"}"#;
        let server = ModelServer::new([
            Answer::calls([Call::new("1", "CronCreate", [create])]),
            says("I look every five minutes."),
            says("the build is green"),
        ]);
        let mut chat = chat(&scenario, &server, size);
        chat.types("look at the build every five minutes\r");
        chat.sees("[y]es · [n]o");
        chat.types("y\r");
        chat.wait_for_prompt_after("I look every five minutes.");
        chat.says("/schedule", "Every 5 minutes");
        let id = id(&chat, "Every 5 minutes, ");
        chat.types(&format!("/schedule fire {id}\r"));
        chat.wait_for_prompt_after("the build is green");
        assert_eq!(sent_to_model(&server), "look at the build");
        chat.leaves();
    }
}

#[test]
fn the_model_schedules_no_line_that_only_a_person_types() {
    for size in SIZES {
        let scenario = Scenario::new();
        let create = |number, prompt| {
            let arguments = serde_json::json!({ "cron": "* * * * *", "prompt": prompt }).to_string();
            Call::new(number, "CronCreate", [arguments.as_str()])
        };
        let calls = [
            create("1", "/permissions s\\et . all"),
            create("2", "/session export notes.md other"),
            create("3", "/model use openai:other"),
            create("4", " @openai:other hi"),
            create("5", "!touch pwned"),
        ];
        let server = ModelServer::new([Answer::calls(calls), says("It is refused.")]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("schedule these", "It is refused.");
        let messages = server.requests()[1].body["messages"].clone();
        let answers: Vec<_> =
            messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
        assert_eq!(answers.len(), 5);
        for answer in answers {
            assert!(answer["content"].as_str().unwrap().contains("only a person may type"), "{answer}");
        }
        chat.says("/schedule", "nothing is scheduled in this session");
        chat.leaves();
    }
}

#[test]
fn who_has_chosen_tools_has_chosen_them() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("hello")]);
        let mut chat = ChatHarness::chat(&scenario, &server, &["--tools", "read_file"], size);
        chat.wait_for_prompt_after("/help");
        chat.says("hi", "hello");
        let tools = server.requests()[0].body["tools"].as_array().expect("tools").clone();
        let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
        assert_eq!(names, ["read_file"]);
        chat.leaves();
    }
}

/// Returns the file of the folder's jobs.
fn jobs_file(scenario: &Scenario) -> PathBuf {
    let mut folders = vec![scenario.state().join("schedule")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is there").path())
        {
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "json" => return path,
                _ => {}
            }
        }
    }
    panic!("there is no file of jobs")
}

#[test]
fn a_stored_job_fires_in_an_open_session_of_its_folder() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([says("the build is green"), says("again")]);
        let mut add = server.command(&scenario, &["schedule", "add", "--json", "10m look at the build"]);
        let added = RunningCommand::new(add.env("LOOP_MODEL", "openai:scripted")).finish().exits(0).stdout;
        let added: Value = serde_json::from_str(&added).expect("JSON");
        let id = added["id"].as_str().expect("an id");
        scenario.run(&["schedule", "fire", id]).exits(0);
        scenario.run(&["schedule", "list"]).exits(0).says(&["nothing fires these jobs now"]);
        let chat = chat(&scenario, &server, size);
        chat.sees(&format!("[{id}] look at the build"));
        chat.wait_for_prompt_after("the build is green");
        assert_eq!(sent_to_model(&server), "look at the build");
        let last_fire = || {
            let file: Value =
                serde_json::from_slice(&fs::read(jobs_file(&scenario)).expect("jobs")).expect("JSON");
            file["jobs"][0]["standing"]["last_fire"].clone()
        };
        wait_until("the fire is finished", || !last_fire()["finished_at"].is_null());
        // The session holds the lock of the runner for a moment longer.
        let listed = || scenario.run(&["schedule", "list"]).exits(0);
        let said = "an open session of this folder fires";
        wait_until("the lock is given back", || listed().stderr.contains(said));
        let listed = listed();
        assert!(listed.stdout.contains("done in a session"), "{}", listed.stdout);
        chat.leaves();
        let shown = scenario.run(&["schedule", "show", "--json", id]).exits(0).stdout;
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(
            (&shown["fires"][0]["number"], &shown["fires"][0]["exit_code"]),
            (&1.into(), &0.into()),
            "{shown}"
        );
        // The lock is free again, and the fire is settled.
        scenario.run(&["schedule", "run", "--once"]).exits(0);
        assert_eq!((server.requests().len(), &last_fire()["number"]), (1, &1.into()));
    }
}

/// Adds a one-shot to this folder that was due a day after its creation, long ago.
fn missed(scenario: &Scenario, prompt: &str) {
    added(scenario, &["--at", "2126-01-02T09:00:00Z", "--far", "--model", "ollama:qwen3", prompt]);
    let path = jobs_file(scenario);
    let mut file: Value = serde_json::from_slice(&fs::read(&path).expect("the jobs")).expect("JSON");
    for job in file["jobs"].as_array_mut().expect("jobs") {
        job["when"]["time"] = "2026-01-02T09:00:00Z".into();
        job["created_at"] = "2026-01-01T09:00:00Z".into();
        job["standing"]["cursor"] = "2026-01-01T09:00:00Z".into();
    }
    // A file edited by hand has no checksum.
    file.as_object_mut().expect("an object").remove("crc");
    fs::write(path, serde_json::to_vec(&file).expect("JSON")).expect("the jobs are changed");
}

#[test]
fn what_was_missed_is_asked_about_when_a_session_begins() {
    for size in SIZES {
        let scenario = Scenario::new();
        missed(&scenario, "call Ann");
        let server = ModelServer::new([says("I cannot call"), says("hello")]);
        // Any other answer repeats the question.
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("call Ann");
        chat.sees("now? [y]es");
        chat.types("/exit\r");
        chat.finish().exits(0);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("call Ann");
        chat.says("y", "I cannot call");
        assert_eq!(sent_to_model(&server), "call Ann");
        chat.leaves();
        // Then the job is over.
        let chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        assert!(!chat.page().contains("call Ann"), "{}", chat.page());
        chat.leaves();

        missed(&scenario, "call Ben");
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("call Ben");
        chat.types("n\r");
        wait_until("the job is gone", || {
            !fs::read_to_string(jobs_file(&scenario)).unwrap().contains("call Ben")
        });
        chat.leaves();
        assert_eq!(server.requests().len(), 1);
    }
}
