//! The comparison with an earlier result.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    measured::CaseResult,
    report::AssayReport,
    statistics::{Interval, newcombe},
};

/// The maximum size of a baseline. A larger file was named by mistake.
const MAX_BYTES: u64 = 64 << 20;

/// An earlier result, from a file with lines of JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline(Vec<CaseResult>);

/// Why a file is no earlier result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("the baseline {path} cannot be read")]
    File {
        /// The path.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// A line of the file is no result.
    #[error("{path}:{line} is no result of an assay: {why}. Write one with `loop assay --json > FILE`.")]
    Line {
        /// The path.
        path: String,
        /// The number of the line, from 1.
        line: usize,
        /// The error in words.
        why: String,
    },
}

/// Whether a case became worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It passes less often. The interval of the difference excludes 0.
    Worse,
    /// The interval of the difference includes 0.
    Unclear,
    /// It passes more often. The interval of the difference excludes 0.
    Better,
}

/// A result beside an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// How many runs passed then.
    pub passed: u64,
    /// How many runs did not pass then.
    pub failed: u64,
    /// Newcombe's 95 % interval of the difference, now minus then.
    pub difference: Interval,
    /// The change that the interval shows.
    pub change: Change,
}

impl Baseline {
    /// Reads the lines of JSON in a file.
    ///
    /// # Errors
    /// The file cannot be read, or a line is no result.
    pub fn open(path: &Path) -> Result<Self, BaselineError> {
        let shown = path.display().to_string();
        let text = read(path).map_err(|source| BaselineError::File { path: shown.clone(), source })?;
        let mut results = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let failed = |why| BaselineError::Line { path: shown.clone(), line, why };
            let result: CaseResult = serde_json::from_str(text).map_err(|why| failed(why.to_string()))?;
            if !result.is_consistent() {
                return Err(failed("its counts do not add up to its runs".to_owned()));
            }
            results.push(result);
        }
        Ok(Self(results))
    }

    /// Adds the comparison to each result whose case and model are in the baseline, if both have measured runs. Returns
    /// how many results have none.
    pub fn compare(&self, report: &mut AssayReport) -> usize {
        for result in &mut report.results {
            let is_same = |then: &&CaseResult| then.case == result.case && then.model == result.model;
            let then = self.0.iter().find(is_same).filter(|then| then.measured() > 0);
            let Some(then) = then.filter(|_| result.measured() > 0) else { continue };
            let difference = newcombe((result.passed, result.measured()), (then.passed, then.measured()));
            let change = match difference {
                Interval { high, .. } if high < 0.0 => Change::Worse,
                Interval { low, .. } if low > 0.0 => Change::Better,
                _ => Change::Unclear,
            };
            let (passed, failed) = (then.passed, then.failed);
            result.baseline = Some(Comparison { passed, failed, difference, change });
        }
        report.results.iter().filter(|result| result.baseline.is_none()).count()
    }
}

/// Reads a regular file. Anything else could be endless.
fn read(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    match text.len() as u64 {
        0..=MAX_BYTES => Ok(text),
        _ => Err(io::Error::other("it is larger than 64 MiB")),
    }
}
