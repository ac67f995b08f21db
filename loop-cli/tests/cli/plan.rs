//! `loop plan`: a plan is made, and performed as a run.

use loop_testing::{Answer, Gate};
use rustix::process::Signal;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    model_server::ModelServer,
    screen::SIZES,
    support::{RunningCommand, Scenario, wait_until},
    task::{says, writes},
};

/// An agent that makes a plan of three steps.
const MAKER: &str = "printf '# Plan: Greet\\n- [ ] Write a [validate: file_exists a]\\n- [ ] Write b [validate: \
                     file_exists b]\\n- [ ] Say it [validate: contains done]\\n' #";

/// An agent that performs them, and repairs the second one.
const WORKER: &str = "\
case $(cat) in
*'Do step 1'*) touch a;;
*'Do step 2'*'begun already'*) touch b;;
*'Do step 3'*) echo done;;
esac";

fn scenario() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("worker.sh", WORKER);
    scenario
}

/// Returns the number of iterations of the last run.
fn last_iterations(scenario: &Scenario) -> u64 {
    scenario.records().pop().and_then(|record| record["iterations"].as_u64()).expect("a record")
}

#[test]
fn a_plan_is_made_and_never_replaced_unasked() {
    let scenario = scenario();
    let made = scenario.run(&["plan", "Greet", "--agent", MAKER]).exits(0);
    assert_eq!(made.stdout, scenario.read(".loop/plan.md"));
    let made = made.says(&["`loop plan run` performs it"]);
    scenario.run(&["plan", "Other", "--agent", MAKER]).exits(2).says(&["has 3 open steps", "--force"]);
    scenario
        .run(&["plan", "status"])
        .exits(0)
        .prints(&["0 of 3 done, 0 blocked, 3 open\nnext: step 1, Write a"]);
    assert_eq!(scenario.run(&["plan", "show"]).exits(0).stdout, made.stdout);
    scenario.run(&["plan", "Other", "--force", "--agent", "echo '1. One step' #"]).exits(0);
    assert!(scenario.read(".loop/plan.md").ends_with("- [ ] One step\n"));
    scenario.run(&["plan", "clear"]).exits(2).says(&["add --yes"]);
    scenario.write(".loop/plan.md", "- [ ] Mine [validate: hand]\n");
    scenario
        .run(&["plan", "Other", "--agent", MAKER])
        .exits(2)
        .says(&["`[validate: hand]` has an unknown kind"]);
    assert_eq!(scenario.read(".loop/plan.md"), "- [ ] Mine [validate: hand]\n");
    scenario.run(&["plan", "clear", "--force"]).exits(0);
    scenario.run(&["plan", "run", "--agent", "true"]).exits(2).says(&["there is no plan in"]);
}

#[test]
fn a_stored_plan_has_no_secrets_and_no_control_characters() {
    let scenario = scenario();
    let secret = format!("sk-proj-{}", "aB3dE5fG7h".repeat(5));
    let maker = format!("printf -- '- [ ] Use {secret} \\033[31m\\007now\\n' #");
    scenario.run(&["plan", &format!("Use {secret}"), "--agent", &maker]).exits(0);
    let stored = scenario.read(".loop/plan.md");
    assert!(stored.contains("- [ ] Use [redacted] now") && !stored.contains("aB3dE5fG7h"), "{stored}");
}

#[test]
fn a_reply_without_steps_is_shown_and_nothing_is_stored() {
    let scenario = scenario();
    let ran = scenario.run(&["plan", "Greet", "--agent", "echo I would rather not #"]).exits(1);
    ran.says(&["the reply is not a plan", "I would rather not", "the plan has no steps"]);
    let many = "seq 51 | sed 's/.*/- [ ] Step &/' #";
    scenario.run(&["plan", "Greet", "--agent", many]).exits(1).says(&["the plan has 51 steps"]);
    scenario.run(&["plan", "Greet", "--agent", "exit 3 #"]).exits(1).says(&["the agent made no plan", "3"]);
    assert!(!scenario.has(".loop/plan.md"));
}

#[test]
fn an_interrupted_planning_ends_at_once_and_stores_nothing() {
    let scenario = scenario();
    let maker = "trap '' TERM INT; echo begun > log; printf -- '- [ ] Half a'; sleep 1000 #";
    for kept in [None, Some("- [x] Earlier\n")] {
        kept.into_iter().for_each(|plan| scenario.write(".loop/plan.md", plan));
        let planning = RunningCommand::new(&mut scenario.loop_command(&["plan", "Greet", "--agent", maker]));
        wait_until("the agent works", || scenario.has("log"));
        planning.signal(Signal::INT);
        let ended = planning.finish().exits(130);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", "interrupted: no plan was stored\n"));
        assert_eq!(scenario.has(".loop").then(|| scenario.read(".loop/plan.md")).as_deref(), kept);
        std::fs::remove_file(scenario.path("log")).expect("the agent had begun");
    }
}

#[test]
fn ctrl_c_ends_a_planning_in_a_session_and_the_session_goes_on() {
    let (scenario, gate) = (Scenario::new(), Gate::new());
    let waits = Answer::deltas(["- [ ] Never", " stored\n"]).gated(&gate);
    let server = ModelServer::new([waits, Answer::deltas(["- [ ] Stored\n"])]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.types("/plan Greet\r");
    wait_until("the model is asked", || !server.requests().is_empty());
    chat.types(CTRL_C);
    chat.wait_for_prompt_after("interrupted");
    gate.open();
    assert!(!scenario.has(".loop/plan.md"));
    chat.says("/plan Greet", "`/plan next` performs the next step");
    assert!(scenario.read(".loop/plan.md").ends_with("- [ ] Stored\n"));
    chat.leaves();
}

#[test]
fn a_task_can_be_called_like_a_command() {
    let scenario = scenario();
    scenario.run(&["plan", "--agent", "cat > prompt; echo '- [ ] One' #", "--", "run"]).exits(0);
    assert!(scenario.read("prompt").starts_with("run\n\n"));
    assert!(scenario.read(".loop/plan.md").starts_with("# Plan: run\n"));
}

#[test]
fn steps_are_performed_repaired_and_marked() {
    let scenario = scenario();
    scenario.run(&["plan", "Greet", "--agent", MAKER]).exits(0);
    scenario.write("loop.yaml", "of no concern here");
    let next = ["plan", "next", "--agent", "sh worker.sh"];
    scenario.run(&next).exits(0).says(&["step 1 of 3 is done: Write a"]);
    scenario.run(&["plan", "status"]).prints(&["1 of 3 done, 0 blocked, 2 open"]);
    let ran = scenario.run(&["plan", "run", "--agent", "sh worker.sh"]).exits(0);
    assert!(!ran.stderr.contains("loop.yaml"), "{}", ran.stderr);
    ran.says(&["iteration 1 of 6", "step 2 of 3 is not done yet: Write b", "the plan is complete: 3 steps"]);
    assert_eq!(last_iterations(&scenario), 3);
    scenario.run(&["show", "--prompt", "-i", "1"]).exits(0).prints(&["the next open step of .loop/plan.md"]);
    scenario.run(&["show", "-i", "3"]).exits(0).prints(&["step 3: Say it"]);
    // There is nothing left to do, and the agent is not started.
    scenario.run(&["plan", "run", "--agent", "touch started"]).exits(0);
    assert!(!scenario.has("started"));
}

#[test]
fn a_blocked_step_ends_the_run_unless_it_keeps_going() {
    let scenario = scenario();
    let plan = "- [ ] Never [validate: file_exists never]\n- [ ] Say it [validate: contains done]\n";
    scenario.write("mine.md", plan);
    let run = ["plan", "run", "mine.md", "--agent", "echo done #", "--repairs", "1"];
    let ran = scenario.run(&run).exits(1);
    ran.says(&["step 1 of 2 is blocked: Never", "never does not exist", "write `[ ]` in front of it in"]);
    assert_eq!(last_iterations(&scenario), 2);
    assert_eq!(scenario.read("mine.md"), plan.replacen("[ ]", "[!]", 1));
    scenario.run(&run).exits(1);
    assert_eq!(last_iterations(&scenario), 0);
    scenario.run(&[&run[..], &["--keep-going"]].concat()).exits(1);
    assert_eq!(scenario.read("mine.md"), plan.replacen("[ ]", "[!]", 1).replace("[ ]", "[x]"));
}

#[test]
fn a_plan_that_is_killed_is_resumed_and_ends_complete() {
    let scenario = Scenario::new();
    let plan: String =
        (1..=5).map(|step| format!("- [ ] Write {step} [validate: file_exists {step}]\n")).collect();
    scenario.write("plan.md", &plan);
    let worker = "\
n=$(sed -n 's/^Do step \\([0-9]\\) of.*/\\1/p')
echo $n >> began
[ $n = 3 ] && [ $(grep -c 3 began) = 1 ] && sleep 1000
touch $n";
    scenario.write("worker.sh", worker);
    let args = ["plan", "run", "plan.md", "--agent", "sh worker.sh"];
    let started = RunningCommand::new(&mut scenario.loop_command(&args));
    wait_until("the third step", || scenario.has("began") && scenario.read("began") == "1\n2\n3\n");
    started.signal(Signal::KILL);
    started.killed();
    scenario.run(&["resume"]).exits(0).says(&["the plan is complete: 5 steps"]);
    assert_eq!(scenario.read("plan.md"), plan.replace("[ ]", "[x]"));
    assert_eq!(scenario.read("began"), "1\n2\n3\n3\n4\n5\n");
}

#[test]
fn a_model_performs_steps_and_cannot_write_the_plan() {
    let scenario = scenario();
    scenario.write(".loop/plan.md", "- [ ] One [validate: contains one]\n- [ ] Two [model: openai:other]\n");
    let server = ModelServer::new([
        writes(".loop/plan.md", "- [x] One\n"),
        says("one"),
        writes("two", "text"),
        says("written"),
    ]);
    server.run(&scenario, &["plan", "run", "--model", "openai:scripted"]).exits(0);
    assert_eq!(
        scenario.read(".loop/plan.md"),
        "- [x] One [validate: contains one]\n- [x] Two [model: openai:other]\n"
    );
    let requests = server.requests();
    let models: Vec<_> = requests.iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["scripted", "scripted", "other", "other"]);
    let refusal = requests[1].body["messages"].to_string();
    assert!(refusal.contains("plan.md") && !refusal.contains("wrote"), "{refusal}");
    assert!(!requests[2].body["messages"].to_string().contains("model: openai"));
}

#[test]
fn what_has_no_use_beside_a_plan_is_refused_before_anything_runs() {
    let scenario = scenario();
    scenario.write(".loop/plan.md", "- [ ] One [model: gpt-5]\n");
    let agent = ["plan", "run", "--agent", "touch started"];
    for (more, message) in [
        (&["--check", "true"][..], "`evaluator.plan` and `evaluator.command` are two checks"),
        (&["--prompt", "hello"], "`--prompt` has no use beside `evaluator.plan`"),
    ] {
        scenario.run(&[&agent[..], more].concat()).exits(2).says(&[message]);
    }
    let ran = scenario.run(&agent).exits(1);
    ran.says(&["a step of the plan names the model `gpt-5`, but the agent is a command"]);
    scenario.write(".loop/plan.md", "- [ ] One [validate: look at it]\n");
    scenario.run(&agent).exits(2).says(&["`[validate: look at it]` has an unknown kind"]);
    assert!(!scenario.has("started"));
}

#[test]
fn an_edit_during_a_step_is_never_lost() {
    let plan = "- [ ] One [validate: file_exists one]\n- [ ] Two [validate: file_exists two]\n";
    for (edit, message) in [
        ("rm plan.md", "was removed during a step"),
        ("echo gone > plan.md", "was edited so that it cannot be performed"),
        ("echo '- [ ] Other' > plan.md", "was replaced by another plan"),
        ("sed -i 2d plan.md", "lost steps during a step"),
    ] {
        let scenario = Scenario::new();
        scenario.write("plan.md", plan);
        let agent = format!("cat >/dev/null; touch one; {edit} #");
        let ran = scenario.run(&["plan", "run", "plan.md", "--agent", &agent]).exits(1);
        ran.says(&[message, "plan.md.before has the plan from before the step"]);
        assert_eq!(scenario.read("plan.md.before"), plan, "{edit}");
        assert!(!scenario.has("plan.md") || !scenario.read("plan.md").contains("Two"), "{edit}");
    }
    let scenario = Scenario::new();
    scenario.write("plan.md", plan);
    let agent = "\
cat > prompt
[ -e one ] || sed -i 's/Two/Two and more/; s/. . One/[x] One/' plan.md
touch one two";
    scenario.write("worker.sh", agent);
    let agent = "sh worker.sh";
    scenario.run(&["plan", "run", "plan.md", "--agent", agent]).exits(0);
    assert_eq!(scenario.read("plan.md"), plan.replace("[ ]", "[x]").replace("Two", "Two and more"));
}

#[test]
fn a_resumed_plan_tries_the_step_that_was_opened_again() {
    let scenario = Scenario::new();
    scenario.write("plan.md", "- [ ] One [validate: file_exists one]\n");
    let agent = "echo x >> turns; cat > prompt; [ -e may ] && touch one; true #";
    scenario.run(&["plan", "run", "plan.md", "--agent", agent, "--max", "9", "--repairs", "1"]).exits(1);
    let run = scenario.records().pop().expect("a record")["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["resume", &run]).exits(1).says(&["write `[ ]` in front of it"]);
    assert_eq!(scenario.read("turns"), "x\nx\n");
    scenario.write("plan.md", "- [ ] One [validate: file_exists one]\n");
    scenario.write("may", "");
    scenario.run(&["resume", &run]).exits(0).says(&["the plan is complete"]);
    assert_eq!(scenario.read("turns"), "x\nx\nx\n");
}

#[test]
fn a_plan_is_described_as_json() {
    let scenario = scenario();
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&scenario.run(args).exits(0).stdout).expect("JSON")
    };
    let made = json(&["plan", "Greet", "--agent", MAKER, "--json"]);
    assert_eq!(made["steps"][1]["validations"], serde_json::json!(["file_exists b"]));
    let status = json(&["plan", "status", "--json"]);
    assert_eq!((&status["open"], &status["next"]["step"]), (&3.into(), &1.into()));
    assert!(status.get("steps").is_none());
    assert_eq!(json(&["plan", "show", "--json"]), made);
    assert_eq!(json(&["plan", "clear", "--yes", "--json"])["deleted"], true);
}

#[test]
fn wrong_numbers_and_an_empty_task_are_wrong_usage() {
    let scenario = scenario();
    scenario.run(&["plan", ""]).exits(2).says(&["the task is empty"]);
    scenario.run(&["plan", "run", "--repairs=99999999999"]).exits(2).says(&["0..=1000"]);
    scenario.run(&["pipeline", "80%", "a.md", "--retries=99999999999"]).exits(2).says(&["0..=1000"]);
}

#[test]
fn repairs_come_from_the_settings() {
    let scenario = scenario();
    scenario.write("loop.toml", "[plan]\nrepairs = 0\n");
    scenario.write("plan.md", "- [ ] Never [validate: file_exists never]\n");
    scenario.run(&["plan", "run", "plan.md", "--agent", "true"]).exits(1).says(&["is blocked: Never"]);
    assert_eq!(last_iterations(&scenario), 1);
}

#[test]
fn only_a_plan_is_cleared() {
    let scenario = Scenario::new();
    scenario.write("notes.txt", "precious\n");
    let refused = scenario.run(&["plan", "clear", "--file", "notes.txt", "--force"]);
    assert_ne!(refused.code, 0, "{}", refused.stderr);
    assert_eq!(scenario.read("notes.txt"), "precious\n");
}
