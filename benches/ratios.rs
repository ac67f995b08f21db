//! Measures all ratios, prints them as one table, and writes them for the guide; see `README.md`.

use std::{
    env,
    io::{self, Write},
    path::Path,
};

use anyhow::Result;
use benches::{
    Table, assay, command, drop_many_loops, instructions, journal, kernel, knowledge, many_loops, plan,
    remote, results, sandbox, schedule, sealed, session, snapshots, subprocess, supervision,
};

/// A benchmark, with the name that selects it.
type Part = (&'static str, fn(&mut Table) -> Result<()>);

const PARTS: [Part; 16] = [
    ("kernel", kernel::measure),
    ("instructions", instructions::measure),
    ("loops", many_loops::measure),
    ("journal", journal::measure),
    ("command", command::measure),
    ("sandbox", sandbox::measure),
    ("supervision", supervision::measure),
    ("dropping", drop_many_loops::measure),
    ("schedule", schedule::measure),
    ("session", session::measure),
    ("snapshots", snapshots::measure),
    ("sealed", sealed::measure),
    ("knowledge", knowledge::measure),
    ("plan", plan::measure),
    ("remote", remote::measure),
    ("assay", assay::measure),
];

fn main() -> Result<()> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    if subprocess::serve(&words)? {
        return Ok(());
    }
    // Cargo adds flags of its own, such as `--bench`.
    words.retain(|word| !word.starts_with('-'));
    let is_chosen = |part: &Part| words.is_empty() || words.iter().any(|word| word == part.0);
    let mut table = Table::default();
    for (name, measure) in PARTS.into_iter().filter(is_chosen) {
        writeln!(io::stderr(), "measuring: {name}")?;
        measure(&mut table)?;
    }
    write!(io::stdout(), "\n{table}")?;
    let folder = match words.is_empty() {
        true => Path::new(env!("CARGO_MANIFEST_DIR")).join("results"),
        // A partial run must not change the guide.
        false => Path::new(env!("CARGO_TARGET_TMPDIR")).join("ratios"),
    };
    results::write(&table, &folder)?;
    writeln!(io::stderr(), "written to {}", folder.display())?;
    Ok(())
}
