//! Loads a file into a plan.

use std::path::Path;

use crate::{
    diagnostics::Diagnostics,
    plan::Plan,
    raw::RawManifest,
    source::Source,
    validate::{self, SourceContext},
    variables, warnings,
};

/// A manifest that can be run, and what is odd about it.
#[derive(Debug)]
pub struct LoadedPlan {
    /// The plan.
    pub plan: Plan,
    /// Warnings; often none.
    pub warnings: Diagnostics,
}

impl LoadedPlan {
    /// Loads a manifest to run it, and not only to inspect it.
    ///
    /// # Errors
    /// Returns an error if commands are still to be written.
    pub fn finished(self) -> Result<Self, Diagnostics> {
        match self.warnings.unfinished() {
            Some(unfinished) => Err(unfinished),
            None => Ok(self),
        }
    }
}

impl Plan {
    /// Reads and validates the manifest at `path`, which is taken from the current folder.
    ///
    /// # Errors
    /// Returns as many errors in the manifest as one pass can find: in its file, else in its syntax, else in all its
    /// keys, types and values.
    pub fn load(path: &Path) -> Result<LoadedPlan, Diagnostics> {
        Self::of(Source::open(path)?)
    }

    /// Validates the manifest in `source`, with its overrides.
    ///
    /// # Errors
    /// As for [`Plan::load`], but for the file.
    pub fn of(source: Source) -> Result<LoadedPlan, Diagnostics> {
        let (text, mut problems) = (source.located_text(), Vec::new());
        let mut node = match source.tree(&mut problems) {
            Ok(node) => node,
            Err(problem) => return Err(source.report(vec![problem])),
        };
        let declared = variables::fill(&mut node, &text, &mut problems);
        let raw = RawManifest::read(&node, &text, &mut problems);
        let prices = validate::prices(&raw.agent.prices, source.folder(), &mut problems);
        let warnings = [warnings::of(&raw, &text, source.text()), declared.warnings].concat();
        let cx =
            SourceContext { text: &text, default_name: source.stem(), prices, variables: declared.values };
        match validate::plan(raw, cx, &mut problems) {
            Some(plan) if problems.is_empty() => Ok(LoadedPlan { plan, warnings: source.report(warnings) }),
            _ => Err(source.report(problems)),
        }
    }
}
