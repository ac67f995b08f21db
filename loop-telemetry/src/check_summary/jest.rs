//! Jest.

use super::{
    Runner,
    findings::{Findings, Names, figures, sum},
};

/// Each failure is a block under `● suite › test`. The counts come at the end.
#[derive(Default)]
pub(super) struct Jest {
    found: Findings,
    /// The failures above the next counts.
    names: Names,
    /// The current test file.
    file: String,
    block: Block,
    /// The last counts, until a file follows. With `--bail`, Jest prints them twice.
    last_counts: Option<String>,
    /// The errors of files above the next counts.
    errors: Names,
}

#[derive(Default, PartialEq)]
enum Block {
    #[default]
    Outside,
    Test,
    /// The file could not be run, and its error is still to come.
    File,
    /// The file could not be parsed, and its error comes after advice.
    Unparsed,
}

impl Jest {
    fn start(&mut self, title: &str) {
        self.block = match title {
            "Test suite failed to run" => Block::File,
            _ => Block::Test,
        };
        // Beside failures there are blocks of messages, for example of the console.
        let is_test = title.contains(" › ") || title.starts_with(|sign: char| sign.is_lowercase());
        if self.block == Block::Test && (is_test || !is_note(title)) {
            self.names.push(title);
        }
    }

    /// Reads the first lines of a file's error.
    fn file_error(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            return;
        }
        let is_message = match self.block {
            Block::File if text == "Jest encountered an unexpected token" => {
                self.block = Block::Unparsed;
                false
            }
            Block::File => true,
            Block::Unparsed => text.starts_with("SyntaxError: "),
            Block::Outside | Block::Test => false,
        };
        if is_message {
            let file = if self.file.is_empty() { String::new() } else { format!("{}: ", self.file) };
            self.errors.push(&format!("{file}{text}"));
            self.block = Block::Test;
        }
    }

    /// Reads the counts: `2 failed, 1 skipped, 3 passed, 6 total`.
    fn counts(&mut self, counts: &str) -> Option<()> {
        if self.last_counts.as_deref() == Some(counts) {
            return Some(());
        }
        self.last_counts = Some(counts.to_owned());
        let figures = figures(counts, ',')?;
        let count = |words: &[&str]| sum(&figures, words);
        let total = figures.iter().find(|(_, word)| *word == "total")?.0;
        self.found.tally.add(count(&["failed"]), count(&["passed"]));
        let all = figures.iter().filter(|(_, word)| *word != "total");
        if all.fold(0_u64, |all, (count, _)| all.saturating_add(*count)) != total {
            self.found.tally.doubt();
        }
        self.found.failing.append(std::mem::take(&mut self.names));
        self.found.errors.append(std::mem::take(&mut self.errors));
        Some(())
    }
}

impl Runner for Jest {
    fn line(&mut self, line: &str) -> bool {
        if let Some(title) = line.strip_prefix("  ● ") {
            self.start(title);
        } else if let Some(file) = line.trim_start().strip_prefix("FAIL ") {
            let file = super::findings::without_time(file).split_whitespace().next_back();
            file.unwrap_or_default().clone_into(&mut self.file);
            (self.block, self.last_counts) = (Block::Outside, None);
        } else if line.trim_start().starts_with("PASS ") {
            (self.block, self.last_counts) = (Block::Outside, None);
        } else if line.starts_with("Test Suites: ") {
            self.block = Block::Outside;
        } else if let Some(counts) = line.strip_prefix("Tests: ") {
            self.block = Block::Outside;
            let _ = self.counts(counts.trim());
        } else if line == "No tests found, exiting with code 1" {
            self.found.error("no tests found");
        } else {
            self.file_error(line);
        }
        self.block != Block::Outside
    }

    fn gap(&mut self) {
        self.found.tally.gap();
        (self.block, self.last_counts) = (Block::Outside, None);
        self.file.clear();
    }

    fn findings(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }
}

/// Returns true for the titles of blocks that are not tests.
fn is_note(title: &str) -> bool {
    title == "Console"
        || title.ends_with(':')
        || title.starts_with("Deprecation Warning")
        || title.starts_with("Cannot log after")
}
