//! Reads the fields of one object, and reports all errors in it together.

use super::{
    diagnostics::{Diagnostic, Span},
    document::{Node, ObjectEntry, Value},
    field::{Field, FieldValue, FlagOrWhole, NamedText, SpannedText, WordOrTexts, WordOrWhole},
    key_errors,
    keys::{self, KeyRequirement},
    mismatch::{self, ExpectedValue},
};

/// The object at one path of the manifest. Its fields are named by their whole paths, so that messages
/// can name them too.
pub(crate) struct Fields<'a> {
    object: &'static str,
    entries: &'a [ObjectEntry],
    /// The location of the object, for messages without a better one.
    span: Span,
    text: &'a str,
    problems: &'a mut Vec<Diagnostic>,
}

impl<'a> Fields<'a> {
    /// Reads the fields of the manifest itself. Reports keys that are unknown, duplicate or missing.
    pub(crate) fn of_manifest(
        node: &'a Node,
        text: &'a str,
        problems: &'a mut Vec<Diagnostic>,
    ) -> Option<Self> {
        if let Value::Object(entries) = &node.value {
            return Some(
                Self { object: "", entries, span: node.span.clone(), text, problems }.with_known_keys(),
            );
        }
        let finding = Diagnostic::error("a manifest is an object: keys with values");
        let finding = match node.value {
            Value::Null => finding.at(0..text.len(), "there are no keys in this file"),
            _ => finding.at(node.span.clone(), mismatch::found(&node.value)),
        };
        problems.push(finding.help(format!("a manifest takes {}", keys::list(""))));
        None
    }

    /// The object at the path `object`, if there is one.
    pub(crate) fn object(&mut self, object: &'static str) -> Option<Fields<'_>> {
        let entry = self.entry(object)?;
        let Value::Object(entries) = &entry.node.value else {
            let finding = mismatch::report(object, ExpectedValue::Object, &entry.node, self.text);
            self.problems.push(finding.help(format!("it takes {}", keys::list(object))));
            return None;
        };
        let span = entry.key_span.clone();
        Some(Fields { object, entries, span, text: self.text, problems: self.problems }.with_known_keys())
    }

    /// The word that is short for an object at `key`, if there is one.
    pub(crate) fn word(&self, key: &'static str) -> Option<FieldValue<String>> {
        let ObjectEntry { node, .. } = self.entry(key)?;
        let Value::Text(value) = &node.value else { return None };
        Some(FieldValue { key, value: value.clone(), span: node.span.clone() })
    }

    /// The object under `key`, whose keys are those of the object at `object`, as `read` reads it.
    pub(crate) fn nested<T>(
        &mut self,
        key: &'static str,
        object: &'static str,
        read: impl FnOnce(Fields<'_>) -> T,
    ) -> Field<T> {
        let Some(entry) = self.entry(key) else { return Field::Absent };
        match self.object_in(key, object, &entry.node, entry.key_span.clone()).map(read) {
            Some(value) => Field::Written(FieldValue { key, value, span: entry.node.span.clone() }),
            None => Field::Refused,
        }
    }

    /// Each object in the list under `key`, as [`nested`](Self::nested).
    pub(crate) fn nested_list<T>(
        &mut self,
        key: &'static str,
        object: &'static str,
        mut read: impl FnMut(Fields<'_>) -> T,
    ) -> Field<Vec<Option<T>>> {
        let Some(ObjectEntry { node, .. }) = self.entry(key) else { return Field::Absent };
        let Value::List(nodes) = &node.value else {
            self.problems.push(mismatch::report(key, ExpectedValue::Conditions, node, self.text));
            return Field::Refused;
        };
        let items = nodes.iter().enumerate();
        let value = items
            .map(|(index, node)| {
                let path = format!("{key}[{index}]");
                self.object_in(&path, object, node, node.span.clone()).map(&mut read)
            })
            .collect();
        Field::Written(FieldValue { key, value, span: node.span.clone() })
    }

    fn object_in(
        &mut self,
        path: &str,
        object: &'static str,
        node: &'a Node,
        span: Span,
    ) -> Option<Fields<'_>> {
        if let Value::Object(entries) = &node.value {
            let fields = Fields { object, entries, span, text: self.text, problems: self.problems };
            return Some(fields.with_known_keys());
        }
        let finding = mismatch::report(path, ExpectedValue::Object, node, self.text);
        let words = keys::words(&format!("{object}.type")).unwrap_or_default();
        self.problems.push(match &node.value {
            Value::Text(word) if words.contains(&format!("`{word}`")) => {
                finding.help(format!("write it as an object with the key `type`: `{{type: {word}}}`"))
            }
            _ => finding.help(format!("it takes {}", keys::list(object))),
        });
        None
    }

    /// Returns the location of the object.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Returns the location of the key at `path`, if it is written.
    pub(crate) fn key_span(&self, path: &str) -> Option<Span> {
        self.entry(path).map(|entry| entry.key_span.clone())
    }

    /// Reports a problem with this object.
    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Reads a text of any length.
    pub(crate) fn text(&mut self, key: &'static str) -> Field<String> {
        self.read(key, ExpectedValue::Text, |value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// A number without a fraction.
    pub(crate) fn whole(&mut self, key: &'static str) -> Field<i128> {
        self.read(key, ExpectedValue::Whole, |value| match value {
            Value::Whole(whole) => Some(*whole),
            _ => None,
        })
    }

    /// Any number.
    pub(crate) fn number(&mut self, key: &'static str) -> Field<f64> {
        self.read(key, ExpectedValue::Number, |value| match value {
            Value::Whole(whole) => Some(*whole as f64),
            Value::Decimal(decimal) => Some(*decimal),
            _ => None,
        })
    }

    /// A time, in seconds: a text with units, such as `1h30m`, or a number of seconds.
    pub(crate) fn time(&mut self, key: &'static str) -> Field<f64> {
        self.read(key, ExpectedValue::Time, Value::seconds)
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &'static str) -> Field<bool> {
        self.read(key, ExpectedValue::Flag, |value| match value {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A word or a number without a fraction.
    pub(crate) fn word_or_whole(&mut self, key: &'static str) -> Field<WordOrWhole> {
        self.read(key, ExpectedValue::WordOrWhole, |value| match value {
            Value::Text(word) => Some(WordOrWhole::Word(word.clone())),
            Value::Whole(whole) => Some(WordOrWhole::Whole(*whole)),
            _ => None,
        })
    }

    /// `true`, `false` or a number without a fraction.
    pub(crate) fn flag_or_whole(&mut self, key: &'static str) -> Field<FlagOrWhole> {
        self.read(key, ExpectedValue::FlagOrWhole, |value| match value {
            Value::Bool(flag) => Some(FlagOrWhole::Flag(*flag)),
            Value::Whole(whole) => Some(FlagOrWhole::Whole(*whole)),
            _ => None,
        })
    }

    /// A list of texts.
    pub(crate) fn list(&mut self, key: &'static str) -> Field<Vec<SpannedText>> {
        let found = self.read(key, ExpectedValue::Texts, |value| match value {
            Value::List(nodes) => Some(nodes.clone()),
            _ => None,
        });
        found.and_then(|FieldValue { value: nodes, span, .. }| {
            let written = nodes.len();
            let items = nodes.into_iter().enumerate();
            let value: Vec<_> = items.filter_map(|(index, node)| self.item_of(key, index, node)).collect();
            if value.len() < written {
                Field::Refused
            } else {
                Field::Written(FieldValue { key, value, span })
            }
        })
    }

    /// A word or a list of texts.
    pub(crate) fn word_or_list(&mut self, key: &'static str) -> Field<WordOrTexts> {
        let is_list = self.entry(key).is_some_and(|entry| matches!(entry.node.value, Value::List(_)));
        if is_list { self.list(key).map(WordOrTexts::Texts) } else { self.text(key).map(WordOrTexts::Word) }
    }

    fn item_of(&mut self, key: &str, index: usize, node: Node) -> Option<SpannedText> {
        if let Value::Text(value) = node.value {
            return Some(SpannedText { value, span: node.span });
        }
        self.problems.push(mismatch::report(
            &format!("{key}[{index}]"),
            ExpectedValue::Text,
            &node,
            self.text,
        ));
        None
    }

    /// An object whose keys are the user's and whose values are text.
    pub(crate) fn texts(&mut self, key: &'static str) -> Field<Vec<NamedText>> {
        let found = self.read(key, ExpectedValue::Object, |value| match value {
            Value::Object(entries) => Some(entries.clone()),
            _ => None,
        });
        found.and_then(|FieldValue { value: entries, span, .. }| {
            key_errors::report_duplicates(&entries, self.problems);
            let written = entries.len();
            let value: Vec<_> = entries.into_iter().filter_map(|entry| self.text_of(key, entry)).collect();
            if value.len() < written {
                Field::Refused
            } else {
                Field::Written(FieldValue { key, value, span })
            }
        })
    }

    /// An object with any keys and values, as JSON.
    pub(crate) fn table(&mut self, key: &'static str) -> Field<serde_json::Value> {
        let found = self.read(key, ExpectedValue::Object, |value| match value {
            Value::Object(_) => Some(value.clone()),
            _ => None,
        });
        found.and_then(|FieldValue { value, span, .. }| {
            let (node, before) = (Node { value, span: span.clone() }, self.problems.len());
            key_errors::report_all_duplicates(&node, self.problems);
            match self.problems.len() == before {
                true => Field::Written(FieldValue { key, value: node.json(), span }),
                false => Field::Refused,
            }
        })
    }

    fn text_of(&mut self, key: &str, entry: ObjectEntry) -> Option<NamedText> {
        let ObjectEntry { key: name, key_span: name_span, node, .. } = entry;
        if let Value::Text(value) = node.value {
            return Some(NamedText { name, name_span, value, span: node.span });
        }
        self.problems.push(mismatch::report(&format!("{key}.{name}"), ExpectedValue::Text, &node, self.text));
        None
    }

    fn read<T>(
        &mut self,
        key: &'static str,
        expected: ExpectedValue,
        pick: impl FnOnce(&Value) -> Option<T>,
    ) -> Field<T> {
        let Some(ObjectEntry { node, flag, .. }) = self.entry(key) else { return Field::Absent };
        let key = flag.unwrap_or(key);
        match pick(&node.value) {
            Some(value) => Field::Written(FieldValue { key, value, span: node.span.clone() }),
            None => {
                self.problems.push(mismatch::report(key, expected, node, self.text));
                Field::Refused
            }
        }
    }

    fn entry(&self, path: &str) -> Option<&'a ObjectEntry> {
        let mut entries = self.entries;
        let path = keys::within(path, self.object);
        let (objects, name) =
            path.rsplit_once('.').map_or((None, path), |(objects, name)| (Some(objects), name));
        for object in objects.into_iter().flat_map(|objects| objects.split('.')) {
            let entry = entries.iter().find(|entry| entry.key == object)?;
            let Value::Object(inner) = &entry.node.value else { return None };
            entries = inner;
        }
        entries.iter().find(|entry| entry.key == name)
    }

    fn with_known_keys(self) -> Self {
        key_errors::report_duplicates(self.entries, self.problems);
        let strange = |entry: &&ObjectEntry| keys::of_object(self.object).all(|key| key.name() != entry.key);
        let strangers: Vec<_> = self.entries.iter().filter(strange).collect();
        let meant: Vec<_> = strangers.iter().map(|entry| keys::nearest(self.object, &entry.key)).collect();
        // A required key with a slip in it is one fault, and is reported as the slip.
        let missing = keys::of_object(self.object)
            .filter(|key| self.is_needed(key.requirement) && self.entry(key.path).is_none())
            .filter(|key| !meant.iter().flatten().any(|meant| key.is_met_by(meant.path)));
        let missing: Vec<_> = missing.map(|key| key_errors::missing(key, self.span.clone())).collect();
        self.problems.extend(missing);
        let unknown = strangers.iter().zip(meant);
        self.problems.extend(unknown.map(|(entry, meant)| key_errors::unknown(self.object, entry, meant)));
        self
    }
}

impl Fields<'_> {
    fn is_needed(&self, requirement: KeyRequirement) -> bool {
        match requirement {
            KeyRequirement::Required => true,
            KeyRequirement::Unless(others) => others.iter().all(|other| self.entry(other).is_none()),
            KeyRequirement::Optional => false,
        }
    }
}
