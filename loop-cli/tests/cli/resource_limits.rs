//! `limits` of a manifest: enforced, or refused before anything runs.

use loop_agents::process::{ResourceLimits, try_limits};
use serde_json::{Value, json};

use crate::support::{Manifest, Scenario};

/// An agent that starts forty processes side by side, and counts those that it cannot start.
const MANY: &str = "perl -e 'for (1..40) { my $id = fork; if (!defined $id) { $no++ } elsif (!$id) { sleep 9; exit } } \
                    open F, q(>refused); print F $no + 0'";

fn refusal(limits: ResourceLimits) -> Option<String> {
    try_limits(limits).err().map(|error| error.to_string())
}

fn processes(most: u64) -> ResourceLimits {
    ResourceLimits { processes: most.try_into().ok(), memory: None }
}

#[test]
fn processes_are_limited_or_the_run_is_refused_before_anything_runs() {
    let scenario = Scenario::new();
    let manifest = Manifest::new(MANY, "test -e refused");
    scenario.run_manifest(&manifest).exits(0);
    assert_eq!(scenario.read("refused"), "0", "without a limit, each of them starts");
    std::fs::remove_file(scenario.path("refused")).expect("a file");
    let result = scenario.run_manifest(&manifest.set("limits", json!({ "processes": 20 })));
    match refusal(processes(20)) {
        None => {
            result.exits(0);
            assert_ne!(scenario.read("refused"), "0");
        }
        Some(reason) => {
            result.exits(2).says(&["`limits` cannot be enforced here", &reason]);
            assert!(!scenario.has("refused"));
        }
    }
}

#[test]
fn memory_is_limited_for_all_commands_together() {
    let scenario = Scenario::new();
    let agent = "perl -e '$x = q(x) x (200 << 20); open F, q(>done)'; true";
    let manifest = Manifest::new(agent, "true").set("limits", json!({ "memory": "100MiB" }));
    let result = scenario.run_manifest(&manifest);
    let limits = ResourceLimits { processes: None, memory: (100 << 20).try_into().ok() };
    result.exits(if refusal(limits).is_some() { 2 } else { 0 });
    assert!(!scenario.has("done"), "the program needs more than there is");
}

#[test]
fn check_and_doctor_tell_whether_limits_hold_here() {
    let scenario = Scenario::new();
    scenario
        .manifest(&Manifest::new("true", "true").set("limits", json!({ "processes": 64, "memory": "2GiB" })));
    let limits = ResourceLimits { memory: (2 << 30).try_into().ok(), ..processes(64) };
    let checked = scenario.run(&["check", "loop.json"]).exits(0);
    assert!(checked.stdout.contains("all commands together use at most 64 processes and 2.0 GiB of memory"));
    let reason = refusal(limits);
    assert_eq!(
        checked.stderr.contains("`limits` cannot be enforced here"),
        reason.is_some(),
        "{}",
        checked.stderr
    );
    let found = scenario.run(&["doctor", "--json"]).stdout;
    let mut findings = found.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let finding = findings.find(|finding| finding["name"] == "limits").expect("a finding");
    assert_eq!(finding["health"], if reason.is_some() { "missing" } else { "good" });
    assert!(finding["says"].as_str().expect("a text").contains(&reason.unwrap_or_default()), "{finding}");
}
