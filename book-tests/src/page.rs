//! The pages of the guide.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{Block, block::blocks};

/// A page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The name of its file, such as `pace.md`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its Markdown.
    pub text: String,
}

impl Page {
    /// Returns its fenced blocks.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        blocks(&self.text)
    }

    /// Returns the position of a block, for a message.
    pub fn place(&self, line: usize) -> String {
        format!("book/src/{}:{line}", self.name)
    }
}

/// Returns all pages, sorted by name.
///
/// # Panics
/// If they cannot be read.
pub fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src");
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut pages: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| Page {
            name: path.file_name().expect("a name").to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).expect("text"),
            path,
        })
        .collect();
    pages.sort_by(|one, other| one.name.cmp(&other.name));
    pages
}
