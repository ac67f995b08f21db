//! The files that a model's tools can read, and the variables that commands see.

use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{Manifest, RunningCommand, Scenario},
};

const CANARY: &str = "canary-58213";

/// Files in which programs store their credentials.
const SECRETS: [&str; 16] = [
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".netrc",
    ".docker/config.json",
    "kubeconfig",
    ".kube/config",
    "service-account-prod.json",
    "secrets.yaml",
    "terraform.tfstate",
    "app.jks",
    "a.kdbx",
    ".vault-token",
    ".git/config",
    "deep/down/.npmrc.bak",
];

fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, serde_json::Value)>) -> Answer {
    let call = |(number, (tool, arguments)): (usize, (&str, serde_json::Value))| {
        Call::new(&format!("c{number}"), tool, [arguments.to_string().as_str()])
    };
    Answer::calls(calls.into_iter().enumerate().map(call))
}

/// Returns the model's input after its calls.
fn sent_to_model(server: &ModelServer) -> String {
    server.requests()[1].body["messages"].to_string()
}

#[test]
fn no_tool_reads_what_programs_log_in_with() {
    let scenario = Scenario::new();
    for path in SECRETS {
        scenario.write(path, format!("[remote \"origin\"]\nurl = {CANARY}\n"));
    }
    scenario.write("src/secrets.rs", "fn readable() {}\n");
    let reads = SECRETS.iter().map(|path| ("read_file", json!({ "path": path })));
    let cats = SECRETS.iter().map(|path| ("run_command", json!({ "command": format!("cat {path}") })));
    let others = [
        ("search_files", json!({ "pattern": "canary" })),
        ("search_files", json!({ "pattern": "canary", "path": ".docker" })),
        ("read_file", json!({ "path": "src/secrets.rs" })),
    ];
    let server = ModelServer::new([calls(reads.chain(cats).chain(others)), Answer::deltas(["Done."])]);
    server.chat(&scenario, "Read them.", &[]).exits(0);
    let told = sent_to_model(&server);
    assert!(!told.contains(CANARY), "{told}");
    assert_eq!(told.matches("hold secrets").count(), 2 * SECRETS.len(), "{told}");
    assert!(told.contains("fn readable"), "{told}");
}

#[test]
fn commands_of_models_see_a_short_list_of_variables_and_what_the_user_names() {
    let see = |variables: &str| {
        let scenario = Scenario::new();
        scenario.write("settings.toml", format!("[policy]\nallow = [\"printenv\"]\n{variables}\n"));
        let server = ModelServer::new([
            calls([("run_command", json!({ "command": "printenv" }))]),
            Answer::deltas(["Done."]),
        ]);
        let chat = ["chat", "--model", "openai:scripted", "--prompt", "Look."];
        let mut command = server.command(&scenario, &chat);
        command.env("LOOP_CONFIG", scenario.path("settings.toml")).env("LANG", "C");
        command.envs([("COLOUR", CANARY), ("OPENAI_KEY", CANARY), ("TOOL_HOME", "/opt/tool")]);
        RunningCommand::new(&mut command).finish().exits(0);
        sent_to_model(&server)
    };
    let told = see("");
    assert!(told.contains("PATH=") && told.contains("HOME=") && told.contains("LC_ALL="), "{told}");
    assert!(!told.contains(CANARY) && !told.contains("TOOL_HOME"), "{told}");
    let told = see("variables = [\"TOOL_*\"]");
    assert!(told.contains("TOOL_HOME=/opt/tool") && !told.contains(CANARY), "{told}");
}

#[test]
fn a_project_names_no_variables_for_commands() {
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[policy]\nvariables = [\"GITHUB_*\"]\n");
    let shown =
        scenario.run(&["policy", "show"]).exits(0).says(&["`variables = [\"GITHUB_*\"]` (loop.toml:2)"]);
    assert!(!shown.stdout.contains("GITHUB"), "{}", shown.stdout);
}

#[test]
fn agents_do_not_see_keys_by_whatever_name_they_are_kept() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("env > agent.env", "env > check.env"));
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    for name in
        ["OPENAI_KEY", "STRIPE_KEY", "DB_PWD", "REDIS_PW", "SESSION_COOKIE", "SENTRY_DSN", "BW_SESSION"]
    {
        command.env(name, CANARY);
    }
    command.env("NOTIFY", format!("https://hooks.slack.com/services/{CANARY}"));
    command.env("ALERTS", format!("https://discord.com/api/webhooks/1/{CANARY}"));
    command.env("QUEUE", format!("amqp://kim:{CANARY}@mq/app"));
    command.env("DESKTOP_SESSION", "gnome").env("KEYBOARD", "de").env("OLDPWD", "/");
    RunningCommand::new(&mut command).finish().exits(0);
    for env in [scenario.read("agent.env"), scenario.read("check.env")] {
        assert!(!env.contains(CANARY), "{env}");
        for name in ["DESKTOP_SESSION=", "KEYBOARD=", "OLDPWD=", "PATH="] {
            assert!(env.lines().any(|line| line.starts_with(name)), "{name}: {env}");
        }
    }
}
