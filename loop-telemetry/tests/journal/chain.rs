//! Changes by somebody who computes the checksums again are found.

use std::{fs, path::PathBuf};

use jiff::Timestamp;
use loop_core::{Ending, Progress};
use loop_telemetry::{ChainState, JournalReader, LineDigest, ParallelRuns, Record, RunInfo, RunStore};
use proptest::prelude::*;

use crate::scenario::{FinishedRun, Scenario, ScriptedStep, read, run};

/// A run that ended, with its record.
struct StoredRun {
    _folder: tempfile::TempDir,
    store: RunStore,
    journal: PathBuf,
    lines: Vec<Vec<u8>>,
}

impl StoredRun {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::at(folder.path().join("runs"), |warning| panic!("{warning}"));
        let info = RunInfo::new("r-1", "greet", "/home/ann/project", Timestamp::UNIX_EPOCH)
            .manifest("greet.yaml", "goal: hello\n");
        let journal = store.begin(&info, ParallelRuns::Refused, Timestamp::now).unwrap().without_sync();
        let lock = journal.hold();
        let turns = vec![ScriptedStep::Makes(3), ScriptedStep::Fails, ScriptedStep::Notes(7)];
        let FinishedRun { report, .. } = in_a_runtime(run(&Scenario { turns, goal: 4 }, journal, usize::MAX));
        let report = report.unwrap();
        let record = Record::of("greet", report.ending(), report.progress()).run_id("r-1");
        let record = record.journal_head(lock.journal_head());
        store.note_end(&record.between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)).unwrap();
        let journal = store.folder_of("r-1").unwrap().join("events.jsonl");
        let bytes = fs::read(&journal).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        Self { _folder: folder, store, journal, lines }
    }

    /// Writes these lines with numbers and checksums that fit, and compares them with the record.
    fn forged(&self, lines: &[Vec<u8>]) -> ChainState {
        let resealed: Vec<_> = (0..).zip(lines).map(|(number, line)| resealed(number, line)).collect();
        fs::write(&self.journal, resealed.concat()).unwrap();
        self.state(None)
    }

    fn state(&self, head: Option<&str>) -> ChainState {
        self.store.check_chain(&self.store.find("r-1").unwrap(), head).unwrap()
    }

    fn intact(&self) -> ChainState {
        ChainState::Intact { lines: self.lines.len() as u64, later: 0 }
    }
}

/// Returns a line with this number, and a checksum that fits, if it is still a line.
fn resealed(number: u64, line: &[u8]) -> Vec<u8> {
    let Ok(text) = str::from_utf8(line) else { return line.to_vec() };
    let Some((body, _)) = text.rsplit_once(",\"crc\":\"") else { return line.to_vec() };
    let body = match (body.find("\"seq\":"), body.find(",\"prev\"")) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}\"seq\":{number}{}", &body[..begin], &body[end..])
        }
        _ => body.to_owned(),
    };
    format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes())).into_bytes()
}

fn in_a_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(work)
}

fn is_broken(state: &ChainState) -> bool {
    matches!(state, ChainState::Broken { .. })
}

thread_local! {
    static RUN: StoredRun = StoredRun::new();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_byte_is_found(at in any::<prop::sample::Index>(), mask in 1..=255_u8, is_resealed: bool) {
        RUN.with(|run| {
            let mut bytes = run.lines.concat();
            let at = at.index(bytes.len());
            bytes[at] ^= mask;
            let state = if is_resealed {
                let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                // A forger who repairs the changed checksum, or the number, has changed nothing.
                let repaired: Vec<_> = (0..).zip(&lines).map(|(number, line)| resealed(number, line)).collect();
                prop_assume!(repaired.concat() != run.lines.concat());
                run.forged(&lines)
            } else {
                fs::write(&run.journal, &bytes).unwrap();
                run.state(None)
            };
            prop_assert!(is_broken(&state), "byte {at}: {state:?}");
            Ok(())
        })?;
    }

    #[test]
    fn a_removed_a_swapped_and_an_inserted_line_are_found(one in 0..12_usize, other in 0..12_usize) {
        RUN.with(|run| {
            let (one, other) = (one % run.lines.len(), other % run.lines.len());
            let mut removed = run.lines.clone();
            removed.remove(one);
            prop_assert!(is_broken(&run.forged(&removed)));
            let mut inserted = run.lines.clone();
            inserted.insert(one, run.lines[other].clone());
            prop_assert!(is_broken(&run.forged(&inserted)));
            if one != other {
                let mut swapped = run.lines.clone();
                swapped.swap(one, other);
                prop_assert!(is_broken(&run.forged(&swapped)));
            }
            prop_assert_eq!(run.forged(&run.lines), run.intact());
            Ok(())
        })?;
    }
}

#[test]
fn an_end_that_was_cut_off_is_found_wherever_the_cut_is() {
    let run = StoredRun::new();
    let bytes = run.lines.concat();
    for cut in 0..bytes.len() {
        fs::write(&run.journal, &bytes[..cut]).unwrap();
        assert!(is_broken(&run.state(None)), "cut at {cut}");
    }
    // The rest of a write that a crash interrupted is no change of what was recorded.
    fs::write(&run.journal, [&bytes[..], &run.lines[1][..40]].concat()).unwrap();
    assert_eq!(run.state(None), run.intact());
}

#[test]
fn another_manifest_is_found_and_so_is_a_journal_that_was_rewritten_from_its_beginning() {
    let run = StoredRun::new();
    let info = run.journal.with_file_name("run.json");
    let stored = fs::read_to_string(&info).unwrap();
    let forged = stored.split(",\"crc\"").next().unwrap().replace("goal: hello", "goal: other");
    fs::write(&info, loop_telemetry::checksum::seal(&format!("{forged}}}"))).unwrap();
    assert_eq!(run.store.info("r-1").unwrap().manifest.unwrap().text, "goal: other\n");
    assert!(matches!(run.state(None), ChainState::Broken { why } if why.contains("run.json")));
    fs::write(&info, stored).unwrap();

    let kept = LineDigest::of(run.lines.last().unwrap()).to_string();
    let mut before = LineDigest::of(&fs::read(&info).unwrap()).to_string();
    let forge = |(number, line): (u64, &Vec<u8>)| {
        let text = String::from_utf8(line.clone()).unwrap().replace("checked", "chucked");
        let begin = text.find("\"prev\":\"").unwrap() + 8;
        let text = format!("{}{before}{}", &text[..begin], &text[begin + 64..]);
        let line = resealed(number, text.as_bytes());
        before = LineDigest::of(&line).to_string();
        line
    };
    let forged: Vec<_> = (0..).zip(&run.lines).map(forge).collect();
    assert!(is_broken(&run.forged(&forged)), "the record has another head");
    // Somebody who can rewrite the record too is found by a head that was kept elsewhere.
    let record = Record::of("greet", &Ending::goal_met(""), &Progress::default()).run_id("r-1");
    let mut reader = JournalReader::open(run.journal.parent().unwrap()).unwrap();
    while reader.next_entry().unwrap().is_some() {}
    let record = record.journal_head(reader.head());
    run.store.note_end(&record.between(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)).unwrap();
    assert_eq!(run.state(None), run.intact());
    assert!(is_broken(&run.state(Some(&kept))));
}

#[test]
fn lines_behind_the_recorded_end_count_only_if_the_run_was_resumed() {
    let run = StoredRun::new();
    let mut record = run.store.find("r-1").unwrap().last_ending.unwrap();
    record.journal_head = Some(LineDigest::of(&run.lines[2]).to_string());
    run.store.note_end(&record).unwrap();
    assert!(matches!(run.state(None), ChainState::Broken { why } if why.contains("follow the end")));
    run.store.note_resumed("r-1", Timestamp::UNIX_EPOCH).unwrap();
    let lines = run.lines.len() as u64;
    assert_eq!(run.state(None), ChainState::Intact { lines, later: lines - 3 });
    // A run that ended has to have a head in its record.
    record.journal_head = None;
    run.store.note_end(&record).unwrap();
    assert!(is_broken(&run.state(None)));
}

#[test]
fn the_list_that_is_read_from_a_journal_has_its_head() {
    let run = StoredRun::new();
    let record = run.store.find("r-1").unwrap().last_ending.unwrap();
    fs::remove_file(run.store.path().join("index.jsonl")).unwrap();
    let store = RunStore::at(run.store.path(), |_| ());
    assert_eq!(store.find("r-1").unwrap().last_ending.unwrap().journal_head, record.journal_head);
    assert_eq!(record.journal_head, Some(LineDigest::of(run.lines.last().unwrap()).to_string()));
    assert_eq!(read(run.journal.parent().unwrap()).len(), run.lines.len());
}

#[test]
fn a_journal_of_an_earlier_version_is_called_not_chained() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs-v1");
    crate::first_format::copy_all(&fixture, folder.path());
    let store = RunStore::at(folder.path(), |warning| panic!("{warning}"));
    let state = store.check_chain(&store.find("second").unwrap(), None).unwrap();
    assert!(matches!(state, ChainState::NotChained { lines } if lines > 0), "{state:?}");
    // Nobody can call a chained journal an earlier one.
    let head = LineDigest::of(b"").to_string();
    assert!(is_broken(&store.check_chain(&store.find("second").unwrap(), Some(&head)).unwrap()));
}
