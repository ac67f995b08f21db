//! Runs whose events nobody reads in time.

/// Controls a run whose event reader lags, so that the channel between them is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnLag {
    /// The run waits for the reader between two pieces of work. Consecutive usage reports are merged into one. No other
    /// event is lost, and run time continues.
    #[default]
    Hold,
    /// The run continues and the reader misses events: their [sequence numbers](crate::Event::sequence) have gaps. The report
    /// is never lost.
    Drop,
}
