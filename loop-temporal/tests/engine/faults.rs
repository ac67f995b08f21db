//! Faults of the network and of inputs, and what the server stores.

use std::{
    fs,
    time::{Instant, SystemTime},
};

use crate::{
    laws::{ended, ends_after_a_second_attempt, hangs_once, manifest, processes, submitted},
    server::{Server, wait_until},
};

#[test]
fn an_agent_that_the_server_gave_up_is_gone_before_another_one_starts() {
    let server = Server::start();
    let network = server.network();
    let _worker = server.worker_behind(&network, "cut", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let seconds = 500_000 + std::process::id();
    let check = "test $(grep -c end log) -ge 3";
    let run = submitted(&server, "cut", folder.path(), &manifest(&hangs_once(seconds), check, ""));
    wait_until("the second iteration hangs", || folder.path().join("second").exists());
    network.set_cut(true);
    let cut = Instant::now();
    wait_until("the agent is gone", || processes(seconds) == 0);
    // The server gives a step up 10 seconds after its last heartbeat.
    assert!(cut.elapsed().as_millis() < 10_000, "{:?}", cut.elapsed());
    network.set_cut(false);
    ends_after_a_second_attempt(&server, &run, folder.path());
}

#[test]
fn an_output_of_many_megabytes_neither_fails_nor_reaches_the_server_whole() {
    let server = Server::start();
    let _worker = server.worker("long-output", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let prints =
        "head -c 5000000 /dev/zero | tr '\\''\\0'\\'' x; head -c 5000000 /dev/zero | tr '\\''\\0'\\'' y >&2;";
    let text = manifest(&prints.replace("'\\''", "\""), "test $(grep -c end log) -ge 2", "");
    let run = submitted(&server, "long-output", folder.path(), &text);
    let outcome = ended(&server, &run, folder.path());
    assert_eq!((outcome.ending.name(), outcome.status.trouble), ("goal_met", None));
    assert!(server.stored().len() < 5_000_000);
}

#[test]
fn the_server_stores_no_text_of_an_encrypted_run() {
    let server = Server::start();
    server.set("encryption_key_env = \"LOOP_TEST_KEY\"");
    let _worker = server.worker("sealed", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        manifest("echo marmalade;", "test $(grep -c end log) -ge 2", "").replace("goal: x", "goal: jamjar");
    let run = submitted(&server, "sealed", folder.path(), &text);
    assert_eq!(ended(&server, &run, folder.path()).ending.name(), "goal_met");
    let stored = server.stored();
    let has = |text: &str| stored.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has(&run), "the ids are plain");
    assert!(!has("marmalade") && !has("jamjar"));
    let plain = Server::start();
    let _worker = plain.worker("plain", "w");
    let run = submitted(&plain, "plain", folder.path(), &text);
    ended(&plain, &run, folder.path());
    let stored = plain.stored();
    assert!(stored.windows(6).any(|part| part == b"jamjar"), "the search finds plain texts");
}

#[test]
fn a_run_that_is_over_continues_with_more_iterations() {
    let server = Server::start();
    let _worker = server.worker("resume", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let text = manifest("cat >> log; echo >> log;", "test $(grep -c end log) -ge 4", "");
    let text = text.replace("max_iterations: 6", "max_iterations: 2");
    let text = text.replace("prompt: x", "prompt: \"note: {guidance}\"");
    let run = submitted(&server, "resume", folder.path(), &text);
    assert_eq!(ended(&server, &run, folder.path()).ending.name(), "max_iterations");
    server.says(&["resume", &run, "--add-iterations", "3", "--note", "nearly there"], folder.path());
    let outcome = ended(&server, &run, folder.path());
    assert_eq!((outcome.ending.name(), outcome.status.iterations), ("goal_met", 4));
    assert!(fs::read_to_string(folder.path().join("log")).expect("a log").contains("nearly there"));
    assert!(server.try_says(&["resume", "no-such-run"], folder.path()).is_err());
}

#[test]
fn a_schedule_fires_until_it_is_cancelled() {
    let server = Server::start();
    let _worker = server.worker("cron", "w");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("loop.yaml"), manifest("", "true", "")).expect("a manifest");
    let submit = |cron: &str| {
        server.try_says(&["submit", "loop.yaml", "--queue", "cron", "--cron", cron], folder.path())
    };
    assert!(submit("never").expect_err("no cron expression").contains("refused the schedule `never`"));
    // The server also takes expressions with seconds.
    let schedule = submit("*/2 * * * * * *").expect("a schedule");
    let fired =
        || server.says(&["runs"], folder.path()).lines().filter(|line| line.contains(&schedule)).count();
    wait_until("it fires twice", || fired() >= 2);
    server.says(&["cancel", &schedule], folder.path());
    assert!(server.try_says(&["cancel", &schedule], folder.path()).is_err());
    let log = fs::read_to_string(folder.path().join("log")).expect("a log");
    assert!(log.lines().filter(|line| *line == "end 1").count() >= 1, "{log}");
}

#[test]
fn the_clock_of_a_worker_may_be_off_by_an_hour() {
    let server = Server::start();
    let _worker = server.worker_ahead("clock", "w");
    let folder = tempfile::tempdir().expect("a folder");
    let text = manifest("date +%s > clock;", "test $(grep -c end log) -ge 2", "  max_seconds: 90\n");
    let run = submitted(&server, "clock", folder.path(), &text);
    let outcome = ended(&server, &run, folder.path());
    assert_eq!(outcome.ending.name(), "goal_met");
    assert!(outcome.elapsed.as_secs() < 90, "{:?}", outcome.elapsed);
    let clock = fs::read_to_string(folder.path().join("clock")).expect("a time");
    let there: u64 = clock.trim().parse().expect("seconds");
    let here = SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs();
    assert!(there > here + 3_000, "the worker's clock is ahead: {there}, {here}");
}
