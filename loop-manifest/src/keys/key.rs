//! One key of a manifest.

use super::shape::{Sample, Shape};
use KeyRequirement::Unless;

/// Tells whether a key is required in its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRequirement {
    /// The object is not complete without it.
    Required,
    /// The object is not complete without it, or one of the keys at these paths beside it.
    Unless(&'static [&'static str]),
    /// It has a default.
    Optional,
}

/// A key, by its path from the top of the manifest.
#[derive(Debug)]
pub(crate) struct Key {
    /// The path, with dots between the objects: `agent.command`.
    pub(crate) path: &'static str,
    pub(crate) requirement: KeyRequirement,
    /// The allowed values.
    pub(crate) shape: Shape,
    /// Half a sentence on its meaning, for a person who left it out.
    pub(crate) meaning: &'static str,
    /// The meaning in full sentences, for an editor.
    pub(crate) explanation: &'static str,
    /// The value that says the same as leaving it out, if there is one.
    pub(crate) default: Option<Sample>,
    /// Example values to start from.
    pub(crate) examples: &'static [Sample],
}

impl Key {
    pub(super) const fn new(
        path: &'static str,
        requirement: KeyRequirement,
        shape: Shape,
        meaning: &'static str,
    ) -> Self {
        Self { path, requirement, shape, meaning, explanation: "", default: None, examples: &[] }
    }

    pub(super) const fn explained(self, explanation: &'static str) -> Self {
        Self { explanation, ..self }
    }

    pub(super) const fn default(self, default: Sample) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(super) const fn examples(self, examples: &'static [Sample]) -> Self {
        Self { examples, ..self }
    }

    /// Returns whether the key at `path` can replace this one in a complete object.
    pub(crate) fn is_met_by(&self, path: &str) -> bool {
        path == self.path || matches!(self.requirement, Unless(others) if others.contains(&path))
    }

    /// Returns the path of its object; empty for the manifest itself.
    pub(crate) fn object(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(object, _)| object)
    }

    /// The key as it is written in its object.
    pub(crate) fn name(&self) -> &'static str {
        name(self.path)
    }
}

/// The last part of a path: the key as it is written in its object.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}
