//! The contents of files and folders, each stored once.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
};

use crate::{
    codec::{seal, unseal},
    digest::{Digest, Hasher},
    disk::{self, Disk},
    error::{AtPath as _, Error},
    store::pack::{Pack, PackWriter, ROW, Span},
    tree::{Entry, decode_folder},
};

/// Files up to this size are read once; larger ones twice, so that none has to fit into memory.
const READ_ONCE: u64 = 1 << 20;
/// The file with the names of all packs.
const LIST: &str = "packs.list";
/// More packs than this make each look-up slow, so small ones are merged.
const MOST_PACKS: usize = 40;
/// A pack of this many bytes or more is not merged again.
const LARGE_PACK: u64 = 32 << 20;

#[derive(Debug)]
pub(crate) struct Objects {
    disk: Disk,
    folder: PathBuf,
    packs: Vec<Pack>,
    writer: Option<PackWriter>,
}

impl Objects {
    pub(super) fn new(disk: &Disk, folder: PathBuf) -> Self {
        Self { disk: disk.clone(), folder, packs: Vec::new(), writer: None }
    }

    /// Opens the packs that are there now: another process may have merged some.
    pub(super) fn refresh(&mut self) -> Result<(), Error> {
        self.writer = None;
        PackWriter::remove_draft(&self.disk, &self.folder)?;
        let mut paths = Vec::new();
        for entry in fs::read_dir(&self.folder).at(&self.folder)? {
            let path = entry.at(&self.folder)?.path();
            if path.extension().is_some_and(|ending| ending == "pack") {
                paths.push(path);
            }
        }
        self.check_list(&paths)?;
        self.packs.retain(|pack| paths.contains(&pack.path));
        for path in paths {
            if !self.packs.iter().any(|pack| pack.path == path) {
                self.packs.push(Pack::open(path)?);
            }
        }
        Ok(())
    }

    /// Compares the packs with the list of those that must exist.
    fn check_list(&self, paths: &[PathBuf]) -> Result<(), Error> {
        let list = self.folder.join(LIST);
        let text = match disk::read(&list) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            read => read.at(&list)?,
        };
        let damaged = || Error::damaged(&list, "its checksum is wrong");
        let names = str::from_utf8(unseal(&text).ok_or_else(damaged)?).map_err(|_| damaged())?;
        match names.lines().map(|name| self.folder.join(name)).find(|path| !paths.contains(path)) {
            Some(missing) => Err(Error::damaged(&missing, "it is missing")),
            None => Ok(()),
        }
    }

    /// Writes the list, after new packs are in place and before old ones are removed.
    fn write_list(&self) -> Result<(), Error> {
        let names = self.packs.iter().filter_map(|pack| pack.path.file_name()?.to_str());
        let text = names.fold(String::new(), |text, name| text + name + "\n");
        self.disk.replace(&self.folder.join(LIST), &seal(text.into_bytes()), true)
    }

    fn find(&self, digest: Digest) -> Result<Option<(&Pack, Span)>, Error> {
        for pack in &self.packs {
            if let Some(span) = pack.find(digest)? {
                return Ok(Some((pack, span)));
            }
        }
        Ok(None)
    }

    fn contains(&self, digest: Digest) -> Result<bool, Error> {
        let is_new = self.writer.as_ref().is_some_and(|writer| writer.contains(digest));
        Ok(is_new || self.find(digest)?.is_some())
    }

    fn writer(&mut self) -> Result<&mut PackWriter, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => PackWriter::create(&self.disk, &self.folder)?,
        };
        Ok(self.writer.insert(writer))
    }

    pub(crate) fn add(&mut self, content: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(content);
        if !self.contains(digest)? {
            let writer = self.writer()?;
            let offset = writer.position();
            writer.write(content)?;
            writer.end(digest, offset);
        }
        Ok(digest)
    }

    /// Stores at most `size` bytes of an open file, and returns their digest and number.
    pub(crate) fn add_file(&mut self, file: &File, path: &Path, size: u64) -> Result<(Digest, u64), Error> {
        let mut reader = file.take(size);
        if size <= READ_ONCE {
            let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
            reader.read_to_end(&mut content).at(path)?;
            return Ok((self.add(&content)?, content.len() as u64));
        }
        let (digest, length) = read_pieces(reader, path, |_| Ok(()))?;
        if self.contains(digest)? {
            return Ok((digest, length));
        }
        (&mut &*file).rewind().at(path)?;
        let writer = self.writer()?;
        let offset = writer.position();
        // The file may have changed since. The stored bytes get their own digest; the caller compares stat data.
        let (digest, length) = read_pieces(file.take(size), path, |piece| writer.write(piece))?;
        writer.end(digest, offset);
        Ok((digest, length))
    }

    /// Makes the added contents a part of the store.
    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        if let Some(pack) = self.writer.take().map(PackWriter::finish).transpose()?.flatten() {
            self.packs.retain(|old| old.path != pack.path);
            self.packs.push(pack);
            self.write_list()?;
        }
        if self.packs.len() > MOST_PACKS { self.merge() } else { Ok(()) }
    }

    /// Passes a stored content in pieces to `sink`.
    pub(crate) fn read(
        &self,
        digest: Digest,
        sink: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.find(digest)? {
            Some((pack, span)) => pack.read(digest, span, sink),
            None => Err(Error::damaged(&self.folder, format!("the content {digest} is missing"))),
        }
    }

    pub(crate) fn content(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let mut content = Vec::new();
        self.read(digest, |piece| {
            content.extend(piece);
            Ok(())
        })?;
        Ok(content)
    }

    /// Returns the entries of a stored folder.
    pub(crate) fn entries(&self, digest: Digest) -> Result<Vec<Entry>, Error> {
        let content = self.content(digest)?;
        decode_folder(&content)
            .ok_or_else(|| Error::damaged(&self.folder, format!("{digest} is not a list of entries")))
    }

    /// Writes the contents of some packs that `is_live` accepts into a new pack, then removes these packs.
    ///
    /// A process that is killed in between leaves contents twice, which is harmless.
    fn rewrite(&mut self, old: &[Pack], is_live: impl Fn(Digest) -> bool) -> Result<(), Error> {
        let mut writer = PackWriter::create(&self.disk, &self.folder)?;
        for pack in old {
            for (digest, span) in pack.contents()? {
                if is_live(digest) && !writer.contains(digest) {
                    let offset = writer.position();
                    pack.read(digest, span, |piece| writer.write(piece))?;
                    writer.end(digest, offset);
                }
            }
        }
        self.packs.extend(writer.finish()?);
        self.write_list()?;
        for pack in old {
            // The same contents have the same name.
            if !self.packs.iter().any(|kept| kept.path == pack.path) {
                self.disk.remove(&pack.path)?;
            }
        }
        Ok(())
    }

    fn merge(&mut self) -> Result<(), Error> {
        let (small, large) = self.packs.drain(..).partition(|pack| pack.size < LARGE_PACK);
        self.packs = large;
        self.rewrite(&small, |_| true)
    }

    /// Removes the contents that are not in `live` from packs of which at least an eighth is not.
    pub(super) fn retain(&mut self, live: &HashSet<Digest>) -> Result<(), Error> {
        let (mut old, mut good) = (Vec::new(), Vec::new());
        for pack in self.packs.drain(..) {
            let contents = pack.contents()?;
            let alive = contents.iter().filter(|(digest, _)| live.contains(digest));
            let alive: u64 = alive.map(|(_, span)| span.length + ROW).sum();
            if alive < pack.size - pack.size / 8 && alive + 256 < pack.size {
                old.push(pack);
            } else {
                good.push(pack);
            }
        }
        self.packs = good;
        if old.is_empty() { Ok(()) } else { self.rewrite(&old, |digest| live.contains(&digest)) }
    }

    /// Returns the bytes of all packs.
    pub(super) fn size(&self) -> u64 {
        self.packs.iter().map(|pack| pack.size).sum()
    }
}

fn read_pieces(
    mut file: impl io::Read,
    path: &Path,
    mut sink: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(Digest, u64), Error> {
    let (mut buffer, mut hasher, mut total) = (vec![0; 256 << 10], Hasher::default(), 0);
    loop {
        let length = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.at(path)?,
        };
        if length == 0 {
            return Ok((hasher.finish(), total));
        }
        hasher.update(&buffer[..length]);
        sink(&buffer[..length])?;
        total += length as u64;
    }
}

/// Returns the digest of a file that is not stored.
pub(crate) fn hash_file(file: &File, path: &Path) -> Result<Digest, Error> {
    read_pieces(file, path, |_| Ok(())).map(|(digest, _)| digest)
}
