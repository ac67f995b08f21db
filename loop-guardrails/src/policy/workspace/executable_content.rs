//! Checks the content of files, which alone can make a change need approval.

use std::{ffi::OsStr, fs::File, io::Read, os::fd::AsFd};

use rustix::{
    fs::{FileType, Mode, OFlags, openat},
    io::Errno,
};

use super::{
    Inner, WorkspaceError,
    path_walk::{self, FinalLink, MissingNames, WalkTarget},
};
use crate::policy::{
    DeniedAction, LocalPath, Ruling, Verb,
    executed::{ExecutedFile, MAX_BYTES},
    instructions,
};

/// Refuses to change a file that `loop` executes, or a link to one.
pub(super) fn refuse_held(inner: &Inner, place: &WalkTarget, verb: Verb) -> Result<(), WorkspaceError> {
    let held = match place.kind {
        Some(FileType::RegularFile) => of_file(place.folder(), &place.name),
        Some(FileType::Symlink) => of_link(inner, &place.path),
        _ => Ok(None),
    };
    let ruling = match held {
        Ok(None) => return Ok(()),
        Ok(Some(executed)) => instructions::rule_on_content(executed, &place.path),
        Err(UnreadableContent) => instructions::rule_on_unread(&place.path),
    };
    refuse(ruling, &place.path, verb)
}

/// Refuses to write content that `loop` executes.
pub(super) fn refuse_new(
    inner: &Inner,
    path: &LocalPath,
    executed: Option<ExecutedFile>,
) -> Result<(), WorkspaceError> {
    match executed.filter(|_| inner.policy.needs_approval(path, Verb::Write)) {
        Some(executed) => refuse(instructions::rule_on_new_content(executed, path), path, Verb::Write),
        None => Ok(()),
    }
}

fn refuse(ruling: Ruling, path: &LocalPath, verb: Verb) -> Result<(), WorkspaceError> {
    Err(DeniedAction { action: format!("to {verb} `{path}`"), ruling }.into())
}

/// The file exists, but we cannot read its content.
#[derive(Debug)]
pub(super) struct UnreadableContent;

/// Recognises the content of a link's target. This does not read files outside the workspace.
fn of_link(inner: &Inner, link: &LocalPath) -> Result<Option<ExecutedFile>, UnreadableContent> {
    match path_walk::walk(inner, link.as_path(), FinalLink::Follow, MissingNames::AssumeFolders(Verb::Read)) {
        Ok(file) if file.kind == Some(FileType::RegularFile) => of_file(file.folder(), &file.name),
        Err(WorkspaceError::Io { .. }) => Err(UnreadableContent),
        _ => Ok(None),
    }
}

/// Recognises the content of the file of this name. Returns nothing if the file is gone.
pub(super) fn of_file(folder: impl AsFd, name: &OsStr) -> Result<Option<ExecutedFile>, UnreadableContent> {
    // The file may have been replaced by now. Do not follow a link, and do not wait for a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(_) => return Err(UnreadableContent),
    };
    if !file.metadata().map_err(|_| UnreadableContent)?.is_file() {
        return Err(UnreadableContent);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|_| UnreadableContent)?;
    Ok(ExecutedFile::of(&bytes))
}
