//! The symbols of a program, by a grammar of its language. A grammar also knows the members of a class, declarations
//! that are indented, and texts that only look like declarations.

use std::ops::{ControlFlow, Range};

use tree_sitter::{Language, Node, ParseOptions, Parser};

use super::symbols::Found;

/// The parser asks whether to go on after a fixed number of steps. A file that needs more answers for each of its bytes
/// than this is cut by lines.
const STEPS_PER_BYTE: usize = 1;

/// The answers that a file of any length may need.
const LEAST_STEPS: usize = 10_000;

/// The nodes that declare something, with the word for each.
type Declarations = &'static [(&'static str, &'static str)];

const RUST: Declarations = &[
    ("function_item", "fn"),
    ("struct_item", "struct"),
    ("enum_item", "enum"),
    ("trait_item", "trait"),
    ("impl_item", "impl"),
    ("mod_item", "mod"),
    ("type_item", "type"),
    ("union_item", "union"),
    ("const_item", "const"),
    ("static_item", "static"),
    ("macro_definition", "macro_rules!"),
];

const PYTHON: Declarations = &[("function_definition", "def"), ("class_definition", "class")];

const JAVASCRIPT: Declarations = &[
    ("function_declaration", "function"),
    ("generator_function_declaration", "function"),
    ("class_declaration", "class"),
    ("lexical_declaration", "const"),
    ("method_definition", "method"),
];

const GO: Declarations = &[
    ("function_declaration", "func"),
    ("method_declaration", "func"),
    ("type_declaration", "type"),
    ("var_declaration", "var"),
    ("const_declaration", "const"),
];

/// The nodes around a declaration, with the field that leads to it.
const WRAPPERS: &[(&str, &str)] =
    &[("decorated_definition", "definition"), ("export_statement", "declaration")];

fn grammar(language: &str) -> Option<(Language, Declarations)> {
    Some(match language {
        "rust" => (tree_sitter_rust::LANGUAGE.into(), RUST),
        "python" => (tree_sitter_python::LANGUAGE.into(), PYTHON),
        "javascript" => (tree_sitter_javascript::LANGUAGE.into(), JAVASCRIPT),
        "go" => (tree_sitter_go::LANGUAGE.into(), GO),
        _ => return None,
    })
}

/// Returns the symbols at the top level, with their members. Returns `None` if there is no grammar, and if the text has
/// errors or takes too many steps.
pub(super) fn find(text: &str, language: &str) -> Option<Vec<Found>> {
    let (language, declarations) = grammar(language)?;
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let mut steps = text.len() * STEPS_PER_BYTE + LEAST_STEPS;
    let mut goes_on = |_: &tree_sitter::ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut goes_on);
    let rest = &mut |position: usize, _| text.as_bytes().get(position..).unwrap_or_default();
    let tree = parser.parse_with_options(rest, None, Some(options))?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let source = Source { text, declarations, starts: line_starts(text) };
    Some(source.symbols(root, 0))
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect()
}

struct Source<'a> {
    text: &'a str,
    declarations: Declarations,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl Source<'_> {
    /// Returns what the children of a node declare, from the line `first` on.
    fn symbols(&self, parent: Node<'_>, first: usize) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for node in parent.named_children(&mut parent.walk()) {
            let Some((kind, name, declared)) = self.declaration(node) else { continue };
            let free = found.last().map_or(first, |last| last.lines.end);
            // Two declarations in one line are one symbol.
            if node.start_position().row < free {
                continue;
            }
            let lines = self.first_line(node, free)..last_line(node) + 1;
            let body = declared.child_by_field_name("body");
            let members = body.map(|body| self.symbols(body, declared.start_position().row + 1));
            found.push(Found {
                name,
                kind,
                bytes: self.bytes(&lines),
                lines,
                members: members.unwrap_or_default(),
            });
        }
        found
    }

    /// Returns the kind, the name and the node of what a node declares.
    fn declaration<'t>(&self, node: Node<'t>) -> Option<(&'static str, String, Node<'t>)> {
        let wrapper = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == node.kind());
        let declared = match wrapper {
            Some((_, field)) => node.child_by_field_name(field)?,
            None => node,
        };
        let (_, kind) = self.declarations.iter().find(|(own, _)| *own == declared.kind())?;
        let is_let = declared.child(0).is_some_and(|first| first.kind() == "let");
        let name = match *kind {
            "impl" => {
                let subject = self.text_of(declared.child_by_field_name("type")?);
                let implemented =
                    declared.child_by_field_name("trait").map(|implemented| self.text_of(implemented));
                implemented.map_or(subject.clone(), |implemented| format!("{implemented} for {subject}"))
            }
            _ => self.text_of(name_of(declared, 2)?),
        };
        let is_name = !name.is_empty() && !name.starts_with(['{', '[']);
        is_name.then_some((if is_let { "let" } else { *kind }, name, declared))
    }

    /// Returns the first line of a declaration, with the comments and attributes right above it.
    fn first_line(&self, node: Node<'_>, free: usize) -> usize {
        let mut first = node.start_position().row;
        let mut above = node.prev_sibling();
        while let Some(node) = above {
            let is_attached = node.kind().contains("comment") || node.kind() == "attribute_item";
            if !is_attached || node.start_position().row < free || last_line(node) + 1 < first {
                break;
            }
            first = node.start_position().row;
            above = node.prev_sibling();
        }
        first
    }

    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    /// Returns the text of a node in one line.
    fn text_of(&self, node: Node<'_>) -> String {
        self.text[node.byte_range()].split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the last line of a node. Comments of Rust end with their line end.
fn last_line(node: Node<'_>) -> usize {
    let end = node.end_position();
    end.row.saturating_sub(usize::from(end.column == 0 && end.row > node.start_position().row))
}

/// Returns the node of the name of a declaration, or of the first declaration within it.
fn name_of(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    let own = node.child_by_field_name("name");
    own.or_else(|| name_of(node.named_child(0).filter(|_| depth > 0)?, depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: &str) -> Vec<String> {
        let described = |found: &Found| {
            let members: Vec<_> = found.members.iter().map(|member| member.name.as_str()).collect();
            let (first, last) = (found.lines.start + 1, found.lines.end);
            format!("{} {} {first}-{last} {}", found.kind, found.name, members.join(","))
        };
        find(text, language).unwrap().iter().map(described).collect()
    }

    #[test]
    fn rust_has_members_and_comments_above() {
        let text = "//! A crate.\n\n/// Adds.\n/* Twice. */\n#[inline]\nfn add() {\n    fn inner() {}\n}\n\
                    impl<T> Show for Box<T>\nwhere\n    T: Show,\n{\n    fn show(&self) {}\n}\n\nconst TEXT: &str = \"\nfn no() {}\n\";\n";
        assert_eq!(
            found(text, "rust"),
            ["fn add 3-8 inner", "impl Show for Box<T> 9-14 show", "const TEXT 16-18 "]
        );
    }

    #[test]
    fn python_javascript_and_go_have_symbols() {
        let python = "@cached\nclass A:\n    \"\"\"Doc.\n\ndef no(): pass\n\"\"\"\n    def b(self): pass\n\nasync def c(): pass\n";
        assert_eq!(found(python, "python"), ["class A 1-7 b", "def c 9-9 "]);
        let javascript =
            "// A.\nexport class A {\n  b() {}\n}\nlet c = 1;\nconst { d } = e;\n  function f() {}\n";
        assert_eq!(found(javascript, "javascript"), ["class A 1-4 b", "let c 5-5 ", "function f 7-7 "]);
        let go = "package a\n\ntype (\n\tB struct{}\n)\n\nvar (\n\tc = 1\n)\n\n// D.\nfunc (b *B) D() {\n}\n";
        assert_eq!(found(go, "go"), ["type B 3-5 ", "var c 7-9 ", "func D 11-13 "]);
    }

    #[test]
    fn a_text_with_errors_and_other_languages_have_no_tree() {
        assert!(find("fn add( {", "rust").is_none());
        assert!(find("fn add() {}", "text").is_none());
    }
}
