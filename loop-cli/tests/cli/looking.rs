//! Looking at runs: `loop runs`, `show`, `tail` and `rm`.

use std::{fs, process::Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::{
    support::{FOREVER, Manifest, Ran, Started, World, until},
    terminal::Terminal,
};

/// An agent that says something in colour, complains, reports its cost, and is good at its second try.
fn world() -> World {
    let agent = "printf '\\033[31mred\\033[0m\\377 %s\\n' $LOOP_ITERATION; echo oh >&2; \
                 echo '{\"cost_usd\": 0.25, \"input_tokens\": 1000, \"output_tokens\": 234}' >> \"$LOOP_USAGE_FILE\"; \
                 test $LOOP_ITERATION = 2 || exit 3";
    let world = World::new();
    world.manifest(&Manifest::new(agent, "echo checked; test $LOOP_ITERATION = 2"));
    world
}

/// A snapshot of a page. Times, ids and folders differ from run to run.
fn seen(name: &str, page: &str) {
    let filters = [
        (r" +\b(\d+ms|\d+\.\ds)\b", " [time]"),
        (r"\d+[smh] ago", "[age]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[run]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}\b", "[short]"),
        (r"\d{4}-\d\d-\d\dT[0-9:]+Z", "[began]"),
        (r"/\S+/work\b", "[work]"),
    ];
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, page);
    });
}

/// A list without its columns, which are as wide as ids and ages happen to be.
fn squeezed(page: &str) -> String {
    let line = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("  ")
    };
    page.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn listed(world: &World, args: &[&str]) -> Vec<Value> {
    let lines = world.run(&[&["runs", "--json"], args].concat()).exits(0).stdout;
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn ids(world: &World) -> Vec<String> {
    listed(world, &["--all"]).iter().map(|run| run["run_id"].as_str().expect("an id").to_owned()).collect()
}

/// A run that was killed in its first iteration.
fn dead(world: &World) -> String {
    let held = world.fifo("held");
    let started = world.start_manifest(&Manifest::new(&format!("echo there > held; {FOREVER}"), "true"));
    held.line();
    started.signal(Signal::KILL);
    started.killed();
    ids(world).remove(0)
}

fn run(world: &World) -> Ran {
    world.run(&["run", "loop.json"])
}

#[test]
fn runs_are_listed_newest_first() {
    let world = world();
    world.write("other.json", world.read("loop.json"));
    run(&world).exits(0);
    world.run(&["run", "other.json"]).exits(0);
    seen("runs", &squeezed(&world.run(&["runs"]).exits(0).stdout));
    let runs = listed(&world, &[]);
    assert_eq!([&runs[0]["loop"], &runs[1]["loop"]], ["other", "loop"]);
    assert_eq!((&runs[0]["state"], &runs[0]["record"]["iterations"]), (&"goal_met".into(), &2.into()));
}

#[test]
fn only_runs_of_this_folder_are_listed_unless_all_are_asked_for() {
    let world = world();
    world.write("elsewhere/file", "");
    world.run(&["run", "loop.json", "--cwd", "elsewhere"]).exits(0);
    let ran = world.run(&["runs"]).exits(0).says(&["loop runs --all"]);
    assert_eq!(ran.stdout, "");
    assert!(listed(&world, &[]).is_empty());
    seen("runs_all", &squeezed(&world.run(&["runs", "--all"]).exits(0).stdout));
    world.run(&["show"]).exits(2).says(&["no run that is kept began in this folder"]);
}

#[test]
fn a_run_is_shown_with_its_iterations_and_how_to_go_on() {
    let world = world();
    run(&world).exits(0);
    seen("show_goal_met", &world.run(&["show"]).exits(0).stdout);
    world.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    seen("show_max_iterations", &world.run(&["show"]).exits(0).stdout);
    let id = dead(&world);
    seen("show_unfinished", &world.run(&["show", &id]).exits(0).stdout);
}

#[test]
fn a_run_is_shown_to_programs_too() {
    let world = world();
    run(&world).exits(0);
    let shown: Value = serde_json::from_str(&world.run(&["show", "--json"]).exits(0).stdout).unwrap();
    assert_eq!(shown["run"]["run_id"], world.record()["run_id"]);
    assert_eq!(shown["ending"]["halt"]["reason"], "goal_met");
    let first = &shown["iterations"][0];
    assert_eq!((&first["exit_code"], &first["verdict"]), (&3.into(), &"fail".into()));
    assert_eq!((&first["cost_usd"], &first["tokens"]), (&0.25.into(), &1234.into()));
    assert_eq!(shown["iterations"].as_array().unwrap().len(), 2);
}

#[test]
fn an_iteration_is_shown_alone() {
    let world = world();
    run(&world).exits(0);
    seen("show_iteration", &world.run(&["show", "-i", "1"]).exits(0).stdout);
    assert_eq!(world.run(&["show", "-i", "2", "--evaluation"]).exits(0).stdout, "checked\n");
    world.run(&["show", "-i", "3"]).exits(2).says(&["no iteration 3: it has had 2"]);
    world.run(&["show", "--output"]).exits(2).says(&["--iteration"]);
    dead(&world);
    world.run(&["show", "-i", "1", "--output"]).exits(2).says(&["no output that is kept"]);
    world.run(&["show", "-i", "1", "--evaluation"]).exits(2).says(&["there is no verdict"]);
}

#[test]
fn output_arrives_byte_for_byte_in_a_pipe_and_harmless_on_a_terminal() {
    let world = world();
    run(&world).exits(0);
    let args = ["show", "-i", "2", "--output"];
    let piped = world.loop_command(&args).output().unwrap();
    assert_eq!(piped.stdout, b"\x1b[31mred\x1b[0m\xff 2\n");
    assert_eq!(piped.stderr, b"oh\n");
    assert_eq!(Terminal::new(&world, &args).finish().exits(0).stderr, "red\u{fffd} 2\noh\n");
}

#[test]
fn output_that_was_too_much_to_keep_is_said_to_lack_its_middle() {
    let world = World::new();
    world.run_manifest(&Manifest::new("head -c 20000000 /dev/zero", "true")).exits(0);
    let ran = world.run(&["show", "-i", "1", "--output"]).exits(0).says(&["not kept, after the first"]);
    assert!(ran.stdout.len() < 20_000_000);
}

#[test]
fn what_is_gone_of_a_run_is_missed_only_where_it_is_asked_for() {
    let world = World::new();
    world.run_manifest(&Manifest::new("head -c 100000 /dev/zero | tr '\\0' x", "true")).exits(0);
    let runs = world.state().join("runs");
    let run = runs.join(&ids(&world)[0]);
    fs::remove_dir_all(run.join("outputs")).unwrap();
    for args in
        [&["show"][..], &["show", "--json"], &["show", "-i", "1"], &["show", "-i", "1", "--evaluation"]]
    {
        world.run(args).exits(0);
    }
    world.run(&["show", "-i", "1", "--output"]).exits(2).says(&["outputs"]);
    // The index holds nothing that is not in the runs' own files.
    fs::remove_file(runs.join("index.jsonl")).unwrap();
    assert_eq!(listed(&world, &[])[0]["state"], "goal_met");
    world.run(&["show"]).exits(0);
    fs::remove_file(run.join("events.jsonl")).unwrap();
    world.run(&["show"]).exits(2).says(&["events.jsonl cannot be read"]);
}

#[test]
fn a_page_that_cannot_be_written_is_a_failure() {
    let world = world();
    run(&world).exits(0);
    for args in
        [&["runs"][..], &["runs", "--json"], &["show"], &["show", "--json"], &["show", "-i", "2", "--output"]]
    {
        let full = fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
        let mut command = world.loop_command(args);
        command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        Started::as_it_is(&mut command).finish().exits(3).says(&["standard output cannot be written"]);
    }
}

#[test]
fn a_living_run_is_followed_to_its_end() {
    let world = World::new();
    let held = world.fifo("held");
    let agent = "test -e go && exit; echo there > held; until test -e go; do sleep 0.01; done";
    let started = world.start_manifest(&Manifest::new(agent, "test $LOOP_ITERATION = 2"));
    assert_eq!(held.line(), "there\n");
    assert_eq!(listed(&world, &[])[0]["state"], "running");
    let tail = Started::new(&mut world.loop_command(&["tail"]));
    until("the run is followed", || tail.printed().contains("iteration 1 of 3"));
    world.write("go", "");
    seen("tail", &tail.finish().exits(0).stdout);
    started.finish().exits(0);
}

#[test]
fn who_follows_a_run_exits_as_it_did() {
    let world = world();
    world.run_manifest(&Manifest::new("true", "false").set("guardrails.max_iterations", 1)).exits(1);
    world.run(&["tail"]).exits(1);
    let id = dead(&world);
    world.run(&["tail", &id]).exits(3).says(&["the run died", "loop resume"]);
}

#[test]
fn a_run_is_removed_unless_it_lives() {
    let world = World::new();
    let held = world.fifo("held");
    let started = world.start_manifest(&Manifest::new(&format!("echo there > held; {FOREVER}"), "true"));
    held.line();
    let id = ids(&world).remove(0);
    world.run(&["rm", &id]).exits(2).says(&["still going"]);
    started.signal(Signal::TERM);
    started.finish().exits(143);
    world.run(&["rm", &id, "nonsense"]).exits(2).says(&["nonsense"]);
    assert_eq!(ids(&world), [id.as_str()]);
    assert_eq!(world.run(&["rm", &id, &id]).exits(0).stdout, format!("removed {id}\n"));
    assert!(ids(&world).is_empty() && !world.state().join("runs").join(&id).exists());
    world.run(&["rm"]).exits(2).says(&["<RUNS>"]);
}

#[test]
fn the_last_runs_are_kept() {
    let world = world();
    (0..3).for_each(|_| drop(run(&world).exits(0)));
    let before = ids(&world);
    world.run(&["rm", "--keep", "1"]).exits(0);
    assert_eq!(ids(&world), before[..1]);
}
