//! A store whose process dies, or whose disk is full, at each of its writes.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use loop_snapshots::{CaptureOptions, Error, Store};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::tree::{Sandbox, clear, id};

/// Everything that writes to a store: a capture, a restore, the end of a run, and making room.
fn use_store(store: &mut Store, folder: &Path) -> Result<(), Error> {
    let options = CaptureOptions::default();
    fs::write(folder.join("a"), "2").unwrap();
    store.capture(&id(1), &options)?;
    let plan = store.plan_restore(&id(0), &[], &options)?;
    store.restore(&plan)?;
    store.end_run("run")?;
    store
        .keep_below(1)
        .map(drop)
        .or_else(|error| if matches!(error, Error::Full { .. }) { Ok(()) } else { Err(error) })
}

fn prepare() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.write("a", "1");
    sandbox.write("b/c", "1".repeat(600_000));
    sandbox.capture(0);
    sandbox
}

/// The store works again, and each snapshot that it lists can be restored.
fn assert_usable(sandbox: &Sandbox, step: usize) {
    let mut store = Store::open(&sandbox.state(), &sandbox.folder()).unwrap();
    store.capture(&id(1000), &CaptureOptions::default()).unwrap();
    store.gc().unwrap();
    for run in store.runs().unwrap() {
        for snapshot in run.snapshots {
            clear(&sandbox.folder());
            let plan = store.plan_restore(&snapshot.id, &[], &CaptureOptions::default()).unwrap();
            store.restore(&plan).unwrap();
            let length = fs::metadata(sandbox.folder().join("b/c")).unwrap().len();
            assert_eq!(length, 600_000, "step {step}: {}", snapshot.id);
        }
    }
}

#[test]
fn a_full_disk_is_an_error_at_each_write_and_the_store_stays_usable() {
    for step in 0.. {
        let sandbox = prepare();
        let (count, failed) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&failed);
        let fault = move |_: &Path| {
            if count.fetch_add(1, Ordering::SeqCst) < step {
                return Ok(());
            }
            seen.fetch_add(1, Ordering::SeqCst);
            Err(io::ErrorKind::StorageFull.into())
        };
        let store = Store::open_with_faults(&sandbox.state(), &sandbox.folder(), fault);
        let result = store.and_then(|mut store| use_store(&mut store, &sandbox.folder()));
        if failed.load(Ordering::SeqCst) == 0 {
            assert!(result.is_ok() && step > 20, "{step} writes: {result:?}");
            return;
        }
        assert!(matches!(result, Err(Error::File { .. })), "step {step}: {result:?}");
        assert_usable(&sandbox, step);
    }
}

/// Not a test by itself: the process that the next test starts, and that dies at a write.
#[test]
fn a_process_that_dies() {
    let Some((step, dir)) = std::env::var_os("DIE_AT_STEP").zip(std::env::var_os("DIE_IN_FOLDER")) else {
        return;
    };
    let (step, dir): (usize, _) = (step.to_str().unwrap().parse().unwrap(), PathBuf::from(dir));
    let count = AtomicUsize::new(0);
    let fault = move |_: &Path| {
        if count.fetch_add(1, Ordering::SeqCst) == step {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
        }
        Ok(())
    };
    let folder = dir.join("work");
    let mut store = Store::open_with_faults(&dir.join("state"), &folder, fault).unwrap();
    use_store(&mut store, &folder).unwrap();
}

#[test]
fn a_process_that_is_killed_at_any_write_leaves_a_usable_store() {
    for step in 0.. {
        let sandbox = prepare();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "faults::a_process_that_dies"]);
        child.env("DIE_AT_STEP", step.to_string()).env("DIE_IN_FOLDER", sandbox.dir.path());
        let output = child.output().unwrap();
        assert_usable(&sandbox, step);
        if output.status.success() {
            assert!(step > 20, "only {step} writes");
            return;
        }
        let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
        assert_eq!(signal, Some(9), "step {step}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Puts something else in the place of a file.
const REPLACEMENTS: [fn(&Path); 3] = [
    |path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
    |path| symlink("/dev/zero", path).unwrap(),
    |path| fs::create_dir(path).unwrap(),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// Nothing in the place of a file of the store makes its user wait, or read without end.
#[test]
fn what_is_no_plain_file_is_an_error_and_no_wait() {
    for index in 0..files(&prepare().state()).len() {
        for replace in REPLACEMENTS {
            let sandbox = prepare();
            let file = files(&sandbox.state()).swap_remove(index);
            fs::remove_file(&file).unwrap();
            replace(&file);
            let used = Store::open(&sandbox.state(), &sandbox.folder()).and_then(|mut store| {
                store.snapshot(&id(0))?;
                use_store(&mut store, &sandbox.folder())
            });
            // Without a cache, a capture only takes longer.
            assert!(used.is_err() || file.ends_with("cache"), "{file:?}");
        }
    }
}

/// The rules of a repository are read in the same way: an agent can write them from inside a sandbox.
#[test]
fn a_pipe_in_the_place_of_the_rules_of_a_repository_is_no_wait() {
    for rules in [".git/info/exclude", ".gitignore"] {
        let mut sandbox = prepare();
        let path = sandbox.folder().join(rules);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        REPLACEMENTS[0](&path);
        sandbox.capture(1);
    }
}
