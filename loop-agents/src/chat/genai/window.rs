//! The window of a model, which a request to Ollama asks for.
//!
//! Ollama gives a model the window that the request names. Without a number it takes a small default and silently cuts
//! the beginning of a longer conversation. So every request names the window, and the same number is the budget of the
//! conversation.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use serde_json::{Map, Value};

use super::super::{ModelError, ModelErrorKind, Vendor};

/// The window of a model of Ollama for which nobody sets another one, in tokens.
pub const DEFAULT_OLLAMA_WINDOW: u64 = 32_768;

/// The smallest window to which a lack of memory reduces a larger one, in tokens.
const MIN_WINDOW: u64 = 4_096;

/// How many tokens a model can read and write at once.
#[derive(Debug, Clone)]
pub(super) enum Window {
    Unknown,
    /// The size does not depend on the request.
    Fixed(u64),
    /// Each request asks for this size. Clones share it, so that one refusal of the server is enough for all of them.
    Requested(Arc<AtomicU64>),
}

impl Window {
    /// Returns the window of a model of this vendor, before anybody knows more.
    pub(super) fn of(vendor: Vendor) -> Self {
        match vendor {
            Vendor::Ollama => Self::with_size(vendor, DEFAULT_OLLAMA_WINDOW),
            _ => Self::Unknown,
        }
    }

    /// Returns a window of this size.
    pub(super) fn with_size(vendor: Vendor, tokens: u64) -> Self {
        match vendor {
            Vendor::Ollama => Self::Requested(Arc::new(AtomicU64::new(tokens))),
            _ => Self::Fixed(tokens),
        }
    }

    /// Returns the size in tokens, if it is known.
    pub(super) fn tokens(&self) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Fixed(tokens) => Some(*tokens),
            Self::Requested(tokens) => Some(tokens.load(Ordering::Relaxed)),
        }
    }

    /// Returns the size for which a request asks.
    pub(super) fn requested(&self) -> Option<u64> {
        matches!(self, Self::Requested(_)).then(|| self.tokens()).flatten()
    }

    /// Halves the window that a request asked for, if this error reports that the server's memory does not suffice for
    /// it. Returns the new window, or `None` if a smaller one would not help.
    pub(super) fn reduce_after(&self, asked: u64, error: &ModelError) -> Option<u64> {
        let Self::Requested(tokens) = self else { return None };
        let smaller = (asked / 2).max(MIN_WINDOW);
        if smaller >= asked || !reports_lack_of_memory(error) {
            return None;
        }
        // Another request may have reduced the window already.
        Some(tokens.fetch_min(smaller, Ordering::Relaxed).min(smaller))
    }
}

/// Returns whether the server could not load the model into its memory. The texts of Ollama and of its runners differ:
/// `model requires more system memory (9 GiB) than is available (4 GiB)`, `cudaMalloc failed: out of memory`.
fn reports_lack_of_memory(error: &ModelError) -> bool {
    let is_refusal = matches!(error.kind(), ModelErrorKind::ServerFailed | ModelErrorKind::Refused);
    let text = error.message().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    is_refusal
        && (says(&["out of memory", "more system memory", "insufficient memory", "not enough memory"])
            || says(&["memory", "buffer", "kv cache"]) && says(&["allocate", "alloc failed", "available"]))
}

/// Adds the window to the body of a request for a reply.
pub(super) fn add_to(body: &mut Vec<u8>, tokens: u64) {
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(body) else { return };
    let options = fields.entry("options").or_insert_with(|| Map::new().into());
    if let Value::Object(options) = options {
        options.insert("num_ctx".to_owned(), tokens.into());
    }
    *body = Value::Object(fields).to_string().into_bytes();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_memory_halves_the_window_down_to_a_minimum() {
        let lacks = ModelError::new("m", ModelErrorKind::ServerFailed, "status 500: out of memory");
        let window = Window::with_size(Vendor::Ollama, 20_000);
        let asked = |window: &Window| window.reduce_after(window.requested().unwrap(), &lacks);
        assert_eq!(
            [asked(&window), asked(&window), asked(&window), asked(&window)],
            [Some(10_000), Some(5_000), Some(4_096), None]
        );
        // A window that is smaller from the start stays as it is, and a late refusal enlarges nothing.
        assert_eq!(asked(&Window::with_size(Vendor::Ollama, 2_048)), None);
        assert_eq!(window.reduce_after(20_000, &lacks), Some(4_096));
    }

    #[test]
    fn only_a_lack_of_memory_reduces_the_window() {
        let reduces = |kind, text: &str| {
            Window::of(Vendor::Ollama).reduce_after(32_768, &ModelError::new("m", kind, text)).is_some()
        };
        for text in [
            "status 500: model requires more system memory (9.3 GiB) than is available (3.1 GiB)",
            "status 500: llama runner process has terminated: cudaMalloc failed: out of memory",
            "status 500: error loading model: unable to allocate CUDA0 buffer",
            "status 500: failed to allocate buffer for kv cache",
        ] {
            assert!(reduces(ModelErrorKind::ServerFailed, text), "{text}");
        }
        assert!(!reduces(ModelErrorKind::ServerFailed, "status 500: memory of an elephant"));
        assert!(!reduces(ModelErrorKind::Unreachable, "out of memory"));
    }

    #[test]
    fn the_window_joins_the_other_options() {
        let added = |body: &str| {
            let mut body = body.as_bytes().to_vec();
            add_to(&mut body, 7);
            String::from_utf8(body).unwrap()
        };
        assert_eq!(added(r#"{"model":"m"}"#), r#"{"model":"m","options":{"num_ctx":7}}"#);
        let with = added(r#"{"options":{"num_predict":3},"model":"m"}"#);
        assert!(with.contains(r#""num_predict":3"#) && with.contains(r#""num_ctx":7"#), "{with}");
        assert_eq!(added("no object"), "no object");
    }
}
