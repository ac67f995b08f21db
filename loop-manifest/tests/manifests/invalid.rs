//! Manifests that are refused. We read each snapshot as its reader would: are the mistake and the next step clear?

use super::{JSON, YAML, check, json, refusal, refused, yaml};
use crate::{diagnostics::Paint, plan::Plan};

const LIMIT: &str = "  max_iterations: 5";
const COMMAND: &str = "  command: claude -p\n";
const PROMPT: &str = "  prompt: |\n    Reach this: {goal}\n    The check says: {evaluator_output}\n";

fn limits(more: &str) -> String {
    yaml(LIMIT, &format!("{LIMIT}\n  {more}"))
}

fn iterations(value: &str) -> String {
    yaml(LIMIT, &format!("  max_iterations: {value}"))
}

fn agent(more: &str) -> String {
    yaml(COMMAND, &format!("{COMMAND}  {more}\n"))
}

fn command(value: &str) -> String {
    yaml(COMMAND, &format!("  command: {value}\n"))
}

fn stop(condition: &str) -> String {
    format!("{YAML}stop_condition:\n{condition}")
}

#[test]
fn limits_on_a_cost_that_nobody_will_know() {
    let codex = |more: &str| {
        let agent = format!("  command: codex exec --json -\n  format: codex-json\n{more}");
        yaml(COMMAND, &agent).replace(LIMIT, &format!("{LIMIT}\n  max_cost_usd: 1\n  max_usd_per_hour: 1"))
    };
    refused(
        "loop.yaml",
        &[("cost_without_a_model", codex("")), ("cost_without_a_price", codex("  model: mine-1\n"))],
    );
}

#[test]
fn syntax() {
    refused(
        "loop.yaml",
        &[
            ("yaml_tab", yaml("  command: cargo test", "\tcommand: cargo test")),
            ("yaml_braces_first", yaml("cargo test", "{goal} now")),
            ("yaml_colon_inside", yaml("cargo test", "echo a: b")),
            ("yaml_open_quote", yaml("cargo test", "\"cargo test")),
            ("yaml_two_documents", format!("{YAML}---\n{YAML}")),
            ("yaml_alias_to_nothing", yaml("cargo test", "*check")),
            ("yaml_tag", yaml("cargo test", "!env CHECK")),
            ("yaml_bomb", bomb()),
            ("yaml_only_a_comment", "# later\n".to_owned()),
            ("yaml_a_list", "- goal: x\n".to_owned()),
        ],
    );
    refused(
        "loop.json",
        &[
            ("json_no_comma", json("\"claude -p\",", "\"claude -p\"")),
            ("json_comma_too_many", json("\"max_iterations\": 5 }", "\"max_iterations\": 5, }")),
            ("json_comment", json("  \"goal\"", "  // what for\n  \"goal\"")),
            ("json_single_quotes", json("\"cargo test\"", "'cargo test'")),
            ("json_no_end", JSON.trim_end().trim_end_matches('}').to_owned()),
            ("json_line_break_in_text", json("claude -p", "claude\n-p")),
            ("json_not_an_object", "\"goal\"".to_owned()),
        ],
    );
}

/// Returns a few lines that would expand to a hundred million values.
fn bomb() -> String {
    let level = |n: u32| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", "));
    let levels: String = (1..9).map(level).collect();
    format!("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{levels}")
}

#[test]
fn keys() {
    refused(
        "loop.yaml",
        &[
            ("key_slip", iterations("5\n  max_iteration: 6")),
            ("key_slip_at_the_top", format!("{YAML}max_iteration: 5\n")),
            ("key_in_camel_case", yaml("  max_iterations: 5", "  maxIterations: 5")),
            ("key_of_another_object", yaml("  command: cargo test", "  command: cargo test\n  prompt: Look")),
            ("key_unheard_of", format!("{YAML}colour: blue\n")),
            ("key_twice", yaml("goal: All tests pass", "goal: All tests pass\ngoal: No warnings")),
            ("snapshots_slip", format!("{YAML}snapshots: of\n")),
            ("snapshots_without_room", format!("{YAML}snapshots: {{ max_bytes: 0, max_files: 5 }}\n")),
            ("restore_without_snapshots", format!("{YAML}snapshots: off\non_halt: restore_start\n")),
            ("restore_without_score", format!("{YAML}on_halt: restore_best\non_regression: restore\n")),
            ("score_of_a_word", yaml("cargo test\n", "cargo test\n  score: last-number\n")),
            (
                "score_without_group",
                yaml("cargo test\n", "cargo test\n  score: { pattern: '\\d+ passed' }\n"),
            ),
            (
                "score_in_two_places",
                yaml("cargo test\n", "cargo test\n  score: { pattern: '(1)', pointer: /n }\n"),
            ),
            ("score_at_no_pointer", yaml("cargo test\n", "cargo test\n  score: { pointer: result.n }\n")),
            ("protect_without_seal", yaml("cargo test\n", "cargo test\n  protect: [golden]\n")),
            (
                "seal_with_bad_values",
                yaml(
                    "cargo test\n",
                    "cargo test\n  sealed: true\n  protect: ['../x', 'a[']\n  min_tests: counts\n  \
                     on_protected_change: restor\n  confirm: 0\n",
                ),
            ),
            (
                "seal_without_its_needs",
                yaml("cargo test\n", "cargo test\n  sealed: true\n") + "check_first: false\nsnapshots: off\n",
            ),
            ("background_slip", agent("background: waits")),
            ("resume_flag", format!("{YAML}resume: true\n")),
            ("resume_slip", format!("{YAML}resume: re-run\n")),
            ("shell_slip", format!("{YAML}shell: alway\n")),
            ("key_of_the_environment", agent("env: { passes: [OPENAI_API_KEY] }")),
            ("missing_limit", yaml(LIMIT, "  max_seconds: 60")),
            ("missing_agent_and_check", "goal: x\nguardrails: { max_iterations: 3 }\n".to_owned()),
        ],
    );
    refused(
        "loop.json",
        &[
            ("json_key_slip", json("\"max_iterations\"", "\"max_iteration\"")),
            (
                "json_key_twice",
                json("\"max_iterations\": 5", "\"max_iterations\": 5, \"max_iterations\": 500"),
            ),
            ("json_missing_all", "{}\n".to_owned()),
            ("json_missing_command", json("\"command\": \"cargo test\"", "")),
        ],
    );
}

#[test]
fn stagnation() {
    refused(
        "loop.yaml",
        &[
            ("stagnation_slip", format!("{YAML}stagnation: of\n")),
            (
                "stagnation_without_its_needs",
                format!(
                    "{YAML}snapshots: off\nstagnation: {{ oscillation_after: 4, score: {{ gain: 0, within: 0 }} }}\n"
                ),
            ),
            ("stagnation_out_of_order", format!("{YAML}stagnation: {{ nudge_after: 8, halt_after: 8 }}\n")),
            ("stagnation_too_soon", format!("{YAML}stagnation: {{ nudge_after: 0, halt_after: 1 }}\n")),
            (
                "stagnation_without_a_command",
                yaml("command: cargo test", "confidence: { at_least: 0.8 }")
                    + "stagnation: { halt_after: 9 }\n",
            ),
        ],
    );
}

#[test]
fn kinds() {
    refused(
        "loop.yaml",
        &[
            ("kind_number_in_quotes", iterations("\"5\"")),
            ("kind_number_with_exponent", iterations("1e3")),
            ("kind_number_with_point", iterations("3.0")),
            ("kind_fraction", iterations("2.5")),
            ("kind_number_beyond_64_bits", iterations("18446744073709551616")),
            ("kind_words_for_a_number", iterations("many")),
            ("kind_true_for_a_number", iterations("true")),
            ("kind_nothing", iterations("")),
            ("kind_braces_are_an_object", yaml(PROMPT, "  prompt: {goal}\n")),
            ("kind_number_for_text", yaml("All tests pass", "2024")),
            ("kind_list_for_text", yaml("cargo test", "[cargo, test]")),
            ("kind_nothing_for_an_object", format!("{YAML}pace:\n  # every_seconds: 5\n")),
            ("kind_text_for_an_object", yaml("evaluator:\n  command: cargo test", "evaluator: cargo test")),
            ("kind_yes_for_true", limits("allow_unmetered: yes")),
            ("kind_text_for_checkpoint", limits("hitl_checkpoint: often")),
            ("kind_number_in_environment", agent("env: { set: { PORT: 8080 } }")),
            ("kind_text_for_a_list", agent("env: { pass: GITHUB_TOKEN }")),
            ("kind_object_for_a_list", agent("env: { pass: { GITHUB_TOKEN: x } }")),
            ("kind_number_in_a_list", agent("env: { pass: [GITHUB_TOKEN, 7] }")),
            ("kind_flag_for_inherit", agent("env: { inherit: false }")),
            ("kind_duration_for_seconds", agent("max_seconds: soon")),
        ],
    );
    refused(
        "loop.json",
        &[
            ("json_kind_null", json("\"max_iterations\": 5", "\"max_iterations\": null")),
            ("json_kind_exponent", json("\"max_iterations\": 5", "\"max_iterations\": 1e3")),
            ("json_kind_text", json("\"max_iterations\": 5", "\"max_iterations\": \"5\"")),
        ],
    );
}

#[test]
fn limits_that_cannot_be() {
    refused(
        "loop.yaml",
        &[
            ("limit_no_iterations", iterations("0")),
            ("limit_negative_iterations", iterations("-1")),
            ("limit_zero_cost", limits("max_cost_usd: 0\n  allow_unmetered: true")),
            ("limit_negative_cost", limits("max_cost_usd: -2.5\n  allow_unmetered: true")),
            ("limit_tiny_cost", limits("max_cost_usd: 0.0000001\n  allow_unmetered: true")),
            ("limit_infinite_cost", limits("max_cost_usd: .inf\n  allow_unmetered: true")),
            ("limit_no_time", limits("max_seconds: 0")),
            ("limit_negative_time", limits("max_seconds: -60")),
            ("limit_time_that_is_no_number", limits("max_seconds: .nan")),
            ("limit_endless_time", limits("max_seconds: 1e300")),
            ("limit_no_agent_time", agent("max_seconds: 0")),
            ("limit_negative_silence", agent("max_silence_seconds: -5")),
            ("limit_no_check_time", yaml("cargo test\n", "cargo test\n  max_seconds: 0.0\n")),
            ("limit_no_tokens", limits("max_tokens: 0\n  allow_unmetered: true")),
            ("limit_no_failures", limits("max_consecutive_failures: 0")),
            ("limit_checkpoint_zero", limits("hitl_checkpoint: 0")),
            ("limit_negative_pace", format!("{YAML}pace:\n  every_seconds: -1\n")),
            ("limit_long_backoff", format!("{YAML}pace:\n  backoff_seconds: 90\n")),
            ("limit_zero_rate", limits("max_usd_per_hour: 0\n  allow_unmetered: true")),
            ("limit_unmetered_rate", limits("max_usd_per_hour: 5").replace("claude", "my-agent")),
            ("limit_small_feedback", format!("{YAML}feedback:\n  max_bytes: 10\n")),
            ("limit_negative_memory", format!("{YAML}memory:\n  max_tokens: -1\n")),
            ("limit_unmetered_cost", limits("max_cost_usd: 2.5")),
            ("limit_unmetered_cost_and_tokens", limits("max_cost_usd: 2.5\n  max_tokens: 100000")),
        ],
    );
    refused(
        "loop.json",
        &[
            ("json_limit_no_iterations", json("\"max_iterations\": 5", "\"max_iterations\": 0")),
            (
                "json_limit_unmetered",
                json("\"max_iterations\": 5", "\"max_iterations\": 5, \"max_cost_usd\": 1"),
            ),
        ],
    );
}

#[test]
fn texts() {
    refused(
        "loop.yaml",
        &[
            ("text_empty_command", command("\"\"")),
            ("text_blank_check", yaml("cargo test", "\"  \"")),
            ("text_blank_prompt", yaml(PROMPT, "  prompt: \"\\n\"\n")),
            ("text_empty_goal", yaml("All tests pass", "''")),
            ("text_nul", command("\"claude\\0\"")),
            ("text_name_in_capitals", format!("name: Fix my Tests!\n{YAML}")),
            ("text_name_of_signs", format!("name: \"!\"\n{YAML}")),
            ("text_quoted_prompt", command("claude -p \"{prompt}\"")),
            ("text_prompt_after_a_dollar", command("claude -p ${prompt}")),
            ("text_quoted_prompt_in_quotes", command("'echo {prompt}; claude -p \"{prompt}\"'")),
            ("text_format_unknown", yaml(COMMAND, &format!("{COMMAND}  format: usage_files\n"))),
            ("text_format_slip", yaml(COMMAND, &format!("{COMMAND}  format: claude\n"))),
            ("text_prices_missing", agent("prices: missing.json")),
            ("text_prices_folder", agent("prices: src")),
            ("text_prices_none", agent("prices: Cargo.toml")),
            ("text_empty_model", agent("model: ' '")),
            ("text_variable_name", agent("env: { set: { 'A=B': x } }")),
            ("text_passed_assignment", agent("env: { pass: [PATH, 'LANG=C'] }")),
            ("text_passed_nothing", agent("env: { pass: [''] }")),
            ("text_passed_pattern", agent("env: { pass: ['*_TOKEN'] }")),
            ("text_inherit_slip", agent("env: { inherit: non }")),
            ("text_inherit_unheard_of", agent("env: { inherit: secrets }")),
        ],
    );
    refused(
        "loop.json",
        &[
            ("json_text_quoted_prompt", json("claude -p", "claude -p \\\"{prompt}\\\"")),
            ("json_text_empty_command", json("claude -p", "")),
        ],
    );
}

#[test]
fn stop_conditions() {
    refused(
        "loop.yaml",
        &[
            ("stop_bad_pattern", stop("  type: output_matches\n  pattern: \"(\"\n")),
            ("stop_look_ahead", stop("  type: output_matches\n  pattern: 'ok (?=now)'\n")),
            ("stop_backreference", stop("  type: output_matches\n  pattern: '(a)\\1'\n")),
            ("stop_huge_pattern", stop("  type: output_matches\n  pattern: '\\w{1000}{1000}'\n")),
            ("stop_empty_pattern", stop("  type: output_matches\n  pattern: ''\n")),
            ("stop_no_pattern", stop("  type: output_matches\n")),
            ("stop_pattern_unused", stop("  type: evaluator_pass\n  pattern: ok\n")),
            ("stop_pattern_without_type", stop("  pattern: ok\n")),
            ("stop_unknown", stop("  type: output_match\n")),
            ("stop_unheard_of", stop("  type: never\n")),
        ],
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let manifest = "\
name: My Loop
goal: ''
agent:
  comand: claude -p
  prompt: {goal}
evaluator:
  command: cargo test
stop_condition:
  type: output_matches
  pattern: '['
guardrails:
  max_iterations: 0
  max_cost_usd: free
  hitl_checkpoint: 0
";
    refused("loop.yaml", &[("many", manifest.to_owned())]);
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str| {
        let refusal = Plan::load(&folder.path().join(name)).unwrap_err().to_string();
        refusal.replace(&folder.path().display().to_string(), "FOLDER")
    };
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    std::fs::create_dir(folder.path().join("folder.yaml")).unwrap();
    write("empty.yaml", b" \n");
    write("loop.toml", b"goal = 'x'\n");
    write("loop.txt", b"goal: x\n");
    write("latin1.yaml", b"# caf\xE9\ngoal: x\n");
    write("utf16.yaml", b"\xFF\xFEg\0o\0");
    let names =
        ["absent.yaml", "folder.yaml", "empty.yaml", "loop.toml", "loop.txt", "latin1.yaml", "utf16.yaml"];
    check("files", &names.join(" "), &names.map(said).join("\n"));
}

#[test]
fn a_file_of_any_size_that_is_not_a_manifest_is_not_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.yaml");
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let said = Plan::load(&path).unwrap_err().to_string();
    assert!(said.contains("larger than 16 MiB"), "{said}");
}

#[test]
fn an_amount_of_money_is_written_without_its_sign() {
    for amount in ["$5", "'$ 5'"] {
        let said = refusal("loop.yaml", format!("{YAML}  max_cost_usd: {amount}\n"));
        assert!(said.contains("has to be a number") && said.contains("help: write 5"), "{said}");
    }
}

#[test]
fn a_command_that_no_shell_can_be_given_is_refused() {
    let said = refusal("loop.yaml", command(&"x".repeat(200_000)));
    assert!(
        said.contains("`agent.command` cannot be run") && said.contains("put it into a script"),
        "{said}"
    );
}

#[test]
fn a_place_far_along_a_line_is_shown_with_its_surroundings_only() {
    let manifest = json("claude -p", &format!("{} '{{prompt}}'", "x".repeat(1_000_000)));
    let said = refusal("loop.json", manifest);
    assert!(said.contains("{prompt}'") && said.len() < 2_000, "{} bytes", said.len());
}

#[test]
fn colours_are_there_when_asked_for() {
    let problems = super::load("loop.yaml", "goal: x\n").unwrap_err();
    assert!(problems.render(Paint::Coloured).contains("\u{1b}["));
    assert!(!problems.to_string().contains('\u{1b}'));
}

#[test]
fn resources() {
    let limits = |keys: &str| format!("{YAML}limits:\n  {keys}\n");
    refused(
        "loop.yaml",
        &[
            ("limits_of_no_size", limits("memory: plenty")),
            ("limits_of_another_unit", limits("memory: 2g")),
            ("limits_without_a_unit", limits("memory: 2048")),
            ("limits_too_small", limits("memory: 0.5MiB")),
            ("limits_of_one_process", limits("processes: 1")),
            ("limits_that_are_guardrails", limits("max_cost_usd: 5")),
        ],
    );
}

#[test]
fn sandboxes() {
    let sandbox = |keys: &str| format!("{YAML}sandbox:\n  {keys}\n");
    let model = yaml(COMMAND, "  model: ollama:qwen3\n  sandbox: {network: none}\n");
    refused(
        "loop.yaml",
        &[
            ("sandbox_of_hosts", sandbox("network: [\"api.anthropic.com:443\", \"*.example.org:443\"]")),
            ("sandbox_network_slip", sandbox("network: non")),
            ("sandbox_enforce_slip", sandbox("enforce: requires")),
            ("sandbox_of_the_whole_system", sandbox("write: [src, /]")),
            ("sandbox_outside", sandbox("write: [../other]")),
            ("sandbox_of_another_home", sandbox("read: [~ann/bin]")),
            ("sandbox_pattern", sandbox("read: ['src/*']")),
            ("sandbox_of_a_model", model),
        ],
    );
}
