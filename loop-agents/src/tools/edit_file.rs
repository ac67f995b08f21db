//! Changes one place in a file.

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{Workspace, WrittenFile};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{MAX_CONTENT_BYTES, Need, ProposedChange, Tool, ToolContext, ToolError, read_file};

/// Replaces a text that appears exactly once in a file.
///
/// A model that rewrites a file of a thousand lines to change one of them makes mistakes in the others. If the text
/// appears twice, the model meant one of the two places, and the tool does not guess which.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::write(folder.path().join("poem"), "one\ntwo\n")?;
/// let call = serde_json::json!({ "path": "poem", "old": "two", "new": "three" });
/// assert_eq!(tools.call("edit_file", &call).await.text, "edited poem at line 2");
/// assert_eq!(std::fs::read_to_string(folder.path().join("poem"))?, "one\nthree\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct EditFile;

/// The arguments of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFileArguments {
    /// The file, relative to the workspace.
    path: String,
    /// The text to replace, exactly as in the file, with its spaces and line ends. It must occur exactly
    /// once: include lines around it until it does.
    old: String,
    /// The replacement.
    new: String,
}

#[async_trait]
impl Tool for EditFile {
    type Arguments = EditFileArguments;

    fn name(&self) -> &'static str {
        "edit_file"
    }

    fn description(&self) -> &'static str {
        "Replaces a text in a file with another text. The old text must occur exactly once."
    }

    fn needs(&self, arguments: &EditFileArguments) -> Vec<Need> {
        vec![Need::read(&arguments.path), Need::write(&arguments.path)]
    }

    fn change(&self, EditFileArguments { path, old, new }: &EditFileArguments) -> Option<ProposedChange> {
        let (asked, old, new) = (path.clone(), old.clone(), new.clone());
        Some(ProposedChange::of_file(path, move |text| Ok(replaced(text, &asked, &old, &new)?.0)))
    }

    async fn call(
        &self,
        EditFileArguments { path, old, new }: EditFileArguments,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        let (written, line) = cx.blocking(move |workspace, _| edit(workspace, &path, &old, &new)).await?;
        cx.changed(&written.path, written.created);
        Ok(format!("edited {} at line {line}", written.path))
    }
}

/// Replaces the text, and also returns the line of the change.
fn edit(workspace: &Workspace, path: &str, old: &str, new: &str) -> Result<(WrittenFile, usize), ToolError> {
    let text = read_file::whole(workspace.read(path)?.file, path, MAX_CONTENT_BYTES)?;
    let (text, line) = replaced(text, path, old, new)?;
    Ok((workspace.write(path, text.as_bytes())?, line))
}

/// Returns the text of the file with the replacement, and the line of the replacement.
fn replaced(mut text: String, path: &str, old: &str, new: &str) -> Result<(String, usize), ToolError> {
    let unchanged = |problem| ToolError::failed(format!("`{path}` is unchanged: {problem}"));
    let at = place(&text, old).map_err(unchanged)?;
    let line = text[..at].matches('\n').count() + 1;
    text.replace_range(at..at + old.len(), new);
    Ok((text, line))
}

/// Returns the only place at which `old` appears.
fn place(text: &str, old: &str) -> Result<usize, String> {
    let first = (!old.is_empty())
        .then(|| text.find(old))
        .ok_or("the text to replace is empty; copy some text from the file")?;
    let at = first.ok_or("the text to replace is not in it; read the file, and copy the text from there")?;
    // The search continues at the next character, so that overlapping places count.
    let next = at + text[at..].chars().next().map_or(1, char::len_utf8);
    if text[next..].contains(old) {
        return Err("the text to replace occurs more than once; include lines around it".to_owned());
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_is_given_if_and_only_if_there_is_one(text in "[aé]{0,12}", old in "[aé]{0,3}") {
            let places: Vec<_> = text.char_indices().filter(|(at, _)| text[*at..].starts_with(&old)).collect();
            match place(&text, &old) {
                Ok(at) => prop_assert_eq!((places.len(), places[0].0), (1, at)),
                Err(_) => prop_assert!(old.is_empty() || places.len() != 1),
            }
        }
    }
}
