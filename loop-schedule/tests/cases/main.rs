//! Known answers, gathered from other projects' tests and from the behaviour that is imitated. Where each
//! came from stands in the files.
#![expect(clippy::unwrap_used, reason = "a test whose world cannot be made has failed")]

mod cron;
mod interval;

use serde::de::DeserializeOwned;

/// The cases of a file in `tests/fixtures`.
fn cases<T: DeserializeOwned>(json: &str) -> Vec<T> {
    let file: serde_json::Value = serde_json::from_str(json).unwrap();
    serde_json::from_value(file["cases"].clone()).unwrap()
}
