//! Valid manifests with warnings.

use super::{JSON, TOML, YAML, check, json, load, toml::toml, yaml};

fn warnings(file: &str, manifest: &str) -> String {
    super::schema::assert_taken(file, manifest);
    load(file, manifest).expect("this manifest has to be taken").warnings.to_string()
}

#[test]
fn what_is_odd_is_named() {
    let cases = [
        ("warn_slip", yaml("{goal}", "{goals} and {evaluator_ouput}, {evaluator_ouput}")),
        ("warn_prompt_in_prompt", yaml("{goal}", "{goal} {prompt}")),
        ("warn_unheard_of", yaml("{goal}", "{goal} {colour}")),
        ("warn_written_otherwise", yaml("{goal}", "{ goal } {{goal}} {{ goal }} {evaluator-output}")),
        ("warn_aimless_prompt", yaml("{goal}", "what is to be done")),
        ("warn_deaf_prompt", yaml("{evaluator_output}", "nothing")),
        (
            "warn_uncounted_check",
            yaml("cargo test", "claude -p judge")
                .replace(": 5", ": 5\n  max_cost_usd: 2\n  allow_unmetered: true"),
        ),
        ("warn_idle_allowance", format!("{YAML}  allow_unmetered: true\n")),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let manifest = json("{goal}", "{goals}");
    check("json_warn_slip", &manifest, &warnings("loop.json", &manifest));
    let manifest = toml("{goal}", "{goals}");
    check("toml_warn_slip", &manifest, &warnings("loop.toml", &manifest));
}

#[test]
fn limits_that_cannot_bind_are_named() {
    let limits = |more: &str| format!("{YAML}  {more}\n");
    let paced = |seconds: &str, every: &str| {
        format!("{}pace:\n  every_seconds: {every}\n", limits(&format!("max_seconds: {seconds}")))
    };
    let cases = [
        ("warn_late_checkpoint", limits("hitl_checkpoint: 5")),
        ("warn_late_checkpoint_of_one", limits("hitl_checkpoint: true").replace(": 5", ": 1")),
        ("warn_late_failures", limits("max_consecutive_failures: 6")),
        ("warn_idle_iterations", paced("200", "60")),
        ("warn_one_iteration", paced("60", "60")),
        ("warn_idle_rate", limits("max_cost_usd: 5\n  max_usd_per_hour: 5\n  allow_unmetered: true")),
        (
            "warn_idle_backoff",
            format!("{}pace:\n  backoff_seconds: 5\n", limits("max_consecutive_failures: 2")),
        ),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let right = [
        limits("hitl_checkpoint: 4"),
        limits("hitl_checkpoint: false"),
        limits("max_consecutive_failures: 4"),
        limits("max_cost_usd: 5\n  max_usd_per_hour: 4.9\n  allow_unmetered: true"),
        format!("{}pace:\n  backoff_seconds: 5\n", limits("max_consecutive_failures: 3")),
        format!("{}pace:\n  backoff_seconds: 0\n", limits("max_consecutive_failures: 2")),
        paced("241", "60"),
        paced("1", "0"),
        paced("60", "60").replace(": 5", ": 1"),
    ];
    for manifest in right {
        assert_eq!(warnings("loop.yaml", &manifest), "", "{manifest}");
    }
}

#[test]
fn limits_in_time_that_another_one_leaves_nothing_to_do_are_named() {
    let timed = |agent: &str, check: &str, run: &str| {
        let manifest = yaml("claude -p\n", &format!("claude -p\n{agent}"));
        manifest.replace("cargo test\n", &format!("cargo test\n{check}")) + run
    };
    let run = "  max_seconds: 600\n";
    let cases = [
        ("warn_idle_agent_time", timed("  max_seconds: 600\n", "", run)),
        ("warn_idle_check_time", timed("", "  max_seconds: 900\n", run)),
        ("warn_idle_silence", timed("  max_seconds: 60\n  max_silence_seconds: 60\n", "", run)),
        ("warn_idle_silence_in_run", timed("  max_silence_seconds: 3600\n", "", run)),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let right = [
        timed("  max_seconds: 599\n  max_silence_seconds: 60\n", "  max_seconds: 599\n", run),
        timed("  max_silence_seconds: 60\n", "  max_seconds: 9000\n", ""),
    ];
    for manifest in right {
        assert_eq!(warnings("loop.yaml", &manifest), "", "{manifest}");
    }
}

#[test]
fn variables_that_a_command_will_look_for_in_vain_are_named() {
    let with = |command: &str, more: &str| {
        yaml("claude -p\n", &format!("claude -p {command}\n  env: {{ {more} }}\n"))
    };
    let cases = [
        ("warn_bare_environment", with("", "inherit: none")),
        ("warn_bare_environment_of_home", with("", "inherit: none, pass: [PAT*]")),
        ("warn_unseen", with("--mcp ${GITHUB_TOKEN:-x} $GITHUB_TOKEN", "")),
        ("warn_unseen_by_the_check", yaml("cargo test", "judge $ANTHROPIC_API_KEY")),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let right = [
        with("", "inherit: none, pass: [PATH], set: { HOME: /tmp }"),
        with("", "inherit: none, pass: ['*']"),
        with("$ANTHROPIC_API_KEY $HOME $MAX_TOKENS $1 $$ $", ""),
        with("$GITHUB_TOKEN", "pass: ['GITHUB_*']"),
        with("$GITHUB_TOKEN", "set: { GITHUB_TOKEN: x }"),
        yaml("claude -p", "MY_TOKEN=$(pass show x) && claude -p $MY_TOKEN"),
    ];
    for manifest in right {
        assert_eq!(warnings("loop.yaml", &manifest), "", "{manifest}");
    }
}

#[test]
fn usage_that_nobody_would_read_or_price_is_named() {
    let agent = |command: &str, more: &str| yaml("claude -p\n", &format!("{command}\n{more}"));
    let limited = |agent: String| agent + "  max_cost_usd: 1\n";
    let codex = "codex exec --json -";
    let cases = [
        ("warn_unread", agent("pi -p --mode json", "")),
        ("warn_unlike", agent("claude -p --output-format stream-json", "  format: claude-stream-json\n")),
        ("warn_unlike_another", agent("gemini --yolo", "  format: pi-json\n")),
        ("warn_idle_model", agent("my-agent", "  format: usage-file\n  model: gpt-5\n")),
        (
            "warn_unfilled_in_command",
            agent("claude -p --max-budget-usd {budget_usd_left} {goal} ${goal}", ""),
        ),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let prices = "  prices: ../loop-agents/conformance/prices.json\n";
    let right = [
        limited(agent(codex, "  format: codex-json\n  model: gpt-5-codex\n")),
        limited(agent("codex exec --json -m gpt-5 -", "  format: codex-json\n")),
        limited(agent(codex, "  format: codex-json\n")) + "  allow_unmetered: true\n",
        limited(agent(codex, &format!("  format: codex-json\n  model: mock-1\n{prices}"))),
        limited(agent("pi -p --mode json", "  format: pi-json\n")),
        limited(agent("./my-wrapper", "  format: gemini-json\n")),
        agent(codex, "  format: codex-json\n"),
    ];
    for manifest in right {
        assert_eq!(warnings("loop.yaml", &manifest), "", "{manifest}");
    }
}

#[test]
fn a_check_that_always_passes_is_named() {
    let check_is = |command: &str| yaml("cargo test", &format!("|\n    {command}"));
    let cases = [
        ("warn_check_or_true", check_is("cargo test || true")),
        ("warn_check_in_a_pipe", check_is("cargo test 2>&1 | tee log")),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    for always in ["make && make test || :;", "make |& tail -5", "make 'a;b' || echo no", "a || exit 0"] {
        let said = warnings("loop.yaml", &check_is(always));
        assert!(said.contains("always passes"), "{always}: {said}");
    }
    for right in [
        "make || false",
        "make || true; make test",
        "make | grep -q ok",
        "bash -o pipefail -c 'make | tee log'",
        "set -o pipefail; make | tee log",
        "make || exit 1; cat log || true",
        "test \"$(make | tee log)\" = ok",
        "grep '|| true' x",
        "make | tee log && grep ok log",
        "make >| tee",
        "cat <<E | tee x || true",
    ] {
        assert_eq!(warnings("loop.yaml", &check_is(right)), "", "{right}");
    }
    let judged = check_is("cargo test | tee log")
        .replace("guardrails:", "stop_condition:\n  type: output_matches\n  pattern: ok\nguardrails:");
    assert_eq!(warnings("loop.yaml", &judged), "");
}

#[test]
fn agents_that_would_wait_for_somebody_are_named() {
    let command = |command: &str| yaml("claude -p", &format!("'{command}'"));
    let cases = [
        ("warn_claude", command("claude --model opus")),
        ("warn_codex", command("RUST_LOG=info /usr/bin/codex --full-auto")),
        ("warn_gemini", command("gemini -p {prompt}")),
        ("warn_opencode", command("opencode --continue")),
        ("warn_pi", command("pi --no-session")),
        ("warn_aider", command("aider --model gpt-5")),
        ("warn_behind_others", command("cd app && timeout 600 claude --model opus | tee log")),
        ("warn_own_judge", yaml("cargo test", "claude -p")),
    ];
    for (name, manifest) in cases {
        check(name, &manifest, &warnings("loop.yaml", &manifest));
    }
    let right = [
        "claude --print --model opus",
        "CLAUDE_CONFIG_DIR=/x claude -vp",
        "codex exec -",
        "codex -c model=x e",
        "gemini --approval-mode=auto_edit",
        "opencode run --auto",
        "pi --print",
        "aider --yes --message-file=p.txt",
        "my-claude",
        "echo claude",
        "claude \" unfinished",
        "claude --version && claude -p",
    ];
    for agent in right {
        assert_eq!(warnings("loop.yaml", &command(agent)), "", "{agent}");
    }
}

#[test]
fn a_sandbox_of_an_agent_that_cannot_start_inside_is_named() {
    let codex = |command: &str, key: &str| format!("{key}{}", yaml("claude -p", command));
    let manifest = codex("codex exec -", "sandbox: {}\n");
    check("warn_sandbox_codex", &manifest, &warnings("loop.yaml", &manifest));
    let of_agent = codex("codex exec -", "").replace("agent:\n", "agent:\n  sandbox: {}\n");
    assert!(warnings("loop.yaml", &of_agent).contains("`codex` fail"));
    for right in [
        codex("codex exec -", ""),
        codex("claude -p", "sandbox: {}\n"),
        codex("codex exec --sandbox danger-full-access -", "sandbox: {}\n"),
        codex("codex exec --sandbox=danger-full-access -", "sandbox: {}\n"),
        codex("codex exec --dangerously-bypass-approvals-and-sandbox -", "sandbox: {}\n"),
    ] {
        assert_eq!(warnings("loop.yaml", &right), "", "{right}");
    }
}

#[test]
fn what_is_still_to_be_written_is_a_warning_until_it_is_to_be_run() {
    let manifest = yaml("claude -p", "REPLACE_ME with your agent").replace("cargo test", "REPLACE_ME, too");
    check("warn_unfilled", &manifest, &warnings("loop.yaml", &manifest));
    let refused = load("loop.yaml", manifest.as_str()).unwrap().finished().unwrap_err();
    check("unfilled", &manifest, &refused.to_string());
    for (from, to) in [
        ("cargo test", "sh -c REPLACE_ME"),
        ("cargo test", "./REPLACE_ME.sh"),
        ("claude -p", "claude REPLACE_ME"),
        ("All tests pass", "REPLACE_ME"),
    ] {
        assert!(load("loop.yaml", yaml(from, to)).unwrap().finished().is_err(), "{to}");
    }
    for to in ["All tests pass", "No page says REPLACE_ME", "no REPLACE_ME_LATER"] {
        assert!(load("loop.yaml", yaml("All tests pass", to)).unwrap().finished().is_ok(), "{to}");
    }
    let deaf = yaml("{evaluator_output}", "nothing");
    assert!(load("loop.yaml", deaf).unwrap().finished().is_ok());
}

#[test]
fn what_is_usual_is_not() {
    assert_eq!(warnings("loop.yaml", YAML), "");
    assert_eq!(warnings("loop.json", JSON), "");
    assert_eq!(warnings("loop.toml", TOML), "");
    assert_eq!(
        warnings("loop.yaml", &yaml("{goal}", "{ a: 1 }, ${HOME}, {}, ${goal}, {goal} and {\"b\": 2}")),
        ""
    );
    assert_eq!(warnings("loop.yaml", &yaml("{evaluator_output}", "{prior_output}")), "");
    assert_eq!(warnings("loop.yaml", &yaml("{goal}", "All tests pass")), "");
    assert_eq!(warnings("loop.yaml", &yaml("{goal}", "{goal}: `Hello, {name}` is said")), "");
    let once = yaml("{evaluator_output}", "nothing").replace("max_iterations: 5", "max_iterations: 1");
    assert_eq!(warnings("loop.yaml", &once), "");
    let accepted = format!("{YAML}  allow_unmetered: true\n  max_cost_usd: 1\n");
    assert_eq!(warnings("loop.yaml", &accepted), "");
}
