//! Measures all distances and prints them as one table.

use std::io::{self, Write};

use benches::{command, journal, kernel, supervision, table::Table};

fn main() -> anyhow::Result<()> {
    let mut table = Table::default();
    kernel::measure(&mut table)?;
    journal::measure(&mut table)?;
    command::measure(&mut table)?;
    supervision::measure(&mut table)?;
    write!(io::stdout(), "\n{table}")?;
    Ok(())
}
