//! Helpers shared by commands about folders.

use crate::{CommandInfo, InputError, split_word};
use std::num::NonZeroU32;

/// Returns the folder in words.
pub(crate) fn or_here(path: &str) -> &str {
    if path.is_empty() { "this folder" } else { path }
}

/// `[PATH] [--depth N]`, in any order.
///
/// # Errors
/// The depth is invalid, there are too many paths, or an option is unknown.
pub(crate) fn depth(info: &CommandInfo, arguments: &str) -> Result<(String, Option<NonZeroU32>), InputError> {
    let (mut path, mut depth, mut rest) = (Vec::new(), None, arguments);
    while !rest.is_empty() {
        let (first, behind) = split_word(rest);
        rest = behind;
        let (flag, value) = first.split_once('=').map_or((first, None), |(flag, value)| (flag, Some(value)));
        if flag != "--depth" {
            if flag.starts_with("--") {
                return Err(info.misused(format!("there is no option {flag}")));
            }
            path.push(first);
            continue;
        }
        let written = value.unwrap_or_else(|| {
            let (number, behind) = split_word(rest);
            rest = behind;
            number
        });
        if depth.is_some() {
            return Err(info.misused("--depth appears twice"));
        }
        let wrong = |_| info.misused(format!("--depth {written}: give a number from 1"));
        depth = Some(written.parse().map_err(wrong)?);
    }
    Ok((path.join(" "), depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Commands;

    #[test]
    fn a_depth_stands_before_the_path_or_behind_it() {
        let info = Commands::standard().find("file-tree").unwrap().info();
        let read = |text| depth(info, text).map(|(path, depth)| (path, depth.map(NonZeroU32::get))).ok();
        let some = |path: &str, depth| Some((path.to_owned(), depth));
        assert_eq!(read(""), some("", None));
        assert_eq!(read("a b"), some("a b", None));
        assert_eq!(read("--depth 2"), some("", Some(2)));
        assert_eq!(read("src --depth=3"), some("src", Some(3)));
        assert_eq!(read("--depth 1 ."), some(".", Some(1)));
        assert_eq!(read("--depth=1 a b"), some("a b", Some(1)));
        for wrong in ["--depth", "--depth 0", "--depth x", "--depth 2 --depth 3", "--deep 2", "--depth= 2"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
