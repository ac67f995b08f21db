//! The debug log of a run.

use std::time::Duration;

use loop_agents::tools::{ToolOutcome, ToolReport};
use loop_telemetry::DebugLog;
use serde_json::json;

use super::ExecutionContext;
use crate::remaining::millis;

impl ExecutionContext {
    /// Sets the log of requests to models and of calls of tools. Default: none.
    #[must_use]
    pub fn with_debug_log(self, debug_log: Option<DebugLog>) -> Self {
        Self { debug_log, ..self }
    }

    /// Returns the debug log, if there is one.
    pub const fn debug_log(&self) -> Option<&DebugLog> {
        self.debug_log.as_ref()
    }

    /// Returns the listener that logs calls of tools, if there is a log.
    pub(crate) fn call_listener(&self) -> Option<impl Fn(&ToolReport, Duration) + Send + Sync + 'static> {
        let log = self.debug_log.clone()?;
        Some(move |report: &ToolReport, time: Duration| {
            let (decision, is_done) = match report.outcome {
                ToolOutcome::Done => ("made", true),
                ToolOutcome::Failed => ("made", false),
                ToolOutcome::Rejected => ("refused", false),
            };
            let exit_codes: Vec<_> = report.commands.iter().map(|run| run.exit_code).collect();
            let fields = json!({
                "tool": report.tool,
                "decision": decision,
                "is_done": is_done,
                "ms": millis(time),
                "exit_codes": exit_codes,
                "text": log.has_texts().then_some(&report.text),
            });
            log.write("call", &fields);
        })
    }
}
