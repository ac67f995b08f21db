//! Links and folders by which a file that needs a person's yes is changed under another name.

use std::{
    ffi::OsStr,
    fs, io,
    os::{fd::AsFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

use super::Inner;
use crate::policy::{Denied, LocalPath, Verb, instructions};

/// How many names are looked at in a folder that is moved. A larger one is moved by hand.
const MAX_NAMES: usize = 100_000;

/// Refuses a path that a link leads to whose own name needs approval, if the link is in a folder above it.
pub(super) fn refuse_target(inner: &Inner, path: &LocalPath, verb: Verb) -> Result<(), Denied> {
    for folder in path.as_path().ancestors().skip(1) {
        // A folder that is not there, or cannot be listed by this user, has no links in it that anybody follows.
        let Ok(entries) = fs::read_dir(inner.path.join(folder)) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let link = LocalPath::new(folder.join(entry.file_name()));
            let Some(link) = link.ok().filter(|link| is_link && instructions::rule_on(link).is_some()) else {
                continue;
            };
            let target = target(&inner.path, &link).ok().flatten();
            if target.is_some_and(|target| path.is_within(&target)) {
                let ruling = instructions::rule_on_target(&link, path);
                ruling.into_result(format!("to {verb} `{path}`"))?;
            }
        }
    }
    Ok(())
}

/// Where a link below the root leads, if that is below the root too. What is not there yet may come to be there.
fn target(root: &Path, link: &LocalPath) -> io::Result<Option<LocalPath>> {
    let path = root.join(link.as_path());
    let real = fs::canonicalize(&path).or_else(|_| {
        let beside = path.parent().unwrap_or(root);
        fs::read_link(&path).map(|target| beside.join(target))
    })?;
    Ok(real.strip_prefix(root).ok().and_then(|below| LocalPath::new(below).ok()))
}

/// Whether something in a folder needs approval, at one of the paths that it has before and after a move.
pub(super) fn is_below(parent: impl AsFd, name: &OsStr, paths: [&LocalPath; 2]) -> Result<bool, Errno> {
    let mut left = MAX_NAMES;
    search(parent, name, &mut paths.map(|path| path.as_path().to_owned()), &mut left)
}

fn search(
    parent: impl AsFd,
    name: &OsStr,
    paths: &mut [PathBuf; 2],
    left: &mut usize,
) -> Result<bool, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        if [c".", c".."].contains(&entry.file_name()) {
            continue;
        }
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        paths.iter_mut().for_each(|path| path.push(name));
        *left = left.saturating_sub(1);
        let is_guarded =
            |path: &PathBuf| LocalPath::new(path).is_ok_and(|path| instructions::rule_on(&path).is_some());
        let is_found = *left == 0
            || paths.iter().any(is_guarded)
            || (is_folder(&folder, name)? && search(&folder, name, paths, left)?);
        if is_found {
            return Ok(true);
        }
        paths.iter_mut().for_each(|path| {
            path.pop();
        });
    }
    Ok(false)
}

fn is_folder(parent: impl AsFd, name: &OsStr) -> Result<bool, Errno> {
    let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}
