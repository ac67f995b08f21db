//! Packs: files of many contents with a sorted index, written once.

use std::{
    collections::BTreeMap,
    fs::File,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use crate::{
    codec::{Reader, put_u64, seal, unseal},
    digest::{Digest, Hasher},
    disk::{self, Disk},
    error::{AtPath as _, Error},
};

const HEAD: &[u8] = b"loop-pack 1\n";
/// A row of the index: the digest, the offset and the length.
pub(super) const ROW: u64 = 48;
/// The offset of the index, the number of its rows, and the checksum of the index and of these.
const TAIL: u64 = 20;
/// The pack that is being written.
const DRAFT: &str = "new.draft";
/// Bytes that the writer collects before it writes them.
const BUFFER: usize = 256 << 10;

/// Where a content is in its pack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    offset: u64,
    pub(super) length: u64,
}

/// An open pack.
#[derive(Debug)]
pub(super) struct Pack {
    file: File,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    index: u64,
    rows: u64,
}

impl Pack {
    pub(super) fn open(path: PathBuf) -> Result<Self, Error> {
        let file = disk::open(&path).at(&path)?;
        let size = file.metadata().at(&path)?.len();
        let mut tail = [0; TAIL as usize];
        let cut = || Error::damaged(&path, "it was cut short");
        let start = size.checked_sub(TAIL).filter(|start| *start >= HEAD.len() as u64).ok_or_else(cut)?;
        file.read_exact_at(&mut tail, start).at(&path)?;
        let mut reader = Reader(&tail);
        let (index, rows) = reader.u64().zip(reader.u64()).ok_or_else(cut)?;
        let ends_right = rows
            .checked_mul(ROW)
            .and_then(|length| length.checked_add(index))
            .is_some_and(|end| end == start);
        if !ends_right {
            return Err(Error::damaged(&path, "its index is not where it should be"));
        }
        Ok(Self { file, path, size, index, rows })
    }

    fn row(&self, number: u64) -> Result<(Digest, Span), Error> {
        let mut row = [0; ROW as usize];
        self.file.read_exact_at(&mut row, self.index + number * ROW).at(&self.path)?;
        let mut reader = Reader(&row);
        let row = reader.digest().zip(reader.u64()).zip(reader.u64());
        let ((digest, offset), length) = row.ok_or_else(|| Error::damaged(&self.path, "a row is cut"))?;
        if offset.checked_add(length).is_none_or(|end| end > self.index) {
            return Err(Error::damaged(&self.path, "its index leads out of it"));
        }
        Ok((digest, Span { offset, length }))
    }

    /// Finds a content without reading the whole index.
    pub(super) fn find(&self, digest: Digest) -> Result<Option<Span>, Error> {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, span) = self.row(middle)?;
            match found.cmp(&digest) {
                std::cmp::Ordering::Equal => return Ok(Some(span)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Reads the whole index, and compares it with its checksum.
    pub(super) fn contents(&self) -> Result<Vec<(Digest, Span)>, Error> {
        let length = usize::try_from(self.size - self.index).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, self.index).at(&self.path)?;
        if unseal(&bytes).is_none() {
            return Err(Error::damaged(&self.path, "the checksum of its index is wrong"));
        }
        (0..self.rows).map(|number| self.row(number)).collect()
    }

    /// Passes a content in pieces, and fails at its end if it is not what was written.
    pub(super) fn read(
        &self,
        digest: Digest,
        span: Span,
        mut sink: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut buffer = vec![0; usize::try_from(span.length).unwrap_or(usize::MAX).min(BUFFER)];
        let (mut offset, end) = (span.offset, span.offset + span.length);
        let mut hasher = Hasher::default();
        while offset < end {
            let length = buffer.len().min(usize::try_from(end - offset).unwrap_or(usize::MAX));
            self.file.read_exact_at(&mut buffer[..length], offset).at(&self.path)?;
            hasher.update(&buffer[..length]);
            sink(&buffer[..length])?;
            offset += length as u64;
        }
        if hasher.finish() == digest {
            Ok(())
        } else {
            Err(Error::damaged(&self.path, format!("the content {digest} changed")))
        }
    }
}

/// A pack that is being written. It is no part of the store until [`finish`](Self::finish).
#[derive(Debug)]
pub(super) struct PackWriter {
    disk: Disk,
    file: File,
    draft: PathBuf,
    buffer: Vec<u8>,
    flushed: u64,
    rows: BTreeMap<Digest, Span>,
}

impl PackWriter {
    pub(super) fn create(disk: &Disk, folder: &Path) -> Result<Self, Error> {
        let draft = folder.join(DRAFT);
        let file = disk.create(&draft)?;
        let (disk, buffer) = (disk.clone(), HEAD.to_vec());
        Ok(Self { disk, file, draft, buffer, flushed: 0, rows: BTreeMap::new() })
    }

    /// Removes what a failed or killed process left. The caller has the store's lock.
    pub(super) fn remove_draft(disk: &Disk, folder: &Path) -> Result<(), Error> {
        let draft = folder.join(DRAFT);
        if draft.exists() { disk.remove(&draft) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.disk.write(&self.file, &self.draft, &self.buffer)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Adds a piece of the content that the next [`end`](Self::end) names.
    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.buffer.extend(piece);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    pub(super) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Names the content that began at `offset`.
    pub(super) fn end(&mut self, digest: Digest, offset: u64) {
        let length = self.position() - offset;
        self.rows.insert(digest, Span { offset, length });
    }

    pub(super) fn contains(&self, digest: Digest) -> bool {
        self.rows.contains_key(&digest)
    }

    /// Writes the index and makes the pack a part of the store. Returns `None` if it has no content.
    pub(super) fn finish(mut self) -> Result<Option<Pack>, Error> {
        if self.rows.is_empty() {
            self.disk.remove(&self.draft)?;
            return Ok(None);
        }
        let index = self.position();
        let mut bytes = Vec::with_capacity(self.rows.len() * ROW as usize + TAIL as usize);
        for (digest, span) in &self.rows {
            bytes.extend(digest.0);
            put_u64(&mut bytes, span.offset);
            put_u64(&mut bytes, span.length);
        }
        put_u64(&mut bytes, index);
        put_u64(&mut bytes, self.rows.len() as u64);
        let bytes = seal(bytes);
        let path = self.draft.with_file_name(format!("{}.pack", Digest::of(&bytes)));
        self.write(&bytes)?;
        self.flush()?;
        // After a power failure, a pack under its final name must be complete.
        self.file.sync_data().at(&self.draft)?;
        self.disk.rename(&self.draft, &path)?;
        Pack::open(path).map(Some)
    }
}
