//! The stored data of a run: its journal, and the secrets that it must not contain.

use std::{
    collections::BTreeSet,
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
    fault_injection,
    view::{self, IterationTable},
};

/// The source and destination of a run's events. `O` is the output of an iteration.
#[derive(Debug)]
pub(crate) enum JournalSource<O> {
    /// A new run without storage; the lock tells other processes that it exists.
    Unstored(Option<RunLock>),
    /// A new run.
    New(FileJournal<O>),
    /// A resumed run.
    Resumed {
        journal: FileJournal<O>,
        /// The raised limits.
        grant: Option<Grant>,
        /// The iterations so far.
        table: Box<IterationTable>,
    },
}

impl<O: Serialize + DeserializeOwned + Send + Sync + 'static> JournalSource<O> {
    /// Attaches this past to the loop.
    pub(crate) fn attach_to<I, S>(self, composed: Loop<I, S, Bounded>) -> Loop<I, S, Bounded>
    where
        I: Iteration<Output = O>,
        S: LoopStep<Output = O> + 'static,
    {
        match self {
            Self::Unstored(_) => composed,
            Self::New(journal) => composed.journal(fault_injection::journal(journal)),
            Self::Resumed { journal, grant, .. } => {
                let composed = composed.resume_from(fault_injection::journal(journal));
                match grant {
                    None => composed,
                    Some(grant) => composed.grant(grant),
                }
            }
        }
    }

    /// Returns the run's lock. A process that wants to resume the run, or to begin another in its folder, waits until
    /// the end is noted.
    pub(crate) fn take_lock(&mut self) -> Option<RunLock> {
        match self {
            Self::Unstored(lock) => lock.take(),
            Self::New(journal) | Self::Resumed { journal, .. } => Some(journal.hold()),
        }
    }

    /// Returns the raised limits.
    pub(crate) fn grant(&self) -> Option<&Grant> {
        match self {
            Self::Unstored(_) | Self::New(_) => None,
            Self::Resumed { grant, .. } => grant.as_ref(),
        }
    }

    /// Returns the iterations so far.
    pub(crate) fn table(&mut self) -> IterationTable {
        match self {
            Self::Unstored(_) | Self::New(_) => IterationTable::default(),
            Self::Resumed { table, .. } => std::mem::take(&mut **table).continued(),
        }
    }
}

/// Returns a redactor for every secret that a run's agent could print: values of variables that look like secrets,
/// whether or not the agent sees them, and any text shaped like a key. `named` are the manifest's own values, and `env`
/// is our own environment.
pub(crate) fn redactor<'a>(
    named: impl IntoIterator<Item = (&'a str, &'a str)>,
    env: &'a [(OsString, OsString)],
) -> Redactor {
    let users = env.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let named = named.into_iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
    secrets(users.chain(named))
}

/// Returns a redactor for the secrets among these variables, those in addresses in them and in the
/// [settings](settings()), and any text shaped like a key.
pub(crate) fn secrets<'a>(variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) -> Redactor {
    let mut secrets = OF_SETTINGS.read().unwrap_or_else(PoisonError::into_inner).clone();
    secrets.extend(secrets_in(variables));
    Redactor::new(secrets).shapes()
}

/// Returns the secrets among values with names.
pub(crate) fn named_secrets<'a>(named: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeSet<Vec<u8>> {
    secrets_in(named.into_iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))))
}

fn in_addresses(text: &str) -> impl Iterator<Item = Vec<u8>> {
    secrets_in_addresses(text).into_iter().map(|secret| secret.as_bytes().to_vec())
}

/// The secrets in addresses of the settings.
static OF_SETTINGS: RwLock<BTreeSet<Vec<u8>>> = RwLock::new(BTreeSet::new());

/// Loads the settings for this folder. From now on, secrets in their addresses are neither shown nor recorded. Settings
/// may be loaded after other secrets are known.
///
/// # Errors
/// Returns all errors in the first invalid file.
pub(crate) fn settings(
    dir: &Path,
    lookup: impl FnMut(&str) -> Option<OsString>,
) -> Result<Settings, Diagnostics> {
    // Other errors include these findings, and a rendering of them must not cut a secret.
    let settings = Settings::load(dir, lookup).map_err(|findings| findings.redacted(&view::secrets()))?;
    let mut known = OF_SETTINGS.write().unwrap_or_else(PoisonError::into_inner);
    let secrets: BTreeSet<_> = settings.addresses().flat_map(in_addresses).collect();
    let new: Vec<_> = secrets.difference(&known).cloned().collect();
    known.extend(secrets);
    drop(known);
    if !new.is_empty() {
        view::redact_also(new);
    }
    Ok(settings)
}

/// Returns the error for a run that ended although its journal could not record the end.
pub(crate) fn incomplete(why: &str) -> anyhow::Error {
    anyhow!("the run's journal lacks its end, so `loop resume` would repeat the missing part: {why}")
}
