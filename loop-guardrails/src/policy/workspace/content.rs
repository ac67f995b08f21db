//! The content of files, which alone can make a change need a person's yes.

use std::{ffi::OsStr, fs::File, io::Read, os::fd::AsFd};

use rustix::{
    fs::{FileType, Mode, OFlags, openat},
    io::Errno,
};

use super::{
    Inner, WorkspaceError,
    walk::{self, Last, Missing, Place},
};
use crate::policy::{
    Denied, LocalPath, Ruling, Verb,
    executed::{Executed, MAX_BYTES},
    instructions,
};

/// Refuses to change a file that `loop` executes, or the link to one.
pub(super) fn refuse_held(inner: &Inner, place: &Place, verb: Verb) -> Result<(), WorkspaceError> {
    let held = match place.kind {
        Some(FileType::RegularFile) => of_file(place.folder(), &place.name),
        Some(FileType::Symlink) => of_link(inner, &place.path),
        _ => Ok(None),
    };
    let ruling = match held {
        Ok(None) => return Ok(()),
        Ok(Some(executed)) => instructions::rule_on_content(executed, &place.path),
        Err(Unread) => instructions::rule_on_unread(&place.path),
    };
    refuse(ruling, &place.path, verb)
}

/// Refuses to write what `loop` executes.
pub(super) fn refuse_new(
    inner: &Inner,
    path: &LocalPath,
    executed: Option<Executed>,
) -> Result<(), WorkspaceError> {
    match executed.filter(|_| inner.policy.needs_approval(path, Verb::Write)) {
        Some(executed) => refuse(instructions::rule_on_new_content(executed, path), path, Verb::Write),
        None => Ok(()),
    }
}

fn refuse(ruling: Ruling, path: &LocalPath, verb: Verb) -> Result<(), WorkspaceError> {
    Err(Denied { action: format!("to {verb} `{path}`"), ruling }.into())
}

/// The file exists, and its content cannot be read.
#[derive(Debug)]
pub(super) struct Unread;

/// Recognises the content of the file to which a link leads. This does not read files out of the workspace.
fn of_link(inner: &Inner, link: &LocalPath) -> Result<Option<Executed>, Unread> {
    match walk::walk(inner, link.as_path(), Last::Followed, Missing::Imagined(Verb::Read)) {
        Ok(file) if file.kind == Some(FileType::RegularFile) => of_file(file.folder(), &file.name),
        Err(WorkspaceError::Io { .. }) => Err(Unread),
        _ => Ok(None),
    }
}

/// Recognises the content of the file of this name. A file that is gone has none.
pub(super) fn of_file(folder: impl AsFd, name: &OsStr) -> Result<Option<Executed>, Unread> {
    // Something else may be there by now. A link is not followed, and a pipe is not waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(_) => return Err(Unread),
    };
    if !file.metadata().map_err(|_| Unread)?.is_file() {
        return Err(Unread);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|_| Unread)?;
    Ok(Executed::of(&bytes))
}
