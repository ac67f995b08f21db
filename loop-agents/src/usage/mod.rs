//! Agents' reports on their use of tokens and money.
//!
//! A limit on money works only if we learn the cost in time. A report that we read after the agent has ended would stop
//! the run one iteration too late. So we pass on an agent's reports while it runs.
//!
//! There are two sources. A [`UsageReader`] reads an agent's output in its own [`Format`], and a [`UsageFile`] receives
//! the reports that any command appends to it. If an agent does not report a cost, we estimate it from [`Prices`]. A
//! cost that cannot be estimated is unknown, and not zero.
//!
//! Agents also report failures in their own way: with exit code 0, or with a rate limit that ends at a certain time.
//! The [`Reading`] at the end of each run contains these reports.

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
