//! `loop pipeline`: prompts in files, and the confidence of each reply.

use rustix::process::Signal;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario, wait_until},
    task::says,
};

/// A folder with three prompts.
fn scenario() -> Scenario {
    let scenario = Scenario::new();
    for (name, text) in [("a.md", "First.\n"), ("b.md", "Second.\n"), ("c.md", "Third.\n")] {
        scenario.write(name, text);
    }
    scenario
}

/// Runs the pipeline of the three files with this agent and these arguments.
fn run(scenario: &Scenario, agent: &str, more: &[&str]) -> CommandResult {
    let pipeline = ["pipeline", "80%", "a.md", "b.md", "c.md", "--agent", agent];
    scenario.run(&[&pipeline, more].concat())
}

/// An agent that stores each prompt, and answers with the number of the prompt and this text.
fn counting(text: &str) -> String {
    format!("cat > prompt$(ls | grep -c prompt); echo reply $(ls | grep -c prompt); {text} #")
}

#[test]
fn each_file_gets_the_reply_before_it() {
    let scenario = scenario();
    let ran = run(&scenario, &counting("echo '{\"confidence\": 0.9}'"), &[]).exits(0);
    ran.says(&[
        "step 1 of 3, a.md: 0.90 (json), passed",
        "step 2 of 3, b.md: 0.90 (json), passed",
        "step 3 of 3, c.md: 0.90 (json), passed",
        "iteration 3 of 3",
    ]);
    assert!(scenario.read("prompt0").starts_with("First.\n\nEnd your reply with this JSON object"));
    assert!(scenario.read("prompt2").starts_with("reply 2\n\n---\n\nThird.\n\nEnd your reply"));
    scenario.run(&["show", "-i", "2"]).exits(0).prints(&["step 2 of 3, b.md: 0.90 (json), passed"]);
    scenario.run(&["show", "--prompt", "-i", "1"]).exits(0).prints(&["the next of a.md, b.md, c.md"]);
}

#[test]
fn a_reply_below_the_threshold_ends_it_and_what_it_said_stays() {
    let scenario = scenario();
    let unsure = counting("[ -e prompt1 ] && echo '**Confidence:** 7/10' || echo 'Confidence: 95%'");
    let ran = run(&scenario, &unsure, &[]).exits(1);
    ran.says(&[
        "step 1 of 3, a.md: 0.95 (stated), passed",
        "step 2 of 3, b.md: 0.70 (stated), not passed: the threshold is 0.8",
    ]);
    assert!(!scenario.has("prompt2"));
    scenario.run(&["show", "-i", "2", "--output"]).exits(0).prints(&["reply 2"]);
    let record = scenario.records().pop().expect("a record");
    assert_eq!(record["stop_reason"], "not_passed", "{record}");
    run(&scenario, &unsure, &["--retries", "1"]).exits(1).says(&["iteration 2 of 6"]);
}

#[test]
fn only_an_accepted_guess_passes() {
    let scenario = scenario();
    let ran = run(&scenario, &counting("true"), &[]).exits(1);
    ran.says(&["step 1 of 3, a.md: 0.80 (guessed), not passed: the reply states no confidence"]);
    run(&scenario, &counting("true"), &["--accept-guess"]).exits(0).says(&["0.80 (guessed), passed"]);
    let asked = "case $(cat) in *'How confident are you'*) echo 90%;; *) echo 42;; esac #";
    run(&scenario, asked, &[]).exits(0).says(&["step 3 of 3, c.md: 0.90 (asked), passed"]);
}

#[test]
fn bad_replies_end_it_with_a_message() {
    let scenario = scenario();
    run(&scenario, "true #", &["--accept-guess"]).exits(1).says(&["not passed: the reply is empty"]);
    let ran = run(&scenario, "exit 3 #", &[]).exits(1);
    ran.says(&["step 1 of 3, a.md: the agent", "3", "`loop resume --add-iterations 1`"]);
    let twice = "echo 'Confidence: 100%'; echo '{\"confidence\": 1, \"confidence\": 1}' #";
    run(&scenario, twice, &[]).exits(0).says(&["1.00 (stated), passed"]);
    let large = "wc -c >> sizes; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo '{\"confidence\": 1}' #";
    run(&scenario, large, &[]).exits(0).says(&["step 3 of 3, c.md: 1.00 (json), passed"]);
    let sizes: Vec<u64> =
        scenario.read("sizes").lines().map(|size| size.trim().parse().expect("a size")).collect();
    assert!(sizes.len() == 3 && sizes.iter().all(|size| *size < 70_000), "{sizes:?}");
}

#[test]
fn everything_is_found_before_the_first_step() {
    let scenario = scenario();
    let server = ModelServer::new([]);
    let pipeline = ["pipeline", "80%", "a.md", "b.md", "c.md", "--model", "openai:scripted"];
    for (text, message) in [
        ("@nowhere Third.\n", "c.md names the model `@nowhere`"),
        ("Third.\n@mine:other\n@mine:third\n", "c.md names two models, `@mine:other` and `@mine:third`"),
        ("@openai:other\n", "c.md has no prompt"),
        (&"x".repeat(65_537), "c.md is longer than 64 KiB"),
    ] {
        scenario.write("c.md", text);
        server.run(&scenario, &pipeline).exits(2).says(&[message]);
    }
    std::fs::remove_file(scenario.path("c.md")).expect("a file");
    server.run(&scenario, &pipeline).exits(2).says(&["c.md"]);
    assert!(server.requests().is_empty());
    scenario.write("c.md", "@openai:other\nThird.\n");
    let agent = run(&scenario, "touch started", &[]).exits(2);
    agent.says(&["c.md names the model `openai:other`, but the agent is a command"]);
    for percent in ["80", "0%", "101%", "NaN%"] {
        let wrong = scenario.run(&["pipeline", percent, "a.md", "--agent", "touch started"]).exits(2);
        wrong.says(&[&format!("`{percent}` is not a percentage")]);
    }
    for (more, message) in [
        (&["--check", "true"][..], "`evaluator.pipeline` and `evaluator.command` are two checks"),
        (&["--prompt", "hello"], "`--prompt` has no use beside `evaluator.pipeline`"),
        (&["--set", "agent.tools=[]"], "`agent.tools` has no use beside `evaluator.pipeline`"),
    ] {
        server.run(&scenario, &[&pipeline[..], more].concat()).exits(2).says(&[message]);
    }
    assert!(!scenario.has("started"));
}

#[test]
fn each_file_is_answered_by_its_model_without_tools() {
    let scenario = scenario();
    scenario.write("b.md", "@openai:other Second.\n");
    let server = ModelServer::new([
        says("One.\n{\"confidence\": 0.9}"),
        says("Two."),
        says("0.85"),
        says("Three.\nConfidence: 9 out of 10"),
    ]);
    let ran =
        server.run(&scenario, &["pipeline", "85%", "a.md", "b.md", "c.md", "--model", "openai:scripted"]);
    ran.exits(0)
        .says(&["step 2 of 3, b.md: 0.85 (asked), passed", "step 3 of 3, c.md: 0.90 (stated), passed"]);
    let requests = server.requests();
    let models: Vec<_> = requests.iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["scripted", "other", "other", "scripted"]);
    assert!(requests.iter().all(|request| request.body.get("tools").is_none()));
    let texts = requests.iter().map(|request| request.body["messages"].to_string()).collect::<Vec<_>>();
    assert!(texts[1].contains("One.\\n\\n---\\n\\nSecond.") && !texts[1].contains("0.9"), "{}", texts[1]);
    assert!(texts[2].contains("Two.") && texts[2].contains("How confident"), "{}", texts[2]);
    assert!(texts[3].contains("Two.\\n\\n---\\n\\nThird."), "{}", texts[3]);
}

#[test]
fn a_pipeline_that_is_killed_is_resumed_at_the_step_that_was_cut() {
    let scenario = scenario();
    let worker = "\
p=$(cat)
case $p in First*) n=1;; *Second*) n=2;; *) n=3;; esac
echo $n >> began
[ $n = 2 ] && [ $(grep -c 2 began) = 1 ] && sleep 1000
case $p in *'reply 2'*) touch has_input;; esac
echo reply $n; echo '{\"confidence\": 1}'";
    scenario.write("worker.sh", worker);
    let args = ["pipeline", "80%", "a.md", "b.md", "c.md", "--agent", "sh worker.sh"];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    wait_until("the second step", || scenario.has("began") && scenario.read("began") == "1\n2\n");
    started.signal(Signal::KILL);
    started.killed();
    scenario.run(&["resume"]).exits(0).says(&["step 3 of 3, c.md: 1.00 (json), passed"]);
    assert_eq!(scenario.read("began"), "1\n2\n2\n3\n");
    assert!(scenario.has("has_input"));
}

#[test]
fn a_step_that_failed_is_repeated_alone_and_an_interrupt_ends_it_at_once() {
    let scenario = scenario();
    scenario.write(
        "worker.sh",
        "cat >/dev/null; echo x >> began; [ $(wc -l < began) != 2 ] && echo '1 {\"confidence\": 1}'",
    );
    let args = ["pipeline", "80%", "a.md", "b.md", "--agent", "sh worker.sh"];
    scenario.run(&args).exits(1).says(&["step 2 of 2, b.md: the agent"]);
    scenario
        .run(&["resume", "--add-iterations", "1"])
        .exits(0)
        .says(&["step 2 of 2, b.md: 1.00 (json), passed"]);
    assert_eq!(scenario.read("began"), "x\nx\nx\n");
    let args = ["pipeline", "80%", "a.md", "b.md", "--agent", "touch waits; exec sleep 1000"];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    wait_until("the first step", || scenario.has("waits"));
    started.signal(Signal::INT);
    started.finish().exits(130);
    let record = scenario.records().pop().expect("a record");
    assert_eq!(record["stop_reason"], "cancelled", "{record}");
}

#[test]
fn a_resumed_pipeline_tries_the_step_that_did_not_pass_again() {
    let scenario = scenario();
    let sure =
        "echo x >> began; echo reply; [ -e sure ] && echo 'Confidence: 90%' || echo 'Confidence: 50%' #";
    run(&scenario, sure, &["--max", "9"]).exits(1).says(&["step 1 of 3, a.md: 0.50 (stated), not passed"]);
    let id = scenario.records().pop().expect("a record")["run_id"].as_str().expect("an id").to_owned();
    scenario.write("sure", "");
    scenario.run(&["resume", &id]).exits(0).says(&["step 3 of 3, c.md: 0.90 (stated), passed"]);
    assert_eq!(scenario.read("began").lines().count(), 4);
}

#[test]
fn a_resumed_pipeline_refuses_a_file_that_changed() {
    let scenario = scenario();
    let worker =
        "[ -e waits ] || { touch waits; exec sleep 1000; }; echo reply; echo '{\"confidence\": 1}' #";
    let args = ["pipeline", "80%", "a.md", "b.md", "--agent", worker];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    wait_until("the first step", || scenario.has("waits"));
    started.signal(Signal::KILL);
    started.killed();
    scenario.write("b.md", "Something else.\n");
    scenario.run(&["resume"]).exits(2).says(&["b.md has changed since the run", "--accept-changes"]);
    scenario.write("b.md", "Second.\n");
    scenario.run(&["resume"]).exits(0);
}
