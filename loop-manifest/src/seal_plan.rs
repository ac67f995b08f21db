//! A check that the work cannot change.

/// A sealed check: it runs in a tree of its own, with the protected files as they were when the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealPlan {
    /// More protected paths, as in a `.gitignore`. An exception begins with `!`. The last match decides.
    pub protect: Vec<String>,
    /// How many tests have to run.
    pub min_tests: MinTests,
    /// The treatment of protected files that an iteration changed.
    pub on_change: OnProtectedChange,
    /// The command that installs dependencies, for a state with other ones than the first.
    pub setup: Option<String>,
}

/// How many tests have to run for a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinTests {
    /// As many as before the first iteration.
    Count,
    /// As many as before the first iteration, with the same names.
    Names,
    /// This many.
    Number(u64),
    /// Any number.
    Off,
}

/// The treatment of protected files that an iteration changed or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnProtectedChange {
    /// They are put back into the folder.
    Restore,
    /// They stay, and do not judge.
    Keep,
    /// The run ends.
    Halt,
}
