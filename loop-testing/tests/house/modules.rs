//! Which module names which, as the sources say it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Attribute, Item, ItemMod, Path as SynPath, UseTree, Visibility,
    visit::{self, Visit},
};

/// Modules by their paths, such as `keys::table`; the root is the empty path. Each with those that it names.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// The paths in one file.
#[derive(Default)]
struct FileImports {
    module: Vec<String>,
    /// All paths that begin in this crate.
    paths: Vec<Vec<String>>,
    /// Names that it gives on, and what they stand for.
    given_on: BTreeMap<String, Vec<String>>,
}

impl FileImports {
    /// The path from the crate's root, if it begins in this crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut base = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            // Perhaps a child of this module; if not, nothing of this crate is found there.
            _ => return Some(self.module.iter().chain(path).cloned().collect()),
        };
        let ups = path.iter().filter(|part| *part == "super").count();
        base.truncate(base.len().saturating_sub(ups));
        let rest = path.iter().filter(|part| !matches!(part.as_str(), "crate" | "self" | "super"));
        base.extend(rest.cloned());
        Some(base)
    }

    fn use_tree(&mut self, tree: &UseTree, before: &[String], is_given_on: bool) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.use_tree(&path.tree, &with(path.ident.to_string()), is_given_on),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.use_tree(tree, before, is_given_on));
            }
            UseTree::Name(name) => {
                self.used(&with(name.ident.to_string()), name.ident.to_string(), is_given_on);
            }
            UseTree::Rename(name) => {
                self.used(&with(name.ident.to_string()), name.rename.to_string(), is_given_on);
            }
            UseTree::Glob(_) => self.used(before, "*".to_owned(), false),
        }
    }

    fn used(&mut self, path: &[String], name: String, is_given_on: bool) {
        let Some(path) = self.absolute(path) else { return };
        if is_given_on {
            self.given_on.insert(name, path.clone());
        }
        self.paths.push(path);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<SynPath>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for FileImports {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(used) => {
                self.use_tree(&used.tree, &[], !matches!(used.vis, Visibility::Inherited));
            }
            Item::Mod(ItemMod { attrs, .. }) if is_for_tests(attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    /// `pub(crate)` and `pub(super)` name nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast SynPath) {
        let parts: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.extend(self.absolute(&parts));
        visit::visit_path(self, path);
    }
}

fn read(folder: &Path, module: &[String], all: &mut BTreeMap<String, FileImports>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut inner = module.to_vec();
        if path.is_dir() {
            inner.push(stem);
            read(&path, &inner, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if !matches!(stem.as_str(), "lib" | "mod" | "main") {
                inner.push(stem);
            }
            let text = fs::read_to_string(&path).expect("a source");
            let mut said = FileImports { module: inner.clone(), ..FileImports::default() };
            said.visit_file(
                &syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
            );
            all.insert(inner.join("::"), said);
        }
    }
}

/// The module in which what this path names is written down.
fn home(path: &[String], all: &BTreeMap<String, FileImports>) -> Option<String> {
    let known = (0..=path.len()).rev().find(|length| all.contains_key(&path[..*length].join("::")))?;
    let module = path[..known].join("::");
    match path.get(known).and_then(|name| all[&module].given_on.get(name)) {
        Some(given) if given != path => {
            home(&given.iter().chain(&path[known + 1..]).cloned().collect::<Vec<_>>(), all)
        }
        _ => Some(module),
    }
}

/// Which module in this folder names which.
pub(crate) fn imports(folder: &Path) -> Imports {
    let mut all = BTreeMap::new();
    read(folder, &[], &mut all);
    let named = |(module, said): (&String, &FileImports)| {
        let homes = said.paths.iter().filter_map(|path| home(path, &all)).filter(|home| home != module);
        (module.clone(), homes.collect())
    };
    all.iter().map(named).collect()
}

/// The sets of modules in which each names each other, over however many in between.
pub(crate) fn circles(folder: &Path) -> Vec<BTreeSet<String>> {
    let imports = imports(folder);
    let reach = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            open.extend(imports[module].iter().filter(|next| seen.insert((*next).clone())));
        }
        seen
    };
    let reached: BTreeMap<_, _> = imports.keys().map(|module| (module, reach(module))).collect();
    let circle = |module: &String| -> BTreeSet<String> {
        reached[module].iter().filter(|other| reached[*other].contains(module)).cloned().collect()
    };
    let circles: BTreeSet<_> = imports.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    circles.into_iter().collect()
}
