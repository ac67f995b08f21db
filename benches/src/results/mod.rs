//! The results as files for the guide: a page of Markdown, and two charts, each for light and for dark pages.

mod chart;
mod distances;
mod growths;
mod markdown;

use std::{fs, path::Path};

use anyhow::{Context, Result};

use self::chart::Palette;
use crate::table::Table;

/// Writes `ratios.md`, and `distances` and `growth` as `-light.svg` and `-dark.svg`, into this folder.
///
/// # Errors
/// If one cannot be written.
pub fn write(table: &Table, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let file = |name: &str, text: String| fs::write(folder.join(name), text).context(name.to_owned());
    file("ratios.md", markdown::page(table))?;
    for (name, palette) in [("light", Palette::LIGHT), ("dark", Palette::DARK)] {
        file(&format!("distances-{name}.svg"), distances::chart(&table.rows, &palette))?;
        file(&format!("growth-{name}.svg"), growths::chart(&table.growths, &palette))?;
    }
    Ok(())
}
