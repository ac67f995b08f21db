//! The public items of a crate, as its sources declare them: whose types they show, and whether they can grow.
//!
//! An item counts as public if it is `pub`, even in a private module. Code that a macro of the crate writes is not
//! seen, except for the names of other crates in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Attribute, Fields, File, ImplItem, Item, Path as SynPath, TraitItem, Type, UseTree, Visibility,
    visit::{self, Visit},
};

/// Names that a file imports or renames, and their full paths.
type Names = BTreeMap<String, String>;

/// The public items of one file.
struct PublicItems<'a> {
    /// The crates to look for, as they are written in paths.
    crates: &'a BTreeSet<String>,
    /// Paths that may be public although they begin in one of these crates.
    allowed: &'a [&'a str],
    names: Names,
    /// The paths that must not be public.
    shown: BTreeSet<String>,
    /// The types that can be constructed or matched without a wildcard, and do not say why.
    closed: BTreeSet<String>,
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Calls `each` with each name that a `use` imports, and its full path.
fn imported(tree: &UseTree, before: &str, each: &mut dyn FnMut(String, String)) {
    let path = |name: &dyn std::fmt::Display| match before {
        "" => name.to_string(),
        before => format!("{before}::{name}"),
    };
    match tree {
        UseTree::Path(part) => imported(&part.tree, &path(&part.ident), each),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, before, each)),
        UseTree::Name(name) if name.ident == "self" => {
            each(before.rsplit("::").next().unwrap_or(before).to_owned(), before.to_owned());
        }
        UseTree::Name(name) => each(name.ident.to_string(), path(&name.ident)),
        UseTree::Rename(name) => each(name.rename.to_string(), path(&name.ident)),
        UseTree::Glob(_) => each("*".to_owned(), path(&"*")),
    }
}

fn joined(path: &SynPath) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

impl PublicItems<'_> {
    /// Notes this path if it begins in one of the crates, perhaps under another name.
    fn show(&mut self, path: &str) {
        let (first, rest) = path.split_at(path.find("::").unwrap_or(path.len()));
        let first = self.names.get(first).map_or(first, String::as_str);
        self.show_whole(format!("{first}{rest}"));
    }

    /// Notes this path, whose names are the original ones, if it begins in one of the crates.
    fn show_whole(&mut self, path: String) {
        let begins_in = path.split("::").next().unwrap_or_default();
        if self.crates.contains(begins_in) && !self.allowed.contains(&path.as_str()) {
            self.shown.insert(path);
        }
    }

    fn fields(&mut self, fields: &Fields, are_public: bool) {
        let public = fields.iter().filter(|field| are_public || is_public(&field.vis));
        public.for_each(|field| self.visit_type(&field.ty));
    }

    /// Notes a type that can be constructed, or matched without a wildcard, and says nothing of it.
    fn can_grow(&mut self, name: &syn::Ident, attributes: &[Attribute]) {
        let has = |word: &str| attributes.iter().any(|attribute| attribute.path().is_ident(word));
        let says_why = attributes.iter().any(|attribute| {
            let syn::Meta::NameValue(doc) = &attribute.meta else { return false };
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &doc.value else {
                return false;
            };
            doc.path.is_ident("doc") && text.value().contains("exhaustive")
        });
        if !has("non_exhaustive") && !says_why {
            self.closed.insert(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for PublicItems<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(used) if !matches!(used.vis, Visibility::Inherited) => {
                imported(&used.tree, "", &mut |_, path| self.show_whole(path));
            }
            Item::Fn(function) if is_public(&function.vis) => self.visit_signature(&function.sig),
            Item::Const(constant) if is_public(&constant.vis) => self.visit_type(&constant.ty),
            Item::Static(constant) if is_public(&constant.vis) => self.visit_type(&constant.ty),
            Item::Type(alias) if is_public(&alias.vis) => self.visit_type(&alias.ty),
            Item::Struct(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                self.fields(&item.fields, false);
                if item.fields.iter().any(|field| is_public(&field.vis)) {
                    self.can_grow(&item.ident, &item.attrs);
                }
            }
            Item::Enum(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                item.variants.iter().for_each(|variant| self.fields(&variant.fields, true));
                self.can_grow(&item.ident, &item.attrs);
            }
            Item::Trait(item) if is_public(&item.vis) => {
                self.visit_generics(&item.generics);
                item.supertraits.iter().for_each(|bound| self.visit_type_param_bound(bound));
                item.items.iter().for_each(|item| self.visit_trait_item(item));
            }
            Item::Impl(item) => {
                self.visit_generics(&item.generics);
                self.visit_type(&item.self_ty);
                item.trait_.iter().for_each(|(_, path, _)| self.visit_path(path));
                let is_of_trait = item.trait_.is_some();
                for item in &item.items {
                    match item {
                        ImplItem::Fn(function) if is_of_trait || is_public(&function.vis) => {
                            self.visit_signature(&function.sig);
                        }
                        ImplItem::Const(constant) if is_of_trait || is_public(&constant.vis) => {
                            self.visit_type(&constant.ty);
                        }
                        ImplItem::Type(alias) => self.visit_type(&alias.ty),
                        _ => {}
                    }
                }
            }
            Item::Macro(item) => {
                let text = item.mac.tokens.to_string();
                text.split(|c: char| !c.is_alphanumeric() && c != '_').for_each(|word| self.show(word));
            }
            Item::Mod(module) => module.content.iter().flat_map(|(_, items)| items).for_each(|item| {
                self.visit_item(item);
            }),
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        match item {
            TraitItem::Fn(function) => self.visit_signature(&function.sig),
            _ => visit::visit_trait_item(self, item),
        }
    }

    /// Attributes are not types.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_path(&mut self, path: &'ast SynPath) {
        self.show(&joined(path));
        visit::visit_path(self, path);
    }
}

/// Names from the imports and the private aliases of a file.
fn names(file: &File) -> Names {
    let mut names = Names::new();
    for item in &file.items {
        match item {
            Item::Use(used) => imported(&used.tree, "", &mut |name, path| drop(names.insert(name, path))),
            Item::Type(alias) => {
                if let Type::Path(path) = &*alias.ty {
                    names.insert(alias.ident.to_string(), joined(&path.path));
                }
            }
            _ => {}
        }
    }
    // An alias may stand for an imported name.
    let first = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
    let resolved = names.iter().map(|(name, path)| {
        let begin = first(path);
        let whole = names.get(&begin).filter(|_| begin != *name).map(|base| path.replacen(&begin, base, 1));
        (name.clone(), whole.unwrap_or_else(|| path.clone()))
    });
    resolved.collect()
}

/// The findings about the public items in a folder of sources.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PublicApi {
    /// Paths into the given crates.
    pub(crate) shown: BTreeSet<String>,
    /// Types that can neither grow nor say why not.
    pub(crate) closed: BTreeSet<String>,
}

/// Reads the sources in this folder. `crates` are the crates to look for, and `allowed` are paths that may be public.
pub(crate) fn public_api(folder: &Path, crates: &BTreeSet<String>, allowed: &[&str]) -> PublicApi {
    let mut api = PublicApi::default();
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        let PublicApi { shown, closed } = if path.is_dir() {
            public_api(&path, crates, allowed)
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let (shown, closed) = Default::default();
            let mut items = PublicItems { crates, allowed, names: names(&file), shown, closed };
            items.visit_file(&file);
            PublicApi { shown: items.shown, closed: items.closed }
        } else {
            continue;
        };
        api.shown.extend(shown);
        api.closed.extend(closed);
    }
    api
}
