//! Flags: valid ones, and the messages for invalid ones.

use loop_agents::usage::Format;

use super::*;
use crate::{
    Plan, Source,
    keys::{
        self,
        flag::{FLAGS, flag, key},
    },
};

const RIGHT: Flags<'static> = Flags {
    agent: "my-agent --now",
    check: "cargo test",
    max: 5,
    goal: None,
    prompt: None,
    max_cost: None,
    max_time: None,
    allow_unmetered: false,
};

#[test]
fn every_flag_is_for_a_key_that_there_is() {
    for (name, path) in FLAGS {
        assert!(keys::all().any(|key| key.path == path), "{name}");
        assert_eq!((flag(path), key(name)), (name, Some(path)));
    }
}

#[test]
fn flags_alone_make_a_loop_without_anything_to_warn_about() {
    let loaded = RIGHT.plan("it".to_owned()).unwrap();
    assert_eq!(loaded.warnings.to_string(), "");
    assert_eq!(loaded.plan.name, "it");
    assert_eq!(loaded.plan.goal, "Make this command exit 0: cargo test");
    assert_eq!(loaded.plan.agent.prompt, PROMPT);
}

#[test]
fn all_flags_mean_what_a_manifest_with_these_keys_means() {
    let flags = Flags {
        agent: "my-agent $LOOP_USAGE_FILE",
        goal: Some("All is 'well'"),
        prompt: Some("{goal}:\n{evaluator_output}"),
        max_cost: Some(2.5),
        max_time: Some(90.0),
        ..RIGHT
    };
    let manifest = r#"{
        "goal": "All is 'well'",
        "agent": { "command": "my-agent $LOOP_USAGE_FILE", "prompt": "{goal}:\n{evaluator_output}" },
        "evaluator": { "command": "cargo test" },
        "guardrails": { "max_iterations": 5, "max_cost_usd": 2.5, "max_seconds": 90 }
    }"#;
    let source = Source::from_bytes("it.json".as_ref(), manifest.into()).unwrap();
    let written = Plan::of(source).unwrap().plan;
    assert_eq!(format!("{:?}", flags.plan("it".to_owned()).unwrap().plan), format!("{written:?}"));
}

#[test]
fn an_agent_that_is_told_to_report_can_be_limited() {
    for (agent, format) in [
        ("pi -p --mode json", Format::PiJson),
        ("claude -p --output-format stream-json --verbose", Format::ClaudeStreamJson),
    ] {
        let loaded = Flags { agent, max_cost: Some(2.0), ..RIGHT }.plan("it".to_owned()).unwrap();
        assert_eq!(loaded.warnings.to_string(), "");
        assert_eq!(loaded.plan.agent.usage.format, format);
    }
}

#[test]
fn what_is_wrong_is_named_by_its_flag_and_shown_in_the_command_line() {
    let wrong = [
        ("flags_empty", Flags { agent: " ", check: "", goal: Some(""), prompt: Some(" "), ..RIGHT }),
        (
            "flags_limits",
            Flags { max: 0, max_cost: Some(-1.0), max_time: Some(0.0), agent: "x LOOP_USAGE_FILE", ..RIGHT },
        ),
        ("flags_unmetered", Flags { max_cost: Some(2.0), ..RIGHT }),
        ("flags_quoted_prompt", Flags { agent: "say '{prompt}' now", ..RIGHT }),
    ];
    for (name, flags) in wrong {
        let problems = flags.plan("it".to_owned()).unwrap_err().to_string();
        assert!(FLAGS.iter().all(|(_, path)| !problems.contains(&format!("`{path}`"))), "{problems}");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, problems);
        });
    }
}

#[test]
fn a_prompt_that_will_not_work_is_warned_about_where_it_stands() {
    let flags = Flags { prompt: Some("Do it, {gaol}"), ..RIGHT };
    let warnings = flags.plan("it".to_owned()).unwrap().warnings.to_string();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("flags_warned", warnings);
    });
}

#[test]
fn an_allowance_without_a_limit_is_warned_about_by_its_flag() {
    let warnings =
        Flags { allow_unmetered: true, ..RIGHT }.plan("it".to_owned()).unwrap().warnings.to_string();
    assert!(warnings.contains("`--allow-unmetered` does nothing here"), "{warnings}");
    assert!(warnings.contains("set `--max-cost`"), "{warnings}");
}

#[test]
fn a_secret_that_no_flag_can_pass_on_is_warned_about() {
    let flags = Flags { agent: "my-agent --key $MY_API_KEY", ..RIGHT };
    let warnings = flags.plan("it".to_owned()).unwrap().warnings.to_string();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("flags_unseen", warnings);
    });
}

#[test]
fn what_is_kept_of_flags_means_what_they_mean() {
    let others = Flags {
        agent: "claude -p --output-format stream-json --verbose",
        goal: Some("All is 'well'"),
        prompt: Some("{goal}:\n{evaluator_output}"),
        max_cost: Some(2.5),
        max_time: Some(0.5),
        ..RIGHT
    };
    let unmetered = Flags { max_cost: Some(2.5), allow_unmetered: true, ..RIGHT };
    for flags in [RIGHT, others, unmetered] {
        let source = Source::from_bytes("flags.json".as_ref(), flags.manifest("it").into()).unwrap();
        let kept = Plan::of(source).unwrap().plan;
        assert_eq!(format!("{:?}", flags.plan("it".to_owned()).unwrap().plan), format!("{kept:?}"));
    }
}

#[test]
fn a_limit_on_a_cost_that_nobody_will_know_says_what_to_write_on_the_command_line() {
    let codex = |agent| Flags { agent, max_cost: Some(1.0), ..RIGHT };
    let refused = codex("codex exec --json -").plan("it".to_owned()).unwrap_err().to_string();
    assert!(refused.contains("`--max-cost` cannot hold: the cost of the agent cannot be known"), "{refused}");
    assert!(refused.contains("codex exec --json --model NAME"), "{refused}");
    assert!(refused.contains("`--allow-unmetered`"), "{refused}");
    assert!(!refused.contains("agent.model") && !refused.contains("allow_unmetered"), "{refused}");
    let known = codex("codex exec --json --model gpt-5 -").plan("it".to_owned()).unwrap();
    assert_eq!(known.warnings.to_string(), "");
}
