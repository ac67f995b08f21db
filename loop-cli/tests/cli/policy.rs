//! The rules for tools, as `loop policy` shows them.

use std::{fs, os::unix::fs::symlink};

use serde_json::Value;

use crate::support::{CommandResult, Scenario};

const USER: &str = "\
[policy]
allow = [\"rg\", \"cargo\"]
forbid = [\"du\"]
";

const PROJECT: &str = "\
[policy]
allow = [\"curl\"]

[policy.permissions]
\".\" = [\"read\", \"exec\"]
\"src/\" = [\"read\", \"write\"]
";

fn settled() -> Scenario {
    let scenario = Scenario::new();
    scenario.write("../home/.config/loop/loop.toml", USER);
    scenario.write("loop.toml", PROJECT);
    scenario
}

fn explain(scenario: &Scenario, text: &str, code: i32) -> CommandResult {
    scenario.run(&["policy", "explain", text]).exits(code)
}

#[test]
fn in_an_empty_folder_the_rules_are_those_that_are_built_in() {
    let scenario = Scenario::new();
    symlink("/etc", scenario.path("etc")).expect("a link");
    for (text, code, expected) in [
        ("ls", 0, "`ls` is among the programs of safe mode"),
        ("src/main.rs", 0, "no rule forbids it"),
        ("rg --pre ./x needle", 1, "`rg` is not among the programs of safe mode"),
        ("find . -exec rm {} +", 1, "`find -exec` is refused: it starts another program"),
        ("cat etc/passwd", 1, "the link `etc` leads out of the workspace, to /etc"),
        (".env", 1, "files named `.env*` hold secrets"),
        ("cat .env", 1, "files named `.env*` hold secrets"),
    ] {
        let said = explain(&scenario, text, code).stdout;
        assert!(said.contains(expected) && said.contains("from   built in"), "{text}: {said}");
    }
}

#[test]
fn the_line_that_decides_is_named() {
    let scenario = settled();
    let home = scenario.path("").parent().expect("a parent").join("home/.config/loop/loop.toml");
    let of_user = |line: usize| format!("from   {}:{line}\n", home.display());
    for (text, code, expected) in [
        ("rg needle", 0, of_user(2)),
        ("du -s", 1, of_user(3)),
        ("README.md", 0, "from   loop.toml:5\n".to_owned()),
        ("./src/../src/main.rs", 0, "from   loop.toml:6\n".to_owned()),
        ("rg --pre ./x needle", 1, "from   built in\n".to_owned()),
    ] {
        let said = explain(&scenario, text, code).stdout;
        assert!(said.contains(&expected), "{text}: {said}");
    }
    let denied = scenario.run(&["policy", "explain", "--to", "write", "README.md"]).exits(1).stdout;
    assert!(denied.contains("without write") && denied.contains("loop.toml:5"), "{denied}");
    scenario.run(&["policy", "explain", "--to", "write", "src/main.rs"]).exits(0);
    // The project requests something that the user's settings deny.
    explain(&scenario, "curl x", 1).says(&["`allow = [\"curl\"]` (loop.toml:2) has no effect"]);
}

#[test]
fn programs_are_told_the_same() {
    let scenario = settled();
    let explained = |args: &[&str], code: i32| -> Value {
        let ran = scenario.run(&[&["policy", "explain", "--json"], args].concat()).exits(code);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let allowed = explained(&["rg -n needle"], 0);
    let words: Vec<_> = allowed["words"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // The program also gets the paths that it must not read.
    assert!(words.starts_with(&["rg", "-n", "needle"]) && words.contains(&"--iglob=!**/.env*"), "{words:?}");
    assert_eq!((&allowed["to"], &allowed["line"]), (&"run".into(), &2.into()));
    let denied = explained(&["--to", "delete", "src/x"], 1);
    assert_eq!(
        (&denied["allowed"], &denied["to"], &denied["file"], &denied["line"]),
        (&false.into(), &"delete".into(), &"loop.toml".into(), &6.into())
    );
    let built_in = explained(&[".env"], 1);
    assert_eq!((&built_in["file"], &built_in["words"]), (&Value::Null, &Value::Null));
}

#[test]
fn all_rules_are_shown_with_where_they_stand() {
    let scenario = settled();
    let page = scenario.run(&["policy", "show"]).exits(0).stdout;
    for expected in ["cargo rg", "du", "src: read, write", "loop.toml:6", ".env* *.env", "audit/audit.jsonl"]
    {
        assert!(page.contains(expected), "`{expected}` is not shown:\n{page}");
    }
    assert!(page.split_whitespace().all(|word| word != "curl"), "{page}");
    let ran = scenario.run(&["policy", "show", "--json"]).exits(0);
    let shown: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let rules = shown["rules"].as_array().expect("rules");
    let of = |key: &str| rules.iter().filter(|rule| rule["key"] == key).count();
    assert_eq!((of("safe_mode"), of("forbid"), of("permissions"), of("command_seconds")), (1, 1, 2, 1));
    assert_eq!(shown["project"], "loop.toml");
}

#[test]
fn another_folder_has_its_own_rules() {
    let scenario = Scenario::new();
    scenario.write("app/loop.toml", "[policy]\nforbid = [\"ls\"]\n");
    explain(&scenario, "ls", 0);
    let said = scenario.run(&["policy", "explain", "--cwd", "app", "ls"]).exits(1).stdout;
    assert!(said.contains("from   app/loop.toml:2"), "{said}");
}

#[test]
fn what_is_wrong_with_the_settings_is_shown_and_nothing_is_answered() {
    let scenario = settled();
    scenario.write("loop.toml", "[policy]\nalow = [\"x\"]\n");
    let ran =
        explain(&scenario, "ls", 2).says(&["unknown key `alow`", "did you mean `allow`?", "loop.toml:2"]);
    assert_eq!(ran.stdout, "");
    let scenario = Scenario::new();
    let mut command = scenario.loop_command(&["policy", "show"]);
    command.env("LOOP_CONFIG", scenario.path("gone.toml"));
    crate::support::RunningCommand::new(&mut command)
        .finish()
        .exits(2)
        .says(&["LOOP_CONFIG names this file"]);
    scenario.run(&["policy", "explain", "--cwd", "gone", "ls"]).exits(2).says(&["--cwd gone"]);
    scenario
        .run(&["policy", "explain", "--to", "paint", "x"])
        .exits(2)
        .says(&["read, write, exec or delete"]);
}

#[test]
fn settings_beside_a_manifest_are_not_in_its_way() {
    let scenario = settled();
    scenario.run(&["run"]).exits(2).says(&["contains settings, but no manifest"]);
    scenario.write(
        "loop.yaml",
        "goal: g\nagent: { command: 'true', prompt: '{goal}' }\nevaluator: { command: 'true' }\n\
         guardrails: { max_iterations: 1 }\n",
    );
    scenario.run(&["run"]).exits(0).says(&["goal_met"]);
    fs::remove_file(scenario.path("loop.yaml")).expect("it is there");
    let manifest = "goal = \"g\"\nagent = { command = \"true\", prompt = \"{goal}\" }\n\
         evaluator = { command = \"true\" }\nguardrails = { max_iterations = 1 }\n";
    scenario.write("loop.toml", manifest.to_owned() + PROJECT);
    scenario.run(&["run"]).exits(0).says(&["goal_met"]);
    let said = explain(&scenario, "README.md", 0).stdout;
    assert!(said.contains("loop.toml:9"), "{said}");
}
