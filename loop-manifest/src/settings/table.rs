//! One table of settings: its keys, their values, and the line of each.

use std::{fmt::Display, time::Duration};

use loop_guardrails::policy::{Origin, WithOrigin};

use crate::{
    Source,
    diagnostics::{Diagnostic, Span},
    document::{Node, ObjectEntry, Value},
    mismatch::{self, ExpectedValue},
    names::HistoryShare,
    nearest,
};

/// The owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsOwner {
    /// The user's own.
    User,
    /// It came with the project.
    Project,
}

/// A table in which every key is known. It reports invalid values, and leaves them out.
pub(super) struct SettingsTable<'a> {
    /// With dots between: `models.fast`.
    name: String,
    entries: &'a [ObjectEntry],
    source: &'a Source,
    problems: &'a mut Vec<Diagnostic>,
}

impl<'a> SettingsTable<'a> {
    /// The table of this name. Reports keys that it does not have.
    pub(super) fn of(
        name: &str,
        keys: &'static [&'static str],
        node: &'a Node,
        source: &'a Source,
        problems: &'a mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let Value::Object(entries) = &node.value else {
            problems.push(mismatch::report(name, ExpectedValue::Object, node, source.text()));
            return None;
        };
        let unknown = entries.iter().filter(|entry| !keys.contains(&entry.key.as_str()));
        problems.extend(unknown.map(|entry| {
            let meant = nearest::closest(&entry.key, keys.iter().copied(), |key| key);
            let known: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            Diagnostic::error(format!("unknown key `{}` in `{name}`", entry.key))
                .at(entry.key_span.clone(), nearest::suggestion(meant))
                .note(format!("`{name}` takes {}", known.join(", ")))
        }));
        Some(Self { name: name.to_owned(), entries, source, problems })
    }

    /// Reports these keys in a project's file, because only the user sets them.
    pub(super) fn refuse_in_project(&mut self, keys: &[&str], owner: SettingsOwner, why: &str) {
        let places = keys.iter().filter_map(|key| Some((key, self.place(key)?)));
        for (key, place) in places.filter(|_| owner == SettingsOwner::Project).collect::<Vec<_>>() {
            self.wrong(format!("`{key}` is only for a user's own settings, because {why}"), place);
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, key: &str) -> Option<WithOrigin<bool>> {
        let node = self.node(key)?;
        let Value::Bool(flag) = node.value else { return self.mismatch(key, ExpectedValue::Flag, node) };
        Some(self.placed(flag, &node.span))
    }

    /// A whole number above nothing.
    pub(super) fn count(&mut self, key: &str) -> Option<WithOrigin<u64>> {
        let node = self.node(key)?;
        let Value::Whole(whole) = node.value else { return self.mismatch(key, ExpectedValue::Whole, node) };
        let count = u64::try_from(whole).ok().filter(|count| *count > 0);
        if count.is_none() {
            self.wrong(format!("`{}.{key}` has to be at least 1", self.name), node.span.clone());
        }
        count.map(|count| self.placed(count, &node.span))
    }

    /// A whole number from 0 to `most`.
    pub(super) fn number(&mut self, key: &str, most: u64) -> Option<WithOrigin<u64>> {
        self.within(key, 0, most)
    }

    /// A whole number in these bounds.
    pub(super) fn within(&mut self, key: &str, least: u64, most: u64) -> Option<WithOrigin<u64>> {
        let node = self.node(key)?;
        let Value::Whole(whole) = node.value else { return self.mismatch(key, ExpectedValue::Whole, node) };
        let number = u64::try_from(whole).ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let title = format!("`{}.{key}` has to be a number from {least} to {most}", self.name);
            self.wrong(title, node.span.clone());
        }
        number.map(|number| self.placed(number, &node.span))
    }

    /// A number from 0 to 1.
    pub(super) fn share_of_one(&mut self, key: &str) -> Option<WithOrigin<f64>> {
        let node = self.node(key)?;
        let number = match node.value {
            Value::Whole(whole) => whole as f64,
            Value::Decimal(decimal) => decimal,
            _ => return self.mismatch(key, ExpectedValue::Number, node),
        };
        if !(0.0..=1.0).contains(&number) {
            self.wrong(format!("`{}.{key}` has to be a number from 0 to 1", self.name), node.span.clone());
            return None;
        }
        Some(self.placed(number, &node.span))
    }

    /// A time above nothing, with units or as a number of seconds.
    pub(super) fn time(&mut self, key: &str) -> Option<WithOrigin<Duration>> {
        let node = self.node(key)?;
        let Some(seconds) = node.value.seconds() else {
            return self.mismatch(key, ExpectedValue::Time, node);
        };
        match Duration::try_from_secs_f64(seconds) {
            Ok(time) if !time.is_zero() => Some(self.placed(time, &node.span)),
            _ => {
                let title = format!("`{}.{key}` has to be a time above 0", self.name);
                self.problems.push(Diagnostic::error(title).at(node.span.clone(), "not such a time"));
                None
            }
        }
    }

    /// A time, or zero for this word.
    pub(super) fn time_or(&mut self, key: &str, word: &str) -> Option<WithOrigin<Duration>> {
        let node = self.node(key)?;
        match &node.value {
            Value::Text(text) if text == word => Some(self.placed(Duration::ZERO, &node.span)),
            _ => self.time(key),
        }
    }

    /// `all`, `none` or a whole number above nothing.
    pub(super) fn share(&mut self, key: &str) -> Option<WithOrigin<HistoryShare>> {
        match &self.node(key)?.value {
            Value::Text(_) => self.text(key, str::parse),
            _ => {
                let count = self.count(key)?;
                let messages = usize::try_from(count.value).unwrap_or(usize::MAX);
                Some(WithOrigin::new(HistoryShare::Last(messages), count.origin))
            }
        }
    }

    /// A text of which `read` makes something.
    pub(super) fn text<T, E: Display>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Option<WithOrigin<T>> {
        let node = self.node(key)?;
        let Value::Text(text) = &node.value else { return self.mismatch(key, ExpectedValue::Text, node) };
        match read(text) {
            Ok(value) => Some(self.placed(value, &node.span)),
            Err(error) => {
                self.wrong(error, node.span.clone());
                None
            }
        }
    }

    /// Reads a list of texts with `read`. A missing list is empty.
    pub(super) fn list<T, E: Display>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<WithOrigin<T>> {
        self.list_if_there(key, read).unwrap_or_default()
    }

    /// Reads a list of texts with `read`, if it is there.
    pub(super) fn list_if_there<T, E: Display>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Option<Vec<WithOrigin<T>>> {
        self.node(key).map(|node| self.items(&format!("{}.{key}", self.name), node, read))
    }

    /// Returns whether the value of this key is a text.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.node(key).is_some_and(|node| matches!(node.value, Value::Text(_)))
    }

    /// Returns the location of this key, if it exists.
    pub(super) fn place(&self, key: &str) -> Option<Span> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.key_span.clone())
    }

    /// Reads a table with arbitrary keys, whose values are lists of texts. Returns each key, its location and its list.
    pub(super) fn lists<T, E: Display>(
        &mut self,
        key: &str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<(WithOrigin<&'a str>, Span, Vec<T>)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let Value::Object(entries) = &node.value else {
            return self.mismatch(key, ExpectedValue::Object, node).unwrap_or_default();
        };
        let one = |entry: &'a ObjectEntry| {
            let path = format!("{}.{key}.{:?}", self.name, entry.key);
            let items = self.items(&path, &entry.node, &read).into_iter().map(|item| item.value).collect();
            (self.placed(entry.key.as_str(), &entry.key_span), entry.key_span.clone(), items)
        };
        entries.iter().map(one).collect()
    }

    /// Reads a table with arbitrary keys, whose values are texts that are not empty.
    pub(super) fn named_texts(&mut self, key: &str) -> Vec<(String, String)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let Value::Object(entries) = &node.value else {
            return self.mismatch(key, ExpectedValue::Object, node).unwrap_or_default();
        };
        let mut texts = Vec::new();
        for entry in entries {
            match &entry.node.value {
                Value::Text(text) if !text.trim().is_empty() => texts.push((entry.key.clone(), text.clone())),
                Value::Text(_) => self.wrong(format!("`{}` is empty", entry.key), entry.node.span.clone()),
                _ => drop(self.mismatch::<()>(
                    &format!("{key}.{:?}", entry.key),
                    ExpectedValue::Text,
                    &entry.node,
                )),
            }
        }
        texts
    }

    /// Reports that something is missing in a table that begins at `place`.
    pub(super) fn lacks(&mut self, key: &str, advice: &str, place: Span) {
        let finding = Diagnostic::error(format!("`{}.{key}` is missing", self.name)).at(place, "of this");
        self.problems.push(finding.help(advice));
    }

    /// Reports what is wrong at a place.
    pub(super) fn wrong(&mut self, title: impl Display, place: Span) {
        self.problems.push(Diagnostic::error(title.to_string()).at(place, ""));
    }

    fn items<T, E: Display>(
        &mut self,
        path: &str,
        node: &Node,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<WithOrigin<T>> {
        let Value::List(nodes) = &node.value else {
            self.problems.push(mismatch::report(path, ExpectedValue::Texts, node, self.source.text()));
            return Vec::new();
        };
        let mut items = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            match &node.value {
                Value::Text(text) => match read(text) {
                    Ok(value) => items.push(self.placed(value, &node.span)),
                    Err(error) => self.wrong(error, node.span.clone()),
                },
                _ => {
                    let path = format!("{path}[{index}]");
                    self.problems.push(mismatch::report(
                        &path,
                        ExpectedValue::Text,
                        node,
                        self.source.text(),
                    ));
                }
            }
        }
        items
    }

    fn node(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    fn mismatch<T>(&mut self, key: &str, wanted: ExpectedValue, node: &Node) -> Option<T> {
        let path = format!("{}.{key}", self.name);
        self.problems.push(mismatch::report(&path, wanted, node, self.source.text()));
        None
    }

    fn placed<T>(&self, value: T, place: &Span) -> WithOrigin<T> {
        let line = 1 + self.source.text()[..place.start].matches('\n').count();
        WithOrigin::new(value, Origin::line(self.source.path().display().to_string(), line))
    }
}
