//! Cases: what is run, from which folder, and how the result is checked.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use loop_manifest::Format;

use crate::{
    case_file::{CaseFile, CheckFile},
    check::Check,
    error::{CaseError, CaseErrors},
};

/// A case that can be used: its file is valid.
#[derive(Debug)]
pub struct Case {
    /// The name: that of its file, without the ending.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The text of the file.
    pub(crate) text: String,
    pub(crate) work: CaseWork,
    /// The folder to start from.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) checks: Vec<Check>,
}

/// The work of a case.
#[derive(Debug)]
pub(crate) enum CaseWork {
    Prompt { prompt: String, system: Option<String>, tools: Vec<String> },
    Manifest(PathBuf),
}

impl Case {
    /// Reads the case in the file `path`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open(path: &Path) -> Result<Self, CaseErrors> {
        let error = |why: String| CaseError::new(path, why);
        let (file, text) = CaseFile::open(path).map_err(error)?;
        let mut errors = Vec::new();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name.contains(char::is_control) {
            errors.push(error(
                "its name has a line break or another control character: rename the file".into(),
            ));
        }
        let work = work(path, &file).map_err(|why| errors.push(error(why)));
        let folder = file.folder.as_ref().map(|name| beside(path, name));
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            errors.push(error(format!("`folder`: there is no folder {}", folder.display())));
        }
        let mut checks = Vec::new();
        for (number, value) in (1..).zip(&file.checks) {
            match CheckFile::read(value).and_then(Check::new) {
                Ok(check) => checks.push(check),
                Err(why) => errors.push(error(format!("check {number}: {why}"))),
            }
        }
        if file.prompt.is_some() && file.checks.is_empty() {
            errors.push(error("a case with a prompt needs `checks`: without any, every reply passes".into()));
        }
        match work {
            Ok(work) if errors.is_empty() => {
                Ok(Self { name, path: path.to_owned(), text, work, folder, checks })
            }
            _ => Err(CaseErrors(errors)),
        }
    }

    /// Returns whether it is a prompt, so that it needs a model or an agent.
    pub const fn is_prompt(&self) -> bool {
        matches!(self.work, CaseWork::Prompt { .. })
    }
}

fn work(path: &Path, file: &CaseFile) -> Result<CaseWork, String> {
    match (&file.prompt, &file.manifest) {
        (Some(_), Some(_)) => Err("`prompt` and `manifest` are two cases: remove one".to_owned()),
        (None, None) => Err("there is neither `prompt` nor `manifest`: a case needs one".to_owned()),
        (Some(prompt), None) if prompt.trim().is_empty() => Err("the prompt is empty".to_owned()),
        (Some(prompt), None) => Ok(CaseWork::Prompt {
            prompt: prompt.clone(),
            system: file.system.clone(),
            tools: file.tools.clone().unwrap_or_default(),
        }),
        (None, Some(_)) if file.system.is_some() || file.tools.is_some() => {
            Err("`system` and `tools` belong into the manifest".to_owned())
        }
        (None, Some(manifest)) => {
            let manifest = beside(path, manifest);
            match manifest.is_file() {
                true => Ok(CaseWork::Manifest(manifest)),
                false => Err(format!("`manifest`: there is no file {}", manifest.display())),
            }
        }
    }
}

/// Returns the path beside a case.
fn beside(case: &Path, name: &str) -> PathBuf {
    case.parent().unwrap_or(Path::new("")).join(name)
}

/// The cases of a folder, in the order of their names.
#[derive(Debug)]
pub struct Cases(Vec<Case>);

impl Cases {
    /// Reads the cases in `folder`: all files that end in `.yaml`, `.yml`, `.toml` or `.json`, except manifests that one
    /// of the cases names. Subfolders and hidden files are left out.
    ///
    /// # Errors
    /// Everything that is wrong with the cases; also if there are none.
    pub fn open(folder: &Path) -> Result<Self, CaseErrors> {
        let unreadable = |error| CaseError::new(folder, format!("the folder cannot be read: {error}"));
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !is_hidden && Format::of(&path).is_some() && path.is_file() {
                paths.push(path);
            }
        }
        paths.sort();
        let read: Vec<_> = paths.iter().map(|path| (path, Case::open(path))).collect();
        let manifests: BTreeSet<_> = read
            .iter()
            .filter_map(|(_, case)| match &case.as_ref().ok()?.work {
                CaseWork::Manifest(path) => fs::canonicalize(path).ok(),
                CaseWork::Prompt { .. } => None,
            })
            .collect();
        let is_manifest = |path: &Path| fs::canonicalize(path).is_ok_and(|path| manifests.contains(&path));
        let (mut cases, mut errors, mut names) = (Vec::<Case>::new(), Vec::new(), BTreeSet::new());
        for (path, case) in read {
            match case {
                _ if is_manifest(path) => {}
                Ok(case) if !names.insert(case.name.clone()) => {
                    errors.push(CaseError::new(path, "another case has this name: rename the file"));
                }
                Ok(case) => cases.push(case),
                Err(CaseErrors(found)) => errors.extend(found),
            }
        }
        if cases.is_empty() && errors.is_empty() {
            errors.push(CaseError::new(folder, "there is no case: write a file such as hello.yaml there"));
        }
        if errors.is_empty() { Ok(Self(cases)) } else { Err(CaseErrors(errors)) }
    }

    /// Returns the cases.
    pub fn all(&self) -> &[Case] {
        &self.0
    }

    pub(crate) fn into_vec(self) -> Vec<Case> {
        self.0
    }
}
