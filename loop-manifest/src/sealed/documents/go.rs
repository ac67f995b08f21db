//! `go.mod`.

use std::collections::BTreeSet;

/// Directives that stay as they were: they decide which folders are tested, and with which compiler.
const KEPT: &[&str] = &["module", "go", "toolchain", "godebug", "ignore"];

/// Of these, the ones that a new file cannot have.
const REFUSED: &[&str] = &["toolchain", "godebug", "ignore"];

/// Puts what judges into a `go.mod`: each module of the start comes from where it came. More modules, and other versions,
/// are welcome.
pub(super) fn module(first: &str, judged: &str) -> String {
    let (before, now) = (directives(first), directives(judged));
    let modules = |verb: &'static str| {
        before
            .iter()
            .filter(move |(found, _)| found == verb)
            .map(|(_, rest)| module_of(rest))
            .collect::<BTreeSet<_>>()
    };
    let (required, replaced) = (modules("require"), modules("replace"));
    let has_before = |verb: &str| before.iter().any(|(found, _)| found == verb);
    let stays = |(verb, rest): &&(String, String)| match verb.as_str() {
        "replace" => !required.contains(module_of(rest)) && !replaced.contains(module_of(rest)),
        verb if KEPT.contains(&verb) => !has_before(verb) && !REFUSED.contains(&verb),
        _ => true,
    };
    let mut merged: Vec<_> = now.iter().filter(stays).cloned().collect();
    let has =
        |verb: &str, module: &str| now.iter().any(|(found, rest)| found == verb && module_of(rest) == module);
    let comes_back = |(verb, rest): &&(String, String)| match verb.as_str() {
        "require" => !has("require", module_of(rest)),
        verb => verb == "replace" || KEPT.contains(&verb),
    };
    merged.extend(before.iter().filter(comes_back).cloned());
    merged.sort();
    merged.iter().map(|(verb, rest)| format!("{verb} {rest}\n")).collect()
}

fn module_of(rest: &str) -> &str {
    rest.split_whitespace().next().unwrap_or_default().trim_matches(['"', '`'])
}

/// Returns the directives with what follows them, also those in blocks.
fn directives(text: &str) -> Vec<(String, String)> {
    let (mut found, mut block) = (Vec::new(), None::<String>);
    for line in text.lines() {
        // A comment can say that other modules need this one.
        let line =
            line.split("//").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        match (&block, line.split_once(' ').unwrap_or((&line, ""))) {
            (_, ("", _)) | (None, (_, "()")) => {}
            (Some(_), (")", _)) => block = None,
            (Some(verb), _) => found.push((verb.clone(), line)),
            (None, (verb, "(")) => block = Some(verb.to_owned()),
            (None, (verb, rest)) => match verb.strip_suffix('(') {
                Some(verb) if rest.is_empty() => block = Some(verb.to_owned()),
                _ => found.push((verb.to_owned(), rest.to_owned())),
            },
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_the_start_come_from_where_they_came() {
        let first = "module a\n\ngo 1.20\n\nrequire (\n\texample.com/check v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n\
                     replace example.com/b => ../b\n";
        for (judged, expected) in [
            (
                first,
                "go 1.20\nmodule a\nreplace example.com/b => ../b\nrequire example.com/b v1.0.0\nrequire example.com/check v1.0.0\n",
            ),
            (
                "module x\ngo 1.99\ntoolchain own\nignore ./sub\nrequire example.com/check v1.1.0\nrequire new.org/c v1.0.0\n\
                 replace (\n\"example.com/check\" => ./fake\nexample.com/b => ./fake\nnew.org/c => ./c\n)\n",
                "go 1.20\nmodule a\nreplace example.com/b => ../b\nreplace new.org/c => ./c\nrequire example.com/b v1.0.0\n\
                 require example.com/check v1.1.0\nrequire new.org/c v1.0.0\n",
            ),
        ] {
            assert_eq!(module(first, judged), expected, "{judged}");
        }
        assert_eq!(module("", "module a\n\ngo 1.20\nignore x\n"), "go 1.20\nmodule a\n");
    }
}
