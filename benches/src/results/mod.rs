//! The results as files for the guide: a page of Markdown, and two charts.

mod chart;
mod distances;
mod growths;
mod markdown;

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::table::Table;

/// Writes `ratios.md`, `distances.svg` and `growth.svg` into this folder.
///
/// # Errors
/// If one cannot be written.
pub fn write(table: &Table, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let file = |name: &str, text: String| fs::write(folder.join(name), text).context(name.to_owned());
    file("ratios.md", markdown::page(table))?;
    file("distances.svg", distances::chart(&table.rows))?;
    file("growth.svg", growths::chart(&table.growths))
}
