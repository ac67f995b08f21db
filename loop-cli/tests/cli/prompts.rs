//! The agent's prompt, and how the agent receives it.

use crate::support::{Manifest, Scenario};

/// Returns an agent that keeps every prompt, and prints `said`.
fn keeps(said: &str) -> String {
    format!("cat > prompt.$LOOP_ITERATION; {said}")
}

/// Runs a manifest with this template, whose agent keeps its prompts and prints `said`, until iteration 2.
fn told(template: &str, said: &str, check: &str) -> Scenario {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new(&keeps(said), check).set("agent.prompt", template).set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    scenario
}

#[test]
fn the_first_prompt_has_no_past() {
    let template = "[{prior_output}|{evaluator_output}|{agent_exit_code}|{evaluator_exit_code}|{guidance}]";
    let scenario = told(template, "echo out", "echo judged; exit 1");
    assert_eq!(scenario.read("prompt.1"), "[||||]");
    assert_eq!(scenario.read("prompt.2"), "[out\n|judged\n|0|1|]");
}

#[test]
fn the_agents_standard_output_and_both_of_the_checks_are_fed_forward() {
    let scenario = told(
        "{prior_output}/{evaluator_output}/{iteration}",
        "echo out; echo err >&2",
        "echo one; echo two >&2; echo three; exit 1",
    );
    assert_eq!(scenario.read("prompt.2"), "out\n/one\ntwo\nthree\n/2");
}

#[test]
fn what_was_printed_is_never_expanded_again() {
    let printed = r"{goal} {iteration} $& $1 \1 \\ {{}} {prior_output} % `id` $(id)";
    let scenario = Scenario::new();
    scenario.write("said", printed);
    let manifest = Manifest::new(&keeps("cat said"), "cat said; exit 1")
        .set("agent.prompt", "<{prior_output}|{evaluator_output}>")
        .set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    assert_eq!(scenario.read("prompt.2"), format!("<{printed}|{printed}>"));
}

#[test]
fn an_unknown_placeholder_stays_and_is_warned_about() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("cat > prompt", "true").set("agent.prompt", "{gaol} {evaluator_output}");
    scenario.run_manifest(&manifest).exits(0).says(&["`{gaol}` is not a placeholder", "`{goal}`"]);
    assert_eq!(scenario.read("prompt"), "{gaol} ");
}

/// Returns the number of omitted bytes according to the notice, and the text without the notice.
fn excerpt(text: &str) -> (usize, String) {
    let (head, rest) = text.split_once("\n[... ").expect("a notice");
    let (count, tail) = rest.split_once(" bytes left out ...]\n").expect("a notice with a number");
    (count.parse().expect("a number"), format!("{head}{tail}"))
}

#[test]
fn what_is_fed_forward_is_bounded_to_head_and_tail() {
    // Each character has two bytes, after one single byte, so a cut at an even position would split one.
    let flood = "printf A; yes é | head -n 50000 | tr -d '\\n'; printf Z";
    let scenario = told("{prior_output}", flood, &format!("{flood}; exit 1"));
    let prompt = scenario.read("prompt.2");
    let (left_out, kept) = excerpt(&prompt);
    assert_eq!(left_out + kept.len(), 100_002);
    assert!((32_760..=32_768).contains(&kept.len()), "{}", kept.len());
    assert!(kept.starts_with("Aé") && kept.ends_with("éZ") && !kept.contains('\u{FFFD}'));
}

#[test]
fn the_bound_is_the_manifests() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(&keeps("true"), "head -c 5000 /dev/zero | tr '\\0' x; exit 1")
        .set("feedback", serde_json::json!({ "max_bytes": 1024 }))
        .set("agent.prompt", "{evaluator_output}")
        .set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    let (left_out, kept) = excerpt(&scenario.read("prompt.2"));
    assert_eq!((left_out, kept.len()), (5000 - 1024, 1024));
}

#[test]
fn a_prompt_of_any_size_goes_to_standard_input() {
    let scenario = Scenario::new();
    let prompt = format!("{{evaluator_output}}{}", "five megabytes ".repeat(350_000));
    let manifest = Manifest::new("wc -c > size", "true").set("agent.prompt", prompt.as_str());
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("size").trim(), (15 * 350_000).to_string());
}

#[test]
fn an_agent_need_not_read_its_prompt() {
    for agent in ["true", "exec <&-; true", "head -c 1 > /dev/null"] {
        let manifest = Manifest::new(agent, "true")
            .set("agent.prompt", format!("{{evaluator_output}}{}", "x".repeat(5_000_000)));
        Scenario::new().run_manifest(&manifest).exits(0);
    }
}

#[test]
fn a_prompt_in_the_command_arrives_byte_for_byte_and_nothing_on_standard_input() {
    let prompt = "it's \"q\" $(touch PWNED) `touch PWNED` \\ \n\t--flag é *\n";
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("printf %s {prompt} > prompt; cat > input", "true").set("agent.prompt", prompt);
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("prompt"), prompt);
    assert_eq!(scenario.read("input"), "");
    assert!(!scenario.has("PWNED"));
}

#[test]
fn a_prompt_inside_quotes_is_refused() {
    for command in ["touch ran; claude -p \"{prompt}\"", "touch ran; claude -p '{prompt}'"] {
        let scenario = Scenario::new();
        let ran = scenario.run_manifest(&Manifest::new(command, "true"));
        ran.exits(2).says(&["{prompt}", "agent.command", "remove them", "^^^^^^^^"]);
        assert!(!scenario.has("ran"));
    }
}

#[test]
fn a_prompt_too_long_for_an_argument_ends_the_run_before_anything_is_spawned() {
    let scenario = Scenario::new();
    let manifest =
        Manifest::new("touch ran; : {prompt}", "touch checked").set("agent.prompt", "x".repeat(200_000));
    scenario.run_manifest(&manifest).exits(1).says(&["prompt_undeliverable", "stdin"]);
    assert!(!scenario.has("ran") && !scenario.has("checked"));
    let record = scenario.record();
    assert_eq!(
        (&record["stop_reason"], &record["blockable"]),
        (&"prompt_undeliverable".into(), &true.into())
    );
}

#[test]
fn output_that_is_not_utf_8_is_kept_and_shown_lossily() {
    let scenario =
        told("{prior_output}|{evaluator_output}", "printf 'a\\377b'", "printf '\\351t\\303'; exit 1");
    assert_eq!(scenario.read("prompt.2"), "a\u{FFFD}b|\u{FFFD}t\u{FFFD}");
}

#[test]
fn the_agent_knows_what_is_left() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(&keeps("echo '{\"cost_usd\": 0.5}' >> \"$LOOP_USAGE_FILE\""), "false")
        .set("agent.prompt", "{seconds_left} {budget_usd_left}")
        .set("guardrails.max_iterations", 2)
        .set("guardrails.max_cost_usd", 2);
    scenario.run_manifest(&manifest).exits(1);
    assert_eq!(scenario.read("prompt.1"), "unlimited 2.00");
    assert_eq!(scenario.read("prompt.2"), "unlimited 1.50");
}

#[test]
fn variables_are_set_for_agent_and_check() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo $COLOUR > agent", "echo $COLOUR > check")
        .set("agent.env", serde_json::json!({ "set": { "COLOUR": "never" } }));
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("agent") + &scenario.read("check"), "never\nnever\n");
}
