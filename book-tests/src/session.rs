//! The actions that a page asks its reader to do.

use std::ops::Range;

use crate::Page;

/// An action of the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action<'a> {
    /// Writes a file: a block under `<!-- file: NAME -->`.
    Write {
        /// The name of the file.
        file: &'a str,
        /// Its whole content.
        text: &'a str,
    },
    /// Types a command: the text after `$ ` in a console block, with the following lines that begin with `> `.
    Run {
        /// The command, its lines without `$ ` and `> `.
        command: String,
        /// Its output according to the page.
        shown: &'a str,
        /// The position of the output in the page, in bytes.
        range: Range<usize>,
        /// The line of the block in the page.
        line: usize,
    },
}

/// Returns the actions that a page asks its reader to do, in order.
///
/// # Panics
/// If a console block does not begin with a command.
pub fn session(page: &Page) -> Vec<Action<'_>> {
    let mut actions = Vec::new();
    for block in page.blocks() {
        if let Some(file) = block.file {
            actions.push(Action::Write { file, text: block.text });
        } else if block.language() == "console" {
            assert!(block.text.starts_with("$ "), "{}: no command", page.place(block.line));
            typed(block.text, block.range.start, block.line, &page.text, &mut actions);
        }
    }
    actions
}

fn typed<'a>(block: &str, start: usize, line: usize, page: &'a str, actions: &mut Vec<Action<'a>>) {
    let mut offset = start;
    let mut lines = block.split_inclusive('\n').peekable();
    while let Some(first) = lines.next() {
        offset += first.len();
        let mut command = first.trim_end().trim_start_matches("$ ").to_owned();
        while let Some(next) = lines.next_if(|next| next.starts_with("> ")) {
            offset += next.len();
            command.push('\n');
            command.push_str(next[2..].trim_end());
        }
        let begun = offset;
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ")) {
            offset += next.len();
        }
        actions.push(Action::Run { command, shown: &page[begun..offset], range: begun..offset, line });
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_session_is_files_and_commands_with_what_they_print() {
        let text = "<!-- file: a.yaml -->\n```yaml\nx: 1\n```\n```console\n$ cat a.yaml \\\n>   | wc\nx: 1\n$ true\n```\n";
        let page = Page { name: "p.md".to_owned(), path: PathBuf::new(), text: text.to_owned() };
        let [Action::Write { file: "a.yaml", text: "x: 1\n" }, first, second] = &session(&page)[..] else {
            panic!("{:?}", session(&page));
        };
        let Action::Run { command, shown, range, line: 5 } = first else { panic!("{first:?}") };
        assert_eq!((command.as_str(), *shown), ("cat a.yaml \\\n  | wc", "x: 1\n"));
        assert_eq!(&text[range.clone()], "x: 1\n");
        assert!(matches!(second, Action::Run { command, shown: "", .. } if command == "true"));
    }
}
