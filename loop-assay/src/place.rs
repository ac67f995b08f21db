//! The folders of assays that are not complete.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use loop_manifest::ExecutionContext;
use loop_snapshots::FolderCopy;
use sha2::{Digest as _, Sha256};

use crate::{
    assay::PlannedCase,
    error::{AssayError, CaseError, CaseErrors},
    options::AssayOptions,
};

/// How long an assay that nobody continues is kept.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// How many bytes of a digest name a folder.
const KEY_BYTES: usize = 8;

/// Returns a name for an assay of these cases: the same for the same files, subjects, numbers and settings. It names
/// the folder in which a later process finds what this one has done.
pub(crate) fn key(
    options: &AssayOptions,
    cases: &[PlannedCase],
    cx: &ExecutionContext,
) -> Result<String, CaseErrors> {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    add(&format!(
        "{} {} {:?} {:?}",
        options.runs(),
        options.jobs.max(1),
        options.run_time,
        options.check_time
    ));
    if let Ok(settings) = cx.settings() {
        add(&format!("{:?} {:?}", settings.user.tables, settings.project.tables));
    }
    let mut folders = BTreeMap::new();
    for PlannedCase { case, plan, .. } in cases {
        let path = fs::canonicalize(&case.path).unwrap_or_else(|_: io::Error| case.path.clone());
        add(&path.to_string_lossy());
        add(&case.text);
        // With the texts of the files that a manifest names.
        add(&format!("{plan:?}"));
        if let Some(folder) = &case.folder {
            let state = match folders.entry(folder) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let state = FolderCopy::state(folder);
                    new.insert(state.map_err(|error| CaseError::new(&case.path, error.to_string()))?)
                }
            };
            add(state);
        }
    }
    Ok(hash.finalize().iter().take(KEY_BYTES).map(|byte| format!("{byte:02x}")).collect())
}

/// Removes the files of assays in `places` that were not continued for 30 days. Returns how many there were.
///
/// # Errors
/// A folder cannot be read or removed.
pub fn discard_old(places: &Path) -> Result<usize, AssayError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| AssayError::File { path, source }
    };
    let entries = match fs::read_dir(places) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(at(places))?,
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry.map_err(at(places))?.path();
        if is_place(&path) && last_change(&path).map_err(at(&path))?.elapsed().is_ok_and(|age| age > KEPT) {
            FolderCopy::discard(&path).map_err(|error| at(&path)(io::Error::other(error)))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Returns whether a folder is that of an assay, by its name.
fn is_place(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.len() == 2 * KEY_BYTES && name.iter().all(u8::is_ascii_hexdigit) && path.join("lanes").is_dir()
}

/// Returns the time at which the last result was recorded.
fn last_change(place: &Path) -> io::Result<SystemTime> {
    let mut last = fs::metadata(place)?.modified()?;
    for lane in fs::read_dir(place.join("lanes"))? {
        for file in fs::read_dir(lane?.path())? {
            last = last.max(file?.metadata()?.modified()?);
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assay_that_nobody_continues_is_removed_after_a_month() {
        let places = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 2 * KEPT;
        for (name, time) in
            [("0123456789abcdef", long_ago), ("0123456789abcde0", SystemTime::now()), ("mine", long_ago)]
        {
            let lane = places.path().join(name).join("lanes/0");
            fs::create_dir_all(&lane).unwrap();
            fs::write(lane.join("events.jsonl"), "").unwrap();
            fs::File::options()
                .write(true)
                .open(lane.join("events.jsonl"))
                .unwrap()
                .set_modified(time)
                .unwrap();
            fs::File::open(places.path().join(name)).unwrap().set_modified(time).unwrap();
        }
        assert_eq!(discard_old(places.path()).unwrap(), 1);
        assert!(!places.path().join("0123456789abcdef").exists());
        assert_eq!(discard_old(&places.path().join("nowhere")).unwrap(), 0);
    }
}
