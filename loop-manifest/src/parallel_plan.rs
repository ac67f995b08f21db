//! Several loops at once.

/// Several loops at once, each in its own copy of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParallelPlan {
    /// How many loops run at once.
    pub count: usize,
    /// Which result the folder gets.
    pub pick: Pick,
}

/// Which result of several loops the folder gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// That of the first loop that meets the goal: see [`loop_core::race`].
    First,
    /// That with the best score: see [`loop_core::best_of`].
    Best,
}
