//! Lists a folder.

use async_trait::async_trait;
use glob::{MatchOptions, Pattern};
use loop_guardrails::policy::workspace::{FileKind, FolderEntry, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, StopFlag, Tool, ToolContext, ToolError, diff::visible};

/// The most files in a list.
const MAX_FOUND: usize = 1000;

/// One star matches within a name; two stars match folders.
const BY_NAMES: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Lists a folder: `name`, `folder/`, `link@`, with a mark at unreadable entries. With a `glob` it lists the files
/// below the folder whose paths match.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::create_dir(folder.path().join("src"))?;
/// std::fs::write(folder.path().join(".env"), "KEY=1")?;
/// let report = tools.call("list_files", &serde_json::json!({})).await;
/// assert_eq!(report.text, ".env (not readable)\nsrc/\n");
/// std::fs::write(folder.path().join("src/main.rs"), "")?;
/// let report = tools.call("list_files", &serde_json::json!({ "glob": "**/*.rs" })).await;
/// assert_eq!(report.text, "src/main.rs\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ListFiles;

/// The arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFilesArguments {
    /// The folder, relative to the workspace. Default: the workspace itself.
    path: Option<String>,
    /// A glob for the paths of files below the folder, relative to it: `**/*.rs`, `src/*.toml`.
    glob: Option<String>,
}

#[async_trait]
impl Tool for ListFiles {
    type Arguments = ListFilesArguments;

    fn name(&self) -> &'static str {
        "list_files"
    }

    fn description(&self) -> &'static str {
        "Lists a folder, one name per line. Folders end in `/`, links in `@`. With a glob, lists the matching \
         files in the folder and its subfolders, at most 1000."
    }

    fn needs(&self, arguments: &ListFilesArguments) -> Vec<Need> {
        vec![Need::read(arguments.path.as_deref().unwrap_or_default())]
    }

    async fn call(&self, arguments: ListFilesArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let path = arguments.path.unwrap_or_default();
        if let Some(glob) = &arguments.glob {
            let pattern = Pattern::new(glob)
                .map_err(|error| ToolError::failed(format!("`{glob}` is not a valid glob: {error}")))?;
            return cx.blocking(move |workspace, stop| found(workspace, stop, &path, &pattern)).await;
        }
        let entries = cx.blocking(move |workspace, _| Ok(workspace.list(&path)?)).await?;
        if entries.is_empty() {
            return Ok("[the folder is empty]".to_owned());
        }
        Ok(entries.iter().map(|entry| shown(entry) + "\n").collect())
    }
}

/// Returns the files below a folder that match, as paths from the workspace.
fn found(
    workspace: &Workspace,
    stop: &StopFlag,
    folder: &str,
    pattern: &Pattern,
) -> Result<String, ToolError> {
    let below = |within: &str, name: &str| {
        if within.is_empty() { name.to_owned() } else { format!("{within}/{name}") }
    };
    let folder = folder.trim_end_matches('/');
    let mut found = Vec::new();
    let mut ahead = vec![(String::new(), workspace.list(folder)?)];
    while let Some((within, entries)) = ahead.pop() {
        for entry in entries {
            if stop.is_set() || found.len() == MAX_FOUND {
                found.push(
                    "[... cut after 1000 files: list a subfolder, or use a narrower glob ...]\n".to_owned(),
                );
                return Ok(found.concat());
            }
            let path = below(&within, &entry.name);
            let whole = below(folder, &path);
            if entry.kind == FileKind::Folder && entry.readable && entry.name != ".git" {
                // Skips a folder that cannot be listed or no longer exists.
                ahead.extend(workspace.list(&whole).ok().map(|entries| (path, entries)));
            } else if entry.kind != FileKind::Folder && pattern.matches_with(&path, BY_NAMES) {
                found.push(format!("{whole}{}\n", if entry.readable { "" } else { " (not readable)" }));
            }
        }
    }
    found.sort_unstable();
    Ok(if found.is_empty() { "[nothing found]".to_owned() } else { found.concat() })
}

/// Formats a name with a sign for its kind.
pub(super) fn shown(entry: &FolderEntry) -> String {
    let sign = match entry.kind {
        FileKind::Folder => "/",
        FileKind::Link => "@",
        _ => "",
    };
    let mark = if entry.readable { "" } else { " (not readable)" };
    // A name with a line end could look like another line of the list.
    let name = visible(&entry.name.replace(['\n', '\r'], "\u{fffd}")).into_owned();
    format!("{name}{sign}{mark}")
}
