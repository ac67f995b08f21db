//! `vars`: texts that a manifest leaves to its user, and the places that name them.
//!
//! Commands and prompts are filled later: there, a value must not become syntax. Every other text gets the values
//! before its field is read; in a pattern, a value matches only itself.

use loop_agents::shell::{VariablePlace, Variables};

use super::{
    diagnostics::{Diagnostic, Span},
    document::{Node, ObjectEntry, Value},
    key_errors,
    mismatch::{self, ExpectedValue},
    nearest, source,
};

/// The texts in which a value must not become syntax.
const FILLED_LATER: [&[&str]; 5] = [
    &["agent", "command"],
    &["agent", "prompt"],
    &["evaluator", "command"],
    &["evaluator", "review", "agent"],
    &["on_finish"],
];

/// The keys at the top whose texts are not ours to change.
const UNREAD: [&str; 3] = ["vars", "$schema", "metadata"];

/// The variables of a manifest.
#[derive(Debug, Default)]
pub(crate) struct DeclaredVariables {
    /// The values. Variables without a value are missing.
    pub(crate) values: Variables,
    /// The findings that do not make the manifest invalid.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A declared variable.
struct Declaration {
    name: String,
    key_span: Span,
    is_used: bool,
}

/// Reads the variables of the manifest in `root`, which was read from `text`. Puts their values into all plain texts.
/// Reports names that are not declared.
pub(crate) fn fill(root: &mut Node, text: &str, problems: &mut Vec<Diagnostic>) -> DeclaredVariables {
    let Value::Object(entries) = &mut root.value else { return DeclaredVariables::default() };
    let vars = entries.iter().find(|entry| entry.key == "vars").map(|entry| entry.node.clone());
    let mut warnings = Vec::new();
    let declared = vars.map(|node| declarations(&node, text, problems)).unwrap_or_default();
    let values = declared.iter().filter_map(|(name, value)| Some((name.name.clone(), value.clone()?)));
    let values: Variables = values.collect();
    for (declaration, _) in declared.iter().filter(|(_, value)| value.is_none()) {
        let name = &declaration.name;
        warnings.push(
            Diagnostic::unfinished(format!("the variable `{name}` has no value"))
                .at(declaration.key_span.clone(), "this has no default")
                .help(format!("add `--var {name}=TEXT`, or write a default")),
        );
    }
    let mut walk =
        Walk { values: &values, declared: declared.into_iter().map(|(it, _)| it).collect(), text, problems };
    for entry in entries.iter_mut().filter(|entry| !UNREAD.contains(&entry.key.as_str())) {
        walk.visit(&mut vec![entry.key.clone()], &mut entry.node);
    }
    warnings.extend(walk.declared.iter().filter(|it| !it.is_used).map(|it| {
        Diagnostic::warning(format!("the variable `{}` is not used", it.name))
            .at(it.key_span.clone(), format!("no text contains `{{var.{}}}`", it.name))
    }));
    DeclaredVariables { values, warnings }
}

/// Reads the object of variables. Returns each with its value.
fn declarations(
    node: &Node,
    text: &str,
    problems: &mut Vec<Diagnostic>,
) -> Vec<(Declaration, Option<String>)> {
    let Value::Object(entries) = &node.value else {
        let finding = mismatch::report("vars", ExpectedValue::Object, node, text);
        problems.push(
            finding.help("write each variable as `name: default`, or as `name: null` without a default"),
        );
        return Vec::new();
    };
    key_errors::report_duplicates(entries, problems);
    let mut declared = Vec::new();
    for ObjectEntry { key: name, key_span, node, .. } in entries {
        if !Variables::is_name(name) {
            let finding = Diagnostic::error(format!("`{name}` cannot be the name of a variable"));
            problems.push(
                finding.at(key_span.clone(), "a name has letters, digits, `_` and `-`, without accents"),
            );
            continue;
        }
        let value = match &node.value {
            Value::Null => None,
            Value::Text(value) => Some(value.clone()),
            _ => {
                problems.push(mismatch::report(&format!("vars.{name}"), ExpectedValue::Text, node, text));
                None
            }
        };
        declared
            .push((Declaration { name: name.clone(), key_span: key_span.clone(), is_used: false }, value));
    }
    declared
}

/// Visits all texts of a manifest.
struct Walk<'a> {
    values: &'a Variables,
    declared: Vec<Declaration>,
    text: &'a str,
    problems: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    fn visit(&mut self, path: &mut Vec<String>, node: &mut Node) {
        match &mut node.value {
            Value::Object(entries) => {
                for entry in entries {
                    path.push(entry.key.clone());
                    self.visit(path, &mut entry.node);
                    path.pop();
                }
            }
            Value::List(nodes) => nodes.iter_mut().for_each(|node| self.visit(path, node)),
            Value::Text(value) => {
                self.check(value, &node.span);
                let path: Vec<_> = path.iter().map(String::as_str).collect();
                match *path {
                    // A value such as `|` would make every output match.
                    ["stop_condition", .., "pattern"] | ["evaluator", "score", "pattern"] => {
                        *value = self.values.fill_pattern(value);
                    }
                    _ if FILLED_LATER.contains(&&*path) => {}
                    _ => *value = self.values.fill(value),
                }
            }
            Value::Null | Value::Bool(_) | Value::Whole(_) | Value::Decimal(_) | Value::Date(_) => {}
        }
    }

    /// Reports unknown variables in a text, and notes the known ones as used.
    fn check(&mut self, value: &str, span: &Span) {
        for VariablePlace { name, offset, .. } in Variables::named_in(value) {
            if let Some(declared) = self.declared.iter_mut().find(|it| it.name == name) {
                declared.is_used = true;
                continue;
            }
            let written = format!("{{var.{name}}}");
            let skip = value[..offset].matches(&written).count();
            let names: Vec<_> = self.declared.iter().map(|it| it.name.as_str()).collect();
            let place = source::find(self.text, span, &written, skip);
            self.problems.push(undeclared(name, place, &names, |name| format!("{{var.{name}}}")));
        }
    }
}

/// Returns the finding for a variable at `place` that is not among the declared `names`. `written` returns a name as it
/// is written there.
pub(crate) fn undeclared(
    name: &str,
    place: Span,
    names: &[&str],
    written: impl Fn(&str) -> String,
) -> Diagnostic {
    let meant = nearest::closest(name, names.iter().copied(), |name| name).map(written);
    let note = match names {
        [] => "the manifest declares no variables in `vars`".to_owned(),
        names => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("the manifest declares {}", names.join(", "))
        }
    };
    Diagnostic::error(format!("there is no variable `{name}`"))
        .at(place, nearest::suggestion(meant.as_deref()))
        .note(note)
}
