//! The file in which a plan is kept.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use super::{PlanDocument, PlanError, StepState};
use crate::regular_file;

/// The default place of a plan, in its folder.
pub const PLAN_FILE: &str = ".loop/plan.md";

/// The most bytes of a plan's file: 1 MiB.
const MAX_BYTES: u64 = 1024 * 1024;

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

    /// Writes the plan, and creates its folder if necessary.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&self, plan: &PlanDocument) -> Result<(), PlanFileError> {
        self.replace(plan.text()).map_err(|source| PlanFileError::Write { path: self.0.clone(), source })
    }

    /// Removes the file.
    ///
    /// # Errors
    /// The file does not exist, or the system refuses.
    pub fn remove(&self) -> Result<(), PlanFileError> {
        fs::remove_file(&self.0).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => PlanFileError::Missing(self.0.clone()),
            _ => PlanFileError::Write { path: self.0.clone(), source },
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

    fn replace(&self, text: &str) -> io::Result<()> {
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
        draft.persist(&self.0)?;
        Ok(())
    }

    /// Takes back changes of states since `before`: only a validation changes them. Returns what was taken back.
    ///
    /// A new step has to be open, and a changed title keeps its state. If steps are gone, or the file cannot be read,
    /// the whole text returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn restore(
        &self,
        before: &PlanDocument,
        now: Timestamp,
    ) -> Result<Option<&'static str>, PlanFileError> {
        let Ok(mut plan) = self.read() else {
            self.write(before)?;
            return Ok(Some(
                "the plan's file was damaged or removed during the step: it is as it was before",
            ));
        };
        if plan.steps().len() < before.steps().len() {
            self.write(before)?;
            return Ok(Some(
                "steps were removed from the plan's file during the step: it is as it was before",
            ));
        }
        let same_length = plan.steps().len() == before.steps().len();
        let mut earlier: Vec<_> = before.steps().iter().map(Some).collect();
        let mut is_changed = false;
        for index in 0..plan.steps().len() {
            let step = &plan.steps()[index];
            let known = earlier.iter_mut().find(|known| known.is_some_and(|known| known.title == step.title));
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
        if is_changed {
            self.write(&plan)?;
        }
        Ok(is_changed.then_some(
            "states in the plan's file were changed during the step: they are as they were before",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# Plan: X\n\n- [x] One\n- [ ] Two\n- [ ] Three\n";

    fn restored(after: &str) -> (String, bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = PlanFile::at(folder.path().join(".loop/plan.md"));
        let before = PlanDocument::parse(BEFORE, "").unwrap();
        file.write(&before).unwrap();
        fs::write(file.path(), after).unwrap();
        let note = file.restore(&before, Timestamp::UNIX_EPOCH).unwrap();
        (fs::read_to_string(file.path()).unwrap(), note.is_some())
    }

    #[test]
    fn states_return_and_texts_stay() {
        for (after, expected, is_noted) in [
            (BEFORE, BEFORE, false),
            ("# Plan: X\n\n- [x] One\n- [x] Two\n- [!] Three\n", BEFORE, true),
            (
                "- [x] One\n- [ ] Two and a half\n- [ ] Three\n",
                "- [x] One\n- [ ] Two and a half\n- [ ] Three\n",
                false,
            ),
            ("- [x] One\n- [x] Two!\n- [ ] Three\n", "- [x] One\n- [ ] Two!\n- [ ] Three\n", true),
            (
                "- [x] One\n- [ ] Two\n- [x] New\n- [ ] Three\n",
                "- [x] One\n- [ ] Two\n- [ ] New\n- [ ] Three\n",
                true,
            ),
            ("- [x] One\n- [ ] Two\n", BEFORE, true),
            ("", BEFORE, true),
            ("no plan", BEFORE, true),
        ] {
            assert_eq!(restored(after), (expected.to_owned(), is_noted), "{after}");
        }
    }

    #[test]
    fn a_link_is_not_read_and_writing_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let (other, file) = (folder.path().join("other"), PlanFile::at(folder.path().join("plan.md")));
        assert_eq!(
            file.read().unwrap_err().to_string(),
            format!("there is no plan in {}", file.path().display())
        );
        fs::write(&other, BEFORE).unwrap();
        std::os::unix::fs::symlink(&other, file.path()).unwrap();
        assert!(matches!(file.read(), Err(PlanFileError::Read { .. })));
        let plan = PlanDocument::parse("- [ ] Mine\n", "").unwrap();
        file.write(&plan).unwrap();
        assert_eq!(file.read().unwrap().text(), "- [ ] Mine\n");
        assert_eq!(fs::read_to_string(other).unwrap(), BEFORE);
    }
}
