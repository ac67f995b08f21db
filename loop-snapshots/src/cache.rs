//! The stat data of the last capture: a file whose stat data is the same is not read again.

use std::{fs::Metadata, os::unix::fs::MetadataExt as _};

use rustix::fs::Stat;

use crate::{
    codec::{Reader, put_i64, put_u32, put_u64, seal, unseal},
    digest::Digest,
    tree::Entry,
};

/// Stat data that changes with a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StatData {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// A time stamp may repeat within this many nanoseconds: the coarsest file systems count every second second.
const COARSE_TICK: i64 = 2_000_000_000;

/// The same for a file system that stores fractions of a second. The clock of the kernel ticks at least every 10 ms. The rest
/// is for a file server whose clock differs.
const FINE_TICK: i64 = 500_000_000;

/// Time stamps of coarse file systems are multiples of this many nanoseconds.
const COARSE_UNIT: i64 = 10_000_000;

impl StatData {
    #[expect(clippy::unnecessary_cast, reason = "the types of the fields depend on the system")]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    pub(crate) fn of_metadata(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns the time of the last change of the content, the mode or the times, since 1970.
    pub(crate) const fn changed(&self) -> (i64, i64) {
        self.changed
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_u64(out, self.inode);
        put_u64(out, self.size);
        for (seconds, nanos) in [self.modified, self.changed] {
            put_i64(out, seconds);
            put_i64(out, nanos);
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        let (inode, size) = reader.u64().zip(reader.u64())?;
        let (modified, changed) = (reader.i64().zip(reader.i64())?, reader.i64().zip(reader.i64())?);
        Some(Self { inode, size, modified, changed })
    }

    /// Returns whether a later change of the file must give it other stat data than these, which were read at `now`
    /// (seconds and nanoseconds since 1970) or later. Otherwise, the change may fall into the same tick.
    pub(crate) fn is_settled(&self, now: (i64, i64)) -> bool {
        // The kernel sets the time of the change. Programs can set the other one.
        let tick = if self.changed.1 % COARSE_UNIT == 0 { COARSE_TICK } else { FINE_TICK };
        let (seconds, nanos) = self.modified.max(self.changed);
        let past = now.0.saturating_sub(seconds).saturating_mul(1_000_000_000);
        past.saturating_add(now.1 - nanos) > tick
    }
}

/// An entry of the last capture.
#[derive(Debug, Clone)]
pub(crate) struct CachedEntry {
    pub(crate) entry: Entry,
    /// The default if a later capture has to read the file again.
    pub(crate) stat: StatData,
    pub(crate) folder: Option<CachedFolder>,
}

/// A folder of the last capture.
#[derive(Debug, Clone)]
pub(crate) struct CachedFolder {
    pub(crate) digest: Digest,
    pub(crate) entries: Vec<CachedEntry>,
}

impl CachedFolder {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = b"cache1\n".to_vec();
        self.encode_into(&mut out);
        seal(out)
    }

    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend(self.digest.0);
        put_u32(out, u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        for cached in &self.entries {
            cached.entry.encode(out);
            cached.stat.encode(out);
            if let Some(folder) = &cached.folder {
                folder.encode_into(out);
            }
        }
    }

    /// Returns `None` for a cache that was not written completely. The capture then reads all files.
    pub(crate) fn decode(sealed: &[u8]) -> Option<Self> {
        let mut reader = Reader(unseal(sealed)?.strip_prefix(b"cache1\n")?);
        Self::decode_from(&mut reader)
    }

    fn decode_from(reader: &mut Reader<'_>) -> Option<Self> {
        let digest = reader.digest()?;
        let count = reader.u32()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let entry = Entry::decode(reader)?;
            let stat = StatData::decode(reader)?;
            let folder = match entry.folder() {
                Some(_) => Some(Self::decode_from(reader)?),
                None => None,
            };
            entries.push(CachedEntry { entry, stat, folder });
        }
        Some(Self { digest, entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_stamp_is_settled_when_its_tick_is_over() {
        let at = |seconds, nanos| StatData { changed: (seconds, nanos), ..StatData::default() };
        for (stat, now, is_settled) in [
            (at(10, 123_456_789), (10, 523_456_789), false),
            (at(10, 123_456_789), (10, 623_456_790), true),
            (at(10, 999_999_999), (11, 400_000_000), false),
            (at(10, 0), (12, 0), false),
            (at(10, 0), (12, 1), true),
            (at(10, 20_000_000), (11, 900_000_000), false),
            (at(20, 1), (10, 0), false),
            (at(i64::MIN, 1), (i64::MAX, 0), true),
            (StatData { modified: (30, 5), ..at(10, 1) }, (20, 0), false),
        ] {
            assert_eq!(stat.is_settled(now), is_settled, "{stat:?} at {now:?}");
        }
    }
}
