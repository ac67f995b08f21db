//! The files in the state directory, read as the other commands read them.

use std::{
    fs::File,
    io::{BufRead, BufReader, ErrorKind},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use loop_agents::chat::Message;
use loop_core::with_causes;
use loop_knowledge::KnowledgeFolder;
use loop_schedule::FileStore;
use loop_snapshots::Store;
use loop_telemetry::{Record, RunStore, StateDir, StateDirError, transcript::SessionStore, words};

use super::{Finding, Health, Repair, folders_in};
use crate::{agreed_scripts, fires::FireHistory};

/// The results for one kind of file: how many were read, and the problems of the others.
#[derive(Debug, Default)]
struct Results {
    read: u64,
    problems: Vec<Finding>,
}

impl Results {
    fn add(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.read += 1,
            Err(why) => self.problem(name, why),
        }
    }

    fn problem(&mut self, name: &str, why: String) {
        self.problems.push(Finding::new("state", name, Health::Bad, why));
    }

    fn findings(self, name: &str, kind: &str) -> Vec<Finding> {
        let says = format!("{} can be read", words::count(self.read, kind));
        let good = Finding::new("state", name, Health::Good, says);
        [good].into_iter().chain(self.problems).collect()
    }
}

pub(super) fn findings(state: &StateDir) -> Vec<Finding> {
    let folder = private(state.path());
    let of = |name: &str, kind: &str, results: Result<Results, StateDirError>| match results {
        Ok(results) => results.findings(name, kind),
        Err(error) => vec![Finding::new("state", name, Health::Bad, with_causes(&error))],
    };
    let mut findings = vec![folder];
    findings.extend(records(&state.telemetry()).findings("records", "record"));
    findings.extend(of("runs", "run", state.runs().map(runs)));
    findings.extend(of("sessions", "session", state.sessions().map(sessions)));
    findings.extend(of("schedules", "schedule", state.schedules().map(|folder| schedules(&folder))));
    findings.extend(of("skills", "script list", state.skills().map(|folder| skills(&folder))));
    findings.extend(of("knowledge", "database", state.knowledge().map(|folder| knowledge(&folder))));
    findings.extend(of("snapshots", "snapshot", state.snapshots().map(|folder| snapshots(&folder))));
    findings
}

/// Examines who may use the folder. One that does not exist yet is created with the right mode.
fn private(folder: &Path) -> Finding {
    let finding =
        |health, says: &str| Finding::new("state", "folder", health, format!("{}{says}", folder.display()));
    let open = |health, what: &str| {
        let says = format!(": other users can {what}: `loop doctor --fix` takes their rights");
        Finding { repair: Some(Repair::CloseFolder(folder.to_owned())), ..finding(health, &says) }
    };
    match folder.metadata().map(|found| found.permissions().mode()) {
        Ok(mode) if mode & 0o022 != 0 => open(Health::Bad, "change what is stored there"),
        Ok(mode) if mode & 0o077 != 0 => open(Health::Missing, "see names in it"),
        Err(error) if error.kind() != ErrorKind::NotFound => finding(Health::Bad, &format!(": {error}")),
        _ => finding(Health::Good, ""),
    }
}

/// Reads each line of the file with the records of ended runs.
fn records(file: &Path) -> Results {
    let mut results = Results::default();
    let lines = match File::open(file) {
        Ok(opened) => BufReader::new(opened).split(b'\n'),
        Err(error) if error.kind() == ErrorKind::NotFound => return results,
        Err(error) => {
            results.problem("records", format!("cannot read {}: {error}", file.display()));
            return results;
        }
    };
    for (index, line) in lines.enumerate() {
        let read = line.map_err(|error| error.to_string()).and_then(|line| {
            serde_json::from_slice::<Record>(&line).map(drop).map_err(|error| error.to_string())
        });
        let at = |why| format!("line {} of {} is no record: {why}", index + 1, file.display());
        results.add("records", read.map_err(at));
    }
    results
}

/// Returns whether runs are stored, and their index is not.
fn lacks_index(folder: &Path) -> bool {
    let is_missing = !folder.join("index.jsonl").exists();
    is_missing && folders_in(folder).is_ok_and(|runs| !runs.is_empty())
}

/// Reads the index, and each journal to its end.
fn runs(folder: PathBuf) -> Results {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let store = RunStore::at(folder, move |warning| {
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(warning.to_string());
    });
    let mut results = Results::default();
    if lacks_index(store.path()) {
        let says =
            "index.jsonl is missing: `loop runs` reads each journal until the next run writes it again";
        results.problem("runs", says.to_owned());
    }
    match store.list() {
        Ok(runs) => {
            for run in runs {
                let name = format!("run {}", run.id);
                results.add(&name, journal(&store, &run.id));
            }
        }
        Err(error) => results.problem("runs", with_causes(&error)),
    }
    let warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
    warnings.iter().for_each(|warning| results.problem("runs", warning.clone()));
    results
}

fn journal(store: &RunStore, id: &str) -> Result<(), String> {
    store.info(id).map_err(|error| with_causes(&error))?;
    let mut journal = store.journal(id).map_err(|error| with_causes(&error))?;
    while journal.next_entry().map_err(|error| with_causes(&error))?.is_some() {}
    Ok(())
}

fn sessions(folder: PathBuf) -> Results {
    let store = SessionStore::at(folder);
    let mut results = Results::default();
    match store.list_from("") {
        Ok((sessions, unreadable)) => {
            for session in unreadable {
                results.problem(&format!("session {}", session.id), with_causes(&session.why));
            }
            for session in sessions {
                let id = session.info.id;
                let entries = store.entries::<Message>(&id);
                results.add(&format!("session {id}"), entries.map(drop).map_err(|error| with_causes(&error)));
            }
        }
        Err(error) => results.problem("sessions", with_causes(&error)),
    }
    results
}

fn schedules(folder: &Path) -> Results {
    each_folder(folder, "schedules", |results, folder| {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut warnings = Vec::new();
        let jobs = FileStore::at(&folder).read().map_err(|error| with_causes(&error));
        let jobs = jobs.map(|jobs| drop(jobs.report(|warning| warnings.push(warning.to_string()))));
        let fires = FireHistory::in_folder(&folder).read().map_err(|error| with_causes(&error));
        let fires = fires.map(|fires| drop(fires.report(|warning| warnings.push(warning))));
        let errors: Vec<_> = jobs.err().into_iter().chain(fires.err()).collect();
        results.read += u64::from(errors.is_empty());
        errors.into_iter().chain(warnings).for_each(|why| results.problem(&name, why));
    })
}

/// Reads the scripts to which the user agreed, by folder.
fn skills(folder: &Path) -> Results {
    let mut results = Results::default();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == ErrorKind::NotFound => return results,
        entries => entries.and_then(Iterator::collect::<Result<Vec<_>, _>>),
    };
    match entries {
        Ok(entries) => {
            let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
            paths.sort();
            for path in paths {
                results.add("skills", agreed_scripts::check(&path).map_err(|error| with_causes(&error)));
            }
        }
        Err(error) => results.problem("skills", format!("cannot read {}: {error}", folder.display())),
    }
    results
}

/// Reads all contents of all snapshots.
fn snapshots(folder: &Path) -> Results {
    each_folder(folder, "snapshots", |results, store| match Store::check(&store) {
        Ok(snapshots) => results.read += snapshots,
        Err(error @ loop_snapshots::Error::Damaged { .. }) => {
            let says = format!("{}; `loop doctor --fix` deletes them", with_causes(&error));
            let finding = Finding::new("state", "snapshots", Health::Bad, says);
            results.problems.push(Finding { repair: Some(Repair::DeleteSnapshots(store)), ..finding });
        }
        Err(error) => results.problem("snapshots", with_causes(&error)),
    })
}

/// Reads each database to its end.
fn knowledge(folder: &Path) -> Results {
    each_folder(folder, "knowledge", |results, folder| {
        for checked in KnowledgeFolder::at(folder).check() {
            results.add("knowledge", checked.map(drop).map_err(|error| with_causes(&error)));
        }
    })
}

/// Examines each folder in a folder with files of this name.
fn each_folder(folder: &Path, name: &str, mut examine: impl FnMut(&mut Results, PathBuf)) -> Results {
    let mut results = Results::default();
    match folders_in(folder) {
        Ok(folders) => folders.into_iter().for_each(|folder| examine(&mut results, folder)),
        Err(error) => results.problem(name, error.to_string()),
    }
    results
}
