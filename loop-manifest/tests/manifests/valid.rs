//! Valid manifests and their meanings.

use std::{num::NonZeroU64, time::Duration};

use loop_agents::{
    output::Pattern,
    process::ResourceLimits,
    shell::{BackgroundPolicy, CommandLine, PromptValues},
    usage::Format,
};
use loop_core::Usd;
use loop_guardrails::{ScoreGain, StagnationRules, policy::environment::Inheritance};

use super::{JSON, TOML, YAML, check, json, load, yaml};
use crate::names::ToolName;
use crate::{
    describe::describe,
    environment::EnvironmentPlan,
    plan::{
        AgentPlan, Direction, EvaluatorPlan, Limits, MinTests, ModelPlan, OnHalt, OnProtectedChange,
        PacePlan, Plan, ResumePlan, ScorePlan, ScoreSource, SealPlan, SnapshotMode, SnapshotPlan, UsagePlan,
        WorkPlan,
    },
    stop_plan::StopPlan,
};

pub(super) fn plan(file: &str, manifest: &str) -> Plan {
    super::schema::assert_taken(file, manifest);
    load(file, manifest).unwrap_or_else(|problems| panic!("{problems:?}")).plan
}

/// Formats the whole plan; patterns show only their text.
pub(super) fn shown(plan: &Plan) -> String {
    format!("{plan:#?}")
}

/// A manifest with every key of this version.
const FULL: &str = r#"
$schema: https://example.org/loop.schema.json
name: fix-tests-2
goal: All tests pass
agent:
  command: my-agent --quiet {prompt}
  prompt: "{goal} {evaluator_output}"
  format: codex-json
  model: gpt-5-codex
  skills: [release-notes]
  usage_log: ~/usage.jsonl
  env:
    inherit: none
    pass: [PATH, "NPM_*"]
    set: { RUST_LOG: debug, EMPTY: "" }
  max_seconds: 900
  max_silence_seconds: 90.5
  background: wait
evaluator:
  command: cargo test
  max_seconds: 300
  score: { pattern: '(\d+) passed', direction: down }
  sealed: true
  protect: [golden/**, '!tests/scratch/**']
  min_tests: 12
  on_protected_change: keep
  setup: npm ci
  confirm: 3
check_first: true
stop_condition:
  type: output_matches
  pattern: '\b0 failed'
guardrails:
  max_iterations: 0x10
  max_cost_usd: 2.5
  max_usd_per_hour: 1
  max_seconds: 5400.5
  max_tokens: 1_000_000
  max_consecutive_failures: 3
  hitl_checkpoint: 2
  allow_unmetered: false
stagnation:
  nudge_after: 4
  halt_after: 12
  oscillation_after: 6
  score: { gain: 0.5, within: 10 }
pace:
  every_seconds: 0.25
  backoff_seconds: 2.5
feedback:
  max_bytes: 4096
memory:
  max_tokens: 2048
resume: halt
shell: always
on_finish: ./tell.sh
snapshots:
  max_file: 1_000_000
  max_bytes: 500_000_000
  ignored: true
on_halt: restore_best
on_regression: restore
metadata:
  category: tests
  applies_to: [{ language: rust, since: 1.85 }]
  text: '{var.any}'
limits:
  processes: 512
  memory: 1.5GiB
"#;

#[test]
fn a_small_manifest_has_the_documented_defaults() {
    let expected = Plan {
        variables: loop_agents::shell::Variables::default(),
        name: "loop".to_owned(),
        goal: "All tests pass".to_owned(),
        agent: AgentPlan {
            work: WorkPlan::Command(CommandLine::parse("claude -p").unwrap()),
            prompt: "Reach this: {goal}\nThe check says: {evaluator_output}\n".into(),
            skills: None,
            usage: UsagePlan::default(),
            env: EnvironmentPlan::default(),
            always_shell: false,
            max_time: None,
            max_silence: None,
            background: BackgroundPolicy::Note,
            sandbox: None,
        },
        evaluator: EvaluatorPlan { command: Some("cargo test".to_owned()), ..EvaluatorPlan::default() },
        check_first: false,
        stop: StopPlan::EvaluatorPass,
        resources: ResourceLimits::default(),
        limits: Limits {
            max_iterations: NonZeroU64::new(5).unwrap(),
            max_cost: None,
            max_hourly_cost: None,
            max_time: None,
            max_tokens: None,
            allow_unmetered: false,
            max_consecutive_failures: None,
            checkpoint: None,
        },
        stagnation: Some(StagnationRules::default()),
        parallel: None,
        pace: PacePlan { every: Duration::ZERO, backoff: Duration::from_secs(1) },
        feedback_bytes: 32_768,
        memory_tokens: 512,
        resume: ResumePlan::Rerun,
        on_finish: None,
        snapshots: SnapshotPlan::default(),
        on_halt: OnHalt::Keep,
        on_regression: false,
        metadata: None,
    };
    for (file, manifest) in [
        ("loop.yaml", YAML),
        ("loop.yml", YAML),
        ("loop.json", JSON),
        ("loop.toml", TOML),
        ("some/folder/loop.YAML", YAML),
    ] {
        assert_eq!(shown(&plan(file, manifest)), shown(&expected));
    }
}

#[test]
fn a_manifest_may_name_its_defaults() {
    let manifest = r#"{"goal": "g", "agent": {"command": "claude -p {prompt}", "prompt": "Do {goal}"},
        "evaluator": {"command": "make test"}, "stop_condition": {"type": "evaluator_pass"},
        "guardrails": {"max_iterations": 3}}"#;
    let plan = plan("make-it-pass.json", manifest);
    assert_eq!(plan.name, "make-it-pass");
    assert!(plan.agent.command().is_some_and(CommandLine::takes_prompt));
}

#[test]
fn every_key_reaches_the_plan() {
    let plan = plan("loop.yaml", FULL);
    let mut stagnation = StagnationRules::default();
    (stagnation.nudge_after, stagnation.halt_after, stagnation.oscillation_after) = (4, 12, Some(6));
    stagnation.score = Some(ScoreGain { gain: 0.5, within: 10, is_lower_better: true });
    let expected = Plan {
        variables: loop_agents::shell::Variables::default(),
        name: "fix-tests-2".to_owned(),
        goal: "All tests pass".to_owned(),
        agent: AgentPlan {
            work: WorkPlan::Command(CommandLine::parse("my-agent --quiet {prompt}").unwrap()),
            prompt: "{goal} {evaluator_output}".into(),
            skills: Some(vec!["release-notes".to_owned()]),
            usage: UsagePlan {
                format: Format::CodexJson,
                model: Some("gpt-5-codex".to_owned()),
                prices: None,
                log: Some("~/usage.jsonl".into()),
            },
            env: EnvironmentPlan {
                inherit: Inheritance::None,
                pass: ["PATH", "NPM_*"].map(|name| name.parse().unwrap()).into(),
                set: [("RUST_LOG", "debug"), ("EMPTY", "")].map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
            },
            always_shell: true,
            max_time: Some(Duration::from_secs(900)),
            max_silence: Some(Duration::from_millis(90_500)),
            background: BackgroundPolicy::Wait,
            sandbox: None,
        },
        evaluator: EvaluatorPlan {
            command: Some("cargo test".to_owned()),
            max_time: Some(Duration::from_secs(300)),
            score: Some(ScorePlan {
                source: ScoreSource::Pattern(regex::Regex::new(r"(\d+) passed").unwrap()),
                direction: Direction::Down,
            }),
            seal: Some(SealPlan {
                protect: vec!["golden/**".to_owned(), "!tests/scratch/**".to_owned()],
                min_tests: MinTests::Number(12),
                on_change: OnProtectedChange::Keep,
                setup: Some("npm ci".to_owned()),
            }),
            confirm: NonZeroU64::new(3),
            ..EvaluatorPlan::default()
        },
        check_first: true,
        stop: StopPlan::OutputMatches(Pattern::new(r"\b0 failed").unwrap()),
        resources: ResourceLimits { processes: NonZeroU64::new(512), memory: NonZeroU64::new(3 << 29) },
        limits: Limits {
            max_iterations: NonZeroU64::new(16).unwrap(),
            max_cost: Some(Usd::micros(2_500_000)),
            max_hourly_cost: Some(Usd::dollars(1)),
            max_time: Some(Duration::from_millis(5_400_500)),
            max_tokens: NonZeroU64::new(1_000_000),
            allow_unmetered: false,
            max_consecutive_failures: NonZeroU64::new(3),
            checkpoint: NonZeroU64::new(2),
        },
        stagnation: Some(stagnation),
        parallel: None,
        pace: PacePlan { every: Duration::from_millis(250), backoff: Duration::from_millis(2_500) },
        feedback_bytes: 4096,
        memory_tokens: 2048,
        resume: ResumePlan::Halt,
        on_finish: Some("./tell.sh".to_owned()),
        snapshots: SnapshotPlan {
            mode: SnapshotMode::On,
            max_file: 1_000_000,
            max_bytes: 500_000_000,
            ignored: true,
        },
        on_halt: OnHalt::RestoreBest,
        on_regression: true,
        metadata: Some(serde_json::json!({
            "category": "tests",
            "applies_to": [{ "language": "rust", "since": 1.85 }],
            "text": "{var.any}",
        })),
    };
    assert_eq!(shown(&plan), shown(&expected));
}

#[test]
fn stagnation_is_watched_for_by_default() {
    let rules = |more: &str| plan("loop.yaml", &format!("{YAML}{more}")).stagnation;
    let numbers = |more: &str| rules(more).map(|rules| (rules.nudge_after, rules.halt_after));
    assert_eq!(numbers(""), Some((5, 8)));
    assert_eq!(numbers("stagnation: auto"), Some((5, 8)));
    assert_eq!(rules("stagnation: off"), None);
    assert_eq!(rules("pace: { every_seconds: 1 }"), None);
    assert_eq!(numbers("pace: { every_seconds: 1 }\nstagnation: {}"), Some((5, 8)));
    assert_eq!(numbers("stagnation: { halt_after: 3 }"), Some((2, 3)));
    assert_eq!(numbers("stagnation: { halt_after: 20 }"), Some((5, 20)));
    assert_eq!(numbers("stagnation: { nudge_after: 7 }"), Some((7, 10)));
    let judged = YAML.replace("command: cargo test", "confidence: { at_least: 0.8 }");
    assert_eq!(plan("loop.yaml", &judged).stagnation, None);
}

#[test]
fn without_a_command_a_model_does_the_work() {
    let model = |more: &str| {
        let plan =
            plan("a.yaml", &YAML.replace("command: claude -p", &format!("model: claude-sonnet-4-5\n{more}")));
        match plan.agent.work {
            WorkPlan::Model(model) => model,
            WorkPlan::Command(command) => panic!("{command:?}"),
        }
    };
    let ModelPlan { name, system, tools } = model("");
    assert_eq!((name.as_str(), system, tools), ("claude-sonnet-4-5", None, ToolName::ALL.to_vec()));
    let ModelPlan { system, tools, .. } = model("  system: Be brief.\n  tools: [git, whoami]");
    let names: Vec<_> = tools.iter().map(ToolName::as_str).collect();
    assert_eq!((system.as_deref(), names), (Some("Be brief."), vec!["git", "whoami"]));
    assert!(model("  tools: []").tools.is_empty());
}

#[test]
fn the_skills_of_an_agent_are_described() {
    let lines = |agent: &str| {
        let text = YAML.replace("command: claude -p", agent);
        describe(&plan("a.yaml", &text))
    };
    let model = "model: claude-sonnet-4-5\n  skills: ";
    assert!(lines(&format!("{model}[a, b]")).contains("with the instructions of the skills a and b"));
    assert!(lines(&format!("{model}[]")).contains("without skills"));
    assert!(lines("command: claude -p\n  skills: [a]").contains("its prompt lists the skills a"));
}

#[test]
fn a_plan_is_described_in_words() {
    check("describe_small", YAML, &describe(&plan("loop.yaml", YAML)));
    check("describe_full", FULL, &describe(&plan("loop.yaml", FULL)));
    let lines = yaml("cargo test", "|\n    cargo test\n    cargo clippy\n")
        .replace("5\n", "1\n  max_seconds: 90061\n");
    check("describe_lines", &lines, &describe(&plan("nightly check.yaml", &lines)));
}

#[test]
fn a_checkpoint_is_a_flag_or_a_number() {
    let checkpoint =
        |value: &str| plan("a.yaml", &format!("{YAML}  hitl_checkpoint: {value}\n")).limits.checkpoint;
    assert_eq!(checkpoint("false"), None);
    assert_eq!(checkpoint("true"), NonZeroU64::new(1));
    assert_eq!(checkpoint("3"), NonZeroU64::new(3));
}

#[test]
fn a_list_of_variables_is_the_same_in_every_format() {
    let pass = |file: &str, manifest: &str| plan(file, manifest).agent.env.pass;
    let names = ["GITHUB_TOKEN", "NPM_*"].map(|name| name.parse().unwrap());
    let listed = "claude -p\n  env:\n    pass:\n      - GITHUB_TOKEN\n      - NPM_*\n";
    assert_eq!(pass("a.yaml", &yaml("claude -p\n", listed)), names);
    let listed = r#""claude -p", "env": { "pass": ["GITHUB_TOKEN", "NPM_*"] }"#;
    assert_eq!(pass("a.json", &json("\"claude -p\"", listed)), names);
    let listed = format!("{TOML}\n[agent.env]\npass = [\n  'GITHUB_TOKEN', # to push\n  'NPM_*',\n]\n");
    assert_eq!(pass("a.toml", &listed), names);
    assert_eq!(pass("a.json", &json("\"claude -p\"", r#""claude -p", "env": { "pass": [] }"#)), []);
}

#[test]
fn a_limit_on_cost_is_taken_from_an_agent_that_reports_or_by_choice() {
    let limited = format!("{YAML}  max_cost_usd: 1\n");
    assert!(load("a.yaml", limited.as_str()).is_err());
    for (old, new) in [
        ("claude -p\n", "claude -p > \"$LOOP_USAGE_FILE\"\n"),
        ("claude -p\n", "claude -p\n  format: usage-file\n"),
        ("max_cost_usd: 1", "max_cost_usd: 1\n  allow_unmetered: true"),
    ] {
        assert_eq!(plan("a.yaml", &limited.replace(old, new)).limits.max_cost, Some(Usd::dollars(1)));
    }
}

#[test]
fn a_prompt_outside_quotes_is_taken() {
    for command in ["claude -p {prompt}", "\"echo 'a' {prompt} \\\"b\\\"\"", "echo \\' {prompt} \\'"] {
        plan("a.yaml", &yaml("claude -p", command));
    }
}

#[test]
fn a_check_gets_no_prompt_so_the_word_is_free_in_it() {
    assert_eq!(
        plan("a.yaml", &yaml("cargo test", "grep '{prompt}' notes")).evaluator.command,
        Some("grep '{prompt}' notes".to_owned())
    );
}

#[test]
fn json_is_read_as_json_is_written() {
    let same =
        |manifest: &str| assert_eq!(shown(&plan("loop.json", manifest)), shown(&plan("loop.json", JSON)));
    same(&JSON.replace("  ", "\t"));
    same(&JSON.replace('\n', "\r\n"));
    same(&format!("\u{feff}{JSON}"));
    same(&JSON.replace(['\n'], ""));
    let signs = json("All tests pass", r"\u00e9 \/ \ud83d\ude00 \u2028 \\ \t\u007f");
    assert_eq!(plan("loop.json", &signs).goal, "é / 😀 \u{2028} \\ \t\u{7f}");
}

#[test]
fn yaml_may_use_its_anchors_marks_and_plain_words() {
    let anchored = YAML.replace("goal: All", "goal: &goal All").replace("cargo test", "*goal");
    assert_eq!(plan("loop.yaml", &anchored).evaluator.command, Some("All tests pass".to_owned()));
    assert_eq!(plan("loop.yaml", &yaml("All tests pass", "yes")).goal, "yes");
    assert_eq!(plan("loop.yaml", &format!("\u{feff}---\n{YAML}...\n")).goal, "All tests pass");
}

#[test]
fn lines_of_a_prompt_end_alike_in_every_format() {
    for (file, manifest) in [("loop.yaml", YAML), ("loop.toml", TOML)] {
        let prompt = plan(file, &manifest.replace('\n', "\r\n")).agent.prompt;
        assert_eq!(format!("{prompt:?}"), format!("{:?}", plan(file, manifest).agent.prompt));
    }
}

#[test]
fn a_long_prompt_is_taken() {
    let prompt = "more and more. ".repeat(100_000);
    let manifest = json("Reach this: ", &prompt);
    assert!(
        plan("loop.json", &manifest)
            .agent
            .prompt
            .render(&PromptValues::default())
            .starts_with(&prompt[..prompt.len() - 1])
    );
}

#[test]
fn sandboxes_of_the_agent_and_the_check_take_missing_keys_from_the_shared_one() {
    let sandboxes = "sandbox: {write: [src], enforce: warn}\n";
    let shared = plan("loop.yaml", &format!("{YAML}{sandboxes}"));
    assert_eq!(shared.agent.sandbox, shared.evaluator.sandbox);
    let text = format!("{YAML}{sandboxes}")
        .replace("evaluator:\n", "evaluator:\n  sandbox: {network: [API.example.org:443], read: [/usr]}\n");
    let own = plan("loop.yaml", &text);
    assert_eq!(own.agent.sandbox, shared.agent.sandbox);
    let confined = own.evaluator.sandbox.expect("a sandbox");
    assert_eq!((confined.write, confined.read), (vec!["src".to_owned()], Some(vec!["/usr".to_owned()])));
    assert!(plan("loop.yaml", YAML).agent.sandbox.is_none());
    let only = plan("loop.yaml", &YAML.replace("agent:\n", "agent:\n  sandbox: {}\n"));
    assert!(only.agent.sandbox.is_some() && only.evaluator.sandbox.is_none());
    check("describe_sandboxes", &text, &describe(&plan("loop.yaml", &text)));
}
