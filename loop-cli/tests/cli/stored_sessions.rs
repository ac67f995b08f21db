//! Sessions warn about transcripts and audits that somebody else cut or emptied.

use std::fs;

use loop_testing::Answer;

use crate::{chat_harness::ChatHarness, model_server::ModelServer, support::Scenario};

const SIZE: (u16, u16) = (400, 40);

/// The last entries of a transcript, or all of them, are removed by somebody else.
#[test]
fn a_transcript_that_was_cut_is_not_gone_on_with_in_silence() {
    const MISSING: &str = "the last messages of the session may be missing";
    let (scenario, server) =
        (Scenario::new(), ModelServer::new([Answer::deltas(["One."]), Answer::deltas(["Two."])]));
    let resumed = || {
        let chat = ChatHarness::chat(&scenario, &server, &["--resume"], SIZE);
        chat.wait_for_prompt_after("/help");
        chat
    };
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZE);
    chat.wait_for_prompt_after("/help");
    chat.says("First?", "One.");
    chat.says("Second?", "Two.");
    chat.leaves();
    let sessions = scenario.state().join("sessions");
    let is_transcript = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "jsonl");
    let mut files = fs::read_dir(&sessions).expect("a folder").map(|entry| entry.expect("a file").path());
    let path = files.find(is_transcript).expect("a transcript");
    let whole = fs::read_to_string(&path).expect("a transcript");
    // A complete session can be resumed, and ends again.
    for _ in 0..2 {
        let chat = resumed();
        chat.sees("4 messages");
        assert!(!chat.page().contains(MISSING), "{}", chat.page());
        chat.leaves();
    }
    for left in 1..whole.lines().count() {
        let cut: String = whole.split_inclusive('\n').take(left).collect();
        fs::write(&path, cut).expect("a transcript");
        let chat = resumed();
        chat.sees(MISSING);
        chat.leaves();
        // The warning appears once.
        let chat = resumed();
        assert!(!chat.page().contains(MISSING), "{left}: {}", chat.page());
        chat.leaves();
    }
    fs::write(&path, "").expect("a transcript");
    let id = path.file_stem().expect("an id").to_str().expect("text").to_owned();
    for named in [&["--resume"] as &[&str], &["--resume", &id]] {
        let ran = ChatHarness::chat(&scenario, &server, named, SIZE).finish();
        ran.exits(2);
    }
    assert_eq!(fs::read(&path).expect("a transcript"), b"");
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZE);
    chat.wait_for_prompt_after("/help");
    chat.says(&format!("/session continue {id}"), "it holds nothing of the session");
    chat.says("/session list", "cannot be read");
    chat.leaves();
}

#[test]
fn a_transcript_that_was_cut_is_listed_and_shown_with_a_warning() {
    const MISSING: &str = "the last messages of the session may be missing";
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["One."])]));
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZE);
    chat.wait_for_prompt_after("/help");
    chat.says("First?", "One.");
    let commands: [&[&str]; 5] =
        [&["list"], &["list", "--json"], &["list", "--all"], &["show"], &["show", "--json"]];
    let shown = |says: &dyn Fn(&str)| {
        for command in commands {
            let ran = scenario.run(&[&["session"], command].concat()).exits(0);
            assert!(!ran.stdout.is_empty());
            says(&ran.stderr);
        }
    };
    let has_no_warning = |stderr: &str| assert_eq!(stderr, "");
    // While the chat is open, the end is not due yet.
    shown(&has_no_warning);
    chat.leaves();
    shown(&has_no_warning);
    let files = fs::read_dir(scenario.state().join("sessions")).expect("a folder");
    let mut paths = files.map(|file| file.expect("a file").path());
    let path = paths.find(|path| path.extension().is_some_and(|it| it == "jsonl")).expect("a transcript");
    let whole = fs::read_to_string(&path).expect("a transcript");
    let lines: Vec<_> = whole.split_inclusive('\n').collect();
    for left in 1..lines.len() {
        fs::write(&path, lines[..left].concat()).expect("a transcript");
        shown(&|stderr| assert!(stderr.contains("warning:") && stderr.contains(MISSING), "{left}: {stderr}"));
        fs::write(&path, lines[..left].concat() + &lines[left][..9]).expect("a transcript");
        let torn = "the last entry of the session is incomplete: its 9 bytes are not shown";
        shown(&|stderr| assert!(stderr.contains("warning:") && stderr.contains(torn), "{left}: {stderr}"));
    }
}

#[test]
fn an_audit_that_was_emptied_is_reported() {
    const LOST: &str = "audit.jsonl are lost: somebody emptied or removed it";
    let (scenario, server) = (Scenario::new(), ModelServer::new([]));
    scenario.write("a.txt", "hello\n");
    let chat = || {
        let chat = ChatHarness::chat(&scenario, &server, &[], SIZE);
        chat.wait_for_prompt_after("/help");
        chat
    };
    let mut whole = chat();
    whole.says("/read a.txt", "read a.txt");
    whole.says("/audit", "allowed");
    assert!(!whole.page().contains(LOST), "{}", whole.page());
    let audit = scenario.state().join("audit/audit.jsonl");
    assert!(fs::metadata(&audit).expect("an audit").len() > 0);
    // The audit is emptied during a session, and before one.
    fs::write(&audit, "").expect("an audit");
    whole.says("/audit", LOST);
    whole.leaves();
    let mut emptied = chat();
    emptied.says("/read a.txt", "read a.txt");
    emptied.says("/audit", LOST);
    emptied.leaves();
    let told = fs::read_to_string(&audit).expect("an audit");
    assert!(told.lines().next().is_some_and(|line| line.contains("before this one are lost")), "{told}");
}
