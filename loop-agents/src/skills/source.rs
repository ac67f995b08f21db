//! Finds skills in folders.

use std::{collections::BTreeMap, fmt, path::Path};

use loop_guardrails::policy::{
    ActionPolicy,
    workspace::{FileKind, Workspace, WorkspaceError},
};

use super::{Skill, SkillError, SkillSet, catalogue};

/// The folders in a project, in the order in which they are searched.
const PROJECT_FOLDERS: [&str; 3] = ["agents/skills", ".agents/skills", ".claude/skills"];

/// The names of the file of a skill. The reference validator accepts both.
pub(super) const FILE_NAMES: [&str; 2] = ["SKILL.md", "skill.md"];

/// The maximum number of skills. More would only slow down the start of each session.
const MAX_SKILLS: usize = 1_000;

/// A folder that contains skills.
#[derive(Debug, Clone)]
pub struct SkillSource {
    workspace: Workspace,
    folder: String,
    is_own: bool,
}

impl SkillSource {
    /// Returns the folders of a project: `agents/skills`, `.agents/skills` and `.claude/skills`.
    pub fn of_project(workspace: &Workspace) -> Vec<Self> {
        PROJECT_FOLDERS.map(|folder| Self::in_project(workspace, folder)).to_vec()
    }

    /// Returns a folder of a project, by its path in the project.
    pub fn in_project(workspace: &Workspace, folder: &str) -> Self {
        let folder = folder.trim_start_matches("./").trim_end_matches('/').to_owned();
        Self { workspace: workspace.clone(), folder, is_own: false }
    }

    /// Returns the folder of the user's own skills; `None` if it does not exist. Skills in it that are links to other
    /// folders are refused, as in a project.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn of_user(folder: &Path) -> Result<Option<Self>, WorkspaceError> {
        match Workspace::open(folder, ActionPolicy::default()) {
            Ok(workspace) => Ok(Some(Self { workspace, folder: String::new(), is_own: true })),
            Err(WorkspaceError::Root { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the path of a name in the folder.
    fn path(&self, name: &str) -> String {
        if self.folder.is_empty() { name.to_owned() } else { format!("{}/{name}", self.folder) }
    }

    /// Returns the folder of sets, which is beside the skills. The user's own sets are among their skills' folders.
    fn sets_folder(&self) -> String {
        self.folder
            .rsplit_once('/')
            .map_or_else(|| "skill-sets".to_owned(), |(above, _)| format!("{above}/skill-sets"))
    }
}

/// A problem with a skill or a set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillWarning {
    /// The file or the folder.
    pub path: String,
    /// The problem.
    pub problem: String,
    /// Whether the skill was skipped.
    pub is_skipped: bool,
}

impl fmt::Display for SkillWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped = if self.is_skipped { "skipped " } else { "" };
        write!(f, "{skipped}`{}`: {}", self.path, self.problem)
    }
}

/// The skills of a project and a user, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    skills: BTreeMap<String, Skill>,
    /// Skills whose name another one has that was found first.
    shadowed: Vec<Skill>,
    sets: BTreeMap<String, SkillSet>,
    warnings: Vec<SkillWarning>,
}

impl Skills {
    /// Finds the skills in these folders. If two have the same name, the first one counts. A faulty one is skipped, with
    /// a [warning](Self::warnings). Reads at most 64 KiB of each file, and at most 1,000 skills. Blocks on the disk.
    pub fn load(sources: &[SkillSource]) -> Self {
        let mut found = Self::default();
        for source in sources {
            found.search(source);
            found.search_sets(source);
        }
        found
    }

    /// Returns all skills.
    pub fn all(&self) -> impl Iterator<Item = &Skill> {
        self.skills.values()
    }

    /// Returns the skill of this name.
    pub fn find(&self, name: &str) -> Option<&Skill> {
        self.skills.get(name)
    }

    /// Returns the skills that are not used because another one with their name was found first.
    pub fn shadowed(&self) -> &[Skill] {
        &self.shadowed
    }

    /// Returns the sets of skills, sorted by name.
    pub fn sets(&self) -> impl Iterator<Item = &SkillSet> {
        self.sets.values()
    }

    /// Returns the set of this name.
    pub fn set(&self, name: &str) -> Option<&SkillSet> {
        self.sets.get(name)
    }

    /// Returns what is wrong with the skills and the sets.
    pub fn warnings(&self) -> &[SkillWarning] {
        &self.warnings
    }

    /// Returns one line per skill for a system prompt, of at most 4 KiB in all; `None` if there are no skills.
    pub fn catalogue(&self) -> Option<String> {
        catalogue::catalogue(self.all())
    }

    /// Returns the skills whose trigger fires at this prompt, sorted by name. The first is the one to use.
    pub fn fired_by(&self, prompt: &str) -> Vec<&Skill> {
        self.all().filter(|skill| skill.trigger().is_some_and(|trigger| trigger.fires(prompt))).collect()
    }

    fn warn(&mut self, path: &str, problem: impl Into<String>, is_skipped: bool) {
        self.warnings.push(SkillWarning { path: path.to_owned(), problem: problem.into(), is_skipped });
    }

    fn search(&mut self, source: &SkillSource) {
        let root = if source.folder.is_empty() { "." } else { &source.folder };
        let entries = match source.workspace.list(root) {
            Ok(entries) => entries,
            Err(WorkspaceError::NotFound { .. }) => return,
            Err(error) => return self.warn(root, error.to_string(), true),
        };
        for entry in
            entries.into_iter().filter(|entry| matches!(entry.kind, FileKind::Folder | FileKind::Link))
        {
            if self.skills.len() + self.shadowed.len() >= MAX_SKILLS {
                return self.warn(
                    root,
                    format!("there are more than {MAX_SKILLS} skills; the others are not used"),
                    true,
                );
            }
            self.add(source, &entry.name);
        }
    }

    /// Adds the skill in this folder, if it has a `SKILL.md`.
    fn add(&mut self, source: &SkillSource, name: &str) {
        let folder = source.path(name);
        for file in FILE_NAMES.map(|file| format!("{folder}/{file}")) {
            match Skill::read(&source.workspace, name, &file, source.is_own) {
                Ok(skill) => return self.insert(skill),
                Err(error) if error.is_missing() => {}
                // The text names the file already.
                Err(SkillError::Faulty { path, problem }) => return self.warn(&path, problem, true),
                Err(error) => return self.warn(&file, error.to_string(), true),
            }
        }
    }

    fn insert(&mut self, skill: Skill) {
        for remark in skill.remarks().to_vec() {
            self.warn(skill.file(), remark, false);
        }
        match self.skills.get(skill.name()) {
            Some(first) => {
                let problem =
                    format!("`{}` has the same name `{}` and is used", first.shown_path(), first.name());
                self.warn(&skill.shown_path(), problem, true);
                self.shadowed.push(skill);
            }
            None => drop(self.skills.insert(skill.name().to_owned(), skill)),
        }
    }

    fn search_sets(&mut self, source: &SkillSource) {
        let folder = source.sets_folder();
        // Sets are rare, so a missing folder is no problem; an unreadable one is reported with its first file.
        let entries = source.workspace.list(&folder).unwrap_or_default();
        for entry in entries.into_iter().filter(|entry| entry.name.ends_with(".yaml")) {
            let path = format!("{folder}/{}", entry.name);
            match SkillSet::read(&source.workspace, &path) {
                Ok(set) if self.sets.contains_key(set.name()) => {
                    let problem = format!("another set has the name `{}` and is used", set.name());
                    self.warn(&path, problem, true);
                }
                Ok(set) => drop(self.sets.insert(set.name().to_owned(), set)),
                Err(SkillError::Faulty { path, problem }) => self.warn(&path, problem, true),
                Err(error) => self.warn(&path, error.to_string(), true),
            }
        }
    }
}

/// Returns the problems with which the skill in this folder would be loaded or skipped.
pub(super) fn problems_in(folder: &Path) -> Vec<String> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let above = folder.parent().unwrap_or(folder);
    let workspace = match Workspace::open(above, ActionPolicy::default()) {
        Ok(workspace) => workspace,
        Err(error) => return vec![error.to_string()],
    };
    let mut found = Skills::default();
    found.add(&SkillSource { workspace, folder: String::new(), is_own: true }, &name);
    if found.skills.is_empty() && found.warnings.is_empty() {
        return vec!["there is no SKILL.md".to_owned()];
    }
    found.warnings.into_iter().map(|warning| warning.problem).collect()
}
