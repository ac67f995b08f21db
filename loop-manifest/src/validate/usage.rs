//! The agent's usage: its report format, and its prices.

use std::{fs::File, io::Read, path::Path};

use loop_agents::usage::{self, Prices, PricesError};
use loop_core::with_causes;

use super::{
    super::{
        diagnostics::Diagnostic,
        field::{Field, FieldValue},
        nearest,
    },
    empty,
};

/// The maximum size of a price file, which has a line per model. A larger file was named by mistake.
const MAX_BYTES: u64 = 1 << 20;

const LOOKS: &str = r#"a price file looks like this: {"date": "2026-11-01", "usd_per_million_tokens": {"my-model": {"input": 2, "cached_input": 0.2, "cache_write": 2.5, "output": 8}}}"#;

/// Parses the name of a format.
pub(super) fn format(at: FieldValue<String>) -> Result<usage::Format, Diagnostic> {
    at.value.parse().map_err(|_| {
        let names = usage::Format::ALL.map(usage::Format::name);
        // `claude-json` is the one format of this program.
        let program = |name: &str| name.split(['-', '_']).next().map(str::to_lowercase);
        let of_program = || names.into_iter().find(|name| program(name) == program(&at.value));
        let meant = nearest::closest(&at.value, names, |name| name).or_else(of_program);
        Diagnostic::error(format!("unknown format `{}`", at.value))
            .at(at.span, nearest::suggestion(meant))
            .note(format!("the formats are {}", names.map(|name| format!("`{name}`")).join(", ")))
    })
}

/// Reads the user's own price file, if there is one. Its path is relative to `folder`.
pub(crate) fn prices(file: &Field<String>, folder: &Path, problems: &mut Vec<Diagnostic>) -> Option<Prices> {
    let at = file.written()?;
    let found = if at.value.trim().is_empty() { Err(empty(at)) } else { read(at, &folder.join(&at.value)) };
    found.map_err(|problem| problems.push(problem)).ok()
}

fn read(at: &FieldValue<String>, path: &Path) -> Result<Prices, Diagnostic> {
    let unreadable = |why: String| {
        Diagnostic::error(format!("the file of `{}` cannot be read", at.key))
            .at(at.span.clone(), why)
            .help("its path is relative to the folder of the manifest")
    };
    let failed = |error: std::io::Error| unreadable(format!("{}: {error}", path.display()));
    // Check this before opening: a pipe might never end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(unreadable(format!("{} is not a file", path.display())));
    }
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text)).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(unreadable(format!("{} is larger than 1 MiB", path.display())));
    }
    Prices::from_json(&text).map_err(|error| {
        let why = match &error {
            PricesError::Format(error) => error.to_string(),
            error => with_causes(error),
        };
        let finding = Diagnostic::error(format!("the file of `{}` is not a price table", at.key));
        finding.at(at.span.clone(), why).note(LOOKS)
    })
}
