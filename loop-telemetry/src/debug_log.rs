//! The debug log: what the program does inside, one JSON object per line.
//!
//! A person who reports a fault can rarely repeat it. The log shows the order of requests, calls and failures with their
//! times. It contains no texts unless the person asks for them, so that it can be sent to others.

use std::{
    ffi::OsString,
    fmt, fs,
    fs::File,
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{Redactor, own_file, private_folder};

/// How many files a folder keeps.
const KEPT_FILES: usize = 20;

/// The beginning and the end of the name of each file.
const NAME: (&str, &str) = ("loop-", ".jsonl");

/// A file with lines of JSON, each with a `time` and an `event`. Each line is written at once. Clones write to the same
/// file.
///
/// ```
/// use loop_telemetry::{DebugLog, Redactor, jiff::Timestamp};
/// use serde_json::json;
///
/// let folder = tempfile::tempdir()?;
/// let log = DebugLog::create(folder.path(), || Timestamp::UNIX_EPOCH, || Redactor::new(["hunter2-hunter2"]))?;
/// log.write("request", &json!({ "model": "hunter2-hunter2" }));
/// let line: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(log.path())?)?;
/// assert_eq!((&line["event"], &line["model"]), (&"request".into(), &"[redacted]".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DebugLog(Arc<LogFile>);

struct LogFile {
    path: PathBuf,
    has_texts: bool,
    clock: fn() -> Timestamp,
    redactor: Box<dyn Fn() -> Redactor + Send + Sync>,
    /// The file, or why it is written no more.
    file: Mutex<Result<File, String>>,
    requests: AtomicU64,
}

impl DebugLog {
    /// Creates a file `loop-TIME.jsonl` with mode 0600 in this folder, and removes the oldest ones, so that 20 are left.
    /// The redactor is asked for each line, because secrets become known while the program runs.
    ///
    /// # Errors
    /// The folder or the file cannot be created, or an old file cannot be removed.
    pub fn create(
        folder: &Path,
        clock: fn() -> Timestamp,
        redactor: impl Fn() -> Redactor + Send + Sync + 'static,
    ) -> io::Result<Self> {
        private_folder::create_synced(folder)?;
        let time = clock().strftime("%Y%m%dT%H%M%S.%6fZ").to_string();
        let (path, file) = new_file(folder, &time)?;
        discard_old(folder)?;
        let (redactor, file) = (Box::new(redactor), Mutex::new(Ok(file)));
        let requests = AtomicU64::new(0);
        Ok(Self(Arc::new(LogFile { path, has_texts: false, clock, redactor, file, requests })))
    }

    /// Sets whether the log contains the texts of prompts, replies and calls. Call this before the log is shared.
    #[must_use]
    pub fn with_texts(self, has_texts: bool) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(file) => Self(Arc::new(LogFile { has_texts, ..file })),
            Err(shared) => Self(shared),
        }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns whether the log contains texts.
    pub fn has_texts(&self) -> bool {
        self.0.has_texts
    }

    /// Returns a number for a request, from 1, by which the lines about it are recognized.
    pub fn next_request(&self) -> u64 {
        self.0.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Writes a line. `fields` is an object, whose texts and keys are redacted. After a failure, nothing more is written:
    /// [`failure`](Self::failure) reports it.
    pub fn write(&self, event: &str, fields: &Value) {
        let mut line = Map::new();
        line.insert("time".to_owned(), (self.0.clock)().to_string().into());
        line.insert("event".to_owned(), event.into());
        // Writing a value as a value does not fail.
        if let Ok(Value::Object(fields)) = (self.0.redactor)().value(fields) {
            line.extend(fields);
        }
        let line = format!("{}\n", Value::Object(line));
        let mut file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = open.write_all(line.as_bytes())
        {
            *file = Err(error.to_string());
        }
    }

    /// Returns why lines are missing at the end, if so.
    pub fn failure(&self) -> Option<String> {
        self.0.file.lock().unwrap_or_else(PoisonError::into_inner).as_ref().err().cloned()
    }
}

impl fmt::Debug for DebugLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DebugLog").field(&self.0.path).finish()
    }
}

/// Creates a file for this time. Another process may have begun at the same time.
fn new_file(folder: &Path, time: &str) -> io::Result<(PathBuf, File)> {
    let (begin, end) = NAME;
    for number in 1..=1000_u32 {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{begin}{time}{number}{end}"));
        match own_file::options().append(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok((path, opened?)),
        }
    }
    Err(io::Error::other("too many files have the same time"))
}

/// Removes the oldest files.
fn discard_old(folder: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name());
    }
    let is_log = |name: &OsString| {
        name.to_str().is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1))
    };
    names.retain(is_log);
    names.sort();
    let old = names.len().saturating_sub(KEPT_FILES);
    for name in &names[..old] {
        match fs::remove_file(folder.join(name)) {
            // Another process removes them too.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::json;

    use super::*;

    fn clock() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn secrets() -> Redactor {
        Redactor::new(["hunter2-hunter2"])
    }

    #[test]
    fn the_last_20_files_stay_and_others_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.jsonl"), "").unwrap();
        for year in 1900..1925 {
            fs::write(folder.path().join(format!("loop-{year}0101T000000.000000Z.jsonl")), "").unwrap();
        }
        let (first, second) = (
            DebugLog::create(folder.path(), clock, secrets).unwrap(),
            DebugLog::create(folder.path(), clock, secrets).unwrap(),
        );
        assert_ne!(first.path(), second.path());
        assert_eq!(fs::metadata(second.path()).unwrap().permissions().mode() & 0o777, 0o600);
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names.len(), KEPT_FILES + 1);
        assert!(names[0].to_str().unwrap().starts_with("loop-1907") && names[KEPT_FILES] == "mine.jsonl");
    }

    #[test]
    fn nested_texts_have_no_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let log = DebugLog::create(folder.path(), clock, secrets).unwrap();
        log.write("reply", &json!({ "calls": [{ "name": "say hunter2-hunter2" }], "tokens": 3 }));
        let text = fs::read_to_string(log.path()).unwrap();
        assert!(text.contains("say [redacted]") && text.contains("\"tokens\":3"), "{text}");
        assert_eq!((log.failure(), log.has_texts(), log.with_texts(true).has_texts()), (None, false, true));
    }
}
