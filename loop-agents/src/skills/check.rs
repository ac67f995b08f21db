//! Checks of skills, for people who write them.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{Skill, Skills, check_strictly, source::problems_in};

/// The result of a check of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillCheck {
    /// The folder of the skill, or the file with the problem.
    pub path: PathBuf,
    /// The problems; empty if nothing is wrong.
    pub problems: Vec<String>,
}

impl fmt::Display for SkillCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        if self.problems.is_empty() {
            return write!(f, "valid    {path}");
        }
        write!(f, "invalid  {path}")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// Checks the skills in these folders, or without folders all that were found. A strict check is
/// [`check_strictly`]; another one reports the warnings of loading. Blocks on the disk.
pub fn checked(found: &Skills, folders: &[PathBuf], is_strict: bool) -> Vec<SkillCheck> {
    let named = folders.iter().map(|folder| check(folder, is_strict));
    if !folders.is_empty() {
        return named.collect();
    }
    let strictly = |skill: &Skill| check(skill.path().parent().unwrap_or(Path::new("")), true);
    let loaded = |skill: &Skill| SkillCheck { path: skill.path(), problems: skill.remarks().to_vec() };
    let mut checks: Vec<_> =
        found.all().map(|skill| if is_strict { strictly(skill) } else { loaded(skill) }).collect();
    let skipped = found.warnings().iter().filter(|warning| warning.is_skipped);
    checks.extend(skipped.map(|warning| SkillCheck {
        path: PathBuf::from(&warning.path),
        problems: vec![warning.problem.clone()],
    }));
    checks
}

fn check(folder: &Path, is_strict: bool) -> SkillCheck {
    // The name of `.` is that of the folder to which it leads, and a `SKILL.md` stands for its folder.
    let resolved = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let resolved = if resolved.is_file() { resolved.parent().unwrap_or(&resolved) } else { &resolved };
    let problems = if is_strict { check_strictly(resolved) } else { problems_in(resolved) };
    SkillCheck { path: folder.to_owned(), problems }
}
