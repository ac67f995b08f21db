//! Records that are appended concurrently, after a crash, and where no record can be written.

#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::Barrier,
    thread,
};

use jiff::Timestamp;
use loop_core::{Ending, Progress};
use loop_telemetry::{Record, TelemetryError, TelemetryFile};

const WRITERS: usize = 20;
const RECORDS: usize = 25;

/// Returns a record that is longer than a pipe or a page takes at once.
fn record(writer: usize, number: usize) -> Record {
    let ending = Ending::goal_met("");
    Record::of(format!("{writer}/{number}"), &ending, &Progress::default())
        .manifest("long/".repeat(4_000))
        .between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)
}

fn append_all(file: &TelemetryFile, writer: usize) {
    for number in 0..RECORDS {
        file.append(&record(writer, number)).unwrap();
    }
}

/// Checks that every record is there exactly once, unchanged.
fn assert_all_there(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let names: Vec<String> = text
        .lines()
        .map(|line| {
            let found: Record = serde_json::from_str(line).unwrap();
            let (writer, number) = found.name.split_once('/').unwrap();
            assert_eq!(found, record(writer.parse().unwrap(), number.parse().unwrap()));
            found.name
        })
        .collect();
    assert_eq!(names.len(), WRITERS * RECORDS);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), WRITERS * RECORDS);
}

#[test]
fn threads_at_once_lose_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = TelemetryFile::at(folder.path().join("not/there/yet/telemetry.jsonl"));
    let together = Barrier::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (file, together) = (&file, &together);
            scope.spawn(move || {
                together.wait();
                append_all(file, writer);
            });
        }
    });
    assert_all_there(file.path());
}

#[test]
fn processes_at_once_lose_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("telemetry.jsonl");
    let children: Vec<_> = (0..WRITERS)
        .map(|writer| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "a_process_of_its_own"])
                .env("TELEMETRY_TEST_FILE", &path)
                .env("TELEMETRY_TEST_WRITER", writer.to_string())
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    // The children wait for the end of their input, which comes when all of them run.
    let mut children = children;
    let inputs: Vec<_> = children.iter_mut().map(|child| child.stdin.take()).collect();
    drop(inputs);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_all_there(&path);
}

#[test]
#[ignore = "the body of each process in processes_at_once_lose_no_record"]
fn a_process_of_its_own() {
    let Some(path) = std::env::var_os("TELEMETRY_TEST_FILE") else { return };
    let writer = std::env::var("TELEMETRY_TEST_WRITER").unwrap().parse().unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    append_all(&TelemetryFile::at(path), writer);
}

#[test]
fn a_torn_line_is_ended_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = TelemetryFile::at(folder.path().join("telemetry.jsonl"));
    file.append(&record(1, 1)).unwrap();
    let whole = fs::read_to_string(file.path()).unwrap();
    fs::write(file.path(), format!(r#"{whole}{{"loop":"cut o"#)).unwrap();

    file.probe().unwrap();
    file.append(&record(1, 2)).unwrap();
    file.append(&record(1, 3)).unwrap();

    let text = fs::read_to_string(file.path()).unwrap();
    let (a, b, c) = (record(1, 1).to_line(), record(1, 2).to_line(), record(1, 3).to_line());
    assert_eq!(text, format!("{a}\n{{\"loop\":\"cut o\n{b}\n{c}\n"));
}

#[test]
fn probing_leaves_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = TelemetryFile::at(folder.path().join("new/telemetry.jsonl"));
    file.probe().unwrap();
    assert_eq!(fs::read(file.path()).unwrap(), b"");
    file.append(&record(0, 0)).unwrap();
    let before = fs::read(file.path()).unwrap();
    file.probe().unwrap();
    assert_eq!(fs::read(file.path()).unwrap(), before);
}

#[test]
fn what_cannot_be_written_is_found_by_the_probe() {
    let folder = tempfile::tempdir().unwrap();
    let in_the_way = folder.path().join("file");
    fs::write(&in_the_way, "").unwrap();

    let below_a_file = TelemetryFile::at(in_the_way.join("sub/telemetry.jsonl")).probe().unwrap_err();
    assert!(matches!(&below_a_file, TelemetryError::Folder { .. }), "{below_a_file:?}");
    assert!(below_a_file.to_string().contains(in_the_way.to_str().unwrap()));

    let a_folder = TelemetryFile::at(folder.path()).probe().unwrap_err();
    assert!(matches!(&a_folder, TelemetryError::Open { .. }), "{a_folder:?}");
    assert!(std::error::Error::source(&a_folder).is_some());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn others_cannot_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = TelemetryFile::at(folder.path().join("a/b/telemetry.jsonl"));
        file.probe().unwrap();
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!((mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))), (0o700, 0o700));
    }

    #[test]
    fn a_link_is_followed_if_it_was_there_when_the_file_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target.jsonl"), folder.path().join("link.jsonl"));
        fs::write(&target, "").unwrap();
        symlink(&target, &link).unwrap();
        let file = TelemetryFile::named(&link).unwrap();
        fs::remove_file(&link).unwrap();
        symlink("/dev/null", &link).unwrap();
        file.append(&record(0, 0)).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap().lines().count(), 1);
        fs::remove_file(&target).unwrap();
        let nowhere = folder.path().join("nowhere.jsonl");
        symlink(&target, &nowhere).unwrap();
        assert!(
            matches!(TelemetryFile::named(&nowhere), Err(TelemetryError::Link { path }) if path == nowhere)
        );
    }

    /// An agent can plant links and pipes in place of the file or of a folder above it.
    #[test]
    fn nothing_is_written_through_what_was_planted_later() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        let (above, path) = (folder.path().join("a/b"), folder.path().join("a/b/telemetry.jsonl"));
        for planted in ["link", "hard link", "pipe", "folder", "linked folder", "linked folder above"] {
            for named in [TelemetryFile::named, TelemetryFile::in_folder] {
                let _ = fs::remove_dir_all(folder.path().join("a"));
                let _ = fs::remove_file(folder.path().join("a"));
                let _ = fs::remove_dir_all(&victim);
                let _ = fs::remove_file(&victim);
                let file = named(path.clone()).unwrap();
                file.append(&record(0, 0)).unwrap();
                fs::remove_file(&path).unwrap();
                match planted {
                    "link" => symlink(&victim, &path).unwrap(),
                    "hard link" => {
                        fs::write(&victim, "").unwrap();
                        fs::hard_link(&victim, &path).unwrap();
                    }
                    "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                    "folder" => fs::create_dir(&path).unwrap(),
                    "linked folder" => {
                        fs::create_dir(&victim).unwrap();
                        fs::remove_dir(&above).unwrap();
                        symlink(&victim, &above).unwrap();
                    }
                    _ => {
                        fs::create_dir_all(victim.join("b")).unwrap();
                        fs::remove_dir_all(folder.path().join("a")).unwrap();
                        symlink(&victim, folder.path().join("a")).unwrap();
                    }
                }
                let refused = file.append(&record(0, 1)).unwrap_err();
                assert!(
                    refused.to_string().contains("telemetry.jsonl")
                        || refused.to_string().contains("is a link")
                );
                let is_link = matches!(refused, TelemetryError::Link { .. });
                assert_eq!(is_link, planted.contains("link"), "{planted}: {refused:?}");
                assert_eq!(fs::read(&victim).unwrap_or_default(), b"", "{planted}");
                assert!(
                    !victim.join("telemetry.jsonl").exists() && !victim.join("b/telemetry.jsonl").exists()
                );
            }
        }
    }

    #[test]
    fn folders_that_are_gone_are_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = TelemetryFile::in_folder(folder.path().join("a/b/telemetry.jsonl")).unwrap();
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        file.append(&record(0, 0)).unwrap();
        assert_eq!(fs::read_to_string(file.path()).unwrap().lines().count(), 1);
        assert_eq!((mode(file.path()), mode(&folder.path().join("a"))), (0o600, 0o700));
    }

    #[test]
    fn a_pipe_that_a_person_names_is_written_if_somebody_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(matches!(TelemetryFile::named(&path), Err(TelemetryError::Open { .. })));
        // Opening a pipe for reading and writing does not wait.
        let mut reader = fs::File::options().read(true).write(true).open(&path).unwrap();
        let file = TelemetryFile::named(&path).unwrap();
        file.append(&record(0, 0)).unwrap();
        let mut line = vec![0; record(0, 0).to_line().len()];
        reader.read_exact(&mut line).unwrap();
        assert_eq!(line, record(0, 0).to_line().as_bytes());
        TelemetryFile::named("/dev/null").unwrap().append(&record(0, 0)).unwrap();
    }

    #[test]
    fn a_full_disk_is_an_error_and_no_panic() {
        let full = TelemetryFile::named("/dev/full").unwrap();
        if full.path().exists() {
            assert!(matches!(full.append(&record(0, 0)), Err(TelemetryError::Write { .. })));
        }
    }
}

#[test]
fn an_ending_that_may_have_been_recorded_is_recorded_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = TelemetryFile::at(folder.path().join("telemetry.jsonl"));
    let ending = Ending::goal_met("");
    let of = |run: &str| {
        let draft = Record::of("greet", &ending, &Progress::default()).run_id(run);
        draft.between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)
    };
    assert!(file.append_once(&of("one")).unwrap());
    assert!(!file.append_once(&of("one")).unwrap());
    assert!(file.append_once(&of("two")).unwrap());
    let text = fs::read_to_string(file.path()).unwrap();
    assert_eq!(text.lines().count(), 2);
}
