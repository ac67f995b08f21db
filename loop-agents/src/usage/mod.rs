//! Agents' reports on their use of tokens and money.
//!
//! A limit on money works only if we learn the cost in time. A report that we read after the agent has ended would stop
//! the run one iteration too late. So we pass on an agent's reports while it runs.
//!
//! There are three sources. A [`UsageReader`] reads an agent's output in its own [`Format`], a [`UsageFile`] receives the
//! reports that any command appends to it, and a [`UsageLog`] is a log that the agent writes anyway. If an agent does not report a cost, we estimate it from [`Prices`]. A
//! cost that cannot be estimated is unknown, and not zero.
//!
//! Agents also report failures in their own way: with exit code 0, or with a rate limit that ends at a certain time.
//! The [`AgentReport`] at the end of each run contains these reports.

mod agent_report;
mod brace_counter;
mod dialect;
mod figures;
mod file_reports;
mod format;
pub(crate) mod lenient_json;
mod line_splitter;
mod name_watch;
mod object_stream;
mod prices;
mod rate_limit;
mod read_state;
mod reader;
mod report_collector;
mod rotation;
mod stale_folders;
mod tokens;
mod usage_file;
mod usage_log;
mod usage_memory;
mod usage_totals;

pub use agent_report::{AgentFailure, AgentReport};
pub(crate) use file_reports::at_least_nothing;
pub use format::{Format, UnknownFormat};
pub(crate) use line_splitter::{LineSplitter, StreamLine};
pub use prices::{Prices, PricesError};
pub use rate_limit::{RateLimit, ResetTime};
pub use reader::UsageReader;
pub use tokens::TokenCounts;
pub use usage_file::{USAGE_FILE_VARIABLE, UsageFile};
pub use usage_log::UsageLog;
