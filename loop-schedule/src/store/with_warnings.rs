//! A value from a stored file, together with the warnings about the file.
//!
//! If callers can forget a warning, nobody sees it: a job that does not fire any more looks like one that is not due.
//! So you can take a value out of [`WithWarnings`] only together with its warnings.

/// A value that was read from a file, with the warnings about that file.
///
/// ```
/// use loop_schedule::WithWarnings;
/// let loaded = WithWarnings::new(vec![1, 2], vec!["line 3 cannot be read".to_owned()]);
/// let mut warnings = Vec::new();
/// let numbers = loaded.report(|warning| warnings.push(warning));
/// assert_eq!((numbers.len(), warnings.len()), (2, 1));
/// ```
#[derive(Debug)]
#[must_use = "the warnings are for a person: `report` passes them on and returns the value"]
pub struct WithWarnings<T, W = crate::StoreWarning> {
    value: T,
    warnings: Vec<W>,
}

impl<T, W> WithWarnings<T, W> {
    /// Wraps a value with its warnings.
    pub const fn new(value: T, warnings: Vec<W>) -> Self {
        Self { value, warnings }
    }

    /// Passes each warning to `report`, in order, and returns the value. There is no other way to get the value.
    pub fn report(self, report: impl FnMut(W)) -> T {
        self.warnings.into_iter().for_each(report);
        self.value
    }

    /// Applies a function to the value. The warnings stay.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> WithWarnings<U, W> {
        WithWarnings { value: change(self.value), warnings: self.warnings }
    }
}
