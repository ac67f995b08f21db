//! `loop check`: what a manifest would do.

use crate::support::{Manifest, World};

fn checked(world: &World, manifest: &Manifest) -> crate::support::Ran {
    world.write("fix-it.json", manifest.0.to_string());
    world.run(&["check", "fix-it.json"])
}

#[test]
fn a_manifest_that_is_right_is_described_and_nothing_runs() {
    let world = World::new();
    let ran = checked(&world, &Manifest::new("touch ran", "touch checked")).exits(0);
    assert_eq!(ran.stderr, "");
    for said in ["fix-it", "All is well", "touch ran", "touch checked", "at most 3 iterations"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(!world.has("ran") && !world.has("checked") && !world.state().exists());
}

#[test]
fn warnings_alone_are_shown_and_exit_0() {
    let world = World::new();
    let manifest =
        Manifest::new("true", "true").set("agent.prompt", "{gaol}").set("guardrails.allow_unmetered", true);
    let ran = checked(&world, &manifest).exits(0).says(&[
        "{gaol}",
        "{goal}",
        "allow_unmetered",
        "{evaluator_output}",
    ]);
    assert!(ran.stderr.matches("warning:").count() >= 3 && !ran.stderr.contains("error:"), "{}", ran.stderr);
    assert!(ran.stdout.contains("fix-it"));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let world = World::new();
    let missing = Manifest::new("no-such-agent -p", "no-such-check");
    checked(&world, &missing).exits(0).says(&[
        "the agent's program `no-such-agent` is not on PATH",
        "the check's program `no-such-check` is not on PATH",
    ]);
    let found = Manifest::new("cd . && no-such-agent", "sh -c true");
    assert_eq!(checked(&world, &found).exits(0).stderr, "");
}

#[test]
fn errors_exit_2_and_describe_nothing() {
    let ran = checked(&World::new(), &Manifest::new("true", " ")).exits(2).says(&["evaluator.command"]);
    assert_eq!(ran.stdout, "");
}
