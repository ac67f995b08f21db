//! Skills in runs: what models and commands learn about them, and where they are looked for.

use std::os::unix::fs::symlink;

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{Manifest, Scenario},
};

const NOTES: &str = "---\nname: notes\ndescription: Writes release notes.\n---\nThank {goal} first. The key is hunter2hunter2.\n";

const SECRET: (&str, &str) = ("SERVICE_API_KEY", "hunter2hunter2");

fn scenario() -> Scenario {
    let scenario = Scenario::new();
    scenario.write(".agents/skills/notes/SKILL.md", NOTES);
    scenario
}

fn of_model() -> Manifest {
    Manifest::new("-", "true").set("agent", json!({ "model": "openai:scripted", "prompt": "Do it: {goal}" }))
}

#[test]
fn the_instructions_of_named_skills_come_before_the_prompt_of_a_model() {
    let (scenario, server) = (scenario(), ModelServer::new([Answer::deltas(["Done."])]));
    scenario.manifest(&of_model().set("agent.skills", json!(["notes"])));
    let mut command = server.command(&scenario, &["run", "loop.json"]);
    command.env(SECRET.0, SECRET.1);
    crate::support::RunningCommand::new(&mut command).finish().exits(0);
    let request = &server.requests()[0].body;
    assert_eq!(
        request["messages"][0]["content"],
        "[the skill notes]\n(instructions from .agents/skills/notes/SKILL.md; other paths in them are relative to its \
         folder)\nThank {goal} first. The key is [redacted].\n[end of the skill notes]\n\nDo it: All is well"
    );
    assert_eq!(request["messages"].as_array().map(Vec::len), Some(1), "{request}");
    assert!(!request["tools"].to_string().contains("load_skill"), "{request}");
    let past = scenario.run(&["show", "-i", "1", "--prompt"]).exits(0).stdout;
    assert_eq!(past, "(the skills notes as they were then)\n\nDo it: All is well");
}

#[test]
fn a_model_reads_the_skills_that_its_system_prompt_lists() {
    let scenario = scenario();
    let load = Answer::calls([Call::new("c", "load_skill", [r#"{"name": "notes"}"#])]);
    let server = ModelServer::new([load, Answer::deltas(["Done."])]);
    scenario.write("AGENTS.md", "Be brief.");
    scenario.manifest(&of_model());
    let mut command = server.command(&scenario, &["run", "loop.json"]);
    command.env(SECRET.0, SECRET.1);
    crate::support::RunningCommand::new(&mut command).finish().exits(0);
    let requests = server.requests();
    let system = requests[0].body["messages"][0]["content"].as_str().expect("a system prompt");
    assert!(system.starts_with("Be brief.\n\n## Skills\n"), "{system}");
    assert!(system.ends_with("\n- notes: Writes release notes."), "{system}");
    let loaded = requests[1].body["messages"].to_string();
    assert!(loaded.contains("Thank {goal} first. The key is [redacted]."), "{loaded}");
}

#[test]
fn skills_are_hidden_by_an_empty_list_and_by_a_system_prompt() {
    for (key, value) in [("agent.skills", json!([])), ("agent.system", "Be brief.".into())] {
        let (scenario, server) = (scenario(), ModelServer::new([Answer::deltas(["Done."])]));
        scenario.manifest(&of_model().set(key, value));
        server.run(&scenario, &["run", "loop.json"]).exits(0);
        let request = server.requests()[0].body.to_string();
        assert!(!request.contains("load_skill") && !request.contains("release notes"), "{request}");
    }
}

#[test]
fn a_command_gets_the_list_of_the_skills_that_the_manifest_names() {
    let scenario = scenario();
    scenario.manifest(&Manifest::new("cat > seen", "true").set("agent.skills", json!(["notes"])));
    scenario.run(&["run", "loop.json"]).exits(0);
    let seen = scenario.read("seen");
    assert!(
        seen.contains("- notes: Writes release notes. (.agents/skills/notes/SKILL.md)\n\nAll is well"),
        "{seen}"
    );
    scenario.manifest(&Manifest::new("cat > seen", "true"));
    scenario.run(&["run", "loop.json"]).exits(0);
    assert!(!scenario.read("seen").contains("notes"));
}

#[test]
fn a_run_does_not_begin_with_a_skill_that_is_missing_or_faulty() {
    let scenario = scenario();
    let outside = Scenario::new();
    outside.write("elsewhere/SKILL.md", NOTES);
    symlink(outside.path("elsewhere"), scenario.path(".agents/skills/linked")).expect("a link");
    let bomb = format!("---\nname: bomb\ndescription: &a x\n{}---\n", "b: [*a, *a]\n".repeat(1000));
    scenario.write(".agents/skills/bomb/SKILL.md", bomb);
    for (name, problem) in [
        ("note", "there is no skill `note` (did you mean `notes`?)"),
        ("bomb", "an alias (`*name`) is not supported here"),
        ("linked", "leads out of the workspace"),
    ] {
        scenario.manifest(&Manifest::new("touch begun", "true").set("agent.skills", json!([name])));
        let ran = scenario.run(&["run", "loop.json"]).exits(2);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
        assert!(!scenario.has("begun"));
    }
}

#[test]
fn every_repeated_turn_sees_the_list_and_the_settings_name_its_folders() {
    let (scenario, server) =
        (scenario(), ModelServer::new([Answer::deltas(["Done."]), Answer::deltas(["Done."])]));
    scenario.write("docs/skills/other/SKILL.md", "---\ndescription: Does more.\n---\nMore.\n");
    scenario.write("loop.toml", "[skills]\nfolders = [\"docs/skills\"]\n");
    let every = ["every", "1ms", "Do it", "--count", "2", "--model", "openai:scripted"];
    server.run(&scenario, &every).exits(0);
    for request in server.requests() {
        let system = request.body["messages"][0]["content"].as_str().expect("a system prompt").to_owned();
        assert!(system.ends_with("\n- other: Does more.") && !system.contains("notes"), "{system}");
    }
    let list = scenario.run(&["skill", "list"]).exits(0).stdout;
    assert_eq!(list, "other  Does more.\n");
}

#[test]
fn steps_of_a_plan_have_the_instructions_in_the_system_prompt() {
    let (scenario, server) = (scenario(), ModelServer::new([Answer::deltas(["Done."])]));
    scenario.write(".loop/plan.md", "# Plan: It\n\n- [ ] Do it [validate: contains Done]\n");
    let run = ["plan", "run", "--model", "openai:scripted", "--set", "agent.skills=[notes]"];
    server.run(&scenario, &run).exits(0);
    let system = server.requests()[0].body["messages"][0].to_string();
    assert!(system.contains("Thank {goal} first."), "{system}");
    let command = ["plan", "run", "--agent", "cat", "--set", "agent.skills=[notes]"];
    let refused = scenario.run(&command).exits(2);
    refused.says(&["a command gets only the prompts of the steps"]);
    scenario.write("a.md", "First.\n");
    let command = ["pipeline", "80%", "a.md", "--agent", "cat", "--set", "agent.skills=[notes]"];
    scenario.run(&command).exits(2).says(&[
        "`agent.skills` has no use beside `evaluator.pipeline`",
        "a command gets only the prompts of the files",
    ]);
}
