//! Which paths of a sealed tree come from where.

use std::{fmt::Debug, path::Path};

/// The origin of a path in a [`SealedTree`](super::SealedTree).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The state that is judged.
    Judged,
    /// The first state. A path that the first state does not have is left out.
    First,
    /// The state that is judged, after [`Protection::merge`] put the protected part of the first state into it.
    Merged,
    /// The programs that worked in the sealed tree itself, such as a compiler. Neither state has a say.
    Built,
}

/// The facts about a path that an origin may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathFacts {
    /// The first state does not have the path.
    pub is_new: bool,
    /// The path is a link in the state that is judged.
    pub is_link: bool,
    /// The first state has the folder in which the path is. The top is always there.
    pub is_in_known_folder: bool,
}

impl PathFacts {
    /// The facts about a path of the first state that is no link.
    pub const KNOWN: Self = Self { is_new: false, is_link: false, is_in_known_folder: true };

    /// The facts about a path in a folder that the first state does not have, and that is no link.
    pub const NEW: Self = Self { is_new: true, is_link: false, is_in_known_folder: false };
}

/// Decides about the paths of a [`SealedTree`](super::SealedTree).
pub trait Protection: Debug + Send + Sync {
    /// Returns where this path comes from.
    fn origin(&self, path: &Path, facts: PathFacts) -> Origin;

    /// Returns the content of a [merged](Origin::Merged) file: that of the state that is judged, with the protected part
    /// of the first state. `None` takes the file from the first state. The same contents give the same result.
    fn merge(&self, path: &Path, first: Option<&[u8]>, judged: &[u8]) -> Option<Vec<u8>>;

    /// Returns whether a protected file may judge at a new place, after its folder moved from `from` to `to`. `path` is that of
    /// the file in the folder, and `contents` are those at the first place and at the new one. By default, nothing may move.
    fn may_move(&self, from: &Path, to: &Path, path: &Path, contents: (&[u8], &[u8])) -> bool {
        let _ = (from, to, path, contents);
        false
    }

    /// Returns whether a check may write a protected file again with the same content, as tests do that renew the results
    /// which they expect. By default, it may not.
    fn may_be_rewritten(&self, path: &Path) -> bool {
        let _ = path;
        false
    }
}
