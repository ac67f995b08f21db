//! Sessions warn about transcripts and audits that somebody else cut or emptied.

use std::fs;

use loop_testing::Answer;

use crate::{model_server::Server, seat::Seat, support::World};

const SIZE: (u16, u16) = (400, 40);

/// The last entries of a transcript, or all of them, are removed by somebody else.
#[test]
fn a_transcript_that_was_cut_is_not_gone_on_with_in_silence() {
    const MISSING: &str = "the last messages of the session may be missing";
    let (world, server) = (World::new(), Server::new([Answer::deltas(["One."]), Answer::deltas(["Two."])]));
    let resumed = || {
        let seat = Seat::chat(&world, &server, &["--resume"], SIZE);
        seat.is_asked_after("/help");
        seat
    };
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says("First?", "One.");
    seat.says("Second?", "Two.");
    seat.leaves();
    let sessions = world.state().join("sessions");
    let is_transcript = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "jsonl");
    let mut files = fs::read_dir(&sessions).expect("a folder").map(|entry| entry.expect("a file").path());
    let path = files.find(is_transcript).expect("a transcript");
    let whole = fs::read_to_string(&path).expect("a transcript");
    // Whole, it is gone on with, and ends once more.
    for _ in 0..2 {
        let seat = resumed();
        seat.sees("4 messages");
        assert!(!seat.page().contains(MISSING), "{}", seat.page());
        seat.leaves();
    }
    for left in 1..whole.lines().count() {
        let cut: String = whole.split_inclusive('\n').take(left).collect();
        fs::write(&path, cut).expect("a transcript");
        let seat = resumed();
        seat.sees(MISSING);
        seat.leaves();
        // The warning appears once.
        let seat = resumed();
        assert!(!seat.page().contains(MISSING), "{left}: {}", seat.page());
        seat.leaves();
    }
    fs::write(&path, "").expect("a transcript");
    let id = path.file_stem().expect("an id").to_str().expect("text").to_owned();
    for named in [&["--resume"] as &[&str], &["--resume", &id]] {
        let ran = Seat::chat(&world, &server, named, SIZE).finish();
        ran.exits(2);
    }
    assert_eq!(fs::read(&path).expect("a transcript"), b"");
    let mut seat = Seat::chat(&world, &server, &[], SIZE);
    seat.is_asked_after("/help");
    seat.says(&format!("/session continue {id}"), "it holds nothing of the session");
    seat.says("/session list", "cannot be read");
    seat.leaves();
}

#[test]
fn an_audit_that_was_emptied_is_told_of() {
    const LOST: &str = "audit.jsonl are lost: somebody emptied or removed it";
    let (world, server) = (World::new(), Server::new([]));
    world.write("a.txt", "hello\n");
    let seat = || {
        let seat = Seat::chat(&world, &server, &[], SIZE);
        seat.is_asked_after("/help");
        seat
    };
    let mut whole = seat();
    whole.says("/read a.txt", "read a.txt");
    whole.says("/audit", "allowed");
    assert!(!whole.page().contains(LOST), "{}", whole.page());
    let audit = world.state().join("audit/audit.jsonl");
    assert!(fs::metadata(&audit).expect("an audit").len() > 0);
    // Within a session, and before one.
    fs::write(&audit, "").expect("an audit");
    whole.says("/audit", LOST);
    whole.leaves();
    let mut emptied = seat();
    emptied.says("/read a.txt", "read a.txt");
    emptied.says("/audit", LOST);
    emptied.leaves();
    let told = fs::read_to_string(&audit).expect("an audit");
    assert!(told.lines().next().is_some_and(|line| line.contains("before this one are lost")), "{told}");
}
