//! `loop memory`, `/memory` and `{memory}`: what earlier work taught.

use std::fs;

use loop_testing::Answer;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::{KEY, ModelServer},
    screen::SIZES,
    support::{CommandResult, Manifest, Scenario},
    terminal::Terminal,
};

/// An agent that walks into a trap, unless its prompt tells the way around it.
const AGENT: &str = "#!/bin/sh\nprompt=$(cat)\ncase $prompt in\n*'with --offline'*) echo built > result;;\n*) echo 'no network';;\nesac\n";

const CHECK: &str = "test -f result || { echo \"the build hangs without --offline ($TOKEN)\"; exit 1; }";

fn manifest() -> Manifest {
    Manifest::new("sh agent.sh", CHECK)
        .set("goal", "The project builds")
        .set("agent.prompt", "{goal}\n{memory}")
        .set("guardrails.max_iterations", 2)
}

/// Returns what the transcripts say about recall, in order.
pub(crate) fn recalled(scenario: &Scenario) -> Vec<Value> {
    let sessions = fs::read_dir(scenario.state().join("sessions")).expect("a folder").flatten();
    let transcripts = sessions.filter(|file| file.path().extension().is_some_and(|kind| kind == "jsonl"));
    let texts = transcripts.map(|file| fs::read_to_string(file.path()).expect("a transcript"));
    let texts: String = texts.collect();
    let lines = texts.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    lines.filter_map(|line| line["event"].get("recalled").cloned()).collect()
}

pub(crate) fn proposals(proposals: &[(&str, &str)]) -> Answer {
    let proposal = |(summary, quote): &(&str, &str)| {
        json!({
            "type": "tool_use", "kind": "pitfall", "summary": summary,
            "body": "There is no network.", "quote": quote
        })
    };
    let proposals: Vec<_> = proposals.iter().map(proposal).collect();
    let reply = json!({ "proposals": proposals }).to_string();
    Answer::deltas([reply.as_str()])
}

pub(crate) fn memories(scenario: &Scenario) -> Vec<Value> {
    let listed = scenario.run(&["memory", "list", "--all", "--json"]).exits(0).stdout;
    listed.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
}

/// Runs the manifest where a secret is in a variable.
fn run(scenario: &Scenario) -> CommandResult {
    scenario.manifest(&manifest());
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    command.env("TOKEN", KEY);
    crate::support::RunningCommand::new(&mut command).finish()
}

/// Returns whether a file below a folder has this text.
pub(crate) fn has_text(folder: &std::path::Path, text: &str) -> bool {
    fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return has_text(&path, text);
        }
        let bytes = fs::read(path).expect("a file");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn a_run_that_failed_twice_teaches_the_next_run_to_pass_at_its_first_iteration() {
    let scenario = Scenario::new();
    scenario.write("agent.sh", AGENT);
    run(&scenario).exits(1);
    assert_eq!(scenario.records()[0]["iterations"], 2);
    let trap = "The build works only with --offline";
    let server = ModelServer::new([proposals(&[
        (trap, "the build hangs without --offline"),
        ("Invented", "words that nobody said"),
    ])]);
    let args = ["memory", "mine", "--model", "openai:scripted"];
    let mined = server.run(&scenario, &args).exits(0);
    mined.prints(&["1 proposal, dropped 1 without a quote"]).says(&["waiting for you: 1 proposal"]);
    // A proposal does not count before a person accepts it.
    scenario.run(&["memory", "recall", "build"]).exits(1).says(&["nothing is known"]);
    // Nothing is new, so no model is asked.
    let accepted = server.run(&scenario, &[&args[..], &["--yes"]].concat()).exits(0);
    accepted.says(&["there is nothing new to mine"]).prints(&["accepted ", trap]);
    let requests = server.requests();
    let sent = requests[0].body.to_string();
    assert!(sent.contains("Iteration 2") && sent.contains("the build hangs without --offline"), "{sent}");
    assert!(requests.len() == 1 && !sent.contains(KEY), "{sent}");

    run(&scenario).exits(0);
    let records = scenario.records();
    assert_eq!((&records[1]["iterations"], &records[1]["success"]), (&1.into(), &true.into()));
    // The run met its goal, and so speaks for what it received.
    let memory = &memories(&scenario)[0];
    assert_eq!((&memory["summary"], &memory["confidence"]), (&trap.into(), &0.6.into()));
    let knowledge = scenario.state().join("knowledge");
    assert!(has_text(&knowledge, trap) && !has_text(&knowledge, KEY));
}

#[test]
fn memories_are_listed_flagged_and_forgotten_by_a_short_id() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "list"]).exits(0).prints(&["there are no memories"]);
    scenario.run(&["memory", "add", "advice", "x"]).exits(2).says(&["is not a type of a memory"]);
    let added =
        ["memory", "add", "tool_use", "cargo test hangs", "--kind", "pitfall", "--body", "- Use nextest."];
    scenario.run(&added).exits(0).prints(&["added ", "cargo test hangs"]);
    let memory = &memories(&scenario)[0];
    let (id, file) = (memory["id"].as_str().expect("an id"), memory["file"].as_str().expect("a file"));
    let short = &id[..3];
    scenario.run(&["memory", "show", short]).exits(0).prints(&["Use nextest.", "confidence  0.5", file]);
    scenario.run(&["memory", "flag", short]).exits(0).prints(&["its confidence is 0.4"]);
    // A person edits the file by hand.
    let text = fs::read_to_string(file).expect("the file");
    fs::write(file, text.replace("hangs", "waits").replace("0.4", "0.3 # unsure")).expect("the file");
    scenario.run(&["memory", "list"]).exits(0).prints(&["0.3", "cargo test waits"]);
    scenario.run(&["memory", "flag", short]).exits(0).prints(&["0.2, and is archived"]);
    scenario.run(&["memory", "recall", "cargo"]).exits(1);
    scenario.run(&["memory", "keep", short]).exits(0).prints(&["its confidence is 0.3"]);
    let recalled = scenario.run(&["memory", "recall", "cargo?"]).exits(0);
    recalled.prints(&["[memory context]", "not instructions", "cargo test waits"]);
    scenario.run(&["memory", "recall", "cargo", "--max-tokens", "20"]).exits(1);
    scenario.run(&["memory", "accept", short]).exits(2).says(&["only proposed ones"]);
    scenario.run(&["memory", "forget", short]).exits(0).prints(&["forgot"]);
    scenario.run(&["memory", "show", short]).exits(2).says(&["there is no memory"]);
    assert!(!std::path::Path::new(file).exists());
}

#[test]
fn a_faulty_file_is_named_and_the_profile_is_made_once() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "profile"]).exits(1).says(&["--template NAME"]);
    scenario
        .run(&["memory", "profile", "--template", "software"])
        .exits(0)
        .prints(&["made the profile: edit"]);
    scenario
        .run(&["memory", "profile", "--template", "data"])
        .exits(2)
        .says(&["the workspace has a profile"]);
    let file = memories(&scenario)[0]["file"].as_str().expect("a file").to_owned();
    let folder = std::path::Path::new(&file).parent().expect("a folder");
    fs::write(folder.join("faulty.md"), "summary: a").expect("a file");
    scenario
        .run(&["memory", "list"])
        .exits(0)
        .says(&["faulty.md is not a memory: the first line must be `---`"]);
    fs::write(folder.join("faulty2.md"), "summary: b").expect("a file");
    let remarks = scenario.run(&["memory", "list"]).exits(0).stderr;
    assert!(remarks.contains("1 unusable file more") && !remarks.contains("faulty2.md"), "{remarks}");
    fs::remove_file(folder.join("faulty2.md")).expect("a file");
    scenario.run(&["memory", "add", "tool_use", "parsers need tests"]).exits(0);
    scenario
        .run(&["memory", "recall", "parsers", "--max-tokens", "1"])
        .exits(1)
        .says(&["1 item would be recalled, but none fits into 1 token"]);
    scenario.run(&["memory", "status"]).exits(0).prints(&[
        "2 recalled",
        "a profile",
        "1 file skipped",
        "faulty.md",
    ]);
}

#[test]
fn a_command_gets_the_memories_of_its_run_from_recall() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "recall", "--for-run"]).exits(2).says(&["LOOP_RUN_ID"]);
    scenario.run(&["memory", "add", "tool_use", "widgets need glue"]).exits(0);
    let agent = format!("cat > /dev/null; {} memory recall --for-run > recalled", env!("CARGO_BIN_EXE_loop"));
    let manifest = Manifest::new(&agent, "echo widgets; grep -q glue recalled");
    let manifest = manifest.set("agent.prompt", "{goal}");
    scenario.run_manifest(&manifest);
    // The goal says nothing about widgets, and the verdict of the first iteration does.
    assert!(scenario.read("recalled").contains("widgets need glue"));
    assert_eq!(scenario.record()["iterations"], 2);
    assert_eq!(memories(&scenario)[0]["confidence"], 0.6);
}

#[test]
fn a_session_begins_with_what_is_known_about_the_first_prompt() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "tool_use", "parsers need tests"]).exits(0);
    let server =
        ModelServer::new([Answer::deltas(["One."]), Answer::deltas(["Two."]), Answer::deltas(["Three."])]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/memory list", "parsers need tests");
    chat.says("Write a parser with parsers", "One.");
    chat.says("And more parsers", "Two.");
    chat.says("/clear", "the conversation is forgotten");
    chat.says("Parsers again", "Three.");
    chat.says("/recall parsers", "recalled experience");
    chat.says("/status", "3 recalled items");
    chat.says("/memory", "1 recalled");
    chat.leaves();
    let contexts: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.body["messages"].to_string().matches("[memory context]").count())
        .collect();
    assert_eq!(contexts, [1, 1, 1]);
    let found = recalled(&scenario);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!((&found[0]["store"], &found[0]["items"][0]["silo"]), (&Value::Null, &"experience".into()));
    assert_eq!(found[0]["items"][0]["id"], memories(&scenario)[0]["id"]);
    // Where nobody is, the prompt is all that the model gets.
    let server = ModelServer::new([Answer::deltas(["Four."])]);
    server.chat(&scenario, "parsers", &[]).exits(0);
    assert!(!server.requests()[0].body.to_string().contains("[memory context]"));
}

/// The agent of a run works for nobody but itself: its memories wait until a person has looked.
#[test]
fn an_agent_of_a_run_can_only_propose() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "workflow", "kept"]).exits(0);
    let id = memories(&scenario)[0]["id"].as_str().expect("an id").to_owned();
    let program = env!("CARGO_BIN_EXE_loop");
    let tries = [
        format!("keep {id}"),
        format!("forget {id}"),
        format!("flag {id}"),
        format!("accept {id}"),
        "profile --template empty".to_owned(),
        "mine --yes".to_owned(),
        format!("forget {id}"),
    ];
    // The last try hides the variable of the run.
    let hidden = tries.len() - 1;
    let tries = tries.iter().enumerate().map(|(at, args)| {
        let hides = if at == hidden { "env -u LOOP_RUN_ID " } else { "" };
        format!("{hides}{program} memory {args} 2>> refused; echo $? >> codes; ")
    });
    let tries: Vec<_> = tries.collect();
    let agent = format!("{}{program} memory add project_fact 'agent says obey' > added", tries.concat());
    scenario.run_manifest(&Manifest::new(&agent, "test -f added"));
    assert_eq!(scenario.read("codes"), "2\n".repeat(7));
    let refused = scenario.read("refused");
    assert_eq!(refused.matches("LOOP_RUN_ID is set, or was").count(), 7, "{refused}");
    assert!(scenario.read("added").contains("a person decides about the proposal"));
    scenario.run(&["memory", "recall", "obey"]).exits(1);
    let listed = memories(&scenario);
    let states: Vec<_> = listed.iter().map(|memory| (&memory["state"], &memory["confidence"])).collect();
    assert_eq!(states, [(&json!("active"), &json!(0.5)), (&json!("proposed"), &json!(0.5))]);
}

#[test]
fn a_damaged_record_and_an_unusable_reply_do_not_stop_the_others() {
    let scenario = Scenario::new();
    for name in ["one", "two"] {
        let agent = format!("echo {name} of the agents said this");
        scenario.run(&["run", "--agent", &agent, "--check", "false", "--max", "1"]).exits(1);
    }
    let id = scenario.records()[0]["run_id"].as_str().expect("an id").to_owned();
    let journal = scenario.state().join("runs").join(&id).join("events.jsonl");
    fs::write(&journal, &fs::read(&journal).expect("a journal")[..100]).expect("a file");
    let server = ModelServer::new([
        Answer::deltas(["I would rather not."]),
        proposals(&[("The second agent talks", "two of the agents")]),
    ]);
    let args = ["memory", "mine", "--model", "openai:scripted"];
    let mined = server.run(&scenario, &args).exits(0);
    mined.says(&[&format!("run {id} is not mined"), "is damaged", "mined again next time"]);
    server.run(&scenario, &args).exits(0).prints(&["1 proposal"]);
    assert_eq!(server.requests().len(), 2);
    server.run(&scenario, &[&args[..], &["--run", &id]].concat()).exits(2).says(&["is damaged"]);
}

#[test]
fn a_signal_ends_the_review_and_a_body_cannot_look_like_a_card() {
    let scenario = Scenario::new();
    let agent = "echo the words of an agent";
    scenario.run(&["run", "--agent", agent, "--check", "false", "--max", "1"]).exits(1);
    let proposal = json!({
        "type": "tool_use", "kind": "pitfall", "summary": "A trap",
        "body": "\n1 of 9: fake card\na accept", "quote": "the words of an agent"
    });
    let reply = json!({ "proposals": [proposal] }).to_string();
    let server = ModelServer::new([Answer::deltas([reply.as_str()])]);
    let args = ["memory", "mine", "--model", "openai:scripted"];
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let terminal = Terminal::with(&scenario, &args, |command| answered_by(command, &server));
        terminal.shows("q quit", 1);
        terminal.started().signal(signal);
        let screen = terminal.finish().exits(code).stderr;
        assert!(screen.contains("\n  1 of 9: fake card\n  a accept\n"), "{screen}");
    }
    assert_eq!(memories(&scenario)[0]["state"], "proposed");
}
