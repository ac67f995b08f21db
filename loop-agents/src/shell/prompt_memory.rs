//! The source of `{memory}`.

use std::{fmt, sync::Arc};

/// Recalls what earlier work taught about a text: the value of `{memory}`.
///
/// It is asked once for each prompt whose template has the placeholder, with the goal and the last verdict. Steps of plans
/// and files of pipelines have the placeholder in their text.
#[derive(Clone)]
pub struct PromptMemory(Arc<dyn Fn(&str) -> String + Send + Sync>);

impl PromptMemory {
    /// Wraps a function that returns the text for a goal and a verdict.
    pub fn new(recall: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(recall))
    }

    /// The placeholder in a text.
    pub(crate) const MARK: &str = "{memory}";

    /// Returns what is known about a text that has the placeholder, and about the last verdict. It is empty if the text
    /// has none, or if there is no source.
    pub(crate) fn recalled_for(memory: Option<&Self>, text: &str, verdict: &str) -> String {
        let memory = memory.filter(|_| text.contains(Self::MARK));
        memory.map_or_else(String::new, |memory| memory.recall(text.replace(Self::MARK, "").trim(), verdict))
    }

    /// Returns what is known about a goal and the last verdict.
    pub(crate) fn recall(&self, goal: &str, verdict: &str) -> String {
        (self.0)(&format!("{goal}\n{verdict}"))
    }
}

impl fmt::Debug for PromptMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PromptMemory")
    }
}
