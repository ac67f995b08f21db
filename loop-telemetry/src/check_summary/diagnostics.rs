//! The errors of compilers and interpreters.

use super::{
    Runner,
    findings::{Findings, is_exception},
};

/// Tests did not run, so there are no counts of them.
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
            if let Some(error) = self.unplaced.take().filter(|_| self.found.errors.is_empty()) {
                self.found.error(&error);
            }
        } else if line.starts_with("error: ") || line.starts_with("error[") {
            self.rustc = Some(line.to_owned());
        } else if is_placed_error(line) {
            self.found.error(line);
        } else {
            // `node --test` quotes it in comments of TAP.
            self.script(line.strip_prefix("# ").unwrap_or(line));
        }
        false
    }

    fn gap(&mut self) {
        self.rustc = None;
        self.script = Script::default();
    }

    fn findings(&mut self) -> Findings {
        if self.script.is_of_mocha {
            self.end_script();
        }
        std::mem::take(&mut self.found)
    }
}

impl Diagnostics {
    /// Node prints the place of an uncaught error, the error, its stack and then its own version. Mocha begins with a
    /// heading instead.
    fn script(&mut self, line: &str) {
        let mocha = line.trim_start().strip_prefix("Exception during run: ");
        let text = mocha.unwrap_or(line);
        if mocha.is_some() {
            self.script = Script { is_of_mocha: true, ..Script::default() };
        }
        if is_source(text) {
            self.script.place = Some(text.to_owned());
            self.script.error = None;
        } else if self.script.error.is_none() && is_exception(text) {
            let importer = text.rsplit_once(" imported from ").map(|(_, file)| file.to_owned());
            self.script.place = self.script.place.take().or(importer);
            self.script.error = Some(text.to_owned());
        } else if self.script.error.is_some() {
            let is_stack = line.starts_with("    at ") || line.starts_with("- /") || line == "Require stack:";
            if self.script.place.is_none() {
                let place =
                    line.strip_prefix("- ").or_else(|| line.strip_suffix(')')?.rsplit_once(" (")?.1.into());
                let own = place.filter(|place| place.starts_with('/') && !place.contains("/node_modules/"));
                self.script.place = own.map(ToOwned::to_owned);
            }
            if line.starts_with("Node.js v") || self.script.is_of_mocha && !is_stack {
                self.end_script();
            }
        }
    }

    fn end_script(&mut self) {
        let Script { place, error, .. } = std::mem::take(&mut self.script);
        if let Some(error) = error {
            let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
            self.found.error(&format!("{place}{error}"));
        }
    }
}

/// Returns true for the line above a piece of source: `/project/a.js:1`.
fn is_source(line: &str) -> bool {
    let (file, number) = line.rsplit_once(':').unwrap_or_default();
    (file.starts_with('/') || file.starts_with("file:///")) && number.parse::<u32>().is_ok()
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

/// Returns true if a text is the rest behind `error`: `: no`, ` TS2322: no`, or `[E0425]: no`.
fn is_message(text: &str) -> bool {
    let text = match text.strip_prefix('[') {
        Some(code) => code.split_once(']').map_or(text, |(_, message)| message),
        None => text,
    };
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
