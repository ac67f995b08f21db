//! The audit entries of one call.

use loop_core::with_causes;
use loop_guardrails::policy::audit::{Audit, AuditEntry, AuditOutcome};
use serde_json::Value;

use super::ToolError;
use crate::output::beginning;

/// How many bytes of a call's arguments, and of its error, an entry keeps.
const KEPT_BYTES: usize = 500;

/// Records the decisions about one call, and its result.
#[derive(Debug)]
pub(super) struct AuditRecord {
    audit: Audit,
    /// The fields that all entries of the call share.
    call: AuditEntry,
}

impl AuditRecord {
    pub(super) fn new(audit: Audit, tool: &str, arguments: &Value) -> Self {
        let details = beginning(&redacted(arguments, &audit).to_string(), KEPT_BYTES);
        Self { audit, call: AuditEntry::new(tool, details, AuditOutcome::Allowed) }
    }

    /// Sets the run and its iteration.
    pub(super) fn of(mut self, run: Option<String>, iteration: Option<u64>) -> Self {
        self.call.run = run;
        self.call.iteration = iteration;
        self
    }

    /// Records that the call is about to be made.
    ///
    /// # Errors
    /// Fails if the entry cannot be written. The call must not be made then.
    pub(super) fn allowed(&self) -> Result<(), ToolError> {
        self.write(AuditOutcome::Allowed, "").map_err(ToolError::Rejected)
    }

    /// Records how the call ended. Returns the problem if the entry cannot be written.
    pub(super) fn ended(&self, result: &Result<String, ToolError>) -> Option<String> {
        let written = match result {
            Ok(_) => self.write(AuditOutcome::Success, ""),
            Err(ToolError::Failed(why)) => self.write(AuditOutcome::Error, why),
            Err(ToolError::Rejected(why)) => self.write(AuditOutcome::Denied, why),
        };
        written.err()
    }

    fn write(&self, outcome: AuditOutcome, why: &str) -> Result<(), String> {
        let mut entry = AuditEntry::new(&*self.call.action, &*self.call.details, outcome);
        if !why.is_empty() {
            entry.details = format!("{}: {}", entry.details, beginning(&self.audit.redact(why), KEPT_BYTES));
        }
        entry.run.clone_from(&self.call.run);
        entry.iteration = self.call.iteration;
        self.audit.record(entry).map_err(|error| with_causes(&error))
    }
}

/// Removes secrets from the arguments. It handles each text on its own, because JSON escapes change the look of a
/// secret with several lines.
fn redacted(arguments: &Value, audit: &Audit) -> Value {
    match arguments {
        Value::String(text) => audit.redact(text).into(),
        Value::Array(items) => items.iter().map(|item| redacted(item, audit)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| (audit.redact(name), redacted(value, audit));
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_not_kept_in_part_either() {
        let audit = Audit::new().redacted(|text| text.replace("hunter2\nhunter3", "***"));
        for padding in KEPT_BYTES - 40..KEPT_BYTES {
            let text = format!("{}hunter2\nhunter3", "x".repeat(padding));
            let record = AuditRecord::new(audit.clone(), "write_file", &json!({ "content": [&text] }));
            record.ended(&Err(ToolError::failed(text)));
            let kept = &audit.newest(1)[0].details;
            assert!(!kept.contains("hunt") && kept.len() <= 2 * KEPT_BYTES + 2, "{kept}");
        }
    }
}
