//! Stored runs, and the choice of one.

use std::{env, path::Path};

use loop_core::{Progress, with_causes};
use loop_telemetry::rows::{IterationRow, RowFold};
pub(crate) use loop_telemetry::short_ids;
use loop_telemetry::{JournalEntry, JournalReader, RunEntry, RunStore, StateDir, StoredOutput};
use serde::de::DeserializeOwned;

use crate::command::{Failure, environment, usage};
use crate::view::{self, text};
use loop_manifest::StoredAgentOutput;

/// Opens the run store in the user's state directory.
pub(crate) fn store() -> Result<RunStore, Failure> {
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    Ok(RunStore::at(state.runs()?, |warning| view::warning(&warning.to_string())))
}

/// Returns whether a run works in this folder.
pub(crate) fn is_in(entry: &RunEntry, folder: &Path) -> bool {
    entry.works_in(folder)
}

/// Returns the named run, or the last one that began in this folder.
pub(crate) fn choose_run(store: &RunStore, named: Option<&str>) -> Result<RunEntry, Failure> {
    if let Some(id) = named {
        return Ok(store.find(id)?);
    }
    let here = environment::dir(None)?;
    let last = store.list()?.into_iter().rev().find(|entry| is_in(entry, &here));
    last.ok_or_else(|| {
        usage!("there are no stored runs of this folder\n  `loop runs --all` lists those of other folders")
    })
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunState {
    /// A process works on the run.
    Running,
    /// The process died before the run ended.
    Unfinished,
    /// The run ended.
    Ended,
}

impl RunState {
    /// Determines the state from the kernel's locks and the index.
    pub(crate) fn of(store: &RunStore, entry: &RunEntry) -> Result<Self, Failure> {
        Ok(match entry.is_open {
            true if store.is_alive(&entry.id)? => Self::Running,
            true => Self::Unfinished,
            false => Self::Ended,
        })
    }

    /// Returns one word for the state, or for the ending.
    pub(crate) fn word(self, entry: &RunEntry) -> &str {
        match self {
            Self::Running => "running",
            Self::Unfinished => "unfinished",
            Self::Ended => entry.last_ending.as_ref().map_or("ended", |record| record.ending_name()),
        }
    }
}

/// Returns the shortest prefix that names this run.
pub(crate) fn short_id(store: &RunStore, id: &str) -> Result<String, Failure> {
    let all = store.list()?;
    let short = short_ids(all.iter().map(|entry| entry.id.as_str()));
    Ok(short.get(id).copied().unwrap_or(id).to_owned())
}

/// Returns the journal of a run. It must have events if the list of runs knows of any progress.
pub(crate) fn journal(store: &RunStore, entry: &RunEntry) -> Result<JournalReader, Failure> {
    let did_something = entry.last_ending.as_ref().is_some_and(|record| record.iterations > 0);
    Ok(store.journal(&entry.id)?.expect_events(did_something))
}

/// Reads a journal from its current position to its end. `each` receives every entry, with the run's progress after it.
pub(crate) fn read_on(
    journal: &mut JournalReader,
    progress: &mut Progress,
    mut each: impl FnMut(&JournalEntry<'_>, &Progress) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(entry) = journal.next_entry()? {
        progress.apply(&entry.event).map_err(|error| Failure::Unreadable(error.to_string()))?;
        each(&entry, progress)?;
    }
    Ok(())
}

/// Reads the whole journal of a run, and warns if its end is damaged. Returns the run's progress at the end.
pub(crate) fn read_all(
    store: &RunStore,
    entry: &RunEntry,
    each: impl FnMut(&JournalEntry<'_>, &Progress) -> Result<(), Failure>,
) -> Result<Progress, Failure> {
    let (mut journal, mut progress) = (journal(store, entry)?, Progress::default());
    read_on(&mut journal, &mut progress, each)?;
    warn_about_end(&journal, entry, &progress);
    Ok(progress)
}

/// Returns the rows of all iterations of a run.
pub(crate) fn all_rows(store: &RunStore, id: &str) -> Result<Vec<IterationRow>, Failure> {
    let (mut fold, mut rows) = (RowFold::default(), Vec::new());
    read_on(&mut store.journal(id)?, &mut Progress::default(), |line, _| {
        rows.extend(fold.on_event(&line.event));
        Ok(())
    })?;
    Ok(rows)
}

/// The warning about a journal without the end of a run that has ended.
pub(crate) const JOURNAL_WAS_CUT: &str = "the run's journal was cut: it lacks the end of the run, which `loop runs` lists; restore the file \
     from a backup";

/// Warns about the journal of a run that has ended: if it lacks the end, which the list of runs knows, or if anything
/// follows the last whole line.
fn warn_about_end(journal: &JournalReader, entry: &RunEntry, progress: &Progress) {
    if let Some(bytes) = journal.torn_bytes().filter(|_| !entry.is_open) {
        let torn = text::count(bytes, "byte");
        view::warning(&format!(
            "the run's journal ends in {torn} that are not a whole line, and are not shown; `loop resume` cuts them off"
        ));
    }
    if !entry.is_open && entry.last_ending.is_some() && progress.ending().is_none() {
        view::warning(JOURNAL_WAS_CUT);
    }
}

/// Decodes the agent's output.
pub(crate) fn decode(output: &StoredOutput<'_>) -> Result<StoredAgentOutput, Failure> {
    StoredAgentOutput::of(&output.json()?).map_err(|why| Failure::Unreadable(with_causes(&why)))
}

/// Decodes the agent's output for a display of its size only. Unreadable output is skipped, so that the rest still
/// appears.
pub(crate) fn glance(output: &StoredOutput<'_>) -> Option<StoredAgentOutput> {
    decode(output).ok()
}

/// Decodes the agent's output, if its kind is known.
pub(crate) fn decode_as<O: DeserializeOwned>(output: &StoredOutput<'_>) -> Result<O, Failure> {
    serde_json::from_str(&output.json()?).map_err(|error| Failure::Unreadable(error.to_string()))
}
