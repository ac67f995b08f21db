//! The task's text, as it is now.

use std::{
    io::Read,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::{Context, anyhow};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

use super::{Rights, TaskFile};
use crate::view;

/// A longer file is no task.
const MAX_BYTES: u64 = 1 << 20;

/// The text of a task, read again whenever somebody asks. Clones are the same task.
#[derive(Debug, Clone)]
pub(crate) struct TaskText(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    workspace: Workspace,
    /// Its path in the workspace.
    path: String,
    /// What the run began with. It stays so.
    rights: Rights,
    /// The text with which it was opened.
    first: String,
    /// The last text that could be read.
    text: String,
    /// That it is another one than the first was said.
    has_changed: bool,
    /// What was said last of its file, so that it is said once.
    noted: Option<String>,
}

impl TaskText {
    /// Opens a task, whose path may be written in any way, and reads it.
    ///
    /// # Errors
    /// A path that leads out of the folder, through a link or not, and what is wrong with the file.
    pub(crate) fn open(workspace: Workspace, path: &str) -> anyhow::Result<(Self, TaskFile)> {
        let (path, task) = read(&workspace, path)?;
        let (rights, text) = (task.rights.clone(), task.text.clone());
        let first = text.clone();
        let inner = Inner { workspace, path, rights, first, text, has_changed: false, noted: None };
        Ok((Self(Arc::new(Mutex::new(inner))), task))
    }

    /// The folder of a task. What it guards is the agents' affair.
    ///
    /// # Errors
    /// A folder that cannot be opened.
    pub(crate) fn folder(dir: &Path) -> anyhow::Result<Workspace> {
        Ok(Workspace::open(dir, ActionPolicy::default())?)
    }

    /// Its path, without links.
    pub(crate) fn path(&self) -> String {
        self.inner().path.clone()
    }

    /// With what it was begun, if that was before: then this counts, whatever the file says now.
    pub(crate) fn begun_with(&self, rights: &Rights) {
        self.inner().rights.clone_from(rights);
    }

    /// The text as it is now. A file that cannot be read any more is told of, and its last text counts. So is one that
    /// wants other rights, which it does not get.
    pub(crate) fn now(&self) -> String {
        let mut inner = self.inner();
        let note = match read(&inner.workspace, &inner.path) {
            Ok((_, task)) => {
                let is_changed = task.rights != inner.rights;
                inner.text = task.text;
                is_changed.then(|| {
                    "the task file asks for other tools or checks than when the run began; it does not get them: \
                     begin a new run if you want that"
                        .to_owned()
                })
            }
            Err(error) => {
                Some(format!("the task file cannot be read any more, so its last text counts: {error:#}"))
            }
        };
        if let Some(note) = note.as_ref().filter(|note| inner.noted.as_ref() != Some(note)) {
            view::warning(note);
        }
        inner.noted = note;
        if inner.text != inner.first && !std::mem::replace(&mut inner.has_changed, true) {
            view::warning(&format!(
                "the text of {} has changed since the work on it began: from here on the new one counts",
                inner.path
            ));
        }
        inner.text.clone()
    }

    /// The same for who reviews, who is to know whether it is still the text that somebody asked for.
    pub(crate) fn for_review(&self) -> String {
        let text = self.now();
        let inner = self.inner();
        if inner.text == inner.first {
            return text;
        }
        format!(
            "(The text of the task has changed since the work on it began. A person may have done that, or the agent, \
             of whom nobody asked it.)\n\n{text}"
        )
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a task leads, and what stands there.
fn read(workspace: &Workspace, path: &str) -> anyhow::Result<(String, TaskFile)> {
    let opened = workspace.read(path)?;
    let found = opened.path.to_string();
    let mut bytes = Vec::new();
    opened.file.take(MAX_BYTES + 1).read_to_end(&mut bytes).with_context(|| found.clone())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(anyhow!("{found} is larger than 1 MiB, and so no task"));
    }
    let task = TaskFile::read(&found, bytes).with_context(|| found.clone())?;
    Ok((found, task))
}
