//! The words in the text of a configuration that can name files, and the modules that a program imports.
//!
//! The syntax of a configuration is that of a program, of JSON, of TOML, or of an `ini` file. All of them have keys with
//! `:` or `=`, and words. No rule tells for certain which words name files, so a caller looks whether there is such a file.

use std::sync::LazyLock;

use regex::Regex;

/// Keys whose files are judged, or only listed.
const JUDGED_KEYS: &[&str] = &[
    "alias",
    "bin",
    "browser",
    "coverage",
    "deps",
    "entry",
    "entrypoints",
    "exclude",
    "exports",
    "files",
    "include",
    "input",
    "main",
    "module",
    "omit",
    "outdir",
    "paths",
    "references",
    "source",
    "types",
    "typings",
];

/// Parts of keys whose values name modules without their endings.
const LOADING_KEYS: &[&str] = &[
    "environment",
    "extend",
    "import",
    "loader",
    "mapper",
    "matcher",
    "plugin",
    "preload",
    "preset",
    "processor",
    "report",
    "require",
    "resolver",
    "runner",
    "sequencer",
    "serializer",
    "setup",
    "teardown",
    "transform",
];

/// A word of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The path as written, without a variable in front of it.
    pub(super) path: String,
    /// Whether the word can be the name of a module, without the ending of its file.
    pub(super) is_module: bool,
}

static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#""([^"\n]*)"|'([^'\n]*)'|`([^`]*)`|([^\s"'`,;(){}\[\]<>=:]+(?::{1,2}[^\s"'`,;(){}\[\]<>=:]+)*)"#,
    )
    .ok()
});

static PLUGINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\s*pytest_plugins\s*(?::[^=\n]*)?\+?=\s*(\[[^\]]*\]|\([^)]*\)|[^\n]*)"#).ok()
});
static PYTHON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)|import[ \t]+([\w., \t]+))|(?:import_module|__import__|run_module)\(\s*["']([\w.]+)"#,
    )
    .ok()
});
static JAVASCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\bfrom\s*|\brequire\s*(?:\.resolve)?\s*\(\s*|\bimport\s*\(?\s*)["'`](\.{1,2}(?:/[^"'`\n]*)?)["'`]"#).ok()
});

static PACKAGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?:\bfrom\s*|\brequire\s*(?:\.resolve)?\s*\(\s*|\bimport\s*\(?\s*)["'`]([#@~$\w][^"'`\n]*)["'`]"#,
    )
    .ok()
});

static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let ruby = r#"\brequire_relative\s*\(?\s*["']([^"'\n]+)["']"#;
    let php = r#"\b(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?["']([^"'\n]+)["']"#;
    let perl = r"(?m)(?:^|;)\s*(?:use|require)\s+([A-Z]\w*(?:::\w+)*)\b[^\n]*;";
    Regex::new(&format!("{ruby}|{php}|{perl}")).ok()
});

/// Returns the words of a configuration that can name files which decide how tests run.
pub(super) fn references(text: &str) -> Vec<Reference> {
    let (mut found, mut key, mut before) = (Vec::new(), String::new(), String::new());
    for word in WORD.iter().flat_map(|form| form.captures_iter(text)) {
        let Some(whole) = word.get(0) else { continue };
        let Some(inner) = (1..=4).find_map(|group| word.get(group)) else { continue };
        let after = text[whole.end()..].trim_start_matches([' ', '\t']);
        let is_key = after.starts_with(':')
            || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
        if is_key && !inner.as_str().contains('/') {
            key = inner.as_str().trim_start_matches('-').to_ascii_lowercase();
            continue;
        }
        if JUDGED_KEYS.contains(&key.as_str()) {
            continue;
        }
        for word in inner.as_str().split_whitespace() {
            let value = word
                .split_once('=')
                .filter(|(name, _)| name.starts_with('-'))
                .map_or(word, |(_, value)| value);
            let path = without_variable(value);
            let is_option = before.starts_with('-') && before.len() < 12;
            let is_module =
                path.contains('/') || is_option || LOADING_KEYS.iter().any(|part| key.contains(part));
            let joined = format!("{before}/{path}");
            found.push(Reference { path: path.to_owned(), is_module });
            // As in `path.join(__dirname, "tools", "setup.js")`.
            if whole.as_str().starts_with(['"', '\'']) && !before.is_empty() && !is_option {
                found.push(Reference { path: joined, is_module: true });
            }
            // As in `-pplugin` of pytest.
            if let Some(plugin) = word.strip_prefix("-p").filter(|plugin| !plugin.is_empty()) {
                found.push(Reference { path: plugin.to_owned(), is_module: true });
            }
            word.clone_into(&mut before);
        }
    }
    found.retain(|reference| !reference.path.trim_matches(['.', '/']).is_empty());
    found
}

/// Returns what is behind the variable or the placeholder at the front of a path.
fn without_variable(word: &str) -> &str {
    let word = ["<rootDir>", "rootDir>"]
        .iter()
        .find_map(|root| word.strip_prefix(root))
        .map_or(word, |rest| rest.trim_start_matches('/'));
    match word.rsplit_once('$') {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => word,
    }
}

/// Returns the modules in `pytest_plugins`, with dots between their steps.
pub(super) fn plugins(text: &str) -> Vec<String> {
    let lists = PLUGINS.iter().flat_map(|form| form.captures_iter(text)).filter_map(|found| found.get(1));
    let names = lists.flat_map(|list| {
        list.as_str().split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '.')
    });
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the modules that a program in Python imports, with dots between their steps. Those of its own folder begin with a
/// dot.
pub(super) fn python_imports(text: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for found in PYTHON.iter().flat_map(|form| form.captures_iter(text)) {
        let first = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
        if let (Some(from), Some(names)) = (found.get(1), found.get(2)) {
            let from = from.as_str();
            if !from.ends_with('.') {
                modules.push(from.to_owned());
            }
            let names = names
                .as_str()
                .trim_matches(['(', ')', ' '])
                .split(',')
                .map(first)
                .filter(|name| !name.is_empty() && name != "*");
            modules.extend(names.map(|name| {
                if from.ends_with('.') { format!("{from}{name}") } else { format!("{from}.{name}") }
            }));
        } else if let Some(names) = found.get(3) {
            modules.extend(names.as_str().split(',').map(first));
        } else if let Some(name) = found.get(4) {
            modules.push(name.as_str().to_owned());
        }
    }
    modules.retain(|module| !module.is_empty());
    modules
}

/// Returns the relative paths that a program in JavaScript or TypeScript imports.
pub(super) fn javascript_imports(text: &str) -> Vec<String> {
    let found = JAVASCRIPT.iter().flat_map(|form| form.captures_iter(text));
    found.filter_map(|found| found.get(1)).map(|path| path.as_str().to_owned()).collect()
}

/// Returns the names of packages, with what follows them, and other names without a relative path, that a program in
/// JavaScript or TypeScript imports.
pub(super) fn javascript_packages(text: &str) -> Vec<&str> {
    let found = PACKAGES.iter().flat_map(|form| form.captures_iter(text));
    found.filter_map(|found| found.get(1)).map(|path| path.as_str()).collect()
}

/// Returns the paths that a program in Ruby, PHP or Perl loads, without their endings perhaps.
pub(super) fn other_imports(text: &str) -> Vec<String> {
    let found = OTHERS.iter().flat_map(|form| form.captures_iter(text));
    let found = found.filter_map(|found| (1..=3).find_map(|group| found.get(group)));
    found.map(|path| path.as_str().trim_start_matches('/').replace("::", "/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        references(text)
            .into_iter()
            .filter(|found| found.path.contains('.') || found.is_module)
            .map(|found| found.path)
            .collect()
    }

    #[test]
    fn words_that_can_name_files_are_found_in_any_syntax() {
        for (text, expected) in [
            (
                "module.exports = { setupFiles: ['<rootDir>/a.js', \"./b\"] }",
                vec!["a.js", "./b", "<rootDir>/a.js/./b"],
            ),
            ("{\"setupFiles\": [\"./a.js\"], \"main\": \"c.js\"}", vec!["./a.js"]),
            ("build: { lib: { entry: './src/main.ts' }, reporters: './r.ts' }", vec!["./r.ts"]),
            ("import plugin from './tools/plugin'", vec!["./tools/plugin"]),
            ("[pytest]\naddopts = -p checks.plugin -q\n", vec!["checks.plugin"]),
            ("preload = [\"./a.ts\"]", vec!["./a.ts"]),
            ("transform: { '\\\\.x$': join(__dirname, 'tools', 't.js') }", vec!["t.js", "tools/t.js"]),
            ("moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' }", vec![]),
            ("runner = \"tools/run.sh --all\"", vec!["tools/run.sh", "--all", "tools/run.sh/--all"]),
            ("--require=./hook.js", vec!["./hook.js"]),
        ] {
            let found = paths(text);
            assert!(expected.iter().all(|path| found.iter().any(|found| found == path)), "{text}: {found:?}");
            let is_source =
                |path: &&String| path.contains("main.ts") || *path == "c.js" || path.contains("src");
            assert_eq!(found.iter().find(is_source), None, "{text}");
        }
    }

    #[test]
    fn imports_are_found() {
        let text =
            "import os, helpers as h\nfrom . import near, far\nfrom pkg.a import b\nimport_module('x.y')\n";
        let expected = ["os", "helpers", ".near", ".far", "pkg.a", "pkg.a.b", "x.y"];
        assert_eq!(python_imports(text), expected);
        let text = "import a from './a.js'; const b = require('../b'); await import(\"./c\"); import './d'; require('e')";
        assert_eq!(javascript_imports(text), ["./a.js", "../b", "./c", "./d"]);
        let text = "import a from 'app/kit'; const b = require('#b'); import \"@/c\"; import './d'";
        assert_eq!(javascript_packages(text), ["app/kit", "#b", "@/c"]);
        let text = "require_relative 'near'\nrequire __DIR__ . '/far.php';\nuse Some::Module;\nuse strict;\n";
        assert_eq!(other_imports(text), ["near", "far.php", "Some/Module"]);
        assert_eq!(plugins("x = 1\npytest_plugins = [\"a.b\", 'c']\nother = ['d']\n"), ["a.b", "c"]);
    }
}
