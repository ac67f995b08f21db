//! What is kept of a run, and what is not: its journal, and the secrets that must not be in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    path::Path,
    sync::{PoisonError, RwLock},
};

use anyhow::anyhow;
use loop_core::{Bounded, Grant, Iteration, Loop, LoopStep};
use loop_manifest::{Diagnostics, secrets_in, settings::Settings};
use loop_telemetry::{FileJournal, Redactor, RunLock, secrets_in_addresses};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    faults,
    view::{self, Table},
};

/// Where the events of a run, whose iterations produce an `O`, come from and go to.
#[derive(Debug)]
pub(crate) enum Past<O> {
    /// A new run of which nothing is kept, and what tells others that it is there.
    Unkept(Option<RunLock>),
    /// A new run.
    New(FileJournal<O>),
    /// A run that goes on.
    Resumed {
        journal: FileJournal<O>,
        /// What is added to it.
        grant: Option<Grant>,
        /// Its iterations so far.
        table: Box<Table>,
    },
}

impl<O: Serialize + DeserializeOwned + Send + Sync + 'static> Past<O> {
    /// The loop with this past.
    pub(crate) fn give_to<I, S>(self, composed: Loop<I, S, Bounded>) -> Loop<I, S, Bounded>
    where
        I: Iteration<Output = O>,
        S: LoopStep<Output = O> + 'static,
    {
        match self {
            Self::Unkept(_) => composed,
            Self::New(journal) => composed.journal(faults::journal(journal)),
            Self::Resumed { journal, grant, .. } => {
                let composed = composed.resume_from(faults::journal(journal));
                match grant {
                    None => composed,
                    Some(grant) => composed.grant(grant),
                }
            }
        }
    }

    /// The run's lock: whoever takes the run up next, or begins another in its folder, waits until its end is noted.
    pub(crate) fn hold(&mut self) -> Option<RunLock> {
        match self {
            Self::Unkept(lock) => lock.take(),
            Self::New(journal) | Self::Resumed { journal, .. } => Some(journal.hold()),
        }
    }

    /// What is added to it.
    pub(crate) fn grant(&self) -> Option<&Grant> {
        match self {
            Self::Unkept(_) | Self::New(_) => None,
            Self::Resumed { grant, .. } => grant.as_ref(),
        }
    }

    /// The iterations so far.
    pub(crate) fn table(&mut self) -> Table {
        match self {
            Self::Unkept(_) | Self::New(_) => Table::default(),
            Self::Resumed { table, .. } => std::mem::take(&mut **table),
        }
    }
}

/// Knows the secrets that a run's agent could print: the values of variables that look like secrets, whether
/// it sees them or finds them somewhere else, and whatever has the shape of a key. `set` are those that were set
/// for it, and `env` is our own environment.
pub(crate) fn redactor(set: &BTreeMap<String, String>, env: &[(OsString, OsString)]) -> Redactor {
    let users = env.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let set = set.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    secrets(users.chain(set))
}

/// Knows the secrets among these variables, those in addresses in them and in the [settings](settings()), and
/// whatever has the shape of a key.
pub(crate) fn secrets<'a>(variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) -> Redactor {
    let mut secrets = OF_SETTINGS.read().unwrap_or_else(PoisonError::into_inner).clone();
    secrets.extend(secrets_in(variables));
    Redactor::new(secrets).shapes()
}

fn in_addresses(text: &str) -> impl Iterator<Item = Vec<u8>> {
    secrets_in_addresses(text).into_iter().map(|secret| secret.as_bytes().to_vec())
}

/// The secrets in addresses of settings.
static OF_SETTINGS: RwLock<BTreeSet<Vec<u8>>> = RwLock::new(BTreeSet::new());

/// The settings that hold in this folder. Secrets in the addresses that they name are neither shown nor recorded from
/// now on: settings may be read after other secrets are known.
///
/// # Errors
/// All that is wrong with the first file that is wrong.
pub(crate) fn settings(
    dir: &Path,
    lookup: impl FnMut(&str) -> Option<OsString>,
) -> Result<Settings, Diagnostics> {
    let settings = Settings::load(dir, lookup)?;
    let mut known = OF_SETTINGS.write().unwrap_or_else(PoisonError::into_inner);
    let secrets: BTreeSet<_> = settings.addresses().flat_map(in_addresses).collect();
    let new: Vec<_> = secrets.difference(&known).cloned().collect();
    known.extend(secrets);
    drop(known);
    if !new.is_empty() {
        view::learn(new);
    }
    Ok(settings)
}

/// A run's journal could not be written to its end, although the run did end.
pub(crate) fn incomplete(why: &str) -> anyhow::Error {
    anyhow!("the run's journal lacks its end, so `loop resume` would do again what is not in it: {why}")
}
