//! What agents report of their use of tokens and money.
//!
//! A limit on money holds only if somebody says what was spent, and in time: a report that is
//! read after the agent has ended stops the iteration after the one that broke the bank. So what
//! an agent reports is passed on while it runs.

mod file;
mod line;

pub use file::{USAGE_FILE_VARIABLE, UsageFile};
