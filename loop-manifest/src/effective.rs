//! A manifest as it is run: the text of its file with the values from the command line.

use super::{
    diagnostics::{Diagnostic, Diagnostics},
    document::{self, Node},
    settings,
    source::Source,
};

impl Source {
    /// Returns the manifest that is run: the text of the file, or, with overrides, an equivalent one in JSON that
    /// contains them.
    ///
    /// # Errors
    /// Fails if the file is not what its format asks for, or if an override is not valid.
    pub fn effective(&self) -> Result<String, Diagnostics> {
        if self.overrides().is_empty() {
            return Ok(self.text().to_owned());
        }
        let mut problems = Vec::new();
        let node = self.tree(&mut problems).map_err(|problem| self.clone().report(vec![problem]))?;
        if problems.is_empty() {
            Ok(format!("{:#}\n", node.json()))
        } else {
            Err(self.clone().report(problems))
        }
    }

    /// Reads the tree of the manifest, with the overrides and without settings.
    pub(crate) fn tree(&self, problems: &mut Vec<Diagnostic>) -> Result<Node, Diagnostic> {
        let mut node = document::parse(self.format(), self.text())?;
        settings::take(self, &mut node, problems);
        self.overrides().apply(&mut node, self.text().len() + 1, problems);
        Ok(node)
    }
}
