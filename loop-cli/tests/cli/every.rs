//! `loop every`: the command repeated, counted, and ended.

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, FOREVER, RunningCommand, Scenario, shown},
    terminal::Terminal,
};

/// Runs `loop every` with these arguments and this command line, to its end.
fn every(scenario: &Scenario, args: &[&str], line: &str) -> CommandResult {
    scenario.run(&[&["every"], args, &["--", line]].concat())
}

#[test]
fn a_count_that_is_reached_is_what_was_asked_for() {
    let scenario = Scenario::new();
    let line = "echo to output; echo to errors >&2; [ $LOOP_ITERATION != 2 ]";
    let ran = every(&scenario, &["1ms", "--count", "3"], line).exits(0);
    assert_eq!(ran.stdout, "to output\n".repeat(3));
    shown("every_command", &ran.stderr);
    assert_eq!(scenario.record()["iterations"], 3);
}

#[test]
fn a_record_has_standard_output_to_itself() {
    let scenario = Scenario::new();
    let ran =
        every(&scenario, &["1ms", "--count", "2", "--json"], "printf hi").exits(0).says(&["[iteration 2/2]"]);
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).ok(), Some(scenario.record()), "{}", ran.stdout);
}

#[test]
fn ten_times_if_nobody_says_how_often() {
    let scenario = Scenario::new();
    let ran = every(&scenario, &["1ms"], "echo x").exits(0);
    assert_eq!(ran.stdout.lines().count(), 10);
}

#[test]
fn words_are_a_program_and_its_arguments_as_they_are() {
    let scenario = Scenario::new();
    let ran =
        scenario.run(&["every", "1ms", "--count=1", "--", "printf", "%s|", "a b", "$HOME", "it's"]).exits(0);
    assert_eq!(ran.stdout, "a b|$HOME|it's|\n");
}

#[test]
fn it_stops_early_at_what_it_was_told_to_look_for() {
    for (args, line, iterations, said) in [
        (
            ["--until", "a.c"],
            "echo abc; [ $LOOP_ITERATION != 2 ] || echo 'xa.cx'",
            2,
            "the output contains a.c",
        ),
        (["--until", "/^a.c$/"], "printf 'x\\nabc\\ny\\n'", 1, "the output contains /^a.c$/"),
        (["--until-unchanged", "2"], "[ $LOOP_ITERATION = 1 ] || echo same", 4, "stayed unchanged 2 times"),
    ] {
        let scenario = Scenario::new();
        every(&scenario, &[&["1ms", "--count", "9"], &args[..]].concat(), line).exits(0).says(&[said]);
        assert_eq!(scenario.record()["iterations"], iterations, "{args:?}");
    }
}

#[test]
fn errors_go_on_unless_there_are_too_many_in_a_row() {
    let scenario = Scenario::new();
    let line = "[ $LOOP_ITERATION = 2 ]";
    let ran = every(&scenario, &["1ms", "--count", "9", "--stop-after-errors", "2"], line).exits(1);
    ran.says(&["loop stopped after 4/9 iterations, 3 failed"]);
}

#[test]
fn time_that_is_up_is_a_good_end_unless_it_cuts() {
    let scenario = Scenario::new();
    // No time would be left after the pause.
    let ran = every(&scenario, &["1h", "--unlimited", "--for", "1h"], "echo x").exits(0);
    ran.says(&["for 1h", "loop finished after 1 iteration"]);

    let held = scenario.fifo("held");
    let line = format!("exec 9>held; echo there >&9; {FOREVER}");
    every(&scenario, &["10ms", "--for", "300ms"], &line)
        .exits(1)
        .says(&["loop stopped after 0/10 iterations"]);
    assert_eq!(held.line(), "there\n");
    held.released();
}

#[test]
fn ctrl_c_ends_it_in_the_pause_and_in_the_command() {
    let scenario = Scenario::new();
    let mut terminal = Terminal::new(&scenario, &["every", "1h", "--", "echo once"]);
    terminal.shows("next in", 1);
    terminal.types("\u{3}");
    terminal.finish().exits(130).says(&["loop cancelled after 1/10 iterations"]);

    let held = scenario.fifo("held");
    let line = format!("exec 9>held; echo there >&9; {FOREVER}");
    let mut terminal = Terminal::new(&scenario, &["every", "1h", "--", &line]);
    assert_eq!(held.line(), "there\n");
    terminal.types("\u{3}");
    terminal.finish().exits(130).says(&["loop cancelled after"]);
    held.released();
}

#[test]
fn it_is_a_run_like_any_other() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let line = format!(
        "echo $LOOP_ITERATION >>done; [ $LOOP_ITERATION != 2 ] || {{ exec 9>held; echo there >&9; {FOREVER}; }}"
    );
    let started =
        RunningCommand::new(&mut scenario.loop_command(&["every", "1ms", "--count", "3", "--", &line]));
    assert_eq!(held.line(), "there\n");
    let id = scenario.run(&["runs", "--json"]).exits(0).stdout;
    let id: Value = serde_json::from_str(id.lines().next().unwrap()).unwrap();
    every(&scenario, &["1ms"], "true").exits(2).says(&[id["run_id"].as_str().unwrap(), "--parallel"]);
    started.signal(Signal::KILL);
    started.killed();
    held.released();

    // This simulates that the iteration had not begun.
    std::fs::remove_file(scenario.path("held")).unwrap();
    scenario.write("held", "");
    scenario.write("done", "1\n");
    let resumed = RunningCommand::new(&mut scenario.loop_command(&["resume"]));
    crate::support::wait_until("the iteration has begun again", || scenario.read("done") == "1\n2\n");
    resumed.signal(Signal::TERM);
    resumed.finish().exits(143).says(&["[iteration 2/3]", "loop cancelled after 1/3 iterations"]);
    scenario.run(&["show"]).exits(0);
}

/// Runs `loop every` with a model that gives these answers.
fn told(scenario: &Scenario, answers: &[&str], args: &[&str]) -> (CommandResult, Vec<Value>) {
    let server = ModelServer::new(answers.iter().map(|text| Answer::deltas([*text])));
    let args = [&["every", "--model", "openai:scripted", "--no-tools"], args].concat();
    let ran = RunningCommand::new(&mut server.command(scenario, &args)).finish();
    let heard = server.requests().into_iter().map(|request| request.body["messages"].clone()).collect();
    (ran, heard)
}

#[test]
fn a_prompt_is_a_turn_of_one_conversation() {
    let scenario = Scenario::new();
    let (ran, heard) =
        told(&scenario, &["Green.", "Still green."], &["1ms", "--count", "2", "how", "is it?"]);
    let ran = ran.exits(0);
    assert_eq!(ran.stdout, "Green.\nStill green.\n");
    shown("every_prompt", &ran.stderr);
    assert_eq!(scenario.run(&["show", "-i", "2", "--prompt"]).exits(0).stdout, "how is it?");
    let turn = |role: &str, content: &str| json!({ "role": role, "content": content });
    let (asked, green) = (turn("user", "how is it?"), turn("assistant", "Green."));
    assert_eq!(heard, [json!([asked]), json!([asked, green, asked])]);
    assert_eq!(scenario.record()["iterations"], 2);
}

#[test]
fn a_long_conversation_is_summarised_and_never_grows_past_the_window() {
    let scenario = Scenario::new();
    // About 150 tokens.
    let reply = "word ".repeat(120);
    let server = ModelServer::new(std::iter::repeat_n(Answer::deltas([reply.as_str()]), 40));
    let url = server.url();
    let settings =
        format!("[models.tiny]\nmodel = \"openai:scripted\"\nbase_url = \"{url}\"\ncontext_tokens = 1000\n");
    scenario.write("my.toml", settings);
    let args = ["every", "1ms", "--count", "14", "--model", "tiny", "--no-tools", "how is it?"];
    let mut command = server.command(&scenario, &args);
    let ran = RunningCommand::new(command.env("LOOP_CONFIG", scenario.path("my.toml"))).finish().exits(0);
    ran.says(&["of 1000 tokens: the older messages are summarised", "summarised 6 messages; 6"]);
    let requests = server.requests();
    assert!(requests.len() > 14, "summaries are requests too: {}", requests.len());
    for request in &requests {
        let messages = request.body["messages"].as_array().expect("messages");
        let bytes: usize = messages.iter().filter_map(|it| Some(it["content"].as_str()?.len())).sum();
        assert!(bytes / 4 < 1000, "{bytes}");
    }
    assert_eq!(scenario.record()["iterations"], 14);
}

#[test]
fn a_run_can_have_a_name() {
    let scenario = Scenario::new();
    every(&scenario, &["1ms", "--count", "1", "--name", "watch-the-build"], "true").exits(0);
    assert_eq!(scenario.record()["loop"], "watch-the-build");
    every(&scenario, &["1ms", "--name", "Watch it"], "true").exits(2).says(&["write `watch-it`"]);
}

#[test]
fn what_cannot_be_run_now_may_be_later() {
    let scenario = Scenario::new();
    let line = "[ $LOOP_ITERATION = 2 ] && echo here || exit 127";
    let ran = every(&scenario, &["1ms", "--count", "3"], line).exits(1);
    assert_eq!(ran.stdout, "here\n");
    ran.says(&["exited with 127", "loop finished after 3/3 iterations, 2 failed"]);

    let limited = || Answer::status(429).header("retry-after", "86400");
    let server = ModelServer::new([limited(), Answer::status(404), Answer::deltas(["Here."])]);
    let args = ["every", "1ms", "--count", "3", "--model", "openai:scripted", "--no-tools", "hello"];
    let ran = RunningCommand::new(&mut server.command(&scenario, &args)).finish().exits(0);
    assert_eq!(ran.stdout, "Here.\n");
    ran.says(&["rate limit", "loop finished after 3/3 iterations, 2 failed"]);
}

#[test]
fn a_quiet_one_says_its_errors() {
    let ran = every(&Scenario::new(), &["1ms", "-q", "--stop-after-errors", "1"], "exit 3").exits(1);
    assert!(ran.stderr.starts_with("error:") && ran.stderr.contains("exited with 3"), "{}", ran.stderr);
    let killed = every(&Scenario::new(), &["1ms", "-q", "--count", "1"], "kill -9 $$").exits(1);
    assert_eq!(killed.stderr, "error: the last iteration failed: the command was ended by signal 9 (137)\n");
}

#[test]
fn a_program_that_does_not_exist_is_refused() {
    let scenario = Scenario::new();
    every(&scenario, &["1ms"], "no-such-program --now").exits(2).says(&["no-such-program"]);
    assert!(scenario.records().is_empty());
}

#[test]
fn words_that_leave_a_session_end_it_and_are_said_to_nobody() {
    for prompt in ["/exit", "/quit", "/bye", "/EXIT now"] {
        let scenario = Scenario::new();
        let (ran, heard) = told(&scenario, &["unheard"], &["1ms", "--count", "5", prompt]);
        ran.exits(0).says(&["up to 5 times", "[iteration 1/5]", "loop stopped after 0/5 iterations"]);
        assert!(heard.is_empty() && scenario.records().is_empty(), "{prompt}");
    }
    told(&Scenario::new(), &["unheard"], &["1ms", "/loop 1ms --count 2 x"])
        .0
        .exits(2)
        .says(&["a loop cannot repeat another loop"]);
}

#[test]
fn a_fresh_turn_knows_nothing_of_the_one_before() {
    let (ran, heard) = told(&Scenario::new(), &["One.", "Two."], &["1ms", "--count=2", "--fresh", "count"]);
    ran.exits(0);
    assert_eq!(heard[1], heard[0]);
}

#[test]
fn a_reply_can_end_it_as_output_can() {
    let (ran, _) = told(&Scenario::new(), &["no", "no", "DONE"], &["1ms", "--until", "DONE", "go on"]);
    ran.exits(0).says(&["loop stopped after 3/10 iterations: the output contains DONE"]);
    let (ran, _) = told(&Scenario::new(), &["a", "b", "b"], &["1ms", "--until-unchanged", "1", "go on"]);
    ran.exits(0).says(&["loop stopped after 3/10 iterations"]);
}

#[test]
fn a_turn_that_fails_is_an_error_after_which_it_goes_on() {
    let server = ModelServer::new([Answer::status(400), Answer::deltas(["Here again."])]);
    let scenario = Scenario::new();
    let args = ["every", "1ms", "--count", "2", "--model", "openai:scripted", "--no-tools", "hello"];
    let ran = RunningCommand::new(&mut server.command(&scenario, &args)).finish().exits(0);
    assert_eq!(ran.stdout, "Here again.\n");
    ran.says(&["loop error:", "loop finished after 2/2 iterations, 1 failed"]);
}

/// The command line accepts the inputs that people know from similar loops.
#[test]
fn what_is_to_be_repeated_is_read_as_people_know_it() {
    let cases: Value = serde_json::from_str(include_str!("../fixtures/repeat_cases.json")).expect("cases");
    let cases =
        cases["cases"].as_array().expect("cases").iter().filter(|case| case["area"] == "parseLoopArgs");
    for case in cases.clone() {
        let words: Vec<_> = case["input"]
            .as_array()
            .expect("words")
            .iter()
            .map(|word| word.as_str().expect("a word"))
            .collect();
        let expected = match words[..] {
            // Another program treats this as part of the prompt, but nobody can mean that.
            ["5m", "--count"] => None,
            ["5m", "--count=3", "hi"] | ["--count", "3", "5m", "hi"] => Some((3, "5m", "hi")),
            // An option works in any position; inside quotes it is a part of the prompt.
            ["5m", "check", "--count", "3"] => Some((3, "5m", "check")),
            _ => case["expected"]["rest"].as_str().map(|rest| {
                let count = case["expected"]["count"].as_u64().expect("a count");
                let interval = match case["expected"]["interval"].as_str().expect("an interval") {
                    "30s" => "30s",
                    "5m0s" => "5m",
                    "1h0m0s" => "1h",
                    other => panic!("{other}"),
                };
                (count, interval, rest)
            }),
        };
        let server = ModelServer::new([Answer::deltas(["hello"])]);
        let scenario = Scenario::new();
        let args = [&["every", "--model", "openai:scripted", "--no-tools"], &words[..]].concat();
        let started = RunningCommand::new(&mut server.command(&scenario, &args));
        match expected {
            None => drop(started.finish().exits(2)),
            Some((count, interval, rest)) => {
                started.says("next in");
                started.signal(Signal::INT);
                started
                    .finish()
                    .exits(130)
                    .says(&[&format!("every {interval}, up to {count} times: {rest}")]);
            }
        }
    }
    assert_eq!(cases.count(), 14);
}

#[test]
fn mistakes_are_found_before_anything_is_run() {
    let scenario = Scenario::new();
    let mistakes: [&[&str]; 13] = [
        &["x", "--", "touch ran"],
        &["0", "--", "touch ran"],
        &["10000000000", "--", "touch ran"],
        &["5m"],
        &["5m", "--count", "101", "--", "touch ran"],
        &["5m", "--count", "0", "--", "touch ran"],
        &["5m", "--unlimited", "--", "touch ran"],
        &["5m", "--until", "/a(/", "--", "touch ran"],
        &["5m", "--until-unchanged", "0", "--", "touch ran"],
        &["5m", "--until", "", "--", "touch ran"],
        &["5m", "--fresh", "--", "touch ran"],
        &["5m", "--model", "x", "--", "touch ran"],
        &["5m", ""],
    ];
    let said = mistakes.map(|args| {
        let ran = scenario.run(&[&["every"], args].concat()).exits(2);
        format!("loop every {}\n{}", args.join(" "), ran.stderr)
    });
    shown("every_mistakes", &said.join("\n"));
    assert!(!scenario.has("ran") && scenario.records().is_empty());
}

#[test]
fn an_interval_of_two_words_gets_its_short_form() {
    let scenario = Scenario::new();
    for (args, hint) in [
        (&["every", "5", "minutes", "--", "echo", "hi"] as &[&str], "write `loop every 5m -- echo hi`"),
        (&["every", "5", "minutes", "look"], "write `loop every 5m look`"),
        (&["every", "5m", "look", "--", "echo", "hi"], "either a prompt or a command"),
    ] {
        scenario.run(args).exits(2).says(&[hint]);
    }
}
