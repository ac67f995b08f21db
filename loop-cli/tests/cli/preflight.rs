//! The command reports everything that it knows before the first iteration.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Manifest, RunningCommand, Scenario};

const TOML: &str = r#"
goal = "All is well"

[agent]
command = "touch done"
prompt = "{goal}: {evaluator_output}"

[evaluator]
command = "test -e done"

[guardrails]
max_iterations = 3
"#;

#[test]
fn a_manifest_in_toml_is_run() {
    let scenario = Scenario::new();
    scenario.write("fix-it.toml", TOML);
    scenario.run(&["run", "fix-it.toml"]).exits(0);
    assert_eq!(scenario.record()["loop"], "fix-it");
}

#[test]
fn a_manifest_in_toml_is_refused_with_the_place() {
    let scenario = Scenario::new();
    scenario.write("it.toml", TOML.replace("max_iterations", "max_iteration"));
    let ran = scenario.run(&["run", "it.toml"]).exits(2);
    ran.says(&["it.toml:12:1", "^^^^^^^^^^^^^ did you mean `max_iterations`?"]);
    assert!(!scenario.has("done") && !scenario.state().exists());
}

#[test]
fn the_schema_is_printed() {
    let ran = Scenario::new().run(&["schema"]).exits(0);
    let schema: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(schema["properties"]["goal"]["type"], "string");
    assert_eq!(ran.stdout, include_str!("../../../loop.schema.json"));
}

#[test]
fn a_check_is_tried_once_when_asked() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "echo x >> checked; echo 2 failed; exit 3"));
    let ran = scenario.run(&["check", "loop.json", "--run"]).exits(0);
    assert!(ran.stdout.contains("2 failed") && ran.stdout.contains("verdict: fail"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    assert_eq!(scenario.read("checked"), "x\n");
    assert!(!scenario.has("ran") && !scenario.state().exists());
}

#[test]
fn a_check_that_passes_already_is_a_warning() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "test -e here"));
    scenario.write("there/here", "");
    scenario.run(&["check", "loop.json", "--run", "--cwd", "there"]).exits(0).says(&["already passes"]);
    scenario.run(&["check", "loop.json", "--cwd", "there"]).exits(2).says(&["--run"]);
    scenario.run(&["check", "loop.json", "--run", "--cwd", "nowhere"]).exits(2).says(&["--cwd nowhere"]);
}

#[test]
fn what_is_still_to_be_written_can_be_looked_at_and_not_run() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("REPLACE_ME with your agent", "touch checked"));
    let said = ["`agent.command` is not filled in yet", "loop.json:"];
    let ran = scenario.run(&["check", "loop.json"]).exits(1).says(&said);
    assert!(ran.stderr.contains("warning:") && !ran.stderr.contains("error:"));
    for args in
        [&["run", "loop.json"][..], &["run", "loop.json", "--dry-run"], &["check", "loop.json", "--run"]]
    {
        scenario.run(args).exits(2).says(&said).says(&["error:"]);
    }
    assert!(!scenario.has("checked") && !scenario.state().exists());
}

#[test]
fn a_checkpoint_that_reaches_nobody_is_announced() {
    let manifest = Manifest::new("true", "false").set("guardrails.hitl_checkpoint", 2);
    let scenario = Scenario::new();
    scenario
        .run_manifest(&manifest)
        .exits(1)
        .says(&["nobody can be asked here", "after every 2nd iteration"]);
    let told = |args: &[&str]| scenario.run(args).exits(1).stderr.contains("nobody can be asked");
    assert!(!told(&["run", "loop.json", "--non-interactive"]));
    assert!(!told(&["run", "loop.json", "--quiet"]));
}

#[test]
fn too_few_open_files_are_said_before_anything_runs() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("touch ran", "false"));
    let line = format!("ulimit -n 12; exec '{}' run loop.json", env!("CARGO_BIN_EXE_loop"));
    let ran = RunningCommand::new(&mut scenario.command("sh", &["-c", &line])).finish();
    ran.exits(2).says(&["only 12 open files are allowed here"]);
    assert!(!scenario.has("ran"));
}

/// A run without its agent would only pay for the check.
#[test]
fn an_agent_that_does_not_exist_is_refused_before_the_run() {
    let scenario = Scenario::new();
    for (agent, missing) in [
        ("nopeprog", "`nopeprog` is not on PATH"),
        ("FOO=1 nopeprog -p", "`nopeprog` is not on PATH"),
        ("cd /tmp && nopeprog", "`nopeprog` is not on PATH"),
        ("env X=1 nopeprog", "`nopeprog` is not on PATH"),
        ("nopeprog | tee log", "`nopeprog` is not on PATH"),
        ("(nopeprog)", "`nopeprog` is not on PATH"),
        ("cat PROMPT.md | nopeprog -p 2>&1", "`nopeprog` is not on PATH"),
        ("./nope.sh", "runs `./nope.sh`, which does not exist"),
    ] {
        let flags = ["run", "--agent", agent, "--check", "touch checked; false", "--max", "1"];
        scenario.run(&flags).exits(2).says(&["the agent's", missing]);
        scenario.manifest(&Manifest::new(agent, "touch checked; false"));
        scenario.run(&["run", "loop.json"]).exits(2).says(&["the agent's", missing]);
    }
    let reviewed = Manifest::new("touch worked", "true")
        .set("evaluator", serde_json::json!({ "review": { "agent": "nopeprog" } }));
    scenario.run_manifest(&reviewed).exits(2).says(&["the reviewer's program `nopeprog` is not on PATH"]);
    scenario.write("fix.md", "Do it.\n");
    for (args, role) in [
        (&["--agent", "nopeprog"][..], "agent"),
        (&["--agent", "A=1 nopeprog {prompt}"], "agent"),
        (&["--agent", "touch worked", "--review-agent", "nopeprog"], "reviewer"),
    ] {
        let said = format!("the {role}'s program `nopeprog` is not on PATH");
        scenario.run(&[&["task", "fix.md"], args].concat()).exits(2).says(&[&said]);
    }
    assert!(!scenario.has("checked") && !scenario.has("worked") && !scenario.state().join("runs").exists());
}

/// The first iteration would be paid for before anybody sees that nothing judges it.
#[test]
fn a_check_that_does_not_exist_is_refused_before_the_run() {
    let scenario = Scenario::new();
    for (check, missing) in [
        ("nosuchcheck --all", "the check's program `nosuchcheck` is not on PATH"),
        ("sh nosuch.sh", "the check's command runs `nosuch.sh`, which does not exist"),
        ("bash ./nosuch.sh", "the check's command runs `./nosuch.sh`, which does not exist"),
        ("cd / && ./nosuch", "the check's command runs `./nosuch`, which does not exist"),
    ] {
        let ran = scenario.run(&["run", "--agent", "touch worked", "--check", check, "--max", "3"]);
        ran.exits(2).says(&[missing]);
    }
    let unwritten = Manifest::new("touch worked", "nosuchcheck").set("check_first", true);
    scenario.run_manifest(&unwritten).exits(2).says(&["`nosuchcheck` is not on PATH"]);
    assert!(!scenario.has("worked") && !scenario.state().join("runs").exists());
    // The agent may write the check.
    let later = "test -e new.sh && sh new.sh";
    scenario.run(&["run", "--agent", "echo true > new.sh", "--check", later, "--max", "1"]).exits(0);
}

#[test]
fn a_line_that_may_work_is_run() {
    let scenario = Scenario::new();
    for agent in [
        "nopeprog || touch worked",
        "PATH=$PWD:$PATH mine",
        "export PATH=\"$PWD:$PATH\" && mine",
        "mine() { touch worked; }; mine",
        "printf 'touch worked' > new.sh && sh ./new.sh",
        "nopeprog; touch worked",
        "cd sub && ./below.sh",
    ] {
        scenario.write("mine", "#!/bin/sh\ntouch worked\n");
        scenario.write("sub/below.sh", "#!/bin/sh\ntouch ../worked\n");
        for file in ["mine", "sub/below.sh"] {
            std::fs::set_permissions(scenario.path(file), PermissionsExt::from_mode(0o755)).expect("a mode");
        }
        let flags = ["run", "--agent", agent, "--check", "test -e worked", "--max", "1"];
        scenario.run(&flags).exits(0);
        std::fs::remove_file(scenario.path("worked")).expect("it was written");
    }
    let mut command = scenario.loop_command(&["run", "--agent", "mine", "--check", "false", "--max", "1"]);
    let ran = RunningCommand::new(command.env("BASH_FUNC_mine%%", "() { true; }")).finish();
    assert!(!ran.stderr.contains("is not on PATH"), "a shell may inherit it: {}", ran.stderr);
}
