//! Runs and sessions as texts that a model can mine.

use std::{collections::BTreeMap, env, fmt::Write as _, path::Path, sync::Arc};

use jiff::Timestamp;
use loop_agents::output::excerpt;
use loop_core::{EventKind, Progress};
use loop_knowledge::{
    BoxError,
    memory::mining::{MinedText, MiningText, SPEAKERS},
};
use loop_manifest::StoredAgentOutput;
use loop_session::{
    knowledge::{MiningChoice, MiningRecord},
    stored_sessions::{self, TextFormat},
};
use loop_telemetry::{
    RunEntry, RunStore, StateDir,
    transcript::{SessionEntry, SessionStore, UnreadableSession},
};

use super::super::{
    Failure, report,
    run_lifecycle::stored_runs::{decode, read_all, store},
};

/// The largest transcript that is read, in bytes. Only the end of a long text is mined anyway.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes of one output of an agent in the text of a run.
const OUTPUT_BYTES: usize = 4 << 10;

/// A run or a session, not read yet.
enum Record {
    Run(Box<RunEntry>),
    Session(Box<SessionEntry>),
}

impl Record {
    fn key(&self) -> String {
        match self {
            Self::Run(run) => format!("run {}", run.id),
            Self::Session(session) => format!("session {}", session.info.id),
        }
    }

    /// Returns when it was written last.
    fn time(&self) -> Timestamp {
        match self {
            Self::Run(run) => run.last_ending.as_ref().map_or(run.started_at, |ending| ending.ended_at),
            Self::Session(session) => session.last_used,
        }
    }

    /// Returns a text that differs after each change of its file.
    fn digest(&self) -> String {
        match self {
            Self::Run(run) => {
                let iterations = run.last_ending.as_ref().map_or(0, |ending| ending.iterations);
                format!("{} {iterations}", self.time())
            }
            Self::Session(session) => format!("{} {}", self.time(), session.bytes),
        }
    }
}

/// Returns the records of a folder that a session mines.
pub(crate) fn to_mine(
    folder: &Path,
    choice: &MiningChoice,
    mined: &BTreeMap<String, MinedText>,
) -> Result<Vec<MiningRecord>, BoxError> {
    Ok(Records::open()?.unmined(choice, folder, mined)?)
}

/// The stored runs and sessions of a folder.
pub(super) struct Records {
    runs: RunStore,
    sessions: SessionStore,
}

impl Records {
    pub(super) fn open() -> Result<Self, Failure> {
        let state = StateDir::from_env_with(|name| env::var_os(name))?;
        Ok(Self { runs: store()?, sessions: SessionStore::at(state.sessions()?) })
    }

    /// Returns the runs and sessions of a folder that were not mined since they changed, the newest first, or the named
    /// one. They are read one by one.
    pub(super) fn unmined(
        self,
        choice: &MiningChoice,
        folder: &Path,
        mined: &BTreeMap<String, MinedText>,
    ) -> Result<Vec<MiningRecord>, Failure> {
        let mut unreadable = Vec::new();
        let mut records = match choice {
            MiningChoice::Run(run) => vec![Record::Run(Box::new(self.runs.find(run)?))],
            MiningChoice::Session(session) => vec![Record::Session(Box::new(self.sessions.find(session)?))],
            MiningChoice::Changed => {
                let (mut records, found) = self.of_folder(folder)?;
                unreadable = found;
                records.retain(|record| {
                    mined.get(&record.key()).is_none_or(|mined| mined.digest != record.digest())
                });
                records
            }
        };
        records.sort_by_key(|record| std::cmp::Reverse(record.time()));
        let stores = Arc::new(self);
        let unmined = records.into_iter().map(|record| {
            let (key, stores) = (record.key(), Arc::clone(&stores));
            let read = move || {
                let (key, time, digest) = (record.key(), record.time(), record.digest());
                Ok(MiningText { key, time, digest, text: stores.text(&record)? })
            };
            MiningRecord { key, read: Box::new(read) }
        });
        let unreadable = unreadable.into_iter().map(|session| MiningRecord {
            key: format!("session {}", session.id),
            read: Box::new(move || Err(session.why.into())),
        });
        Ok(unreadable.chain(unmined).collect())
    }

    /// Returns the ended runs and the sessions of a folder, and the sessions that cannot be read.
    fn of_folder(&self, folder: &Path) -> Result<(Vec<Record>, Vec<UnreadableSession>), Failure> {
        let runs = self.runs.list()?.into_iter().filter(|run| run.works_in(folder) && !run.is_open);
        let is_here = |session: &SessionEntry| session.info.works_in(folder) && session.bytes <= MOST_BYTES;
        let (sessions, unreadable) = self.sessions.list_from(folder)?;
        let sessions = sessions.into_iter().filter(is_here).map(|session| Record::Session(Box::new(session)));
        let runs = runs.map(|run| Record::Run(Box::new(run)));
        Ok((runs.chain(sessions).collect(), unreadable))
    }

    fn text(&self, record: &Record) -> Result<String, Failure> {
        match record {
            Record::Run(run) => text_of_run(&self.runs, run),
            Record::Session(session) => {
                Ok(stored_sessions::text(&self.sessions, &session.info.id, TextFormat::Markdown)?)
            }
        }
    }
}

/// Returns the goal of a run, what the agent and the check said in each iteration, and how the run ended.
fn text_of_run(store: &RunStore, run: &RunEntry) -> Result<String, Failure> {
    let manifest = store.info(&run.id)?.manifest;
    let goal = manifest.as_ref().and_then(|manifest| report::goal(manifest, None, &run.folder));
    let [agent, check] = SPEAKERS;
    let mut text = format!("# Run {} of {}\n\nGoal: {}\n", run.id, run.name, goal.unwrap_or_default().trim());
    let progress = read_all(store, run, |line, progress| {
        // Writing to a string does not fail.
        if let EventKind::IterationStarted { iteration, .. } = &line.event.kind {
            let _ = writeln!(text, "\n## Iteration {iteration}");
        }
        if let Some(output) = line.output.as_ref().map(decode).transpose()? {
            let _ = writeln!(text, "\n{agent}\n{}", words(&output).trim_end());
        }
        if let EventKind::EvaluationFinished { .. } = &line.event.kind {
            let _ = writeln!(text, "\n{check}\n{}", last_verdict(progress).trim_end());
        }
        Ok(())
    })?;
    if let Some(ending) = progress.ending() {
        let _ = writeln!(text, "\n## End\n\n{ending}");
    }
    Ok(text)
}

/// Returns what the agent said.
fn words(output: &StoredAgentOutput) -> String {
    match output {
        StoredAgentOutput::Shell(output) => output.said().excerpt(OUTPUT_BYTES),
        other => excerpt(other.words().unwrap_or_default().as_bytes(), OUTPUT_BYTES),
    }
}

/// Returns the text and the advice of the last verdict of a run.
pub(super) fn last_verdict(progress: &Progress) -> String {
    // The step that an agent works on has no verdict yet.
    let mut steps = [progress.current_step(), progress.last_step()].into_iter().flatten();
    let Some(verdict) = steps.find_map(|step| step.verdict()) else { return String::new() };
    format!("{}\n{}", verdict.text(), verdict.feedback().unwrap_or_default()).trim_end().to_owned()
}
