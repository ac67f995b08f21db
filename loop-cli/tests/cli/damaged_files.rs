//! Damages each stored file in many ways. The command refuses or repairs the file with a message, and loses nothing
//! silently.

use std::{fs, os::unix::fs::symlink, path::Path};

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{
    schedule::{added, schedule},
    stored_files::{pipe, stored, twice},
    support::{Manifest, Scenario},
};

/// Replaces a journal with events by damaged files.
fn in_place_of(journal: &Path, whole: &[u8], what: &str) {
    let lines = whole.split_inclusive(|byte| *byte == b'\n').take(3).flatten();
    let _ = fs::remove_file(journal);
    match what {
        "empty" => fs::write(journal, "").expect("a file"),
        "zeros" => fs::write(journal, vec![0; whole.len()]).expect("a file"),
        "lines and zeros" => {
            let mut bytes: Vec<u8> = lines.copied().collect();
            bytes.resize(whole.len(), 0);
            fs::write(journal, bytes).expect("a file");
        }
        "a part of a line" => fs::write(journal, &whole[..20]).expect("a file"),
        "pipe" => pipe(journal),
        _ => {
            let elsewhere = journal.with_extension("elsewhere");
            fs::write(&elsewhere, whole).expect("a file");
            symlink(elsewhere, journal).expect("a link");
        }
    }
}

#[test]
fn a_journal_that_was_cut_before_its_end_is_reported() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("echo >> ran", "false").set("guardrails.max_iterations", 2);
    scenario.run_manifest(&manifest).exits(1);
    let journal = stored(&scenario.state(), "events.jsonl");
    let whole = fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<_> = whole.split_inclusive('\n').collect();
    for kept in [1, lines.len() / 2, lines.len() - 1] {
        fs::write(&journal, lines[..kept].concat()).expect("a journal");
        for command in [&["show"][..], &["show", "--json"], &["report", "--html", "-"]] {
            scenario.run(command).exits(0).says(&["the run's journal was cut"]);
        }
        // It ends as the run did.
        scenario.run(&["tail"]).exits(1).says(&["the run's journal was cut"]);
    }
    fs::write(&journal, &whole).expect("a journal");
    assert!(!scenario.run(&["show"]).exits(0).stderr.contains("cut"));
}

#[test]
fn repeated_lines_of_the_index_are_reported_and_list_no_run_twice() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let index = scenario.state().join("runs/index.jsonl");
    let listed = fs::read_to_string(&index).expect("an index");
    fs::write(&index, listed.repeat(2)).expect("an index");
    let repeated =
        scenario.run(&["runs", "--json"]).exits(0).says(&["index.jsonl", "began in an earlier line"]);
    assert_eq!(repeated.stdout.lines().count(), 1, "{}", repeated.stdout);
}

#[test]
fn a_run_without_its_description_is_followed_with_a_warning() {
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let description = stored(&scenario.state(), "run.json");
    for damage in ["", "{}"] {
        fs::write(&description, damage).expect("a file");
        assert!(scenario.run(&["tail"]).exits(0).says(&["warning:", "run.json"]).stdout.contains("goal_met"));
    }
    fs::remove_file(&description).expect("a file");
    assert!(scenario.run(&["tail"]).exits(0).says(&["warning:", "run.json"]).stdout.contains("goal_met"));
}

#[test]
fn a_journal_that_lost_its_events_is_refused_and_no_budget_begins_anew() {
    for is_open in [false, true] {
        let scenario = Scenario::new();
        let agent = "echo >> ran; echo '{\"cost_usd\":0.4}' >> $LOOP_USAGE_FILE";
        let manifest = Manifest::new(agent, "false").set("guardrails.max_cost_usd", 1);
        scenario.run_manifest(&manifest.set("guardrails.max_iterations", 9)).exits(1).says(&["cost"]);
        let (journal, index) =
            (stored(&scenario.state(), "events.jsonl"), scenario.state().join("runs/index.jsonl"));
        let (whole, listed) =
            (fs::read(&journal).expect("a journal"), fs::read_to_string(&index).expect("an index"));
        if is_open {
            // This simulates that its process died.
            fs::write(&index, listed.lines().next().expect("a line").to_owned() + "\n").expect("an index");
        }
        let id = scenario.record()["run_id"].as_str().expect("an id").to_owned();
        for what in ["empty", "zeros", "lines and zeros", "a part of a line", "pipe", "link"] {
            in_place_of(&journal, &whole, what);
            let indexed = fs::read(&index).expect("an index");
            for args in [
                &["show", &id] as &[&str],
                &["show", &id, "--json"],
                &["show", &id, "-i", "1"],
                &["tail", &id],
                &["report", &id, "--html", "-"],
                &["resume", &id, "--add-iterations", "1"],
            ] {
                let ran = scenario.run(args);
                assert_eq!(ran.code, 2, "{what} {args:?}: {} {}", ran.stdout, ran.stderr);
                ran.says(&["events.jsonl", "backup"]);
            }
            assert_eq!(scenario.read("ran").lines().count(), 3, "{what}");
            assert_eq!(fs::read(&index).expect("an index"), indexed, "{what}");
            assert!(scenario.run(&["runs", "--json"]).exits(0).stdout.contains(&id), "{what}");
        }
        // The user can start another run, or restore the file.
        scenario.run(&["run", "loop.json"]).exits(1);
        fs::remove_file(&journal).expect("a link");
        fs::write(&journal, &whole).expect("a file");
        assert!(scenario.run(&["show", &id]).exits(0).stdout.contains("1.20"));
    }
}

/// A kind of damage: the file is cut at a part of its length, a bit is flipped, it is emptied, it contains zeros from
/// some place on, or a pipe or a link to it replaces it.
#[derive(Debug, Clone)]
enum Damage {
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Empty,
    Zeros(Option<prop::sample::Index>),
    Pipe,
    Link,
}

impl Damage {
    fn of_any_kind() -> impl Strategy<Value = Self> {
        prop_oneof![
            any::<prop::sample::Index>().prop_map(Self::Cut),
            (any::<prop::sample::Index>(), 0..8_u8).prop_map(|(at, bit)| Self::Flip(at, bit)),
            Just(Self::Empty),
            prop::option::of(any::<prop::sample::Index>()).prop_map(Self::Zeros),
            Just(Self::Pipe),
            Just(Self::Link),
        ]
    }

    /// Damages a file that contained `whole`.
    fn be_done(&self, path: &Path, whole: &[u8]) {
        let mut damaged = whole.to_vec();
        match self {
            Self::Cut(at) => damaged.truncate(at.index(whole.len())),
            Self::Flip(at, bit) => damaged[at.index(whole.len())] ^= 1 << bit,
            Self::Empty => damaged.clear(),
            Self::Zeros(at) => damaged[at.map_or(0, |at| at.index(whole.len()))..].fill(0),
            Self::Pipe => {
                fs::remove_file(path).expect("a file");
                return pipe(path);
            }
            Self::Link => {
                let elsewhere = path.with_extension("elsewhere");
                fs::rename(path, &elsewhere).expect("a file");
                return symlink(elsewhere, path).expect("a link");
            }
        }
        fs::write(path, damaged).expect("a file");
    }

    fn undo(path: &Path, whole: &[u8]) {
        fs::remove_file(path).expect("something");
        let _ = fs::remove_file(path.with_extension("elsewhere"));
        fs::write(path, whole).expect("a file");
    }

    /// Returns whether the damage is undetectable: a missing line in a hand-written file, or in a journal whose end a
    /// crash may have prevented.
    fn cannot_be_known(&self, name: &str, whole: &[u8]) -> bool {
        let longest = whole.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
        match self {
            _ if name == "loop.toml" => true,
            Self::Cut(at) => name == "events.jsonl" && at.index(whole.len()) > 0,
            Self::Zeros(Some(at)) => {
                name == "events.jsonl" && whole.len() - at.index(whole.len()) <= 2 * longest
            }
            _ => false,
        }
    }
}

/// The stored files, and the commands that read them.
const LOOKS: [(&str, &[&[&str]]); 6] = [
    ("jobs.json", &[&["schedule", "list"], &["schedule", "list", "--json"]]),
    ("fires.jsonl", &[&["schedule", "list", "--json"]]),
    ("index.jsonl", &[&["runs", "--json"]]),
    ("run.json", &[&["show"], &["show", "--json"]]),
    ("events.jsonl", &[&["show"], &["show", "--json"]]),
    ("loop.toml", &[&["policy", "show", "--json"]]),
];

/// Damages one of the files in each case. Each command refuses the file (exit code 2), reports it, or shows the same as
/// before: it never silently shows less.
fn damaged_in_any_way(cases: u32) {
    let scenario = twice();
    scenario.run(&["run"]).exits(0);
    let id = added(&scenario, &["10m look", "--agent", "true"]);
    schedule(&scenario, &["fire", &id]).exits(0);
    schedule(&scenario, &["run", "--once"]).exits(0);
    // A fired job has its own run, and the test needs exactly one of each file.
    let runs = scenario.state().join("runs");
    let index = fs::read_to_string(runs.join("index.jsonl")).expect("an index");
    let of_job = scenario.records()[1]["run_id"].as_str().expect("an id").to_owned();
    scenario.run(&["rm", &of_job]).exits(0);
    assert!(index.lines().count() > 2);
    let shown = |args: &[&str]| scenario.run(args);
    let settings = scenario.state().with_file_name("home/.config/loop/loop.toml");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    fs::write(&settings, "[schedule]\nmax_jobs = 40\n").expect("settings");
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]);
    let cases = ((0..LOOKS.len()), Damage::of_any_kind());
    let run = TestRunner::new_with_rng(config, rng).run(&cases, |(file, damage)| {
        let (name, looks) = LOOKS[file];
        let path = if name == "loop.toml" { settings.clone() } else { stored(&scenario.state(), name) };
        let whole = fs::read(&path).expect("a file");
        let before: Vec<_> = looks.iter().map(|args| shown(args)).collect();
        damage.be_done(&path, &whole);
        let after: Vec<_> = looks.iter().map(|args| shown(args)).collect();
        Damage::undo(&path, &whole);
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(matches!(after.code, 0 | 2), "{}: {:?}", name, after);
            prop_assert!(!after.stderr.contains("panicked"), "{}: {:?}", name, after);
            let is_said = after.code == 2 || after.stderr.contains("warning:");
            let cannot_be_known = damage.cannot_be_known(name, &whole);
            let lost = after.stdout.lines().count() < before.stdout.lines().count();
            prop_assert!(is_said || cannot_be_known || !lost, "{}: {:?}\n{:?}", name, after, before);
        }
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_file_that_is_damaged_in_any_way_is_never_silently_empty() {
    damaged_in_any_way(32);
}

#[test]
#[ignore = "many cases: `.ci/nightly properties`"]
fn a_file_that_is_damaged_in_any_way_is_never_silently_empty_at_length() {
    damaged_in_any_way(4_000);
}
