//! Many runs, while workers and the server die again and again. `.ci/nightly engine` runs this.

use std::{fs, path::Path, thread, time::Duration};

use crate::{
    laws::{manifest, processes},
    server::{Server, wait_until},
};

const ITERATIONS: u32 = 5;

/// The number of workers.
const WORKERS: u64 = 3;

/// A death costs the server's 10 seconds until it gives a step up, and the third death in one iteration ends a run.
const BETWEEN_DEATHS: Duration = Duration::from_secs(4);

/// Chooses victims. The same numbers each time make a failure easier to repeat.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Checks that the run did each iteration, and none again after a later one.
fn check_log(log: &Path) {
    let text = fs::read_to_string(log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    let started: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("start ")?.parse().ok()).collect();
    assert!(started.is_sorted(), "{}: {text}", log.display());
    let mut once = started.clone();
    once.dedup();
    assert_eq!(once, (1..=ITERATIONS).collect::<Vec<_>>(), "{}", log.display());
}

#[test]
#[ignore = "takes minutes"]
fn nothing_is_lost_and_no_acknowledged_step_runs_again() {
    let number = |name: &str, default: usize| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (loops, deaths) = (number("ENGINE_LOOPS", 200), number("ENGINE_DEATHS", 12));
    let mut server = Server::start();
    let folder = tempfile::tempdir().expect("a folder");
    let name = |index: u64| format!("w{index}");
    let mut workers: Vec<_> = (0..WORKERS).map(|index| server.worker("chaos", &name(index))).collect();
    let nap = format!("0.2{}", std::process::id());
    let text = manifest(
        &format!("(setsid sleep {nap} &); sleep {nap};"),
        "tail -n 1 log-{var.file} | grep -q \"end 5\"",
        "",
    )
    .replace(">> log", ">> log-{var.file}");
    fs::write(folder.path().join("loop.yaml"), format!("vars: {{ file: none }}\n{text}"))
        .expect("a manifest");
    let files: Vec<String> = (0..loops).map(|index| index.to_string()).collect();
    let mut args = vec!["submit", "loop.yaml", "--queue", "chaos", "--each"];
    args.extend(files.iter().map(String::as_str));
    let runs = server.says(&args, folder.path());
    assert_eq!(runs.lines().count(), loops);

    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    for death in 1..=deaths {
        thread::sleep(BETWEEN_DEATHS);
        if death % 5 == 0 {
            server.crash();
            continue;
        }
        let victim = random(&mut state) % WORKERS;
        let place = usize::try_from(victim).expect("a small number");
        workers.remove(place).crash();
        workers.insert(place, server.worker("chaos", &name(victim)));
    }
    let list = ["runs", "--limit", "100000"];
    let in_progress = || {
        let rows = server.try_says(&list, folder.path()).unwrap_or_else(|_| " running ".to_owned());
        rows.lines().filter(|row| row.contains(" running ")).count()
    };
    // Two minutes for each wait: the number has to fall meanwhile.
    let mut left = in_progress();
    while left > 0 {
        wait_until("runs end", || in_progress() < left);
        left = in_progress();
    }
    for run in runs.lines() {
        let outcome = server.says(&["tail", run], folder.path());
        assert!(outcome.contains("ending      goal_met"), "{run}: {outcome}");
    }
    files.iter().for_each(|file| check_log(&folder.path().join(format!("log-{file}"))));
    wait_until("no process of an agent stays", || processes(&nap) == 0);
}
