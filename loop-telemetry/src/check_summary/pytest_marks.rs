//! The marks of the tests of pytest: `..F [100%]`. With `-qq`, nothing else counts the tests.

/// The marks from the first test to the last.
///
/// They are counts only if the percentages agree with them: the beginning may be missing, and a test that prints with
/// `-s` tears the marks.
#[derive(Default)]
pub(super) struct Marks {
    lines: Vec<Marked>,
    is_doubtful: bool,
}

/// The counts of the marks up to the end of a line.
#[derive(Clone, Copy, Default)]
struct Marked {
    failed: u64,
    passed: u64,
    all: u64,
    percent: u64,
}

impl Marks {
    /// Reads a line of marks. Ignores every other line.
    pub(super) fn line(&mut self, line: &str) {
        let Some((marks, percent)) = parse(line) else { return };
        let count = |wanted: char| marks.chars().filter(|mark| *mark == wanted).count() as u64;
        let last = self.lines.last().copied().unwrap_or_default();
        // One more run began.
        self.is_doubtful |= last.percent == 100 || count('E') > 0;
        self.lines.push(Marked {
            failed: last.failed + count('F'),
            passed: last.passed + count('.'),
            all: last.all + marks.chars().count() as u64,
            percent,
        });
    }

    /// Notes that bytes were left out, and marks possibly.
    pub(super) fn gap(&mut self) {
        self.is_doubtful = true;
    }

    /// Returns the number of tests that failed, and that passed.
    pub(super) fn counts(&self) -> Option<(u64, u64)> {
        let last = self.lines.last().filter(|last| !self.is_doubtful && last.percent == 100)?;
        let agrees = |line: &Marked| line.all * 100 / last.all == line.percent;
        self.lines.iter().all(agrees).then_some((last.failed, last.passed))
    }
}

/// Splits `..F.s [ 50%]` into the marks and the percentage.
fn parse(line: &str) -> Option<(&str, u64)> {
    let (marks, percent) = line.strip_suffix("%]")?.rsplit_once('[')?;
    let marks = marks.trim_end();
    let are_marks = !marks.is_empty() && marks.chars().all(|mark| ".FEsxXR".contains(mark));
    are_marks.then_some((marks, percent.trim_start().parse().ok()?))
}
