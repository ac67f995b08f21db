//! The entries of a captured folder, and their stored form.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use crate::{
    codec::{Reader, put_bytes, put_u32, put_u64},
    digest::Digest,
};

/// The reason why a snapshot lists a file without its content. Restoring leaves such a file alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// The file is larger than [`CaptureOptions::max_file`](crate::CaptureOptions::max_file).
    TooLarge,
    /// The file is a socket, a FIFO or a device.
    Special,
    /// The system does not allow reading the file or folder.
    Unreadable,
    /// The name belongs to a secret. The snapshot has the digest of the content.
    Secret,
    /// A `.gitignore` names the file or folder.
    Ignored,
    /// The entry is a repository (`.git`).
    Repository,
    /// The folder contains the snapshots themselves, or
    /// [`CaptureOptions::without_folder`](crate::CaptureOptions::without_folder) names it.
    Store,
    /// The folder is more than 256 levels deep.
    TooDeep,
}

const REASONS: [LeftOut; 8] = [
    LeftOut::TooLarge,
    LeftOut::Special,
    LeftOut::Unreadable,
    LeftOut::Secret,
    LeftOut::Ignored,
    LeftOut::Repository,
    LeftOut::Store,
    LeftOut::TooDeep,
];

/// The content of a captured entry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File {
        /// The size in bytes.
        size: u64,
        /// The content's name in the store.
        digest: Digest,
    },
    /// A symbolic link.
    Link {
        /// The text of the link, which may lead anywhere.
        target: PathBuf,
    },
    /// A folder.
    Folder {
        /// The name of the folder's list of entries in the store.
        digest: Digest,
    },
    /// A file or folder without its content.
    LeftOut {
        /// The reason.
        reason: LeftOut,
        /// The size in bytes, or 0 for anything but a regular file.
        size: u64,
        /// The digest of a secret file's content.
        digest: Option<Digest>,
    },
}

/// A file, link or folder of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub(crate) name: Box<[u8]>,
    /// The permission bits (at most `0o7777`); 0 for links and for entries that were left out.
    pub mode: u32,
    /// The content.
    pub kind: EntryKind,
}

impl Entry {
    /// Returns the name in its folder, which may contain any byte but `/` and NUL.
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(&self.name)
    }

    /// Returns why the entry has no content, or `None` if it has.
    pub fn left_out(&self) -> Option<LeftOut> {
        match self.kind {
            EntryKind::LeftOut { reason, .. } => Some(reason),
            _ => None,
        }
    }

    pub(crate) fn folder(&self) -> Option<Digest> {
        match self.kind {
            EntryKind::Folder { digest } => Some(digest),
            _ => None,
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.name);
        put_u32(out, self.mode);
        match &self.kind {
            EntryKind::File { size, digest } => {
                out.push(b'f');
                put_u64(out, *size);
                out.extend(digest.0);
            }
            EntryKind::Link { target } => {
                out.push(b'l');
                put_bytes(out, target.as_os_str().as_bytes());
            }
            EntryKind::Folder { digest } => {
                out.push(b'd');
                out.extend(digest.0);
            }
            EntryKind::LeftOut { reason, size, digest } => {
                out.push(if digest.is_some() { b'O' } else { b'o' });
                out.push(*reason as u8);
                put_u64(out, *size);
                out.extend(digest.iter().flat_map(|digest| digest.0));
            }
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Option<Self> {
        let name = reader.bytes()?;
        // A name is a single step below its folder, whatever the file claims.
        if name.is_empty()
            || name == b"."
            || name == b".."
            || name.iter().any(|byte| matches!(byte, b'/' | 0))
        {
            return None;
        }
        let mode = reader.u32()?;
        let kind = match reader.u8()? {
            b'f' => EntryKind::File { size: reader.u64()?, digest: reader.digest()? },
            b'l' => EntryKind::Link { target: Path::new(OsStr::from_bytes(reader.bytes()?)).to_owned() },
            b'd' => EntryKind::Folder { digest: reader.digest()? },
            kind @ (b'o' | b'O') => {
                let reason = *REASONS.get(usize::from(reader.u8()?))?;
                let size = reader.u64()?;
                let digest = if kind == b'O' { Some(reader.digest()?) } else { None };
                EntryKind::LeftOut { reason, size, digest }
            }
            _ => return None,
        };
        Some(Self { name: name.into(), mode, kind })
    }
}

/// The stored form of a folder: its entries, sorted by the bytes of their names.
pub(crate) fn encode_folder<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<u8> {
    let mut out = b"folder1\n".to_vec();
    entries.for_each(|entry| entry.encode(&mut out));
    out
}

pub(crate) fn decode_folder(bytes: &[u8]) -> Option<Vec<Entry>> {
    let mut reader = Reader(bytes.strip_prefix(b"folder1\n")?);
    let mut entries: Vec<Entry> = Vec::new();
    while !reader.is_empty() {
        let entry = Entry::decode(&mut reader)?;
        if entries.last().is_some_and(|last| last.name >= entry.name) {
            return None;
        }
        entries.push(entry);
    }
    Some(entries)
}
