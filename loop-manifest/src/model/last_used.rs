//! Remembers which model was last used in a folder.

use std::{
    ffi::OsString,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use loop_telemetry::{Cache, StateDir};
use serde::{Deserialize, Serialize};

use super::Model;
use crate::context::ExecutionContext;

#[derive(Serialize, Deserialize, PartialEq)]
struct Entry {
    folder: String,
    model: String,
}

impl Model {
    /// Remembers that this model was used in the folder. If there is no place for it, or if the name of the folder or of
    /// the model contains a secret, this does nothing. Warns about a damaged file, and replaces it.
    pub fn remember(&self, cx: &ExecutionContext) {
        let Some(cache) = cache(cx.variables()) else { return };
        let entry = Entry { folder: cx.folder().display().to_string(), model: self.asked().to_owned() };
        let last = stored(&cache, &entry.folder);
        if matches!(&last, Some(Ok(last)) if *last == entry) {
            return;
        }
        let redact = cx.redaction();
        if [&entry.folder, &entry.model].into_iter().any(|text| redact(text) != *text) {
            return;
        }
        if let Some(Err(error)) = last {
            cx.warn(&format!(
                "the file with the model that was last used in this folder was damaged: {error}"
            ));
        }
        let text = serde_json::to_vec(&entry).unwrap_or_default();
        let _ = cache.write(&id(&entry.folder), &text);
    }
}

/// Returns the name of the model that was last used in this folder.
pub(super) fn in_folder(folder: &Path, variables: &[(OsString, OsString)]) -> Option<String> {
    let folder = folder.display().to_string();
    let entry = stored(&cache(variables)?, &folder)?.ok()?;
    (entry.folder == folder).then_some(entry.model)
}

fn stored(cache: &Cache, folder: &str) -> Option<serde_json::Result<Entry>> {
    cache.read(&id(folder)).map(|text| serde_json::from_slice(&text))
}

fn cache(variables: &[(OsString, OsString)]) -> Option<Cache> {
    let lookup = |name: &str| variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    Some(Cache::at(StateDir::from_env_with(lookup).ok()?.models().ok()?))
}

fn id(folder: &str) -> String {
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    format!("last-{:016x}", hasher.finish())
}
