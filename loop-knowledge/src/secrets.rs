//! The seam to whatever knows secrets. The crate stores, indexes and embeds a text only after it went through here.

use std::path::Path;

use crate::BoxError;

/// Knows which files and which words are secret. There is no default: whoever stores a text decides.
pub trait SecretFilter: Send + Sync {
    /// Tests for a file that must not be read, by its path.
    fn is_secret(&self, path: &Path) -> bool;

    /// Returns the text without its secrets.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be known which words are secret. The caller then stores nothing.
    fn redact(&self, text: &str) -> Result<String, BoxError>;
}

const _: Option<&dyn SecretFilter> = None;
