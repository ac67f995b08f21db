//! Files that the configuration of tests loads, and what is behind links that judge.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::{
        conventions::{self, BUILT, CONFIGURATION, INSTALLED, MERGED},
        discovery::Discovery,
        documents,
        patterns::Patterns,
        references::{self, Reference},
        scripts,
    },
    Scope, Search, line_of,
};

impl Search<'_> {
    /// Looks for configuration and links everywhere in the folder, and at what they name.
    pub(super) fn configuration(&mut self, protect: &[String]) {
        let passed: Vec<_> = INSTALLED.iter().chain(BUILT).copied().chain([".git", "target"]).collect();
        let passed = Patterns::of(passed);
        let configuring = Patterns::of(CONFIGURATION.iter().chain(MERGED).copied());
        let judging =
            conventions::protected().chain(MERGED.iter().copied()).chain(protect.iter().map(String::as_str));
        let judging = Patterns::of(judging);
        let (mut links, mut folders, mut files) = (Vec::new(), vec![PathBuf::new()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.folder.join(&folder)).into_iter().flatten().flatten() {
                let path = folder.join(entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                if passed.decide(&path) == Some(true) {
                    continue;
                }
                if kind.is_dir() {
                    folders.push(path);
                    continue;
                }
                if kind.is_symlink() {
                    links.push(path.clone());
                }
                files.extend(self.is_file(&path).then_some(path));
            }
        }
        let is_module = |file: &&PathBuf| file.ends_with("go.mod");
        let modules = files.iter().filter(is_module).filter_map(|file| file.parent());
        self.named.go_modules.extend(modules.map(Path::to_owned));
        let configurations: Vec<_> =
            files.iter().filter(|path| configuring.decide(path) == Some(true)).collect();
        // Folders from which Python imports are known then.
        for is_hook in [false, true] {
            for file in configurations.iter().filter(|file| file.ends_with("conftest.py") == is_hook) {
                self.read_configuration(file, &files);
            }
        }
        self.contents(&files);
        self.path_dependencies(&files);
        self.behind_judging_links(links, &judging, &configuring);
    }

    /// Protects the targets of links at places that judge. A target can have such links in it.
    fn behind_judging_links(&mut self, mut links: Vec<PathBuf>, judging: &Patterns, configuring: &Patterns) {
        let mut targets: Vec<PathBuf> = Vec::new();
        loop {
            let judges = |link: &PathBuf| {
                judging.decide(link) == Some(true) || targets.iter().any(|target| link.starts_with(target))
            };
            let (found, others): (Vec<_>, Vec<_>) = links.into_iter().partition(judges);
            links = others;
            if found.is_empty() {
                return;
            }
            for link in found {
                let own = Path::new(link.file_name().unwrap_or_default());
                let judges_itself = judging.decide(own) == Some(true);
                for target in self.targets(&link) {
                    // As `tests/src`, which leads to what is judged.
                    if target.iter().count() == 1
                        && !judges_itself
                        && scripts::says_that_it_is_judged(&target)
                    {
                        continue;
                    }
                    self.named.preferred.insert(line_of(&target));
                    self.add(&target, true, &Scope::default());
                    if configuring.decide(own) == Some(true) {
                        self.read_configuration(&target, &[]);
                    }
                    targets.push(target);
                }
            }
        }
    }

    /// Returns the places to which a link leads: as it says, and without the links on the way.
    fn targets(&self, link: &Path) -> Vec<PathBuf> {
        let own = link.parent().unwrap_or(Path::new(""));
        let own = self.real_place(own).unwrap_or_else(|| own.to_owned());
        let target = fs::read_link(self.folder.join(link)).ok();
        let named = target.and_then(|target| self.below(&own, target.to_str()?));
        let mut targets: Vec<_> = named.into_iter().chain(self.real_place(link)).collect();
        targets.retain(|target| !target.as_os_str().is_empty() && !link.starts_with(target));
        targets.dedup();
        targets
    }

    /// Adds what a configuration names.
    fn read_configuration(&mut self, file: &Path, files: &[PathBuf]) {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let own = file.parent().unwrap_or(Path::new("")).to_owned();
        let text = scripts::text_of(&self.folder.join(file));
        let scope = Scope { base: own.clone(), ..Scope::default() };
        if name == "conftest.py" {
            let above: Vec<_> = own.ancestors().map(Path::to_owned).collect();
            for plugin in references::plugins(&text) {
                self.module(&plugin, &own, &Scope { roots: above.clone(), ..scope.clone() });
            }
            return self.hooks(&text, &own);
        }
        let text = documents::configuring_part(name, &text);
        self.discovered(&Discovery::of(name, &text), &own, files);
        for reference in references::references(&text) {
            self.reference(&reference, &own);
        }
        for path in references::javascript_imports(&text) {
            if let Some(path) = self.below(&own, &path) {
                self.add_first(&scripts::script_places(&path), &scope);
            }
        }
    }

    /// Adds the file that a word of a configuration in `own` names. The roots of tools are folders above it.
    fn reference(&mut self, reference: &Reference, own: &Path) {
        for root in own.ancestors() {
            let Some(path) = self.below(root, &reference.path) else { continue };
            let scope =
                Scope { base: root.to_owned(), roots: vec!["src".into(), "lib".into()], ..Scope::default() };
            if !reference.is_module {
                self.add(&path, false, &scope);
                continue;
            }
            let has_module = self.add_first(&scripts::script_places(&path), &scope)
                || self.module(&reference.path, root, &scope);
            let is_package = ["index.js", "index.ts", "package.json", "__init__.py"]
                .iter()
                .any(|name| self.is_file(&path.join(name)));
            if has_module && is_package && !scripts::says_that_it_is_judged(&path) {
                self.add(&path, true, &scope);
            }
        }
    }
}
