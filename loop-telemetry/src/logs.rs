//! Keeps all output of a run's commands, if you want it.
//!
//! A journal keeps the start and the end of an output, which is enough for the next iteration. To find out what an
//! agent did in between, you need the whole output. So each command gets a file. We write it as the output arrives,
//! redacted, in constant memory.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    private_folder,
    redact::{RedactingStream, Redactor},
};

/// The log files of a run's commands: `logs/agent-3.log` in the run's folder, and `logs/agent-3.2.log` if the command
/// ran a second time in the same iteration.
///
/// ```
/// use loop_telemetry::{Channel, Logs, Redactor};
/// # let state = tempfile::tempdir()?;
/// # let run = state.path();
/// let logs = Logs::of(run).redacting(Redactor::new(["hunter2-hunter2"]));
/// let mut log = logs.begin("agent", 3)?;
/// log.write(Channel::Output, b"login with hunter2-hun")?;
/// log.write(Channel::Errors, b"oh\n")?;
/// log.write(Channel::Output, b"ter2\n")?;
/// log.finish()?;
/// let files = logs.of_iteration(3)?;
/// assert_eq!(std::fs::read_to_string(&files[0])?, "login with oh\n[redacted]\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Logs {
    folder: PathBuf,
    redactor: Redactor,
}

impl Logs {
    /// Returns the logs of the run in this folder. Creates nothing yet, and redacts nothing.
    pub fn of(run: impl AsRef<Path>) -> Self {
        Self { folder: run.as_ref().join("logs"), redactor: Redactor::new::<&[u8]>([]) }
    }

    /// Redacts secrets before anything is written.
    #[must_use]
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Creates a file for the output of a command in this iteration. `name` is for example `agent`. Folder and file are
    /// private to their owner.
    ///
    /// # Errors
    /// [`LogError`] if the file cannot be created.
    pub fn begin(&self, name: &str, iteration: u64) -> Result<Log, LogError> {
        let failed = |path: &Path, source| LogError { path: path.to_owned(), source };
        private_folder::create(&self.folder).map_err(|source| failed(&self.folder, source))?;
        let mut attempt = 1_u64;
        loop {
            let path = self.folder.join(match attempt {
                1 => format!("{name}-{iteration}.log"),
                _ => format!("{name}-{iteration}.{attempt}.log"),
            });
            match private_folder::private().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let streams = [self.redactor.stream(), self.redactor.stream()];
                    return Ok(Log { path, file, streams, clean: Vec::new() });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(failed(&path, error)),
            }
        }
    }

    /// Returns the log files of an iteration, sorted by name. Empty if there are none.
    ///
    /// # Errors
    /// If the folder exists and cannot be read.
    pub fn of_iteration(&self, iteration: u64) -> io::Result<Vec<PathBuf>> {
        let is_of = |path: &PathBuf| {
            let rest = path.file_name().and_then(|name| name.to_str()?.split_once('-'));
            rest.and_then(|(_, rest)| rest.split_once('.'))
                .is_some_and(|(number, _)| number.parse() == Ok(iteration))
        };
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths: Vec<_> = paths?.into_iter().filter(is_of).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Returns the folder of the log files, which may not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// An output channel of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// Writes the output of one command into its file. It holds back bytes that may be the start of a secret until it
/// knows. [`finish`](Self::finish) and [`cut`](Self::cut) write them. Dropping the log cuts it, but ignores errors.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    streams: [RedactingStream; 2],
    clean: Vec<u8>,
}

impl Log {
    /// Returns the file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes output, after the output that was written before.
    ///
    /// # Errors
    /// [`LogError`] if the file cannot be written. A part of these bytes may be written then.
    pub fn write(&mut self, channel: Channel, bytes: &[u8]) -> Result<(), LogError> {
        self.clean.clear();
        self.streams[channel as usize].push(bytes, &mut self.clean);
        self.put()
    }

    /// Writes the bytes that were held back, because the command has ended.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn finish(mut self) -> Result<(), LogError> {
        self.rest(RedactingStream::finish)
    }

    /// Writes the bytes that were held back, because the output broke off: bytes that may begin a secret are redacted.
    /// The log can continue.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn cut(&mut self) -> Result<(), LogError> {
        self.rest(RedactingStream::cut)
    }

    fn rest(&mut self, end: fn(&mut RedactingStream, &mut Vec<u8>)) -> Result<(), LogError> {
        self.clean.clear();
        for stream in &mut self.streams {
            end(stream, &mut self.clean);
        }
        self.put()
    }

    fn put(&mut self) -> Result<(), LogError> {
        let written = self.file.write_all(&self.clean);
        written.map_err(|source| LogError { path: self.path.clone(), source })
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // To learn about an error, the caller uses `finish`.
        let _ = self.cut();
    }
}

/// The reason why a command's output cannot be kept.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be written (make sure that the disk has space; the run continues without it)", path.display())]
pub struct LogError {
    path: PathBuf,
    source: io::Error,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_that_a_command_runs_has_a_file() {
        let run = tempfile::tempdir().unwrap();
        let logs = Logs::of(run.path());
        assert_eq!(logs.of_iteration(1).unwrap(), Vec::<PathBuf>::new());
        for (name, iteration) in [("agent", 1), ("check", 1), ("agent", 1), ("agent", 12)] {
            logs.begin(name, iteration).unwrap().finish().unwrap();
        }
        let names = |iteration| {
            let paths = logs.of_iteration(iteration).unwrap();
            paths.iter().map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(1), ["agent-1.2.log", "agent-1.log", "check-1.log"]);
        assert_eq!(names(12), ["agent-12.log"]);
        assert!(names(2).is_empty());
    }

    #[test]
    fn a_secret_that_is_cut_anywhere_is_not_written() {
        let text = b"it is hunter2-hunter2, and no more";
        for cut in 0..text.len() {
            let run = tempfile::tempdir().unwrap();
            let logs = Logs::of(run.path()).redacting(Redactor::new(["hunter2-hunter2"]));
            let mut log = logs.begin("agent", 1).unwrap();
            log.write(Channel::Output, &text[..cut]).unwrap();
            log.write(Channel::Output, &text[cut..]).unwrap();
            let path = log.path().to_owned();
            drop(log);
            assert_eq!(fs::read_to_string(path).unwrap(), "it is [redacted], and no more");
        }
    }

    #[test]
    fn a_file_that_cannot_be_made_is_named() {
        let run = tempfile::tempdir().unwrap();
        fs::write(run.path().join("logs"), "in the way").unwrap();
        let error = Logs::of(run.path()).begin("agent", 1).unwrap_err();
        assert!(error.to_string().contains("logs"), "{error}");
    }
}
