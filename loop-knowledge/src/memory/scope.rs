//! The files to which an experience applies.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

/// Returns the first glob that is not valid, in a message.
pub(super) fn fault(globs: &[String]) -> Option<String> {
    let reason = |glob: &String| matcher(Path::new(""), std::slice::from_ref(glob)).err();
    globs
        .iter()
        .find_map(|glob| Some(format!("`applies_to` has the faulty glob `{glob}`: {}", reason(glob)?)))
}

fn matcher(root: &Path, globs: &[String]) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        builder.add(glob)?;
    }
    builder.build()
}
