//! The names of conditions.

use std::borrow::Cow;

/// The last segment of the path of `T`, without generic parameters.
pub(super) fn of_type<T: ?Sized>() -> &'static str {
    last_segment(std::any::type_name::<T>())
}

fn last_segment(path: &str) -> &str {
    let path = path.get(..parameters(path)).unwrap_or(path);
    path.rsplit("::").next().unwrap_or(path)
}

/// Where the generic parameters at the end of `path` begin; its length if it has none.
fn parameters(path: &str) -> usize {
    if !path.ends_with('>') {
        return path.len();
    }
    let mut depth = 0_usize;
    for (at, sign) in path.char_indices().rev() {
        match sign {
            // The arrow of a function's type closes nothing.
            '>' if path.get(..at).is_some_and(|before| before.ends_with('-')) => {}
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    path.len()
}

/// The names, each in parentheses if it has several words, with `between` between them; `none` if there are none.
pub(super) fn joined<'a>(names: impl IntoIterator<Item = Cow<'a, str>>, between: &str) -> String {
    let names: Vec<_> = names.into_iter().map(whole).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(between) }
}

/// Puts a name of several words in parentheses, so that it stays one term in a combination.
pub(super) fn whole(name: Cow<'_, str>) -> String {
    if name.contains(' ') { format!("({name})") } else { name.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_named_by_the_last_segment_of_its_path() {
        let names = [
            ("Mine", "Mine"),
            ("mine::goal::Mine", "Mine"),
            ("mine::Mine<alloc::string::String>", "Mine"),
            ("mine::Mine<mine::Other<fn(u8) -> u8>, [u8; 3]>", "Mine"),
            ("mine::Mine<fn() -> a::B>", "Mine"),
            ("<mine::Mine<T> as a::B>::run::Local", "Local"),
            ("mine::run::{{closure}}", "{{closure}}"),
        ];
        for (path, name) in names {
            assert_eq!(last_segment(path), name);
        }
    }
}
