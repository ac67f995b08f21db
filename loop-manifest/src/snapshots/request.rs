//! The words after `loop diff`: a run, a range of snapshots, and paths.

use std::path::PathBuf;

/// The comparison that a person asks for.
///
/// ```
/// use loop_manifest::snapshots::DiffRequest;
///
/// let words = ["0198b2", "1..3", "src"].map(str::to_owned);
/// let request = DiffRequest::parse(&words);
/// assert_eq!((request.run.as_deref(), request.range), (Some("0198b2"), Some((1, Some(3)))));
/// assert_eq!(request.paths, [std::path::PathBuf::from("src")]);
/// assert_eq!(DiffRequest::parse(&["2..".to_owned()]).range, Some((2, None)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffRequest {
    /// The run; `None` is the last one of the folder.
    pub run: Option<String>,
    /// The numbers of two snapshots; without a second one, the last snapshot.
    pub range: Option<(u64, Option<u64>)>,
    /// The paths. Without any, the whole folder counts.
    pub paths: Vec<PathBuf>,
}

impl DiffRequest {
    /// Reads the words. The first one is the run, unless it is a range; a range may follow the run.
    pub fn parse(words: &[String]) -> Self {
        let mut request = Self::default();
        let mut rest = words;
        if let [first, more @ ..] = rest
            && range(first).is_none()
        {
            (request.run, rest) = (Some(first.clone()), more);
        }
        if let [first, more @ ..] = rest
            && let Some(range) = range(first)
        {
            (request.range, rest) = (Some(range), more);
        }
        request.paths = rest.iter().map(PathBuf::from).collect();
        request
    }
}

/// Reads `A..B` or `A..`.
fn range(word: &str) -> Option<(u64, Option<u64>)> {
    let (first, last) = word.split_once("..")?;
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    Some((first.parse().ok()?, last))
}
