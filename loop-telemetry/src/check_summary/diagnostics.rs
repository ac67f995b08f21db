//! The errors of compilers and interpreters.

use super::{
    Runner,
    findings::{Findings, is_exception},
};

/// Only the first error is kept. Tests did not run, so there are no counts.
#[derive(Default)]
pub(super) struct Diagnostics {
    found: Findings,
    /// An error of rustc, whose place is in the next line.
    rustc: Option<String>,
    /// The first error of rustc without a place. It counts once Cargo confirms that something does not compile.
    unplaced: Option<String>,
    script: Script,
}

/// An uncaught error of Node.
#[derive(Default)]
struct Script {
    place: Option<String>,
    error: Option<String>,
    /// Mocha caught it.
    is_of_mocha: bool,
}

impl Runner for Diagnostics {
    fn line(&mut self, line: &str) -> bool {
        if let Some(error) = self.rustc.take() {
            match line.trim_start().strip_prefix("--> ") {
                Some(place) => self.found.error(&format!("{place}: {error}")),
                None => _ = self.unplaced.get_or_insert(error),
            }
        }
        if line.starts_with("error: could not compile ") {
            if let Some(error) = self.unplaced.take() {
                self.found.error(&error);
            }
        } else if line.starts_with("error: ") || line.starts_with("error[") {
            self.rustc = Some(line.to_owned());
        } else if is_placed_error(line) {
            self.found.error(line);
        } else {
            self.script(line);
        }
        false
    }

    fn gap(&mut self) {
        self.rustc = None;
        self.script = Script::default();
    }

    fn findings(&mut self) -> Findings {
        std::mem::take(&mut self.found)
    }
}

impl Diagnostics {
    /// Node prints the place of an uncaught error, the error, its stack and then its own version. Mocha begins with a
    /// heading instead.
    fn script(&mut self, line: &str) {
        let mocha = line.trim_start().strip_prefix("Exception during run: ");
        let place = mocha.unwrap_or(line);
        let is_place = |place: &str| {
            let (file, number) = place.rsplit_once(':').unwrap_or_default();
            (file.starts_with('/') || file.starts_with("file:///")) && number.parse::<u32>().is_ok()
        };
        if is_place(place) {
            self.script = Script { place: Some(place.to_owned()), error: None, is_of_mocha: mocha.is_some() };
        } else if mocha.is_some() && is_exception(place) {
            self.found.error(place);
        } else if is_exception(line) && self.script.error.is_none() {
            let place = self.script.place.take().map(|place| format!("{place}: ")).unwrap_or_default();
            let error = format!("{place}{line}");
            if self.script.is_of_mocha {
                self.found.error(&error);
            } else {
                self.script.error = Some(error);
            }
        } else if line.starts_with("Node.js v")
            && let Some(error) = self.script.error.take()
        {
            self.found.error(&error);
        }
    }
}

/// Returns true for an error with its place in the same line: `a.c:3:5: error: no`, `a.ts(1,7): error TS2322: no`,
/// `a.ts:1:7 - error TS2322: no`, `[ERROR] /a/B.java:[3,5] no`.
fn is_placed_error(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix("[ERROR] ") {
        return rest.contains(".java:[") || rest.contains(".kt:[");
    }
    [": error", ": fatal error", " - error"].iter().any(|mark| {
        line.split_once(mark)
            .is_some_and(|(place, message)| is_place(place.trim_start()) && is_message(message))
    })
}

/// Returns true if a text is the rest behind `error`: `: no`, or ` TS2322: no`.
fn is_message(text: &str) -> bool {
    match text.strip_prefix(' ').and_then(|text| text.split_once(": ")) {
        Some((code, _)) => code.chars().all(|sign| sign.is_ascii_alphanumeric()),
        None => text.starts_with(": "),
    }
}

/// Returns true for a file with a line: `a.c:3`, `a.c:3:5`, `a.ts(1,7)`.
fn is_place(text: &str) -> bool {
    let is_number =
        |text: &str| !text.is_empty() && text.chars().all(|sign| sign.is_ascii_digit() || sign == ',');
    match text.strip_suffix(')').map(|text| text.rsplit_once('(')) {
        Some(position) => position.is_some_and(|(file, position)| !file.is_empty() && is_number(position)),
        None => text.rsplit_once(':').is_some_and(|(file, number)| !file.is_empty() && is_number(number)),
    }
}
