//! The file in which a plan is kept.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use super::{PlanDocument, PlanError, PlanStep, StepState};
use crate::regular_file;

/// The default place of a plan, in its folder.
pub const PLAN_FILE: &str = ".loop/plan.md";

/// The most bytes of a plan's file: 1 MiB.
const MAX_BYTES: u64 = 1024 * 1024;

/// How often an update reads a file again that somebody edits.
const MAX_UPDATES: usize = 20;

/// A plan's file. Writing replaces it as a whole, and a link in its place is never followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile(PathBuf);

/// A plan's file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// The file does not exist.
    #[error("there is no plan in {0}")]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("cannot read the plan in {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write the plan to {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A new plan would replace it, and it has open steps.
    #[error("the plan in {path} has {open} open steps: perform them, or replace the plan with `--force`")]
    OpenSteps {
        /// The file.
        path: PathBuf,
        /// How many steps are open.
        open: usize,
    },
    /// Somebody changed the file during a step in a way that leaves the step without a place.
    #[error(
        "{path} {change} during a step. It stays as it is now, and {} has the plan from before the step", before.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The change, which reads after the path.
        change: &'static str,
        /// The file with the plan from before the step.
        before: PathBuf,
        /// The error in the file as it is now, if it cannot be read as a plan.
        source: Option<Box<PlanFileError>>,
    },
    /// Its text is not a plan.
    #[error("{path} is not a plan that can be performed")]
    Plan {
        /// The file.
        path: PathBuf,
        /// The error in the text.
        source: PlanError,
    },
}

impl PlanFile {
    /// Names the file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the plan.
    ///
    /// # Errors
    /// The file does not exist, is a link or larger than 1 MiB, cannot be read, or is no plan.
    pub fn read(&self) -> Result<PlanDocument, PlanFileError> {
        let text = self.text().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => PlanFileError::Missing(self.0.clone()),
            _ => PlanFileError::Read { path: self.0.clone(), source },
        })?;
        PlanDocument::parse(text, "").map_err(|source| PlanFileError::Plan { path: self.0.clone(), source })
    }

    /// Fails if a new plan must not replace the one in the file.
    ///
    /// # Errors
    /// The plan has open steps, or cannot be read.
    pub fn check_replaceable(&self) -> Result<(), PlanFileError> {
        let plan = match self.read() {
            Err(PlanFileError::Missing(_)) => return Ok(()),
            plan => plan?,
        };
        match plan.count(StepState::Open) {
            0 => Ok(()),
            open => Err(PlanFileError::OpenSteps { path: self.0.clone(), open }),
        }
    }

    /// Writes the plan, and creates its folder if necessary.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&self, plan: &PlanDocument) -> Result<(), PlanFileError> {
        self.replace(plan.text(), None).map(drop).map_err(|source| self.unwritable(source))
    }

    /// Changes the states in the file, and returns the plan. `change` returns whether it changed anything. Somebody may
    /// edit the file at the same time: then this reads it again, and the edit stays.
    ///
    /// # Errors
    /// The file cannot be read or written, or changes all the time.
    pub(super) fn update(
        &self,
        mut change: impl FnMut(&mut PlanDocument) -> bool,
    ) -> Result<PlanDocument, PlanFileError> {
        for _ in 0..MAX_UPDATES {
            let mut plan = self.read()?;
            let before = plan.text().to_owned();
            let is_written = !change(&mut plan)
                || self.replace(plan.text(), Some(&before)).map_err(|source| self.unwritable(source))?;
            if is_written {
                return Ok(plan);
            }
        }
        Err(self.unwritable(io::Error::other("it changes all the time")))
    }

    fn unwritable(&self, source: io::Error) -> PlanFileError {
        PlanFileError::Write { path: self.0.clone(), source }
    }

    /// Removes the file.
    ///
    /// # Errors
    /// The file does not exist, or the system refuses.
    pub fn remove(&self) -> Result<(), PlanFileError> {
        fs::remove_file(&self.0).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => PlanFileError::Missing(self.0.clone()),
            _ => self.unwritable(source),
        })
    }

    fn text(&self) -> io::Result<String> {
        let file = regular_file::open(&self.0, "it is a link: put a file in its place", "it is not a file")?;
        let mut text = String::new();
        file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(io::Error::other("it is larger than 1 MiB"));
        }
        Ok(text)
    }

    /// Replaces the text. If `expected` is not the text in the file, returns false and changes nothing.
    fn replace(&self, text: &str, expected: Option<&str>) -> io::Result<bool> {
        let folder =
            self.0.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut draft = NamedTempFile::new_in(folder)?;
        draft.write_all(text.as_bytes())?;
        if let Ok(metadata) = fs::symlink_metadata(&self.0)
            && metadata.is_file()
        {
            draft.as_file().set_permissions(metadata.permissions())?;
        }
        draft.as_file().sync_data()?;
        // The file may have changed during the synchronisation, which takes the most time.
        if expected.is_some_and(|expected| self.text().ok().as_deref() != Some(expected)) {
            return Ok(false);
        }
        draft.persist(&self.0)?;
        Ok(true)
    }

    /// Takes back changes of states since `before`: only a validation changes them. Also takes back a change of the title
    /// of step `performed`, because its validations are in it. Returns what was taken back.
    ///
    /// A new step has to be open, and another changed title keeps its state. All other edits stay as they are.
    ///
    /// # Errors
    /// The file cannot be written, or is no plan with the steps of `before` any more. Then it stays as it is, and
    /// `before` is stored beside it.
    pub(super) fn restore(
        &self,
        before: &PlanDocument,
        performed: usize,
        now: Timestamp,
    ) -> Result<Option<&'static str>, PlanFileError> {
        let (change, source) = match self.read() {
            Ok(plan) => match loss(before, &plan) {
                None => {
                    let mut is_retitled = false;
                    self.update(|plan| {
                        is_retitled = plan.put_back(before, performed);
                        is_retitled
                    })?;
                    let states = self.restore_states(before, now)?;
                    return Ok(is_retitled.then_some(RETITLED).or(states));
                }
                Some(change) => (change, None),
            },
            Err(PlanFileError::Missing(_)) => ("was removed", None),
            Err(error) => ("was edited so that it cannot be performed", Some(Box::new(error))),
        };
        let mut kept = self.0.clone().into_os_string();
        kept.push(".before");
        let kept = Self::at(kept);
        kept.write(before)?;
        Err(PlanFileError::Changed { path: self.0.clone(), change, before: kept.0, source })
    }

    fn restore_states(
        &self,
        before: &PlanDocument,
        now: Timestamp,
    ) -> Result<Option<&'static str>, PlanFileError> {
        let mut is_changed = false;
        self.update(|plan| {
            let same_length = plan.steps().len() == before.steps().len();
            let mut earlier: Vec<_> = before.steps().iter().map(Some).collect();
            is_changed = false;
            for index in 0..plan.steps().len() {
                let step = &plan.steps()[index];
                let known =
                    earlier.iter_mut().find(|known| known.is_some_and(|known| known.title == step.title));
                let state = match known.and_then(Option::take) {
                    Some(known) => known.state,
                    None if same_length => before.steps()[index].state,
                    None => StepState::Open,
                };
                if state != step.state {
                    plan.mark(index, state, now);
                    is_changed = true;
                }
            }
            is_changed
        })?;
        Ok(is_changed.then_some(CHANGED_STATES))
    }
}

const CHANGED_STATES: &str =
    "states in the plan's file were changed during the step: they are as they were before";
const RETITLED: &str = "the title of the step was changed during the step: it is as it was before";

/// Returns why a plan has no place for the steps of the one before; `None` if it has one.
fn loss(before: &PlanDocument, after: &PlanDocument) -> Option<&'static str> {
    // An agent may have removed the validations of the only step.
    let bare = |step: &PlanStep| step.title.split('[').next().map(|words| words.trim().to_owned());
    let is_kept = |step: &PlanStep| before.steps().iter().any(|earlier| bare(earlier) == bare(step));
    if before.created() != after.created() || !after.steps().iter().any(is_kept) {
        return Some("was replaced by another plan");
    }
    (after.steps().len() < before.steps().len()).then_some("lost steps")
}

#[cfg(test)]
mod tests;
