//! The formats of a manifest.

use std::path::Path;

/// The format of a manifest. Another format needs a variant here and a parser in `document`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// RFC 8259, without comments or trailing commas.
    Json,
    /// TOML 1.1.
    Toml,
    /// YAML 1.2, one document.
    Yaml,
}

impl Format {
    /// Returns the format that a file's extension implies, or `None` for any other extension.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}
