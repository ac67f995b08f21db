//! Known answers, collected from the tests of other projects and from the behaviour that we imitate. The files name the
//! source of each.
#![expect(clippy::unwrap_used, reason = "a test whose scenario cannot be made has failed")]

mod cron;
mod interval;
mod phrases;

use serde::de::DeserializeOwned;

/// Returns the cases of a file in `tests/fixtures`.
fn cases<T: DeserializeOwned>(json: &str) -> Vec<T> {
    let file: serde_json::Value = serde_json::from_str(json).unwrap();
    serde_json::from_value(file["cases"].clone()).unwrap()
}
