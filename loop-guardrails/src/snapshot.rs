//! The state of a part as text, for snapshots.

use loop_core::{BoxError, SnapshotError};
use serde::{Serialize, de::DeserializeOwned};

/// Writes the state of this part as JSON.
pub(crate) fn write(part: &str, state: &impl Serialize) -> Result<String, SnapshotError> {
    // It contains only numbers, so that this cannot fail.
    serde_json::to_string(state).map_err(|_| SnapshotError::missing(part))
}

/// Reads the state of a part.
pub(crate) fn read<T: DeserializeOwned>(state: &str) -> Result<T, BoxError> {
    Ok(serde_json::from_str(state)?)
}
