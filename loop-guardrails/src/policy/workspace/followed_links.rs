//! Finds links and folders through which a change could reach a protected file under another name.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    os::{fd::AsFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

use super::{
    Inner, WorkspaceError, executable_content,
    git_settings::NamedFiles,
    path_walk::{self, FinalLink, MissingNames, WalkTarget},
};
use crate::policy::{DeniedAction, LocalPath, Origin, Ruling, Verb, action, instructions};

/// The most names to check in a folder before moving it. A person has to move a larger folder.
const MAX_NAMES: usize = 100_000;

/// The most names to check in a workspace while searching for links.
const MAX_SEARCHED: usize = 500_000;

/// The most links in a workspace whose targets we check.
const MAX_LINKS: usize = 50_000;

/// The maximum length of a path for the link search. Each component of it is a folder that stays open.
const MAX_PATH_BYTES: usize = 16 * 1024;

/// Refuses a path that is the target of a link whose own name needs approval, or that nobody may change.
pub(super) fn refuse_target(inner: &Inner, path: &LocalPath, verb: Verb) -> Result<(), DeniedAction> {
    let refusal = match LinkMap::of(inner) {
        Ok(links) => links.refusal(inner, [path], path),
        Err(SearchIncomplete) => Some(instructions::rule_on_unsearched(path)),
    };
    refusal.map_or(Ok(()), |ruling| ruling.into_result(format!("to {verb} `{path}`")).map(drop))
}

/// Returns whether the source of a move contains a protected file, or a link would then give such a name to one of its
/// files.
pub(super) fn has_rules_below(
    inner: &Inner,
    old: &WalkTarget,
    new: &WalkTarget,
) -> Result<bool, WorkspaceError> {
    let is_hidden = || new.path.names().last().is_some_and(|name| name.starts_with('.'));
    let is_below = match old.kind {
        Some(FileType::Directory) => is_below(inner, old, [&old.path, &new.path])
            .map_err(|errno| WorkspaceError::io("look into", &old.path, errno))?,
        // Any name in the folder to which it leads may be one that agents follow in a hidden folder.
        Some(FileType::Symlink) => is_hidden(),
        _ => return Ok(false),
    };
    Ok(is_below || is_linked_below(inner, &old.path) || is_linked_below(inner, &new.path))
}

/// Returns whether this path cannot be the source or destination of a folder or a link, because a protected link leads
/// to a path below it, or passes over it.
fn is_linked_below(inner: &Inner, folder: &LocalPath) -> bool {
    let Ok(links) = LinkMap::of(inner) else { return true };
    let paths = links.to.keys().chain(links.over.keys()).filter(|path| path.is_within(folder));
    // With the name of a hidden link, any name in the folder may be one that agents follow.
    let is_hidden = |link: &LocalPath| link.names().last().is_some_and(|name| name.starts_with('.'));
    links.to.get(folder).is_some_and(|links| links.iter().any(is_hidden))
        || links.refusal(inner, paths, folder).is_some()
}

/// The search did not cover all links.
#[derive(Debug)]
struct SearchIncomplete;

/// The links of a workspace.
#[derive(Debug, Default)]
struct LinkMap {
    /// The links by their targets.
    to: HashMap<LocalPath, Vec<LocalPath>>,
    /// The links by the links and folders they pass, because replacing one of those would change the target.
    over: HashMap<LocalPath, Vec<LocalPath>>,
}

impl LinkMap {
    fn of(inner: &Inner) -> Result<Self, SearchIncomplete> {
        let (mut found, mut left) = (Vec::new(), MAX_SEARCHED);
        collect(&inner.root, OsStr::new("."), &mut PathBuf::new(), &mut found, &mut left)?;
        let mut links = Self::default();
        for link in found {
            let Some(place) = followed(inner, &link)? else { continue };
            for passed in place.passed.into_iter().filter(|passed| *passed != link) {
                links.over.entry(passed).or_default().push(link.clone());
            }
            links.to.entry(place.path).or_default().push(link);
        }
        Ok(links)
    }

    /// Returns the rule that protects these paths, because of the names that links give them.
    fn refusal<'a>(
        &'a self,
        inner: &Inner,
        paths: impl IntoIterator<Item = &'a LocalPath>,
        asked: &LocalPath,
    ) -> Option<Ruling> {
        let mut left = Vec::from_iter(paths);
        let over = left.iter().filter_map(|path| self.over.get(path)).flatten();
        let mut reached: Vec<_> = over.map(|link| (link, link.clone())).collect();
        let (mut seen, mut refusal) = (HashSet::new(), None);
        loop {
            for (link, named) in reached {
                if action::always_guarded(link).is_some() {
                    return Some(of_git(link));
                }
                if refusal.is_none() && inner.policy.rule_on_followed(&named).is_some() {
                    refusal = Some(instructions::rule_on_target(link, asked));
                }
                if seen.insert(link) {
                    left.push(link);
                }
            }
            let Some(path) = left.pop() else { return refusal };
            reached = self.leading_to(path);
        }
    }

    /// Returns the links to a path and to the folders above it, each with the first name after it: a rule may depend on
    /// both the link's own name and that one.
    fn leading_to(&self, path: &LocalPath) -> Vec<(&LocalPath, LocalPath)> {
        let mut all = Vec::new();
        for folder in path.as_path().ancestors() {
            let links = LocalPath::new(folder).ok().and_then(|folder| self.to.get(&folder));
            let below = path.as_path().strip_prefix(folder).ok().and_then(|rest| rest.iter().next());
            let named = |link: &LocalPath| link.join(below.unwrap_or_default()).unwrap_or_default();
            all.extend(links.into_iter().flatten().map(|link| (link, named(link))));
        }
        all
    }
}

fn of_git(link: &LocalPath) -> Ruling {
    let rule = format!("the link `{link}` leads to it, and git starts programs that such files name");
    Ruling::denied(rule, &Origin::BuiltIn)
}

/// Returns the target of a link, if it is below the root. A target that does not exist yet may be created later.
fn followed(inner: &Inner, link: &LocalPath) -> Result<Option<WalkTarget>, SearchIncomplete> {
    match path_walk::walk(inner, link.as_path(), FinalLink::Follow, MissingNames::AssumeFolders(Verb::Read)) {
        Ok(place) => Ok(Some(place)),
        // Each process has its own names there, and some of them lead to the workspace.
        Err(WorkspaceError::LinkOutside { link: last, target })
            if is_of_process(inner, &last, &target) && inner.policy.rule_on_followed(link).is_some() =>
        {
            Err(SearchIncomplete)
        }
        // No other process with this user's rights can go further.
        Err(WorkspaceError::Io { source, .. }) if source.kind() != std::io::ErrorKind::PermissionDenied => {
            Err(SearchIncomplete)
        }
        Err(_) => Ok(None),
    }
}

/// Returns whether a link leads to a place where the system shows each process itself.
fn is_of_process(inner: &Inner, link: &LocalPath, target: &Path) -> bool {
    let folder = link.as_path().parent().unwrap_or(Path::new(""));
    let whole = path_walk::tidy(&inner.path.join(folder).join(target));
    ["/proc", "/dev/fd"].iter().any(|own| whole.starts_with(own))
}

/// Finds the links in a folder and in its subfolders.
fn collect(
    parent: impl AsFd,
    name: &OsStr,
    path: &mut PathBuf,
    found: &mut Vec<LocalPath>,
    left: &mut usize,
) -> Result<(), SearchIncomplete> {
    if path.as_os_str().len() > MAX_PATH_BYTES {
        return Err(SearchIncomplete);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(parent, name, flags, Mode::empty()) {
        Ok(folder) => folder,
        // It is gone, has been replaced, or this user cannot list it.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => return Ok(()),
        Err(_) => return Err(SearchIncomplete),
    };
    for entry in Dir::read_from(&folder).map_err(|_| SearchIncomplete)? {
        let entry = entry.map_err(|_| SearchIncomplete)?;
        if [c".", c".."].contains(&entry.file_name()) {
            continue;
        }
        *left = left.checked_sub(1).ok_or(SearchIncomplete)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let kind = match entry.file_type() {
            FileType::Unknown => match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            known => known,
        };
        if kind == FileType::Symlink && found.len() == MAX_LINKS {
            return Err(SearchIncomplete);
        }
        let is_store = name == "objects" && is_of_git(path);
        path.push(name);
        match kind {
            FileType::Symlink => found.extend(LocalPath::new(&path)),
            // Agents follow no names in git's object store, and it is large.
            FileType::Directory if !is_store => collect(&folder, name, path, found, left)?,
            _ => {}
        }
        path.pop();
    }
    Ok(())
}

fn is_of_git(path: &Path) -> bool {
    path.iter().any(|name| name == ".git")
}

/// Returns whether a file in a folder needs approval, because of its content or because of one of its paths before and
/// after a move.
fn is_below(inner: &Inner, folder: &WalkTarget, paths: [&LocalPath; 2]) -> Result<bool, Errno> {
    let named = NamedFiles::above(inner, paths);
    let is_guarded = |path: &LocalPath| inner.policy.rule_on_followed(path).is_some() || named.include(path);
    let mut paths = paths.map(|path| path.as_path().to_owned());
    search(&is_guarded, folder.folder(), &folder.name, &mut paths, &mut { MAX_NAMES })
}

fn search(
    is_guarded: &dyn Fn(&LocalPath) -> bool,
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
        let is_found = *left == 0
            || paths.iter().any(|path| LocalPath::new(path).is_ok_and(|path| is_guarded(&path)))
            || match kind(&folder, name)? {
                FileType::Directory => search(is_guarded, &folder, name, paths, left)?,
                FileType::RegularFile => !matches!(executable_content::of_file(&folder, name), Ok(None)),
                _ => false,
            };
        if is_found {
            return Ok(true);
        }
        paths.iter_mut().for_each(|path| {
            path.pop();
        });
    }
    Ok(false)
}

fn kind(parent: impl AsFd, name: &OsStr) -> Result<FileType, Errno> {
    let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}
