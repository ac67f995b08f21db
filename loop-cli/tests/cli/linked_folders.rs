//! Links in place of the subfolders of the state directory: the program refuses them. The directory itself may be a
//! link.

use std::{fs, os::unix::fs::symlink};

use crate::{
    stored_files::twice,
    support::{Manifest, Scenario},
    terminal::Terminal,
};

/// The subfolders of the state directory, with commands that use them.
#[test]
fn a_linked_folder_of_the_state_directory_is_refused() {
    let commands: &[(&str, &[&[&str]])] = &[
        ("runs", &[&["run", "loop.json"], &["runs"], &["show"], &["resume"]]),
        ("audit", &[&["chat", "--model", "ollama:x", "--prompt", "hi"], &["policy", "show"]]),
        ("schedule", &[&["schedule", "list"]]),
    ];
    for (name, commands) in commands {
        let scenario = twice();
        let (link, elsewhere) = (scenario.state().join(name), scenario.path("elsewhere"));
        fs::create_dir_all(scenario.state()).expect("a folder");
        fs::create_dir_all(&elsewhere).expect("a folder");
        let shown = link.to_str().expect("text");
        for target in [elsewhere.clone(), scenario.path("nowhere")] {
            symlink(&target, &link).expect("a link");
            for args in *commands {
                scenario.run(args).exits(2).says(&[
                    shown,
                    "is a link",
                    &format!("mv '{shown}' '{shown}.moved'"),
                ]);
            }
            assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0, "{name}");
            assert!(!scenario.has("nowhere"), "{name}");
            fs::remove_file(&link).expect("a link");
        }
    }
}

#[test]
fn a_linked_folder_of_sessions_is_refused() {
    let scenario = Scenario::new();
    fs::create_dir_all(scenario.state()).expect("a folder");
    fs::create_dir_all(scenario.path("elsewhere")).expect("a folder");
    symlink(scenario.path("elsewhere"), scenario.state().join("sessions")).expect("a link");
    Terminal::new(&scenario, &["chat", "--model", "ollama:x"])
        .finish()
        .exits(2)
        .says(&["sessions is a link"]);
    assert_eq!(fs::read_dir(scenario.path("elsewhere")).expect("a folder").count(), 0);
}

/// An agent can put the link there while it works.
#[test]
fn no_end_of_a_run_is_listed_behind_a_link_that_appeared_during_it() {
    let scenario = Scenario::new();
    let runs = scenario.state().join("runs");
    let agent = format!("mv '{0}' \"$PWD/moved\"; ln -s \"$PWD/moved\" '{0}'", runs.display());
    scenario.manifest(&Manifest::new(&agent, "true"));
    scenario.run(&["run", "loop.json"]).says(&["index.jsonl cannot be used", "it is a link"]);
    assert_eq!(scenario.read("moved/index.jsonl").lines().count(), 1);
}

#[test]
fn the_state_directory_itself_may_be_a_link() {
    let scenario = twice();
    fs::create_dir_all(scenario.path("disk")).expect("a folder");
    fs::create_dir_all(scenario.state().parent().expect("a folder")).expect("a folder");
    symlink(scenario.path("disk"), scenario.state()).expect("a link");
    scenario.run(&["run", "loop.json"]).exits(0);
    assert!(scenario.has("disk/runs/index.jsonl"));
    scenario.run(&["runs"]).exits(0);
}
