//! pi: `pi -p --mode json`.
//!
//! - Each answer of the model has its numbers in `message_end`, and again in `turn_end`, `agent_end` and the updates
//!   before it. `responseId` identifies an answer among those of one process: the id comes from the server, and small
//!   servers start from the same number each time. Another `session` is another process.
//! - `cacheRead` and `cacheWrite` are not part of `input`.
//! - Pi computes the cost from its own table. The cost is zero for a model without a price there.
//! - A failed request is an answer with `stopReason` `error`. Pi may retry after it. The exit code is 0 all the same.

use serde_json::Value;

use super::{Dialect, content, ended_by, no_end, text};
use crate::usage::{TokenCounts, report_collector::ReportCollector};

#[derive(Debug, Default)]
pub(super) struct Pi {
    session: Option<String>,
    /// How the last answer ended.
    end: Option<String>,
}

impl Dialect for Pi {
    fn reads(&self, kind: &str) -> bool {
        matches!(kind, "session" | "message_end")
    }

    fn is_own(&self, kind: &str) -> bool {
        matches!(kind, "session" | "agent_start" | "message_start" | "message_end")
    }

    fn unfinished(&self) -> Option<String> {
        match self.end.as_deref() {
            Some("stop") => None,
            Some(reason) => Some(ended_by(reason)),
            None => Some(no_end()),
        }
    }

    fn line(&mut self, kind: &str, line: &Value, collector: &mut ReportCollector) {
        if kind == "session" {
            return self.begin(line, collector);
        }
        let message = &line["message"];
        if text(message, "role") != Some("assistant") {
            return;
        }
        self.end = text(message, "stopReason").map(str::to_owned);
        match text(message, "stopReason") {
            Some("error" | "aborted") => {
                collector.fails(text(message, "errorMessage").unwrap_or("the answer broke off"), None);
            }
            _ => collector.recovers(),
        }
        let words = content(message);
        if !words.is_empty() {
            collector.says(&words);
        }
        let usage = &message["usage"];
        let tokens = TokenCounts {
            fresh: collector.count(usage, "input"),
            cached: collector.count(usage, "cacheRead"),
            cache_written: collector.count(usage, "cacheWrite"),
            output: collector.count(usage, "output"),
        };
        let cost = collector.usd(&usage["cost"], "total");
        let spoke = message["content"].as_array().is_some_and(|blocks| !blocks.is_empty());
        let usage = collector.usage(text(message, "model"), &tokens, cost, spoke);
        collector.totals.message(text(message, "responseId"), usage);
    }
}

impl Pi {
    /// Begins a session, if it is another one.
    fn begin(&mut self, line: &Value, collector: &mut ReportCollector) {
        let session = text(line, "id").map(str::to_owned);
        if self.session.is_some() && self.session != session {
            collector.totals.begin_process();
        }
        self.session = session;
    }
}
