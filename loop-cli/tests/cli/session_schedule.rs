//! Prompts that fire by the clock, in a session.

use std::{fs, path::PathBuf};

use loop_testing::{Answer, Call};
use serde_json::Value;

use crate::{
    model_server::Server,
    schedule::added,
    seat::Seat,
    support::{World, until},
};

const SIZE: (u16, u16) = (100, 40);

fn says(text: &str) -> Answer {
    Answer::deltas([text])
}

fn seat(world: &World, server: &Server) -> Seat {
    let seat = Seat::chat(world, server, &[], SIZE);
    seat.is_asked_after("/help");
    seat
}

/// The id at the beginning of the line that has this.
fn id(seat: &Seat, text: &str) -> String {
    let page = seat.page();
    let line = page.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}:\n{page}"));
    line.split(' ').next().expect("an id").to_owned()
}

/// Returns the last input of the model.
fn told(server: &Server) -> String {
    let request = server.requests().pop().expect("a request");
    let messages = request.body["messages"].as_array().expect("messages").clone();
    messages.last().expect("a message")["content"].as_str().expect("text").to_owned()
}

#[test]
fn what_is_due_comes_above_what_is_being_typed() {
    let world = World::new();
    let server = Server::new([says("the build is green"), says("so it is")]);
    let mut seat = seat(&world, &server);
    seat.says("/every 45m look at the build", "it ends with this session");
    seat.sees("it is scheduled every 1h");
    let id = id(&seat, "it ends with this session");
    seat.types(&format!("/schedule fire {id}\rhalf"));
    seat.sees("the build is green");
    assert!(seat.page().contains(&format!("[{id}] look at the build")), "{}", seat.page());
    seat.types(" a line\r");
    seat.is_asked_after("so it is");
    assert_eq!(told(&server), "half a line");
    seat.says(&format!("/schedule delete {id}"), "is deleted");
    seat.says("/schedule", "nothing is scheduled in this session");
    seat.leaves();
}

#[test]
fn commands_fire_too_and_what_cannot_be_a_job_is_refused() {
    let world = World::new();
    let server = Server::new([]);
    let mut seat = seat(&world, &server);
    seat.says("/schedule cron 0 9 * * 1-5 /status", "Weekdays at 9:00 AM");
    let id = id(&seat, "Weekdays at 9:00 AM");
    seat.says(&format!("/schedule pause {id}"), "paused");
    seat.says(&format!("/schedule resume {id}"), "Weekdays at 9:00 AM, in");
    seat.types(&format!("/schedule fire {id}\r"));
    seat.is_asked_after("known ones run");
    for (line, said) in [
        ("/every", "there is no prompt"),
        ("/every 0m look", "0m"),
        ("/every 5m /loop 1s look", "makes loops or jobs"),
        ("/every 5m /exit", "leaves the session"),
        ("/schedule cron 61 9 * * * look", "61"),
        ("/schedule delete 00000000", "there is no job 00000000"),
        ("/schedule dance", "usage: /schedule"),
    ] {
        seat.says(line, said);
    }
    seat.leaves();
}

#[test]
fn the_model_schedules_what_it_is_asked_to() {
    let world = World::new();
    let create = r#"{"cron": "*/5 * * * *", "prompt": "look at the build"}"#;
    let server = Server::new([
        Answer::calls([Call::new("1", "CronCreate", [create])]),
        says("I look every five minutes."),
        says("the build is green"),
    ]);
    let mut seat = seat(&world, &server);
    seat.says("look at the build every five minutes", "I look every five minutes.");
    seat.says("/schedule", "Every 5 minutes");
    let id = id(&seat, "Every 5 minutes");
    seat.types(&format!("/schedule fire {id}\r"));
    seat.is_asked_after("the build is green");
    assert_eq!(told(&server), "look at the build");
    seat.leaves();
}

#[test]
fn the_model_schedules_no_line_that_only_a_person_types() {
    let world = World::new();
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
    let server = Server::new([Answer::calls(calls), says("It is refused.")]);
    let mut seat = seat(&world, &server);
    seat.says("schedule these", "It is refused.");
    let messages = server.requests()[1].body["messages"].clone();
    let answers: Vec<_> =
        messages.as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(answers.len(), 5);
    for answer in answers {
        assert!(answer["content"].as_str().unwrap().contains("for a person to type"), "{answer}");
    }
    seat.says("/schedule", "nothing is scheduled in this session");
    seat.leaves();
}

#[test]
fn who_has_chosen_tools_has_chosen_them() {
    let world = World::new();
    let server = Server::new([says("hello")]);
    let mut seat = Seat::chat(&world, &server, &["--tools", "read_file"], SIZE);
    seat.is_asked_after("/help");
    seat.says("hi", "hello");
    let tools = server.requests()[0].body["tools"].as_array().expect("tools").clone();
    let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(names, ["read_file"]);
    seat.leaves();
}

/// The file of the folder's jobs.
fn jobs_file(world: &World) -> PathBuf {
    let mut folders = vec![world.state().join("schedule")];
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

/// A one-shot of this folder whose time was a day after it was made, and is long past.
fn missed(world: &World, prompt: &str) {
    added(world, &["--at", "2126-01-02T09:00:00Z", "--far", "--model", "ollama:qwen3", prompt]);
    let path = jobs_file(world);
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
    let world = World::new();
    missed(&world, "call Ann");
    let server = Server::new([says("I cannot call"), says("hello")]);
    // Any other answer repeats the question.
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("call Ann");
    seat.sees("now? [y]es");
    seat.types("/exit\r");
    seat.finish().exits(0);
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("call Ann");
    seat.says("y", "I cannot call");
    assert_eq!(told(&server), "call Ann");
    seat.leaves();
    // Then it is over.
    let seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    assert!(!seat.page().contains("call Ann"), "{}", seat.page());
    seat.leaves();

    missed(&world, "call Ben");
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("call Ben");
    seat.types("n\r");
    until("the job is gone", || !fs::read_to_string(jobs_file(&world)).unwrap().contains("call Ben"));
    seat.leaves();
    assert_eq!(server.requests().len(), 1);
}
