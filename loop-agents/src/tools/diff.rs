//! What a change does to a text, for a person who is asked about it.

/// How many lines are shown before and behind what changes.
const AROUND: usize = 3;

/// How many lines a change may span, in the old text and in the new one. Nobody reads more before saying yes.
const MAX_LINES: usize = 1000;

/// How many bytes all of it may have.
const MAX_BYTES: usize = 64 * 1024;

/// The lines that a change takes out (`-`) and puts in (`+`), and a few around them; nothing if that is too long for a
/// person to read. No line that changes is left out.
pub(super) fn diff(old: &str, new: &str) -> Option<String> {
    let (old, new): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let before = old.iter().zip(&new).take_while(same).count();
    let (from, to) = (&old[before..], &new[before..]);
    let behind = from.iter().rev().zip(to.iter().rev()).take_while(same).count();
    let (from, to) = (&from[..from.len() - behind], &to[..to.len() - behind]);
    if from.len() > MAX_LINES || to.len() > MAX_LINES {
        return None;
    }
    let first = before.saturating_sub(AROUND);
    let mut text = format!("at line {}\n", first + 1);
    old[first..before].iter().for_each(|line| put(&mut text, ' ', line));
    edits(from, to).into_iter().for_each(|(sign, line)| put(&mut text, sign, line));
    old[old.len() - behind..].iter().take(AROUND).for_each(|line| put(&mut text, ' ', line));
    (text.len() <= MAX_BYTES).then_some(text)
}

fn put(text: &mut String, sign: char, line: &str) {
    text.push(sign);
    text.push_str(line.trim_end_matches('\n'));
    text.push_str(if line.ends_with('\n') { "\n" } else { "\n\\ no line end\n" });
}

/// The shortest way from some lines to others.
fn edits<'a>(from: &[&'a str], to: &[&'a str]) -> Vec<(char, &'a str)> {
    // How many lines the rests from here on have in common.
    let width = to.len() + 1;
    let mut common = vec![0_u16; (from.len() + 1) * width];
    for row in (0..from.len()).rev() {
        for column in (0..to.len()).rev() {
            common[row * width + column] = if from[row] == to[column] {
                common[(row + 1) * width + column + 1] + 1
            } else {
                common[(row + 1) * width + column].max(common[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column, mut edits) = (0, 0, Vec::new());
    while row < from.len() || column < to.len() {
        if row < from.len() && column < to.len() && from[row] == to[column] {
            edits.push((' ', from[row]));
            (row, column) = (row + 1, column + 1);
        } else if column == to.len()
            || (row < from.len() && common[(row + 1) * width + column] >= common[row * width + column + 1])
        {
            edits.push(('-', from[row]));
            row += 1;
        } else {
            edits.push(('+', to[column]));
            column += 1;
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is left of the shown lines without those of one sign.
    fn side(edits: &[(char, &str)], without: char) -> String {
        edits.iter().filter(|(sign, _)| *sign != without).map(|(_, line)| *line).collect()
    }

    proptest! {
        #[test]
        fn both_texts_are_in_it(old in "[ab\n]{0,12}", new in "[ab\n]{0,12}") {
            let lines = |text: &'static str| text.split_inclusive('\n').collect::<Vec<_>>();
            let (old, new): (&'static str, &'static str) = (old.leak(), new.leak());
            let edits = edits(&lines(old), &lines(new));
            prop_assert_eq!((side(&edits, '+'), side(&edits, '-')), (old.to_owned(), new.to_owned()));
        }

        #[test]
        fn every_new_line_is_shown(old in "([a-c]\n){0,8}", new in "([a-c]\n){0,8}") {
            let shown = diff(&old, &new).unwrap();
            let count = |sign: char| shown.lines().filter(|line| line.starts_with(sign)).count();
            let grown = new.lines().count() as i64 - old.lines().count() as i64;
            prop_assert_eq!(count('+') as i64 - count('-') as i64, grown);
            prop_assert_eq!(count('+') + count('-') == 0, old == new);
        }
    }

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let shown = diff(old, &old.replace("5\n", "five\n")).unwrap();
        assert_eq!(shown, "at line 2\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
        assert_eq!(diff("", "a").unwrap(), "at line 1\n+a\n\\ no line end\n");
        assert_eq!(diff("", &"a\n".repeat(1001)), None);
        assert_eq!(diff("", &"a".repeat(70_000)), None);
    }
}
