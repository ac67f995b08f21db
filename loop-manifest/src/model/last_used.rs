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

#[derive(Serialize, Deserialize)]
struct Entry {
    folder: String,
    model: String,
}

impl Model {
    /// Remembers that this model was used in the folder. If there is no place for it, this does nothing.
    pub fn remember(&self, cx: &ExecutionContext) {
        let Some(cache) = cache(cx.variables()) else { return };
        let folder = cx.folder().display().to_string();
        if in_folder(cx.folder(), cx.variables()).as_deref() == Some(self.asked()) {
            return;
        }
        let entry = Entry { folder, model: self.asked().to_owned() };
        let text = serde_json::to_vec(&entry).unwrap_or_default();
        let _ = cache.write(&id(&entry.folder), &text);
    }
}

/// Returns the name of the model that was last used in this folder.
pub(super) fn in_folder(folder: &Path, variables: &[(OsString, OsString)]) -> Option<String> {
    let folder = folder.display().to_string();
    let entry: Entry = serde_json::from_slice(&cache(variables)?.read(&id(&folder))?).ok()?;
    (entry.folder == folder).then_some(entry.model)
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
