//! The runs that are kept, and which of them is meant.

use std::{collections::HashMap, env, path::Path};

use loop_core::Progress;
use loop_telemetry::{Entry, JournalReader, KeptOutput, RunEntry, RunStore, StateDir};
use serde::de::DeserializeOwned;

use super::{Failure, setting, usage};
use crate::view::{self, Left};

/// The runs of the user's state directory.
pub(super) fn store() -> Result<RunStore, Failure> {
    let state = StateDir::from_env_with(|name| env::var_os(name))?;
    Ok(RunStore::at(state.runs(), |warning| view::warning(&warning.to_string())))
}

/// Whether a run works in this folder.
pub(super) fn is_in(entry: &RunEntry, folder: &Path) -> bool {
    entry.works_in(folder)
}

/// The run that is named so, or the last one that began in this folder.
pub(super) fn meant(store: &RunStore, named: Option<&str>) -> Result<RunEntry, Failure> {
    if let Some(id) = named {
        return Ok(store.find(id)?);
    }
    let here = setting::dir(None)?;
    let last = store.list()?.into_iter().rev().find(|entry| is_in(entry, &here));
    last.ok_or_else(|| {
        usage!("no run that is kept began in this folder\n  `loop runs --all` lists those of other folders")
    })
}

/// What has become of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// A process works on it.
    Running,
    /// Its process died before it ended.
    Unfinished,
    /// It ended.
    Ended,
}

impl State {
    /// What the kernel and the index say of it.
    pub(super) fn of(store: &RunStore, entry: &RunEntry) -> Result<Self, Failure> {
        Ok(match entry.is_open {
            true if store.is_alive(&entry.id)? => Self::Running,
            true => Self::Unfinished,
            false => Self::Ended,
        })
    }

    /// In a word: how it ended, if it did.
    pub(super) fn word(self, entry: &RunEntry) -> &str {
        match self {
            Self::Running => "running",
            Self::Unfinished => "unfinished",
            Self::Ended => entry.last_ending.as_ref().map_or("ended", |record| record.ending_name()),
        }
    }
}

/// So much of an id is shown at least: ids begin with the time, and these are about a minute of it.
const LEAST: usize = 8;

/// How much of each id is enough to name its run.
pub(super) fn short_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> HashMap<&'a str, &'a str> {
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_unstable();
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // What an id shares with any other it shares with one of its neighbours.
    let before = ids.iter().enumerate().map(|(at, id)| if at == 0 { 0 } else { shared(ids[at - 1], id) });
    let after = ids.iter().enumerate().map(|(at, id)| ids.get(at + 1).map_or(0, |next| shared(id, next)));
    let lengths = before.zip(after).map(|(before, after)| (before.max(after) + 1).max(LEAST));
    // Ids are ASCII; one that another begins with is whole.
    ids.iter().zip(lengths).map(|(id, length)| (*id, id.get(..length).unwrap_or(id))).collect()
}

/// How much of this run's id is enough to name it.
pub(super) fn short_id(store: &RunStore, id: &str) -> Result<String, Failure> {
    let all = store.list()?;
    let short = short_ids(all.iter().map(|entry| entry.id.as_str()));
    Ok(short.get(id).copied().unwrap_or(id).to_owned())
}

/// The journal of a run, which has events if the list of runs knows that it did something.
pub(super) fn journal(store: &RunStore, entry: &RunEntry) -> Result<JournalReader, Failure> {
    let did_something = entry.last_ending.as_ref().is_some_and(|record| record.iterations > 0);
    Ok(store.journal(&entry.id)?.expect_events(did_something))
}

/// Reads a journal on to its present end. `each` sees every entry, with the run's progress after it.
pub(super) fn read_on(
    journal: &mut JournalReader,
    progress: &mut Progress,
    mut each: impl FnMut(&Entry<'_>, &Progress) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(entry) = journal.next_entry()? {
        progress.apply(&entry.event).map_err(|error| Failure::Unreadable(error.to_string()))?;
        each(&entry, progress)?;
    }
    Ok(())
}

/// Warns if a journal was cut: it lacks the end of the run, which the list of runs knows.
pub(super) fn warn_if_cut(entry: &RunEntry, progress: &Progress) {
    if !entry.is_open && entry.last_ending.is_some() && progress.ending().is_none() {
        view::warning(
            "the run's journal was cut: it lacks the end of the run, which `loop runs` lists; take the file from a backup",
        );
    }
}

/// What the agent left behind.
pub(super) fn decode(output: &KeptOutput<'_>) -> Result<Left, Failure> {
    Left::of(&output.json()?).map_err(|why| Failure::Unreadable(why.to_string()))
}

/// The same, for who wants to know no more of it than its size: what cannot be read is not shown, and keeps nobody
/// from the rest.
pub(super) fn glance(output: &KeptOutput<'_>) -> Option<Left> {
    decode(output).ok()
}

/// What the agent left behind, if its kind is known.
pub(super) fn decode_as<O: DeserializeOwned>(output: &KeptOutput<'_>) -> Result<O, Failure> {
    serde_json::from_str(&output.json()?).map_err(|error| Failure::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_short_id_names_its_run_and_no_other(ids in prop::collection::btree_set("[ab]{1,12}", 1..20)) {
            // Ids are as long as each other, so none begins with another.
            let ids: BTreeSet<_> = ids.iter().map(|id| format!("{id:-<12}")).collect();
            let short = short_ids(ids.iter().map(String::as_str));
            for id in &ids {
                let short = short[id.as_str()];
                prop_assert!(short.len() >= LEAST);
                let named: Vec<_> = ids.iter().filter(|id| id.starts_with(short)).collect();
                prop_assert_eq!(named, [id]);
            }
        }
    }
}
