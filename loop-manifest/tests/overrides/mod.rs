//! Overrides: where they go, and how they are stored.

use super::*;
use crate::{
    Plan, Source,
    keys::{
        self,
        flag::{FLAGS, flag, key, named},
    },
};

fn flags() -> Overrides {
    Overrides::new("loop run")
        .with("--agent", "my-agent --now")
        .with("--check", "cargo test")
        .with("--max", "5")
}

fn plan(overrides: Overrides) -> String {
    format!("{:?}", Plan::of(Source::of_flags("it", overrides)).expect("a plan").plan)
}

fn refusal(overrides: Overrides) -> String {
    Plan::of(Source::of_flags("it", overrides)).expect_err("an error").to_string()
}

#[test]
fn every_flag_is_for_a_key_that_there_is() {
    for (name, path) in FLAGS {
        assert!(keys::all().any(|key| key.path == path), "{name}");
        assert_eq!((key(name), named(name)), (Some(path), Some(name)));
        // A switch and its opposite are for the same key, which is called by the switch.
        assert_eq!(flag(path), name.replace("--no-", "--"));
    }
}

#[test]
fn flags_alone_make_a_loop_without_anything_to_warn_about() {
    let loaded = Plan::of(Source::of_flags("it", flags())).expect("a plan");
    assert_eq!(loaded.warnings.to_string(), "");
    assert_eq!(loaded.plan.name, "it");
    assert_eq!(loaded.plan.goal, "Make this command exit 0: cargo test");
}

#[test]
fn the_effective_manifest_means_what_the_overrides_mean() {
    let more = flags()
        .with("--goal", "All is 'well'")
        .with("--prompt", "{goal}:\n{evaluator_output}")
        .with("--max-time", "1.5s")
        .with("--max-cost", "2.5")
        .with_switch("--allow-unmetered")
        .with("--set", "agent.env.set.A.B=c=d")
        .with("--set", "agent.env.pass=[X, Y]");
    for overrides in [flags(), more] {
        let text = Source::of_flags("it", overrides.clone()).effective().expect("a manifest");
        let stored = Plan::of(Source::stored("it.yaml".as_ref(), text)).expect("a plan").plan;
        assert_eq!(format!("{stored:?}"), plan(overrides.clone()));
        let again = Overrides::stored("loop run", &overrides.words()).expect("known flags");
        assert_eq!(plan(again), plan(overrides));
    }
    assert!(Overrides::stored("loop run", &["--later=1".to_owned()]).is_none());
}

#[test]
fn wrong_values_are_shown_in_the_command_line_and_named_by_their_flags() {
    for (overrides, said) in [
        (flags().with("--goal", " "), "`--goal` is empty"),
        (flags().with("--max-cost", "2"), "`--max-cost` cannot be enforced"),
        (flags().with("--max-time", "0s"), "`--max-time` has to be a time above 0"),
        (flags().with("--set", "agent.tools={"), "the value of `agent.tools` cannot be read"),
        (flags().with("--set", "agent.colour=red"), "unknown key `colour` in `agent`"),
        (flags().with("--set", "agent.env=1").with("--set", "agent.env.inherit=all"), "is set twice"),
    ] {
        let refused = refusal(overrides);
        assert!(refused.contains(said) && refused.contains("--> the command line:1:"), "{refused}");
    }
}

#[test]
fn a_secret_is_not_shown() {
    let refused =
        refusal(flags().with("--set", "agent.env.set.API_KEY=hunter2hunter2").with("--max-time", "x"));
    assert!(!refused.contains("hunter2"), "{refused}");
}
