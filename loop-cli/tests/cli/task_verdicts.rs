//! `loop task`: which words of a reviewer are a verdict, and the end of a run without any.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    model_server::ModelServer,
    support::{CommandResult, RunningCommand, Scenario, shown},
    task::{finds, idles, json_of, run, says},
    task_agents::reviewer,
};

/// Runs a task with these commands.
fn task(scenario: &Scenario, agent: &str, review: &str, more: &[&str]) -> CommandResult {
    scenario.write("task.md", "Write hello.\n");
    let args = ["task", "task.md", "--agent", agent, "--review-agent", review, "--json"];
    scenario.run(&[&args[..], more].concat())
}

fn status(ran: &CommandResult) -> (Value, Value) {
    let outcome = json_of(ran);
    (outcome["status"].clone(), outcome["loops"].clone())
}

#[test]
fn the_example_of_the_help_text_is_a_review() {
    let scenario = Scenario::new();
    let help = scenario.run(&["task", "--help"]).exits(0).stdout;
    let (_, example) =
        help.split_once("this review.sh passes once notes.txt is not empty:\n").expect("an example");
    let (script, examples) = example.split_once("\n\n").expect("its end");
    scenario.write("review.sh", script);
    scenario.write("fix.md", "Write notes.txt.\n");
    let line = examples.lines().find(|line| line.contains("review.sh")).expect("how it is called");
    let words = shlex::split(line).expect("words");
    let mut args: Vec<_> = words.iter().map(String::as_str).skip(1).chain(["--json"]).collect();
    let agent = args.iter().position(|word| *word == "claude").expect("an agent");
    args[agent] = "cat > prompt-$LOOP_ITERATION; [ $LOOP_ITERATION = 1 ] || echo here > notes.txt";
    let ran = scenario.run(&args).exits(0);
    assert_eq!(status(&ran), (json!("nothing_pending"), json!(2)));
    assert!(scenario.read("prompt-2").contains("- write notes.txt\n"), "{}", scenario.read("prompt-2"));
}

/// Each reviewer prints its prompt, or a part of it, in another form. None of them approves or rejects anything.
#[test]
fn an_echoed_prompt_is_no_verdict() {
    for review in [
        "cat",
        "tail -n 6",
        "tail -n 12 | tr -s '\\n ' ' '",
        "tr -d '\\n'",
        "sed 's/^/> /'",
        "echo '```json'; cat; echo '```'",
        "echo '{'; grep -A9 '\"review\"'; echo '}'",
        "python3 -c 'import json, sys; print(json.dumps({\"type\": \"result\", \"result\": sys.stdin.read()}))'",
        "tee copy; cat copy",
        r#"n=$(grep -o '"review": "[0-9a-f]*"'); echo "{$n, \"pending\": [\"...\"], \"blocker\": \"\", \"summary\": \"...\"}""#,
        r#"n=$(grep -o '"review": "[0-9a-f]*"'); echo "{$n, \"pending\": [], \"blocker\": \"\", \"summary\": \"<summary>\"}""#,
    ] {
        let scenario = Scenario::new();
        let agent = r#"cat >/dev/null; echo '{"review": "0", "pending": [], "blocker": "", "summary": "'"#;
        let ran = task(&scenario, agent, review, &["--max", "1"]).exits(1);
        let outcome = json_of(&ran);
        assert_eq!((&outcome["status"], &outcome["pending"]), (&json!("exhausted"), &json!([])), "{review}");
        let ran = ran.says(&["inconclusive", "no readable verdict"]);
        assert!(!ran.stderr.contains("blocked"), "{}", ran.stderr);
    }
}

#[test]
fn a_verdict_with_the_id_of_another_review_is_named() {
    let verdict = |id: &str| format!(r#"echo '{{{id}"pending": [], "blocker": "", "summary": "seen"}}'"#);
    for (review, said) in [
        (verdict(r#""review": "0badid", "#), "`review` is `0badid`, not the id of this review"),
        (verdict(""), "it lacks `review`, the id of this review"),
    ] {
        let ran = task(&Scenario::new(), "true", &review, &["--max", "1"]).exits(1);
        ran.says(&["no readable verdict", said, "which is in its prompt"]);
    }
}

#[test]
fn the_help_says_what_ends_a_task_without_a_review() {
    let scenario = Scenario::new();
    let help = scenario.run(&["task", "--help"]).exits(0).stdout;
    assert!(
        help.contains("`STATUS: COMPLETE` of the working agent ends the task without a review"),
        "{help}"
    );
    let agent = "echo 'STATUS: COMPLETE'";
    let ran = task(&scenario, agent, "touch reviewed", &["--max", "1"]).exits(0);
    assert!(!scenario.has("reviewed"), "{}", ran.stderr);
}

#[test]
fn an_executing_agent_that_prints_its_prompt_claims_nothing() {
    for echo in
        ["cat", "head -n 30", "fold -s -w 20", "tr ' ' '\\n'", "tr -s '\\n ' ' '", "grep -B2 -A2 STATUS"]
    {
        let scenario = Scenario::new();
        let ran = task(&scenario, echo, &reviewer(""), &["--max", "1"]).exits(0);
        assert_eq!(status(&ran), (json!("nothing_pending"), json!(1)), "{echo}");
    }
}

#[test]
fn a_model_that_prints_its_prompt_gives_no_verdict() {
    let form =
        r#"{"review": "0123456789abcdef0123456789abcdef", "pending": [], "blocker": "", "summary": ""}"#;
    let given = json!({ "pending": ["..."], "blocker": "", "summary": "..." });
    let script = [vec![idles()], vec![crate::task::calls("give_verdict", &given), says(form)]].concat();
    let (server, scenario) = (ModelServer::new(script), Scenario::new());
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md", "--max", "1", "--json"]).exits(1);
    assert_eq!(status(&ran), (json!("exhausted"), json!(1)));
    assert!(server.requests()[2].body.to_string().contains("contains a placeholder"));
}

#[test]
fn three_loops_without_a_verdict_halt_with_advice_and_the_review_is_repeated() {
    let scenario = Scenario::new();
    scenario.write("review.sh", "cat >/dev/null; echo 'Looks fine to me, ship it.'\n");
    let ran = task(&scenario, "echo x >> hello", "sh review.sh", &[]).exits(1);
    shown("task_no_verdict", &ran.stderr);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(3)));
    let message = json_of(&ran)["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("ship it.") && message.contains("--resume"), "{message}");
    // The summary of an earlier loop is not that of the last one.
    assert_eq!(json_of(&ran)["summary"], "");
    assert_eq!(scenario.record()["blockable"], true);
    // Somebody who resumes without a change gets the same answer at once, and no further loop.
    let again = || scenario.run(&["task", "task.md", "--resume", "--json"]);
    assert_eq!(status(&again().exits(1)), (json!("no_verdict"), json!(3)));
    scenario.write("review.sh", reviewer(""));
    assert_eq!(status(&again().exits(0)), (json!("nothing_pending"), json!(3)));
    assert_eq!(scenario.read("hello"), "x\nx\nx\n");
}

#[test]
fn only_reviews_in_a_row_count() {
    // The third may be the last that is allowed.
    let ran = task(&Scenario::new(), "true", "echo Hm.", &["--max", "3"]).exits(1);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(3)));
    let scenario = Scenario::new();
    let verdict = reviewer(r#"\"more\""#);
    let review = format!("case $LOOP_ITERATION in 3) {verdict};; *) echo Hm.;; esac");
    let ran = task(&scenario, "true", &review, &["--max", "9"]).exits(1);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(6)));
    assert_eq!(json_of(&ran)["pending"], json!(["more"]));
    // A verdict that does not count, because its reviewer failed, is none. A failing check changes nothing in that.
    let scenario = Scenario::new();
    scenario.write("task.md", "---\nchecks: ['false']\n---\nDo it.\n");
    let review = format!("{}; exit 3", reviewer(""));
    let ran =
        scenario.run(&["task", "task.md", "--agent", "true", "--review-agent", &review, "--json"]).exits(1);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(3)));
}

/// The count includes the reviews of earlier processes, however those ended.
#[test]
fn a_resumed_run_counts_on() {
    let scenario = Scenario::new();
    task(&scenario, "true", "echo Hm.", &["--max", "2"])
        .exits(1)
        .says(&["all iterations are used up (2 iterations)"]);
    let ran = scenario.run(&["task", "task.md", "--resume", "--max", "9", "--json"]).exits(1);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(3)));

    let scenario = Scenario::new();
    scenario.write("task.md", "Do it.\n");
    let fifo = scenario.fifo("held");
    let review = "[ $LOOP_ITERATION != 3 ] || [ -e again ] || { touch again; echo here > held; sleep 1000; }; echo Hm.";
    let args = ["task", "task.md", "--agent", "true", "--review-agent", review];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    assert_eq!(fifo.line(), "here\n");
    started.signal(Signal::KILL);
    started.killed();
    let ran = scenario.run(&["task", "task.md", "--resume", "--json"]).exits(1);
    assert_eq!(status(&ran), (json!("no_verdict"), json!(3)));
}

#[test]
fn a_model_without_a_verdict_is_told_what_to_call() {
    let script: Vec<_> = (0..3).flat_map(|_| [idles(), says("All is well.")]).chain(finds(&[], "")).collect();
    let (server, scenario) = (ModelServer::new(script), Scenario::new());
    scenario.write("task.md", "Do it.\n");
    let ran = run(&server, &scenario, &["task.md"]).exits(1);
    ran.says(&[
        "in 3 iterations in a row",
        "It ended with: All is well.",
        "`give_verdict`",
        "--review-model",
    ]);
    server
        .run(&scenario, &["task", "task.md", "--resume"])
        .exits(0)
        .says(&["nothing pending after 3 iterations"]);
}
