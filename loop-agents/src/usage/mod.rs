//! What agents report of their use of tokens and money.
//!
//! A limit on money holds only if somebody says what was spent, and in time: a report that is
//! read after the agent has ended stops the iteration after the one that broke the bank. So what
//! an agent reports is passed on while it runs.
//!
//! There are two ways to learn it. A [`UsageReader`] reads what an agent prints, in the agent's own
//! [`Format`], and a [`UsageFile`] takes what any command appends to it. What an agent does not say of its
//! cost is estimated from [`Prices`]; a cost that cannot be estimated is unknown, and not zero.
//!
//! Agents fail in their own words too: with exit code 0, at a rate limit that ends at a certain time. What
//! they say of that is in the [`Reading`] at the end of each run.

mod account;
mod braces;
mod dialect;
mod figures;
mod file;
mod format;
mod ledger;
mod limit;
mod lines;
mod memory;
mod objects;
mod prices;
mod reader;
mod reading;
mod report;
mod stray;
mod tokens;
pub(crate) mod tolerant;

pub use file::{USAGE_FILE_VARIABLE, UsageFile};
pub use format::{Format, UnknownFormat};
pub use limit::{RateLimit, Reset};
pub(crate) use lines::{Line, Lines};
pub use prices::{Prices, PricesError};
pub use reader::UsageReader;
pub use reading::{AgentFailure, Reading};
pub use tokens::Tokens;
