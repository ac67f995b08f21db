//! `loop init --from`: the settings of Harvey.

use crate::support::Scenario;

const SETTINGS: &str = "\
security:
  safe_mode: true
  allowed_commands: [ls, 'go test']
  run_timeout: 4m
  permissions:
    .: [read, write, exec, delete]
    secrets/: []
tools:
  enabled: true
  max_tool_calls_per_turn: 15
  max_output_bytes: 16384
auto_format: true
memory: { enabled: true, top_k: 5, budget_pct: 0.25 }
rolling_summary: { enabled: true, trigger_pct: 0.75, keep_turns: 4 }
model_aliases:
  fast: { model: 'qwen3:8b', backend: ollama, tags: [code, quick] }
  big: claude-sonnet-4-5
  odd: { model: x, backend: llamafile }
";

#[test]
fn settings_are_converted_and_the_others_are_listed() {
    let scenario = Scenario::new();
    scenario.write("harvey.yaml", SETTINGS);
    scenario.run(&["init", "--from", "harvey.yaml"]).exits(0).says(&[
        "wrote loop.toml",
        "allow = [\"ls\", \"go test\"]",
        "have no equivalent:\n  tools.enabled\n",
        "model_aliases.odd",
    ]);
    let written = scenario.read("loop.toml");
    for part in [
        "[policy]\nsafe_mode = true\ncommand_seconds = \"4m\"\n",
        "[policy.permissions]\n\".\" = [\"read\", \"write\", \"exec\", \"delete\"]\n\"secrets\" = []\n",
        "[chat]\nrounds = 15\n",
        "[tools]\noutput_bytes = 16384\nauto_format = true\n",
        "[memory]\nenabled = true\ntop_k = 5\nbudget_pct = 0.25\n",
        "[summary]\nat = 0.75\nkeep = 4\n",
        "[models.\"fast\"]\nmodel = \"ollama:qwen3:8b\"\ntags = [\"code\", \"quick\"]\n",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
    // The other commands accept it.
    let shown = scenario.run(&["policy", "show"]).exits(0).stdout;
    assert!(shown.contains("secrets") && shown.contains("240"), "{shown}");
    scenario
        .run(&["init", "--from", "harvey.yaml"])
        .exits(2)
        .says(&["loop.toml already exists, and was not changed"]);
    assert_eq!(scenario.read("loop.toml"), written);
    assert_eq!(scenario.run(&["init", "--from", "harvey.yaml", "--out", "-"]).exits(0).stdout, written);
}

#[test]
fn bad_settings_are_refused_with_their_place_and_nothing_is_written() {
    let scenario = Scenario::new();
    for (text, why) in [
        ("security: { run_timeout: soon }", "`security.run_timeout` has to be a time"),
        ("security: { safe_mode: maybe }", "`security.safe_mode` has to be `true` or `false`"),
        ("permissions: { src: [read], src/: [write] }", "`permissions` names the folder `src` twice"),
        ("permissions: { src: [fly] }", "`permissions.src`"),
        ("tools: { max_tool_calls_per_turn: -1 }", "has to be from 1 to 10000"),
        ("memory: { top_k: many }", "`memory.top_k` has to be a number"),
        ("- a\n- b", "this is a list"),
        ("a: [", "unclosed bracket"),
    ] {
        scenario.write("harvey.yaml", text);
        scenario.run(&["init", "--from", "harvey.yaml"]).exits(2).says(&[why]);
    }
    scenario.run(&["init", "--from", "missing.yaml"]).exits(2).says(&["there is no such file"]);
    scenario.write("harvey.yaml", SETTINGS);
    scenario
        .run(&["init", "--from", "harvey.yaml", "--out", "a.yaml"])
        .exits(2)
        .says(&["settings are written in TOML"]);
    assert!(!scenario.has("loop.toml") && !scenario.has("a.yaml"));
}

#[test]
fn settings_that_only_a_person_can_have_write_no_file() {
    let scenario = Scenario::new();
    scenario.write("harvey.yaml", "security: { safe_mode: false, run_timeout: 10m }\n");
    scenario.run(&["init", "--from", "harvey.yaml"]).exits(0).says(&[
        "so none was written",
        "  safe_mode = false",
        "  command_seconds = \"10m\"",
    ]);
    assert!(!scenario.has("loop.toml"));
}
