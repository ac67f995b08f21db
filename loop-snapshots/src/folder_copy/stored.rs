//! Copies that a later process continues.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{ChangeTime, CopiedEntry, Entries, FolderCopy};
use crate::{
    codec::{Reader, put_bytes, put_i64, put_u32, put_u64, seal, unseal},
    disk::{self, Disk},
    error::{AtPath as _, Error},
};

const HEADER: &[u8] = b"copied2\n";

impl FolderCopy {
    /// Stores the state of the origin when it was copied in the file `list`, for [`open`](Self::open).
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written.
    pub fn store(&self, list: &Path) -> Result<(), Error> {
        Disk::default().replace(list, &encode(self.made, &self.before), true)
    }

    /// Opens a copy that an earlier process made and [stored](Self::store).
    ///
    /// # Errors
    /// [`Error::File`] if one of the paths cannot be read. [`Error::Damaged`] if the list is not what was stored.
    pub fn open(origin: &Path, copy: &Path, list: &Path) -> Result<Self, Error> {
        let bytes = disk::read(list).at(list)?;
        let (made, before) =
            decode(&bytes).ok_or_else(|| Error::damaged(list, "its checksum or its version is wrong"))?;
        let found = |path: &Path| fs::canonicalize(path).at(path);
        Ok(Self { origin: found(origin)?, copy: found(copy)?, before, made })
    }
}

fn encode(made: ChangeTime, entries: &Entries) -> Vec<u8> {
    let mut out = HEADER.to_vec();
    put_i64(&mut out, made.0);
    put_i64(&mut out, made.1);
    for (path, entry) in entries {
        put_bytes(&mut out, path.as_os_str().as_bytes());
        match entry {
            CopiedEntry::Folder { mode } => {
                out.push(0);
                put_u32(&mut out, *mode);
            }
            CopiedEntry::File { mode, size, modified } => {
                out.push(1);
                put_u32(&mut out, *mode);
                put_u64(&mut out, *size);
                // A file may be older than 1970.
                let (sign, since) = match modified.duration_since(SystemTime::UNIX_EPOCH) {
                    Ok(since) => (1, since),
                    Err(before) => (-1, before.duration()),
                };
                put_i64(&mut out, sign);
                put_u64(&mut out, since.as_secs());
                put_u32(&mut out, since.subsec_nanos());
            }
            CopiedEntry::Link { target } => {
                out.push(2);
                put_bytes(&mut out, target.as_os_str().as_bytes());
            }
        }
    }
    seal(out)
}

fn decode(sealed: &[u8]) -> Option<(ChangeTime, Entries)> {
    let mut reader = Reader(unseal(sealed)?.strip_prefix(HEADER)?);
    let made = (reader.i64()?, reader.i64()?);
    let path = |reader: &mut Reader<'_>| reader.bytes().map(|path| PathBuf::from(OsStr::from_bytes(path)));
    let mut entries = Entries::new();
    while !reader.is_empty() {
        let name = path(&mut reader)?;
        let entry = match reader.u8()? {
            0 => CopiedEntry::Folder { mode: reader.u32()? },
            1 => {
                let (mode, size, sign) = (reader.u32()?, reader.u64()?, reader.i64()?);
                let since = Duration::new(reader.u64()?, reader.u32()?);
                let epoch = SystemTime::UNIX_EPOCH;
                let modified = if sign < 0 { epoch.checked_sub(since) } else { epoch.checked_add(since) };
                CopiedEntry::File { mode, size, modified: modified? }
            }
            2 => CopiedEntry::Link { target: path(&mut reader)? },
            _ => return None,
        };
        entries.insert(name, entry);
    }
    Some((made, entries))
}
