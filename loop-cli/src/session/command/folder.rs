//! What commands about folders have in common.

use std::num::NonZeroU32;

use super::About;

/// The folder in words.
pub(super) fn or_here(path: &str) -> &str {
    if path.is_empty() { "this folder" } else { path }
}

/// `[PATH] [--depth N]`
///
/// # Errors
/// A depth that is none.
pub(super) fn depth<'a>(about: &About, arguments: &'a str) -> anyhow::Result<(&'a str, Option<NonZeroU32>)> {
    let Some((path, depth)) = arguments.split_once("--depth") else { return Ok((arguments, None)) };
    let depth = depth.trim_start_matches('=').trim();
    match depth.parse() {
        Ok(depth) => Ok((path.trim(), Some(depth))),
        Err(_) => Err(about.misused(format!("`--depth {depth}`: it has to be a number from 1"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::find, *};

    #[test]
    fn a_depth_stands_at_the_end() {
        let about = find("file-tree").unwrap().about();
        let read = |text| depth(about, text).map(|(path, depth)| (path, depth.map(NonZeroU32::get))).ok();
        assert_eq!(read(""), Some(("", None)));
        assert_eq!(read("a b"), Some(("a b", None)));
        assert_eq!(read("--depth 2"), Some(("", Some(2))));
        assert_eq!(read("src --depth=3"), Some(("src", Some(3))));
        for wrong in ["--depth", "--depth 0", "--depth x", "--depth 2 src"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
