//! Secrets that are hard to see: cut in two, coloured, or between numbers.

use serde_json::{Value, json};

use crate::{
    support::{CommandResult, Manifest, RunningCommand, Scenario},
    terminal::Terminal,
};

/// The value of a variable whose name looks like a secret.
const SECRET: &str = "hunter2hunter2XYZ";

/// Runs `loop` with these arguments and with the secret in its environment.
fn knowing(scenario: &Scenario, args: &[&str]) -> CommandResult {
    RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
}

#[test]
fn a_secret_with_a_change_of_colour_in_it_is_not_shown() {
    let scenario = Scenario::new();
    let coloured = r"printf 'a hunter2\033[0mhunter2XYZ z\n'";
    let manifest = Manifest::new(coloured, &format!("{coloured}; false")).set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    let ran = knowing(&scenario, &["run", "--show-output"]).exits(1);
    assert!(ran.stderr.contains("a [redacted] z"), "{}", ran.stderr);
    let pages = [
        ran,
        knowing(&scenario, &["show"]),
        knowing(&scenario, &["show", "-i", "1"]),
        knowing(&scenario, &["check", "--run", "loop.json"]),
    ];
    for page in pages {
        let said = page.stdout + &page.stderr;
        // Ignore the codes that the agent and `loop` insert.
        assert!(!said.replace("\x1b[0m", "").contains(SECRET), "{said}");
    }
    let args = ["show", "-i", "1", "--output"];
    let seen =
        Terminal::with(&scenario, &args, |command| _ = command.env("MY_TOKEN", SECRET)).finish().exits(0);
    assert_eq!(seen.stderr, "a [redacted] z\n");
}

#[test]
fn what_is_set_for_a_check_is_not_shown_when_that_is_tried() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("true", "echo it is $DB_PASSWORD; false");
    scenario.manifest(&manifest.set("agent.env", json!({ "set": { "DB_PASSWORD": "swordfish-12" } })));
    let tried = scenario.run(&["check", "--run", "loop.json"]).exits(0);
    assert!(tried.stdout.contains("it is [redacted]"), "{}", tried.stdout);
    assert!(!(tried.stdout + &tried.stderr).contains("swordfish-12"));
}

/// The agent may write what it knows into files, and into their names.
#[test]
fn what_is_set_for_an_agent_is_not_shown_in_its_changes() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo $DB_PASSWORD > made; echo x > file-$DB_PASSWORD", "false")
        .set("agent.env", json!({ "set": { "DB_PASSWORD": "swordfish-12" } }))
        .set("guardrails.max_iterations", 1);
    scenario.run_manifest(&manifest).exits(1);
    for args in [
        &["diff"] as &[&str],
        &["diff", "--names"],
        &["show", "-i", "1", "--diff"],
        &["restore", "-", "-i", "0", "-y"],
    ] {
        let shown = scenario.run(args).exits(0);
        let said = shown.stdout + &shown.stderr;
        assert!(said.contains("file-[redacted]") && !said.contains("swordfish"), "{args:?}: {said}");
    }
}

/// The values are known no more after the run, so the changes cannot be shown without them.
#[test]
fn changes_with_values_that_nobody_knows_any_more_are_refused() {
    let refused = |run: &[&str], set: &str, later: &str| {
        let scenario = Scenario::new();
        let agent = format!("echo $MY_TOKEN > made{later}");
        let manifest = Manifest::new(&agent, "false")
            .set("vars", json!({ "T": "nothing" }))
            .set("agent.env", json!({ "set": { "MY_TOKEN": set } }))
            .set("guardrails.max_iterations", 1);
        scenario.manifest(&manifest);
        scenario.run(&[&["run", "loop.json"], run].concat()).exits(1);
        for args in [&["diff"] as &[&str], &["diff", "--names"], &["show", "-i", "1", "--diff"]] {
            let shown = scenario.run(args).exits(2).says(&["cannot be hidden", "--patch FILE"]);
            assert!(!(shown.stdout + &shown.stderr).contains("swordfish"), "{args:?}");
        }
        scenario.run(&["apply", "--patch", "a.patch"]).exits(0);
        assert!(scenario.read("a.patch").contains("+swordfish-12"));
    };
    refused(&["--var", "T=swordfish-12"], "{var.T}", "");
    refused(&["--set", "agent.env.set.MY_TOKEN=swordfish-12"], "nothing", "");
    refused(&[], "swordfish-12", "; sed -i s/false/true/ loop.json");
}

#[test]
fn a_name_that_contains_a_secret_gets_no_suggestion() {
    let scenario = Scenario::new();
    let name = format!("nm{SECRET}");
    let refused = knowing(&scenario, &["every", "1ms", "--name", &name, "--", "true"]).exits(2);
    let refused = refused.says(&["a name has lower-case letters"]);
    assert!(!refused.stderr.contains(&SECRET[..6]), "{}", refused.stderr);
}

#[test]
fn a_secret_is_not_kept_where_the_middle_of_an_output_is_left_out() {
    let scenario = Scenario::new();
    // The journal keeps a mebibyte of each end. The secret crosses the edge of the head first, then that of the tail.
    let x = "head -c 1048568 /dev/zero | tr '\\0' x";
    let agent = format!("{x}; printf %s $MY_TOKEN; {x}; printf %s $MY_TOKEN; {x} | tail -c 1048567");
    let check = "head -c 40000 /dev/zero | tr '\\0' y; false";
    let manifest = Manifest::new(&agent, check).set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest.set("agent.env", json!({ "pass": ["MY_TOKEN"] })));
    knowing(&scenario, &["run"]).exits(1);
    let kept = scenario.run(&["show", "-i", "1", "--output"]).exits(0).stdout;
    assert_eq!(kept.matches("[redacted]").count(), 2, "{}", kept.len());
    for part in SECRET.as_bytes().windows(6) {
        assert!(!kept.as_bytes().windows(6).any(|window| window == part));
    }
}

#[test]
fn json_is_json_whatever_is_secret() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "echo iteration; true"));
    let secrets = |args: &[&str]| {
        let mut command = scenario.loop_command(args);
        command.env("A_TOKEN", "iterations").env("B_TOKEN", "run_id\":").env("C_TOKEN", "ended_at");
        serde_json::from_str::<Value>(&RunningCommand::new(&mut command).finish().exits(0).stdout)
            .expect("JSON")
    };
    let ran = secrets(&["run", "--json"]);
    assert_eq!(ran["iterations"], 1);
    assert_eq!(secrets(&["runs", "--json"])["run_id"], ran["run_id"]);
    assert_eq!(secrets(&["show", "--json"])["iterations"][0]["exit_code"], 0);
}

#[test]
fn a_wrong_command_line_is_quoted_without_secrets() {
    let ran =
        knowing(&Scenario::new(), &["run", &format!("--{SECRET}")]).exits(2).says(&["[redacted]", "--help"]);
    assert!(!ran.stderr.contains(SECRET), "{}", ran.stderr);
}

/// YAML reads `[redacted]` outside of quotes as a list.
#[test]
fn a_prompt_is_rebuilt_although_the_stored_manifest_lacks_a_secret_without_quotes() {
    for set in [
        "    set:\n      API_TOKEN: hunter2hunter2XYZ # mine\n",
        "    set: {API_TOKEN: hunter2hunter2XYZ, A: b}\n",
    ] {
        let scenario = Scenario::new();
        let text = format!(
            "goal: Use hunter2hunter2XYZ\nagent:\n  command: 'true'\n  prompt: 'do: {{goal}}'\n  env:\n{set}\
             evaluator: {{command: 'false'}}\nguardrails: {{max_iterations: 1}}\n"
        );
        scenario.write("loop.yaml", text);
        scenario.run(&["run"]).exits(1);
        let shown = scenario.run(&["show", "-i", "1", "--prompt"]).exits(0);
        assert_eq!((&*shown.stdout, &*shown.stderr), ("do: Use [redacted]", ""));
        scenario.run(&["report", "--html", "it.html"]).exits(0);
        assert!(scenario.read("it.html").contains("Use [redacted]"));
    }
}
