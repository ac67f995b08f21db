//! A look at the first iteration.

use crate::support::{Manifest, World};

fn looked(world: &World, manifest: &Manifest) -> crate::support::Ran {
    world.manifest(manifest);
    world.run(&["run", "loop.json", "--dry-run"])
}

#[test]
fn the_first_prompt_and_the_commands_are_shown_and_only_the_check_is_run() {
    let world = World::new();
    let manifest =
        Manifest::new("touch ran; my-agent --now {prompt}", "echo x >> checked; echo 2 failed; exit 3")
            .set("agent.prompt", "Do it: {goal}.\n{evaluator_output}{iteration}");
    let ran = looked(&world, &manifest).exits(0);
    assert!(!world.has("ran"));
    assert_eq!(world.read("checked"), "x\n");
    assert!(!world.state().exists(), "nothing is recorded");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("dry_run", ran.stdout);
    });
}

#[test]
fn a_check_that_passes_already_is_pointed_out() {
    looked(&World::new(), &Manifest::new("true", "true")).exits(0).says(&["passes already"]);
}

#[test]
fn a_check_that_is_not_there_is_shown_and_no_failure_of_the_look() {
    let ran = looked(&World::new(), &Manifest::new("true", "no-such-check")).exits(0);
    assert!(ran.stdout.contains("127"), "{}", ran.stdout);
}

#[test]
fn the_check_finds_what_it_would_find_in_a_run() {
    let manifest = Manifest::new("true", "test -w \"$LOOP_USAGE_FILE\" && test $LOOP_ITERATION = 1");
    looked(&World::new(), &manifest).exits(0).says(&["passes already"]);
}

#[test]
fn a_first_prompt_that_cannot_be_delivered_is_found_out() {
    let world = World::new();
    let manifest = Manifest::new(": {prompt}", "touch checked").set("agent.prompt", "x".repeat(200_000));
    looked(&world, &manifest).exits(2).says(&["stdin"]);
    assert!(!world.has("checked"));
}

#[test]
fn a_wrong_manifest_is_refused_here_too() {
    let world = World::new();
    looked(&world, &Manifest::new("true", "touch checked").set("guardrails.max_iterations", 0)).exits(2);
    assert!(!world.has("checked"));
}
