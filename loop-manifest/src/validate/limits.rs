//! The limits on what commands use.

use std::num::NonZeroU64;

use loop_agents::process::ResourceLimits;

use super::super::{diagnostics::Diagnostic, field::FieldValue, raw_limits::RawLimits};

/// The units of a size.
const UNITS: [(&str, u64); 3] = [("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];

/// The most processes that a system has.
const MOST_PROCESSES: i128 = 4_194_304;

pub(super) fn limits(raw: RawLimits, problems: &mut Vec<Diagnostic>) -> Option<ResourceLimits> {
    let processes = raw.processes.judge(problems, processes);
    let memory = raw.memory.judge(problems, memory);
    let mut limits = ResourceLimits::default();
    (limits.processes, limits.memory) = (processes.optional()?, memory.optional()?);
    Some(limits)
}

fn processes(at: FieldValue<i128>) -> Result<NonZeroU64, Diagnostic> {
    let number = Some(at.value).filter(|number| (2..=MOST_PROCESSES).contains(number));
    number.and_then(|number| NonZeroU64::new(u64::try_from(number).ok()?)).ok_or_else(|| {
        Diagnostic::error(format!("`{}` has to be from 2 to {MOST_PROCESSES}", at.key))
            .at(at.span, "not a number of processes")
            .help("a shell and one command are two processes; to have no such limit, leave it out")
    })
}

fn memory(at: FieldValue<String>) -> Result<NonZeroU64, Diagnostic> {
    size(&at.value).ok_or_else(|| {
        let finding = Diagnostic::error(format!("`{}` has to be a size, such as `2GiB`", at.key));
        let finding = finding.at(at.span, "not a number of 1 or more with a unit");
        match meant(&at.value) {
            Some(meant) => finding.help(format!("write `{meant}`")),
            None => finding.help("the units are `MiB`, `GiB` and `TiB`"),
        }
    })
}

/// Reads a number of 1 or more with a unit, and returns the number of bytes.
fn size(text: &str) -> Option<NonZeroU64> {
    let text = text.trim();
    let (number, unit) = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))?;
    let (whole, fraction) = number.trim_end().split_once('.').unwrap_or((number.trim_end(), "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.starts_with('0') {
        return None;
    }
    let part: f64 = format!("0.{fraction}").parse().ok()?;
    NonZeroU64::new(whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add((part * unit as f64) as u64)?)
}

/// Returns the size that somebody means by `2g` or `512 MB`.
fn meant(text: &str) -> Option<String> {
    let text = text.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let first = unit.trim().chars().next()?.to_ascii_uppercase();
    let unit = UNITS.iter().find(|(name, _)| name.starts_with(first))?.0;
    (!number.is_empty()).then(|| format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_a_unit_of_1024() {
        let read = |text| size(text).map(NonZeroU64::get);
        assert_eq!(read("2GiB"), Some(2 << 30));
        assert_eq!(read(" 1.5 MiB "), Some(3 << 19));
        for wrong in ["", "2", "2G", "GiB", "-1GiB", "1.GiB", ".5GiB", "0.5GiB", "1e3GiB", "2gib", "2KiB"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read("99999999999TiB"), None);
        let meant = ["2g", "512 MB", "2gib", "x", "7"].map(|text| meant(text).unwrap_or_default());
        assert_eq!(meant, ["2GiB", "512MiB", "2GiB", "", ""]);
    }
}
