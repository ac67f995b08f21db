//! Values from the command line, which change a manifest.
//!
//! An override is an edit of the parsed manifest, before anything reads its fields. So a value from the command line
//! goes through the same rules, defaults and suggestions as a written one; only its location is in the command line.

mod apply;

use loop_guardrails::policy::environment::looks_secret;

use crate::{
    diagnostics::Span,
    keys::flag::{self, SET, VAR},
};

/// Changes to a manifest, as a command line requests them.
///
/// ```
/// use loop_manifest::{Overrides, Plan, Source};
///
/// let text = "\
/// agent: {command: my-agent}
/// evaluator: {command: 'cargo test -p {var.crate}'}
/// guardrails: {max_iterations: 5}
/// vars: {crate: null}
/// ";
/// let overrides = Overrides::new("loop run")
///     .with("--max", "3")
///     .with("--set", "guardrails.max_seconds=30m")
///     .with("--var", "crate=core");
/// let source = Source::from_bytes("loop.yaml".as_ref(), text.into())?.overridden(overrides);
/// let plan = Plan::of(source)?.plan;
/// assert_eq!(plan.limits.max_iterations.get(), 3);
/// assert_eq!(plan.limits.max_time.map(|time| time.as_secs()), Some(1800));
/// assert_eq!(plan.evaluator.command.as_deref(), Some("cargo test -p 'core'"));
/// # Ok::<(), loop_manifest::Diagnostics>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The command line, for messages. Secrets appear as `*`.
    line: String,
    edits: Vec<Edit>,
}

/// One value for one key.
#[derive(Debug, Clone)]
struct Edit {
    flag: &'static str,
    /// The path of its key, with dots.
    path: String,
    /// `None` if the text after the flag has no `=`, although it needs one.
    value: Option<String>,
    /// The location of the path in the line; that of the flag if the flag names the key.
    key_span: Span,
    /// The location of the value in the line.
    span: Span,
}

impl Overrides {
    /// Creates the overrides of a command, such as `loop run`, without any.
    pub fn new(command: &str) -> Self {
        Self { line: command.to_owned(), edits: Vec::new() }
    }

    /// Adds a flag with its value. `--set` takes `KEY=VALUE` with any key of a manifest, and `--var` takes
    /// `NAME=VALUE`. Any other flag sets one key; [`flag`](crate::flag) lists them. Errors are reported when the
    /// manifest is read.
    #[must_use]
    pub fn with(mut self, flag: &'static str, value: &str) -> Self {
        let (path, value) = match (flag, value.split_once('=')) {
            (SET, Some((path, value))) => (path.trim().to_owned(), Some(value)),
            (VAR, Some((name, value))) => (format!("vars.{}", name.trim()), Some(value)),
            (SET | VAR, None) => (value.to_owned(), None),
            _ => (flag::key(flag).unwrap_or(flag).to_owned(), Some(value)),
        };
        let (key_span, span) = self.show(flag, &path, value);
        self.edits.push(Edit { flag, path, value: value.map(str::to_owned), key_span, span });
        self
    }

    /// Adds a flag without a value, for a key that takes `true`; or `false`, if the flag begins with `--no-`.
    #[must_use]
    pub fn with_switch(mut self, flag: &'static str) -> Self {
        let start = self.line.len() + 1;
        self.line += &format!(" {flag}");
        let span = start..self.line.len();
        let path = flag::key(flag).unwrap_or(flag).to_owned();
        let value = !flag.starts_with("--no-");
        self.edits.push(Edit { flag, path, value: Some(value.to_string()), key_span: span.clone(), span });
        self
    }

    /// Returns the overrides whose [`words`](Self::words) were stored with a run of this command. Returns `None` if
    /// another version stored a flag that this one does not know.
    pub fn stored(command: &str, words: &[String]) -> Option<Self> {
        words.iter().try_fold(Self::new(command), |overrides, word| {
            let (name, value) = word.split_once('=')?;
            Some(overrides.with(flag::named(name)?, value))
        })
    }

    /// Returns each override as one word, such as `--max=3` or `--set=guardrails.max_seconds=30m`, to be stored.
    pub fn words(&self) -> Vec<String> {
        let word = |edit: &Edit| {
            let value = edit.value.as_deref().unwrap_or_default();
            match edit.flag {
                SET => format!("{SET}={}={value}", edit.path),
                VAR => format!("{VAR}={}={value}", edit.name()),
                flag => format!("{flag}={value}"),
            }
        };
        self.edits.iter().map(word).collect()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns whether the flag is among them.
    pub fn has(&self, flag: &str) -> bool {
        self.edits.iter().any(|edit| edit.flag == flag)
    }

    /// Returns the flag that sets the key at `path`, or the path if no flag for this key alone does.
    pub fn name_of(&self, path: &'static str) -> &'static str {
        let flag = flag::flag(path);
        if self.has(flag) { flag } else { path }
    }

    /// Returns the names and the values that a person sets by name. Some may be secrets.
    pub fn named_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edits.iter().filter_map(|edit| Some((edit.name(), edit.value.as_deref()?)))
    }

    /// The command line, for messages.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    /// Adds a flag to the line. Returns the locations of its key and its value.
    fn show(&mut self, flag: &str, path: &str, value: Option<&str>) -> (Span, Span) {
        let start = self.line.len() + 1;
        self.line += &format!(" {flag} ");
        let flag_span = start..start + flag.len();
        let (name, key) = match flag {
            SET => (last_part(path), Some(path)),
            VAR => (last_part(path), Some(last_part(path))),
            _ => (flag, None),
        };
        let is_secret =
            value.is_some_and(|value| key.is_some() && looks_secret(name.as_ref(), value.as_ref()));
        let value =
            value.map(|value| if is_secret { "*".repeat(value.chars().count()) } else { value.to_owned() });
        let written = match (key, value) {
            (Some(key), Some(value)) => format!("{key}={value}"),
            (None, Some(value)) => value,
            (_, None) => path.to_owned(),
        };
        let shown = shlex::try_quote(&written).unwrap_or(written.as_str().into());
        let start = self.line.len();
        self.line += &shown;
        let span = start..self.line.len();
        let Some(key) = key else { return (flag_span, span) };
        let key_start = start + shown.find(key).unwrap_or_default();
        (key_start..(key_start + key.len()).min(span.end), span)
    }
}

impl Edit {
    /// The last part of the path.
    fn name(&self) -> &str {
        last_part(&self.path)
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}

#[cfg(test)]
#[path = "../../tests/overrides/mod.rs"]
mod tests;
