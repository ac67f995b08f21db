//! The user's variables that the agent and the check see.

use serde_json::json;

use crate::support::{CommandResult, Manifest, RunningCommand, Scenario};

/// Variables that a person may have in their shell.
const SECRETS: [(&str, &str); 5] = [
    ("ANTHROPIC_API_KEY", "hunter2-anthropic"),
    ("OPENAI_API_KEY", "hunter2-openai"),
    ("GITHUB_TOKEN", "hunter2-github"),
    ("AWS_SECRET_ACCESS_KEY", "hunter2-aws"),
    ("DATABASE_URL", "postgres://kim:hunter2-database@db/app"),
];

fn call(scenario: &Scenario, args: &[&str]) -> CommandResult {
    let mut command = scenario.loop_command(args);
    command.envs(SECRETS).env("SSH_AUTH_SOCK", "/run/ssh").env("MAX_TOKENS", "4096");
    RunningCommand::new(&mut command).finish()
}

/// Runs an agent and a check that write down their environments.
fn looked(agent: &str, edit: impl Fn(Manifest) -> Manifest) -> (String, String) {
    let scenario = Scenario::new();
    scenario.write("claude", "#!/bin/sh\nexec env\n");
    let manifest = edit(Manifest::new(agent, "env > check.env"));
    scenario.manifest(&manifest);
    call(&scenario, &["run", "loop.json"]).exits(0);
    (scenario.read("agent.env"), scenario.read("check.env"))
}

fn names<'a>(env: &str, of: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    of.into_iter().filter(|name| env.lines().any(|line| line.starts_with(&format!("{name}=")))).collect()
}

fn secrets(env: &str) -> Vec<&str> {
    names(env, SECRETS.map(|(name, _)| name))
}

#[test]
fn what_looks_like_a_secret_is_seen_by_nobody_and_the_rest_by_both() {
    let (agent, check) = looked("env > agent.env", |manifest| manifest);
    for env in [&agent, &check] {
        assert_eq!(secrets(env), Vec::<&str>::new());
        assert!(!env.contains("hunter2"), "{env}");
        let usual = ["PATH", "HOME", "LC_ALL", "TMPDIR", "SSH_AUTH_SOCK", "MAX_TOKENS", "LOOP_ITERATION"];
        assert_eq!(names(env, usual), usual);
    }
}

#[test]
fn an_agent_that_is_known_sees_the_keys_of_its_vendor_and_its_check_does_not() {
    let (agent, check) = looked("chmod +x claude && ./claude -p > agent.env", |manifest| manifest);
    assert_eq!(secrets(&agent), ["ANTHROPIC_API_KEY"]);
    assert_eq!(secrets(&check), Vec::<&str>::new());
}

#[test]
fn what_the_manifest_passes_or_sets_both_see() {
    let (agent, check) = looked("env > agent.env", |manifest| {
        let env = json!({ "pass": ["GITHUB_TOKEN", "AWS_*"], "set": { "OPENAI_API_KEY": "mine" } });
        manifest.set("agent.env", env)
    });
    for env in [agent, check] {
        assert_eq!(secrets(&env), ["OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"]);
        assert!(env.contains("OPENAI_API_KEY=mine\n"), "{env}");
    }
}

#[test]
fn an_environment_from_nothing_has_what_is_passed_or_set_and_no_more() {
    let (agent, check) = looked("env > agent.env", |manifest| {
        manifest.set("agent.env", json!({ "inherit": "none", "pass": ["PATH"], "set": { "LANG": "C" } }))
    });
    for env in [agent, check] {
        assert!(names(&env, ["PATH", "LANG"]).len() == 2, "{env}");
        let others = ["HOME", "LC_ALL", "TMPDIR", "SSH_AUTH_SOCK", "ANTHROPIC_API_KEY"];
        assert_eq!(names(&env, others), Vec::<&str>::new(), "{env}");
    }
}

/// Words for secrets count wherever they are in a name, and a word for what they are not counts at its end.
#[test]
fn a_secret_is_withheld_and_redacted_whatever_follows_its_name() {
    let scenario = Scenario::new();
    let shown = [("ANDROID_KEYSTORE_PATH", "shown-path"), ("JWT_ISSUER", "shown-issuer")];
    let hidden = ["NPM_TOKEN_PUBLISH", "TOKEN_V2", "SSH_PRIVATE", "KUBECONFIG_CONTENT", "SEED_PHRASE"]
        .map(|name| (name, format!("hunter2-{name}")));
    let values: Vec<_> = hidden.iter().map(|(_, value)| value.as_str()).collect();
    scenario.write("values", values.join("\n"));
    scenario.manifest(&Manifest::new("env > agent.env; cat values", "true"));
    let mut command = scenario.loop_command(&["run", "loop.json", "--show-output"]);
    command.envs(shown).envs(hidden.clone());
    let ran = RunningCommand::new(&mut command).finish().exits(0);
    let seen = scenario.read("agent.env");
    assert_eq!(names(&seen, shown.map(|(name, _)| name)).len(), 2, "{seen}");
    assert!(!seen.contains("hunter2") && !format!("{ran:?}").contains("hunter2"), "{seen}\n{ran:?}");
}

#[test]
fn check_names_what_is_withheld_and_what_passes_it_and_no_value() {
    let scenario = Scenario::new();
    scenario
        .manifest(&Manifest::new("claude -p", "true").set("agent.env.pass", json!(["AWS_*", "MY_TOKEN"])));
    let ran = call(&scenario, &["check", "loop.json"]).exits(0);
    for said in [
        "withheld   DATABASE_URL, GITHUB_TOKEN and OPENAI_API_KEY\n",
        "ANTHROPIC_API_KEY: from the check only\n",
        r#"`"pass": ["AWS_*", "MY_TOKEN", "DATABASE_URL"]` in `agent.env`"#,
        "not set    MY_TOKEN",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
}

#[test]
fn the_check_that_is_tried_sees_what_it_would_see_in_a_run() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("claude -p", "test -z \"$ANTHROPIC_API_KEY$GITHUB_TOKEN\"");
    scenario.manifest(&manifest);
    for args in [&["check", "loop.json", "--run"][..], &["run", "loop.json", "--dry-run"]] {
        call(&scenario, args).exits(0).says(&["already passes"]);
    }
}

#[test]
fn a_look_at_a_loop_without_a_file_names_what_is_withheld_too() {
    let args = ["run", "--agent", "my-agent", "--check", "true", "--max", "1", "--dry-run"];
    let ran = call(&Scenario::new(), &args).exits(0);
    let advice = "`--set 'agent.env.pass=[ANTHROPIC_API_KEY]'`";
    assert!(ran.stdout.contains("GITHUB_TOKEN") && ran.stdout.contains(advice), "{}", ran.stdout);
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
}
