//! Edits of a manifest's tree.

use super::{Edit, Overrides};
use crate::{
    diagnostics::{Diagnostic, Span},
    document::{self, Node, ObjectEntry, Value},
    keys::{
        self, Shape,
        flag::{AGENT, SET, VAR},
    },
    usage_reporter,
    variables::undeclared,
};

/// The keys that only fit the agent that `--agent` replaces.
const OF_EARLIER_AGENT: [&str; 4] = ["format", "model", "system", "tools"];

impl Overrides {
    /// Edits `node`, the tree of a manifest. The command line begins at byte `base` of the text that locations point
    /// into.
    pub(crate) fn apply(&self, node: &mut Node, base: usize, problems: &mut Vec<Diagnostic>) {
        if let Some(edit) = self.edits.iter().find(|edit| edit.flag == AGENT) {
            replace_agent(edit, node, base);
        }
        for (index, edit) in self.edits.iter().enumerate() {
            let earlier = self.edits[..index].iter().find(|earlier| earlier.overlaps(edit));
            let made = match (earlier, &edit.value) {
                (_, None) => Err(edit.lacks_value(base)),
                (Some(earlier), _) => Err(edit.repeats(earlier, base)),
                (None, Some(value)) => edit.make(value, node, base),
            };
            problems.extend(made.err());
        }
    }
}

/// Removes what only fits the agent of the manifest, and reads the output of the new one as its flags ask for it.
fn replace_agent(edit: &Edit, node: &mut Node, base: usize) {
    if let Some(Node { value: Value::Object(entries), .. }) = child(node, "agent") {
        entries.retain(|entry| !OF_EARLIER_AGENT.contains(&entry.key.as_str()));
    }
    let format = edit.value.as_deref().and_then(usage_reporter::format);
    if let Some(format) = format {
        let value = Value::Text(format.name().to_owned());
        edit.put(node, &["agent", "format"], Node { value, span: shifted(&edit.span, base) }, base);
    }
}

impl Edit {
    /// Returns whether one of the two paths leads to the other.
    fn overlaps(&self, other: &Self) -> bool {
        let leads = |short: &str, long: &str| {
            long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        leads(&self.path, &other.path) || leads(&other.path, &self.path)
    }

    /// Makes the edit.
    fn make(&self, value: &str, node: &mut Node, base: usize) -> Result<(), Diagnostic> {
        let parts = keys::parts(&self.path);
        if let ["vars", name] = parts[..] {
            self.check_declared(name, node, base)?;
        }
        let span = shifted(&self.span, base);
        let value = if keys::shape(&parts).is_none_or(Shape::is_text) {
            Node { value: Value::Text(value.to_owned()), span }
        } else {
            let read = document::parse_value(value, &span);
            read.map_err(|problem| problem.titled(format!("the value of `{}` cannot be read", self.title())))?
        };
        self.put(node, &parts, value, base);
        Ok(())
    }

    /// Returns the name of the edit for a message.
    fn title(&self) -> &str {
        if matches!(self.flag, SET | VAR) { &self.path } else { self.flag }
    }

    /// Puts a value at a path, and makes the objects on the way. Leaves a value that should have been an object: the
    /// error about it will be reported.
    fn put(&self, node: &mut Node, parts: &[&str], value: Node, base: usize) {
        let (Some((part, rest)), Value::Object(entries)) = (parts.split_first(), &mut node.value) else {
            return;
        };
        let mut key_span = shifted(&self.key_span, base);
        if rest.is_empty() && self.flag == SET {
            key_span.start = key_span.end.saturating_sub(part.len()).max(key_span.start);
        }
        let flag = (!matches!(self.flag, SET | VAR)).then_some(self.flag);
        let entry =
            |node, flag| ObjectEntry { key: (*part).to_owned(), key_span: key_span.clone(), node, flag };
        let found = entries.iter_mut().find(|entry| entry.key == *part);
        match (found, rest) {
            (Some(found), []) => *found = entry(value, flag),
            (None, []) => entries.push(entry(value, flag)),
            (Some(found), rest) => {
                if found.node.value == Value::Null {
                    found.node.value = Value::Object(Vec::new());
                }
                keys::spell_out(part, &mut found.node);
                self.put(&mut found.node, rest, value, base);
            }
            (None, rest) => {
                let mut object = Node { value: Value::Object(Vec::new()), span: key_span.clone() };
                self.put(&mut object, rest, value, base);
                entries.push(entry(object, None));
            }
        }
    }

    /// Checks that the manifest declares this variable: a value that goes nowhere is a mistake.
    fn check_declared(&self, name: &str, node: &mut Node, base: usize) -> Result<(), Diagnostic> {
        let vars = child(node, "vars").map(|node| &node.value);
        let entries = if let Some(Value::Object(entries)) = vars { entries.as_slice() } else { &[] };
        let names: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
        if names.contains(&name) {
            return Ok(());
        }
        Err(undeclared(name, shifted(&self.key_span, base), &names, str::to_owned))
    }

    fn lacks_value(&self, base: usize) -> Diagnostic {
        let (takes, example) = match self.flag {
            VAR => ("NAME=VALUE", "--var branch=main"),
            _ => ("KEY=VALUE", "--set guardrails.max_iterations=3"),
        };
        Diagnostic::error(format!("`{}` takes {takes}", self.flag))
            .at(shifted(&self.span, base), "there is no `=` in this")
            .help(format!("for example, write `{example}`"))
    }

    fn repeats(&self, earlier: &Self, base: usize) -> Diagnostic {
        Diagnostic::error(format!("`{}` is set twice", self.path))
            .at(self.whole_span(base), "the second time")
            .at(earlier.whole_span(base), "the first time")
            .help("keep one of them")
    }

    /// The location of the key and the value.
    fn whole_span(&self, base: usize) -> Span {
        let start = self.key_span.start.min(self.span.start);
        shifted(&(start..self.span.end), base)
    }
}

fn child<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    let Value::Object(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
}

fn shifted(span: &Span, base: usize) -> Span {
    span.start + base..span.end + base
}
