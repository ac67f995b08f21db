//! Checks the guide as its readers see it: built by mdBook, with every link followed.
//!
//! The built guide stays in `target/tmp/guide` for inspection. It has no search; `mdbook serve book` has.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use mdbook_driver::MDBook;

/// Returns the values of an attribute in a page. mdBook writes them in double quotes.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let opening = format!(" {attribute}=\"");
    html.split(opening.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn build(into: &Path) {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book");
    let mut book = MDBook::load(guide).expect("a book");
    book.config.build.build_dir = into.to_owned();
    book.build().expect("it builds");
}

/// Returns its pages, by file name.
fn built_pages(folder: &Path) -> HashMap<String, String> {
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|found| found == "html")).collect();
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("text"))
    };
    pages.into_iter().map(read).collect()
}

#[test]
fn it_builds_and_every_link_inside_leads_somewhere() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("what was built before goes");
    }
    build(&folder);
    let pages = built_pages(&folder);
    assert!(pages.len() > 5, "{:?}", pages.keys());
    let anchors: HashMap<&str, HashSet<&str>> =
        pages.iter().map(|(name, html)| (name.as_str(), values(html, "id").into_iter().collect())).collect();
    let mut broken = Vec::new();
    for (name, html) in &pages {
        for link in values(html, "href").into_iter().chain(values(html, "src")) {
            if link.contains("://") || link.starts_with("data:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let exists = folder.join(file).is_file();
            // A file that is not a page has none of our anchors.
            let is_there = anchors.get(file).is_none_or(|ids| anchor.is_empty() || ids.contains(anchor));
            if !exists || !is_there {
                broken.push(format!("{name}: {link}"));
            }
        }
        assert!(!html.contains("{{#"), "{name}: an include that was not found");
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
