//! Prints how long captures take beside `git status`, for trees of 10, 10,000 and 100,000 files.
//!
//! `cargo run --release -p loop-snapshots --example compare_with_git_status`

#![expect(clippy::print_stdout, reason = "the result goes to a person")]

use std::{
    error::Error,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant, SystemTime},
};

use loop_snapshots::{CaptureOptions, SnapshotId, Store};

fn main() -> Result<(), Box<dyn Error>> {
    for files in [10, 10_000, 100_000] {
        let dir = tempfile::tempdir()?;
        measure(dir.path(), files)?;
    }
    Ok(())
}

fn measure(dir: &Path, files: usize) -> Result<(), Box<dyn Error>> {
    let folder = dir.join("work");
    for number in 0..files {
        let below = folder.join(format!("{}/{}", number / 2500, number / 50));
        fs::create_dir_all(&below)?;
        fs::write(below.join(format!("{number}.txt")), format!("the file {number}\n").repeat(40))?;
    }
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "all"], &["status"]] {
        git(&folder, arguments)?;
    }
    let mut store = Store::open(&dir.join("state"), &folder)?;
    // As if the files were older than two seconds.
    let options = CaptureOptions::default().now(SystemTime::now() + Duration::from_secs(60));
    let first = Instant::now();
    store.capture(&SnapshotId::new("run", 0)?, &options)?;
    let first = first.elapsed();
    let (mut status, mut same, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=15 {
        let start = Instant::now();
        git(&folder, &["status", "--porcelain"])?;
        status.push(start.elapsed());
        let start = Instant::now();
        store.capture(&SnapshotId::new("run", 2 * round)?, &options)?;
        same.push(start.elapsed());
        for number in 0..10 {
            let number = number * files / 10;
            let path = folder.join(format!("{}/{}/{number}.txt", number / 2500, number / 50));
            fs::write(path, format!("{round}\n").repeat(40))?;
        }
        let start = Instant::now();
        store.capture(&SnapshotId::new("run", 2 * round + 1)?, &options)?;
        changed.push(start.elapsed());
        git(&folder, &["commit", "-qam", "more"])?;
    }
    let [status, same, changed] = [status, same, changed].map(median);
    let bound = 2 * status + Duration::from_millis(10);
    let plan = Instant::now();
    let path = folder.join("0/0/0.txt").strip_prefix(&folder)?.to_owned();
    let plan_of_one = store.plan_restore(&SnapshotId::new("run", 0)?, &[path], &options)?;
    store.restore(&plan_of_one)?;
    let plan = plan.elapsed();
    println!(
        "{files} files: git status {status:.1?}; first capture {first:.1?}; unchanged {same:.1?} ({:.2} of the bound); \
         ten changes {changed:.1?} ({:.2} of the bound); restoring one file {plan:.1?}",
        same.as_secs_f64() / bound.as_secs_f64(),
        changed.as_secs_f64() / bound.as_secs_f64(),
    );
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut git = Command::new("git");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"];
    git.current_dir(folder).args(identity).args(arguments);
    let output = git.output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
