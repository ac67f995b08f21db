//! Lists of packages for pip.

/// Returns whether a file is such a list.
pub(super) fn is_list(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}

/// Puts the sources of the start into a list. Other versions and other packages of an index are welcome; files, addresses and
/// options that the list did not have are left out.
pub(super) fn list(first: &str, judged: &str) -> String {
    let before: Vec<_> = lines(first).collect();
    let mut merged: Vec<_> =
        lines(judged).filter(|line| !is_special(line) || before.contains(line)).collect();
    let is_known = |line: &&&str| {
        let has_name = |other: &&str| !is_special(other) && name(other) == name(line);
        merged.contains(*line) || !is_special(line) && merged.iter().any(has_name)
    };
    let replaces = |line: &&&str| lines(judged).any(|other| is_special(other) && names(other, &name(line)));
    let missing =
        before.iter().filter(|line| !is_known(line)).filter(|line| is_special(line) || replaces(line));
    let missing: Vec<_> = missing.copied().collect();
    merged.extend(missing);
    merged.iter().map(|line| format!("{line}\n")).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split(" #").next().unwrap_or(line).trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns whether a line is an option, or names a file or an address.
fn is_special(line: &str) -> bool {
    line.starts_with('-')
        || line.contains(['@', '/', '\\'])
        || line.contains(".whl")
        || line.contains(".tar.")
}

/// Returns the name of the package, as an index compares it.
fn name(line: &str) -> String {
    let is_part = |sign: char| sign.is_alphanumeric() || "-_.".contains(sign);
    let name = line.split(|sign| !is_part(sign)).next().unwrap_or_default();
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Returns whether a line with a file or an address can be about this package.
fn names(line: &str, name: &str) -> bool {
    !name.is_empty() && line.to_ascii_lowercase().replace(['_', '.'], "-").contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_come_from_where_they_came_at_the_start() {
        for (first, judged, expected) in [
            ("kit==1\n", "kit==2\nnew\n", "kit==2\nnew\n"),
            ("kit==1\n", "./kit\n", "kit==1\n"),
            ("kit==1\nother\n", "kit @ file:///fake\n", "kit==1\n"),
            ("kit\n", "kit\n--index-url http://fake\n-e fake\n", "kit\n"),
            ("-e .\nkit # a tool\n", "kit\n", "kit\n-e .\n"),
            ("", "new>=1\n", "new>=1\n"),
        ] {
            assert_eq!(list(first, judged), expected, "{first:?} {judged:?}");
        }
    }
}
