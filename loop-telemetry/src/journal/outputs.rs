//! Large outputs, in separate files.
//!
//! An agent may print megabytes. Inside the journal, such output would get in the way of every reader, and a resume
//! would have to read all outputs to find the last one. So a line names a file instead. The file's name is a hash of
//! its contents, so we can verify them.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use super::error::{IoErrorContext, JournalError};
use crate::private_folder;

/// Outputs with more bytes of JSON than this go into separate files.
pub const MAX_INLINE_OUTPUT: usize = 64 * 1024;

/// The folder of a run's large outputs.
#[derive(Debug, Clone)]
pub(super) struct Outputs(PathBuf);

impl Outputs {
    /// Returns the folder of large outputs of the run in this folder.
    pub(super) fn of(run: &Path) -> Self {
        Self(run.join("outputs"))
    }

    /// Writes an output, and returns its name. The file gets its name when it is complete, and is safe once
    /// [`sync`](Self::sync) has returned.
    pub(super) fn write(&self, json: &[u8]) -> Result<String, JournalError> {
        let name = format!("{:032x}.json", fnv1a(json));
        private_folder::create_synced(&self.0).cannot_create(&self.0)?;
        let (path, draft) = (self.0.join(&name), self.0.join(format!("{name}.draft")));
        let mut file = private_folder::private()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&draft)
            .cannot_create(&draft)?;
        file.write_all(json).and_then(|()| fs::rename(&draft, &path)).cannot_write(&path)?;
        Ok(name)
    }

    /// Syncs a written output to disk.
    pub(super) fn sync(&self, name: &str) -> Result<(), JournalError> {
        let path = self.0.join(name);
        File::open(&path).and_then(|file| file.sync_all()).cannot_write(&path)?;
        private_folder::sync(&self.0).cannot_write(&self.0)
    }

    /// Reads an output.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, JournalError> {
        let path = self.0.join(name);
        let json = private_folder::read_all(&path).cannot_read(&path)?;
        match name.strip_suffix(".json") == Some(format!("{:032x}", fnv1a(&json)).as_str()) {
            true => Ok(json),
            false => Err(JournalError::Output {
                why: "it is not what was written there (restore the file from a backup)".into(),
                path,
            }),
        }
    }
}

/// Returns the 128-bit FNV-1a hash. It detects damage and tells outputs apart. It is not a signature: a person who can
/// write the file can write the journal too.
fn fnv1a(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        assert_eq!(fnv1a(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv1a(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let run = tempfile::tempdir().unwrap();
        let outputs = Outputs::of(run.path());
        let name = outputs.write(b"[1,2]").unwrap();
        outputs.sync(&name).unwrap();
        assert_eq!(outputs.read(&name).unwrap(), b"[1,2]");
        assert_eq!(outputs.write(b"[1,2]").unwrap(), name);
        fs::write(run.path().join("outputs").join(&name), b"[1,3]").unwrap();
        assert!(outputs.read(&name).unwrap_err().to_string().contains("backup"));
        assert!(matches!(outputs.read("gone.json"), Err(JournalError::Read { .. })));
    }
}
