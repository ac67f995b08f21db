//! Names under which programs in JavaScript and TypeScript import files of the folder without a relative path.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    super::{documents::targets, references, scripts},
    Search,
};
use crate::json_comments::without_comments;

/// A name, and the paths to which it leads. Both can have one `*`.
#[derive(Debug)]
pub(super) struct Alias {
    /// The folder of the document that says it.
    own: PathBuf,
    name: String,
    /// From the top of the folder.
    paths: Vec<PathBuf>,
    /// Whether files outside of the folder of the document can use it.
    is_public: bool,
}

impl Alias {
    /// Returns the paths to which a name leads in this file.
    fn places(&self, file: &Path, name: &str) -> Vec<PathBuf> {
        let rest = match self.name.split_once('*') {
            Some((start, end)) => name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)),
            None => (self.name == name).then_some(""),
        };
        let rest = rest.filter(|_| self.is_public || file.starts_with(&self.own));
        let place = |path: &PathBuf| Some(PathBuf::from(path.to_str()?.replace('*', rest?)));
        self.paths.iter().filter_map(place).collect()
    }
}

impl Search<'_> {
    /// Returns the names that the documents of packages and of compilers give to files.
    pub(super) fn aliases(&self, files: &[PathBuf]) -> Vec<Alias> {
        let mut found = Vec::new();
        for file in files {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let own = file.parent().unwrap_or(Path::new(""));
            let is_compiler = ["tsconfig", "jsconfig"].iter().any(|start| name.starts_with(start));
            if name != "package.json" && !(is_compiler && name.ends_with(".json")) {
                continue;
            }
            let text = scripts::text_of(&self.folder.join(file));
            let document = serde_json::from_str(&without_comments(&text)).unwrap_or_default();
            let entries = if is_compiler { paths(&document) } else { package(&document) };
            found.extend(entries.into_iter().map(|(name, targets, is_public)| {
                let paths = targets.iter().filter_map(|target| self.below(own, target)).collect();
                Alias { own: own.to_owned(), name, paths, is_public }
            }));
        }
        found
    }

    /// Returns the places of the modules that a program in JavaScript or TypeScript imports, without their endings perhaps.
    pub(super) fn script_imports(&self, file: &Path, text: &str, aliases: &[Alias]) -> Vec<PathBuf> {
        let own = file.parent().unwrap_or(Path::new(""));
        let relative = references::javascript_imports(text);
        let relative = relative.iter().filter_map(|path| self.below(own, path));
        let names = references::javascript_packages(text).into_iter();
        let named = names.flat_map(|name| aliases.iter().flat_map(move |alias| alias.places(file, name)));
        relative.chain(named).collect()
    }
}

/// The names in a document, their targets, and whether others can use them.
type Entries<'a> = Vec<(String, Vec<&'a str>, bool)>;

fn package(document: &Value) -> Entries<'_> {
    let mut entries = Entries::new();
    for (name, entry) in document["imports"].as_object().into_iter().flatten() {
        entries.push((name.clone(), targets(entry), false));
    }
    let Some(name) = document["name"].as_str() else { return entries };
    match &document["exports"] {
        Value::Null => {
            entries.push((name.to_owned(), vec![document["main"].as_str().unwrap_or("index.js")], true));
            entries.push((format!("{name}/*"), vec!["*"], true));
        }
        Value::Object(exports) if exports.keys().all(|key| key.starts_with('.')) => {
            let full = |key: &String| format!("{name}{}", key.trim_start_matches('.'));
            entries.extend(exports.iter().map(|(key, entry)| (full(key), targets(entry), true)));
        }
        entry => entries.push((name.to_owned(), targets(entry), true)),
    }
    entries
}

fn paths(document: &Value) -> Entries<'_> {
    let names = document["compilerOptions"]["paths"].as_object();
    names.into_iter().flatten().map(|(name, entry)| (name.clone(), targets(entry), false)).collect()
}
