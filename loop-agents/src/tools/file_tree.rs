//! Lists a folder and its subfolders.

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{FileKind, Workspace, WorkspaceError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, StopFlag, Tool, ToolContext, ToolError, list_files::shown};

/// The default depth.
const DEFAULT_DEPTH: u32 = 4;

/// The most names in a list.
const MAX_NAMES: usize = 2000;

/// Lists a folder and its subfolders, a few levels deep, without the content of `.git`.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::create_dir_all(folder.path().join("src/bin"))?;
/// std::fs::write(folder.path().join("src/lib.rs"), "")?;
/// let report = tools.call("file_tree", &serde_json::json!({})).await;
/// assert_eq!(report.text, "src/\n  bin/\n  lib.rs\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct FileTree;

/// The arguments of `file_tree`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileTreeArguments {
    /// The folder, relative to the workspace. Default: the workspace itself.
    path: Option<String>,
    /// The number of levels to show. Default: 4.
    #[schemars(range(min = 1))]
    depth: Option<u32>,
}

#[async_trait]
impl Tool for FileTree {
    type Arguments = FileTreeArguments;

    fn name(&self) -> &'static str {
        "file_tree"
    }

    fn description(&self) -> &'static str {
        "Shows a folder and its subfolders as a tree, at most 2000 names. Folders end in `/`, links in `@`."
    }

    fn needs(&self, arguments: &FileTreeArguments) -> Vec<Need> {
        vec![Need::read(arguments.path.as_deref().unwrap_or_default())]
    }

    async fn call(&self, arguments: FileTreeArguments, cx: &ToolContext) -> Result<String, ToolError> {
        cx.blocking(move |workspace, stop| {
            let mut tree = Tree { workspace, stop, text: String::new(), left: MAX_NAMES };
            let path = arguments.path.unwrap_or_default();
            tree.add(if path.is_empty() { "." } else { &path }, 0, arguments.depth.unwrap_or(DEFAULT_DEPTH))?;
            if tree.left == 0 {
                tree.text
                    .push_str("[... cut after 2000 names: ask for a subfolder, or for less depth ...]\n");
            }
            Ok(tree.text)
        })
        .await
    }
}

/// Returns the tree of a workspace for a prompt: without hidden names, two levels deep, and at most `max_bytes` long. A last
/// line states how many names are missing.
///
/// # Errors
/// The workspace cannot be listed.
pub fn overview(workspace: &Workspace, max_bytes: usize) -> Result<String, WorkspaceError> {
    let mut lines = Vec::new();
    for entry in workspace.list(".")?.into_iter().filter(|entry| !entry.name.starts_with('.')) {
        lines.push(shown(&entry));
        if entry.kind == FileKind::Folder && entry.readable {
            // A folder that cannot be listed, or no longer exists, appears by its name only.
            let below = workspace.list(&entry.name).unwrap_or_default().into_iter();
            lines.extend(below.filter(|it| !it.name.starts_with('.')).map(|it| format!("  {}", shown(&it))));
        }
    }
    let (mut text, mut missing) = (String::new(), 0_usize);
    for line in lines {
        if missing == 0 && text.len() + line.len() < max_bytes {
            text.push_str(&line);
            text.push('\n');
        } else {
            missing += 1;
        }
    }
    if missing > 0 {
        text.push_str(&format!("[{missing} more names]\n"));
    }
    Ok(text.trim_end().to_owned())
}

struct Tree<'a> {
    workspace: &'a Workspace,
    stop: &'a StopFlag,
    text: String,
    left: usize,
}

impl Tree<'_> {
    fn add(&mut self, path: &str, level: usize, depth: u32) -> Result<(), ToolError> {
        for entry in self.workspace.list(path)? {
            if self.left == 0 || self.stop.is_set() {
                break;
            }
            self.left -= 1;
            self.text.push_str(&"  ".repeat(level));
            self.text.push_str(&shown(&entry));
            self.text.push('\n');
            if entry.kind == FileKind::Folder && entry.readable && entry.name != ".git" && depth > 1 {
                // A folder that cannot be listed, or no longer exists, appears by its name only.
                let _ = self.add(&format!("{path}/{}", entry.name), level + 1, depth - 1);
            }
        }
        Ok(())
    }
}
