//! Repositories whose files were written by hand, and commands of git that would show what they hide.

use std::{fs, os::unix::fs::symlink, process::Command};

use loop_agents::tools::ToolOutcome;
use loop_guardrails::policy::{LocalPath, Origin, Permissions, Settings, Verb};
use serde_json::json;

use crate::world::World;

const CANARY: &str = "hunter2";

/// What git prints, without the line feed at its end.
fn asked(world: &World, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(world.at("")).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

async fn run(world: &World, line: &str) -> (ToolOutcome, String) {
    let report = world.call("run_command", json!({ "command": line })).await;
    (report.outcome, report.text)
}

async fn shows_no_canary(world: &World, lines: &[&str]) {
    for line in lines {
        let (_, text) = run(world, line).await;
        assert!(!text.contains(CANARY), "{line}: {text}");
    }
}

fn new() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world
}

fn commit(world: &World, message: &str) {
    world.git(&["add", "-A", "-f"]);
    world.git(&["commit", "-qm", message]);
}

/// In a folder's tree the files have names without the folder's.
#[tokio::test]
async fn no_file_is_shown_by_the_hash_of_its_folder() {
    let mut settings = Settings::default();
    settings.permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
        "private".parse().unwrap(),
        [],
        Origin::BuiltIn,
    );
    let world = World::with(settings);
    world.git(&["init", "-q", "-b", "main"]);
    world.put("private/f.txt", CANARY);
    world.put(".docker/config.json", CANARY);
    world.put("src/a.rs", "shown");
    commit(&world, "first");
    world.put("later", "");
    commit(&world, "second");
    for (folder, file) in [("private", "f.txt"), (".docker", "config.json")] {
        let tree = asked(&world, &["rev-parse", &format!("HEAD:{folder}")]);
        world.git(&["tag", "-f", "tree", &tree]);
        world.git(&["tag", "-f", "-a", "-m", "x", "annotated", &tree]);
        for name in [tree.as_str(), &tree[..8], "tree", "annotated", "refs/tags/tree", "annotated^{}"] {
            for line in [
                format!("git show {name}:{file}"),
                format!("git show {name}:./{file}"),
                format!("git show {name}"),
                format!("git diff {name} HEAD"),
                format!("git diff HEAD {name}"),
                format!("git diff {name}"),
                format!("git diff {name}..HEAD"),
                format!("git log -p {name}"),
                format!("git log -g -p {name}"),
                format!("git blame {name} -- {file}"),
            ] {
                shows_no_canary(&world, &[&line]).await;
            }
        }
    }
    for word in ["HEAD:src/a.rs", "main~0:src/a.rs", ":src/a.rs", ":0:src/a.rs", "HEAD@{0}:src/a.rs"] {
        let (_, text) = run(&world, &format!("git show {word}")).await;
        assert_eq!(text, "shown\n(exit 0)", "{word}");
    }
    let (_, text) = run(&world, "git show HEAD:src").await;
    assert!(text.contains("a.rs"), "{text}");
    let (_, text) = run(&world, "git show HEAD:gone").await;
    assert!(!text.contains("{commit}"), "{text}");
}

