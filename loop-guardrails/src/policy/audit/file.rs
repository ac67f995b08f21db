//! The audit files, which are append-only.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{AuditEntry, AuditOutcome};

/// A folder of audit files: `audit.jsonl` with one entry per line, and older files `audit.1.jsonl` and so on, where
/// larger numbers are older. Any number of processes may append. `audit.lock` records that a process has appended, so a
/// file that was emptied or removed later is [noticed](Self::is_lost).
///
/// # Default
/// A file is rotated before it grows past 8 MiB, and five rotated files remain. On Unix, only their owner can access
/// the folder and the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFile {
    folder: PathBuf,
    max_bytes: u64,
    kept: u32,
}

impl AuditFile {
    /// Uses the files in this folder. This creates nothing yet.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), max_bytes: 8 * 1024 * 1024, kept: 5 }
    }

    /// Sets the maximum size of a file in bytes. An entry is written whole, even if it is longer.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets how many rotated files remain.
    #[must_use]
    pub fn kept(mut self, files: u32) -> Self {
        self.kept = files;
        self
    }

    /// Returns the path of the current file.
    pub fn path(&self) -> PathBuf {
        self.folder.join("audit.jsonl")
    }

    /// Returns the path of the file that was rotated `number` rotations ago, from 1.
    pub fn older(&self, number: u32) -> PathBuf {
        self.folder.join(format!("audit.{number}.jsonl"))
    }

    fn lock_path(&self) -> PathBuf {
        self.folder.join("audit.lock")
    }

    /// Returns whether entries were written, and nothing is left of the file that is written to: somebody emptied or
    /// removed it. The next entry is written behind a line that tells of it.
    pub fn is_lost(&self) -> bool {
        !is_empty(&self.lock_path()) && is_empty(&self.path())
    }

    /// Appends an entry as one line.
    ///
    /// # Errors
    /// [`AuditError`] if it cannot create or write a file.
    pub fn append(&self, entry: &AuditEntry) -> Result<(), AuditError> {
        let write = || -> io::Result<()> {
            let mut line = serde_json::to_vec(entry)?;
            line.push(b'\n');
            create_folder(&self.folder)?;
            if self.folder.is_symlink() {
                return Err(foreign(&self.folder, "folder"));
            }
            // The lock needs its own file, because the process that holds it may rotate the current file.
            let mut lock = open(private().read(true).append(true), &self.lock_path())?;
            lock.lock()?;
            if self.is_lost() {
                let lost = serde_json::to_vec(&AuditEntry::new("audit", LOST, AuditOutcome::Error))?;
                line = [&lost, &b"\n"[..], &line].concat();
            }
            let mut file = self.file_for(line.len() as u64)?;
            // Otherwise the entry would become part of a line that a crash cut off.
            if is_cut(&mut file)? {
                line.insert(0, b'\n');
            }
            file.write_all(&line)?;
            if is_empty(&self.lock_path()) {
                lock.write_all(b"entries were written\n")?;
            }
            Ok(())
        };
        write().map_err(|source| AuditError { folder: self.folder.clone(), source })
    }

    fn file_for(&self, bytes: u64) -> io::Result<File> {
        let open = || open(private().read(true).append(true), &self.path());
        let file = open()?;
        let length = file.metadata()?.len();
        if length == 0 || length + bytes <= self.max_bytes {
            return Ok(file);
        }
        for number in (1..self.kept).rev() {
            rename_if_there(&self.older(number), &self.older(number + 1))?;
        }
        if self.kept == 0 {
            fs::remove_file(self.path())?;
        } else {
            fs::rename(self.path(), self.older(1))?;
        }
        open()
    }
}

/// The entry that replaces lost entries.
const LOST: &str = "the entries before this one are lost: the file was emptied or removed";

/// Returns whether a file is empty or missing.
fn is_empty(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.len() == 0) || !path.exists()
}

/// Returns whether the last line lacks its line feed.
fn is_cut(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

/// Opens a regular file. A link would redirect the audit, and a pipe would wait for a reader.
fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(foreign(path, "file")),
        Err(_) if path.symlink_metadata().is_ok_and(|found| !found.is_file()) => Err(foreign(path, "file")),
        Err(error) => Err(error),
    }
}

fn foreign(path: &Path, kind: &str) -> io::Error {
    io::Error::other(format!(
        "{} is not a regular {kind}: find out what it is, and remove it",
        path.display()
    ))
}

/// A failure to write an entry.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the audit in {}: check that the disk is not full and that you may write there", folder.display())]
pub struct AuditError {
    /// The folder.
    pub folder: PathBuf,
    /// The error from the system.
    pub source: io::Error,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::audit::{Audit, AuditOutcome};

    fn actions(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str::<AuditEntry>(line).unwrap().action).collect()
    }

    #[test]
    fn an_entry_is_no_part_of_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::at(folder.path());
        let entry = AuditEntry::new("x", "", AuditOutcome::Denied);
        file.append(&entry).unwrap();
        let whole = fs::read(file.path()).unwrap();
        fs::write(file.path(), &whole[..whole.len() / 2]).unwrap();
        file.append(&entry).unwrap();
        file.append(&entry).unwrap();
        let text = fs::read_to_string(file.path()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[1].as_bytes(), lines[2].as_bytes()), (whole.trim_ascii(), whole.trim_ascii()));
    }

    #[test]
    fn a_file_that_was_emptied_or_removed_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::at(folder.path().join("audit"));
        assert!(!file.is_lost());
        let entry = AuditEntry::new("x", "", AuditOutcome::Denied);
        for is_removed in [false, true] {
            file.append(&entry).unwrap();
            assert!(!file.is_lost());
            if is_removed {
                fs::remove_file(file.path()).unwrap();
            } else {
                fs::write(file.path(), "").unwrap();
            }
            assert!(file.is_lost());
            file.append(&entry).unwrap();
            assert!(!file.is_lost());
            assert_eq!(actions(&file.path()), ["audit", "x"]);
        }
    }

    #[test]
    fn files_are_put_aside_and_the_oldest_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::at(folder.path().join("state/audit")).max_bytes(200).kept(2);
        let audit = Audit::new().file(file.clone());
        for number in 0..8 {
            audit
                .record(AuditEntry::new(format!("c{number}"), "x".repeat(50), AuditOutcome::Allowed))
                .unwrap();
        }
        let (now, first, second) = (actions(&file.path()), actions(&file.older(1)), actions(&file.older(2)));
        assert_eq!(now.last().map(String::as_str), Some("c7"));
        let all = [second, first, now].concat();
        assert!((3..8).contains(&all.len()), "{all:?}");
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert!(!file.older(3).exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = AuditFile::at(folder.path().join("audit"));
        file.append(&AuditEntry::new("x", "", AuditOutcome::Denied)).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder.path().join("audit")), mode(&file.path())), (0o700, 0o600));
    }

    #[cfg(unix)]
    #[test]
    fn only_ordinary_files_are_written_and_none_is_waited_for() {
        use std::os::unix::fs::symlink;

        use rustix::fs::{CWD, FileType, Mode, mknodat};
        for name in ["audit.jsonl", "audit.lock"] {
            for kind in ["link", "dangling link", "pipe", "folder"] {
                let folder = tempfile::tempdir().unwrap();
                let (path, other) = (folder.path().join(name), folder.path().join("other"));
                match kind {
                    "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap(),
                    "folder" => fs::create_dir(&path).unwrap(),
                    _ => symlink(&other, &path).unwrap(),
                }
                if kind == "link" {
                    fs::write(&other, "as it was").unwrap();
                }
                let entry = AuditEntry::new("x", "", AuditOutcome::Denied);
                let error = AuditFile::at(folder.path()).append(&entry).unwrap_err();
                assert!(error.source.to_string().contains(name), "{kind} {name}: {}", error.source);
                let kept = fs::read_to_string(&other).ok();
                assert_eq!(kept.as_deref(), (kind == "link").then_some("as it was"), "{kind} {name}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (link, other) = (folder.path().join("audit"), folder.path().join("other"));
        fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let error = AuditFile::at(&link).append(&AuditEntry::new("x", "", AuditOutcome::Denied)).unwrap_err();
        assert!(error.source.to_string().contains("not a regular folder"), "{}", error.source);
        assert_eq!(fs::read_dir(other).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("audit"), "").unwrap();
        let audit = Audit::new().file(AuditFile::at(folder.path().join("audit")));
        let error = audit.record(AuditEntry::new("x", "", AuditOutcome::Denied)).unwrap_err();
        assert!(error.to_string().contains("audit"), "{error}");
        assert_eq!(audit.len(), 1);
    }
}
