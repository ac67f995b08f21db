//! The task's text, as it is now.

use std::{
    io::Read,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use loop_core::with_causes;
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

use super::{TaskError, TaskFile, ToolPermissions};
use crate::context::ExecutionContext;

/// A longer file is no task.
const MAX_BYTES: u64 = 1 << 20;

/// The text of a task, read again whenever somebody asks. Clones are the same task.
#[derive(Debug, Clone)]
pub struct TaskText(Arc<Mutex<CurrentText>>);

#[derive(Debug)]
struct CurrentText {
    workspace: Workspace,
    /// Its path in the workspace.
    path: String,
    /// Hears what happens to the file, if anybody does.
    listener: Option<ExecutionContext>,
    /// The permissions from the beginning of the run, which never change.
    permissions: ToolPermissions,
    /// The text with which it was opened.
    first: String,
    /// The last text that could be read.
    text: String,
    /// True if a change from the first text has been reported.
    has_changed: bool,
    /// The last notice about the file, to avoid repeating it.
    noted: Option<String>,
}

impl TaskText {
    /// Opens a task, whose path may be written in any way, and reads it.
    ///
    /// # Errors
    /// A path that leads out of the folder, through a link or not, and what is wrong with the file.
    pub fn open(folder: &Path, path: &str) -> Result<(Self, TaskFile), TaskError> {
        let workspace = workspace(folder)?;
        let (path, task) = read(&workspace, path)?;
        let (permissions, text) = (task.permissions.clone(), task.text.clone());
        let (first, listener) = (text.clone(), None);
        let inner = CurrentText {
            workspace,
            path,
            listener,
            permissions,
            first,
            text,
            has_changed: false,
            noted: None,
        };
        Ok((Self(Arc::new(Mutex::new(inner))), task))
    }

    /// Returns its path in the folder, without links.
    pub fn path(&self) -> String {
        self.inner().path.clone()
    }

    /// Sets the permissions with which the run began: they apply, whatever the file contains now. `cx` receives
    /// warnings.
    pub(crate) fn begun_with(&self, permissions: &ToolPermissions, cx: &ExecutionContext) {
        let mut inner = self.inner();
        inner.permissions.clone_from(permissions);
        inner.listener = Some(cx.clone());
    }

    /// Returns the text as it is now. If the file cannot be read any more, its last text counts, with a warning. If it
    /// asks for other permissions, it does not get them, with a warning.
    pub(crate) fn now(&self) -> String {
        let mut inner = self.inner();
        let note = match read(&inner.workspace, &inner.path) {
            Ok((_, task)) => {
                let is_changed = task.permissions != inner.permissions;
                inner.text = task.text;
                is_changed.then(|| {
                    "the tools or checks in the task file have changed since the run began, which has no effect: \
                     start a new run to use them"
                        .to_owned()
                })
            }
            Err(error) => Some(format!(
                "cannot read the task file any more, so its last text counts: {}",
                with_causes(&error)
            )),
        };
        if let Some(note) = note.as_ref().filter(|note| inner.noted.as_ref() != Some(note)) {
            inner.warn(note);
        }
        inner.noted = note;
        if inner.text != inner.first && !std::mem::replace(&mut inner.has_changed, true) {
            inner.warn(&format!(
                "the text of {} has changed since the work on it began: the new text counts from now on",
                inner.path
            ));
        }
        inner.text.clone()
    }

    /// Returns the same for the reviewer, who has to know whether it is still the text that somebody asked for.
    pub(crate) fn for_review(&self) -> String {
        let text = self.now();
        let inner = self.inner();
        if inner.text == inner.first {
            return text;
        }
        format!(
            "(The text of the task has changed since the work on it began. A person may have changed it, or the \
             agent may have done so without being asked.)\n\n{text}"
        )
    }

    fn inner(&self) -> MutexGuard<'_, CurrentText> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CurrentText {
    fn warn(&self, warning: &str) {
        if let Some(cx) = &self.listener {
            cx.warn(warning);
        }
    }
}

/// The folder of a task. The policy of the agents is not this one's: here only links out of the folder are refused.
pub(super) fn workspace(folder: &Path) -> Result<Workspace, TaskError> {
    Ok(Workspace::open(folder, ActionPolicy::default())?)
}

/// The path without links, and the task in the file.
fn read(workspace: &Workspace, path: &str) -> Result<(String, TaskFile), TaskError> {
    let opened = workspace.read(path)?;
    let path = opened.path.to_string();
    let mut bytes = Vec::new();
    if let Err(source) = opened.file.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        return Err(TaskError::Read { path, source });
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TaskError::Large(path));
    }
    match TaskFile::read(&path, bytes) {
        Ok(task) => Ok((path, task)),
        Err(source) => Err(TaskError::File { path, source }),
    }
}
