//! The system prompt of a project: its `AGENTS.md`, with markers for what changes.

use std::{io::Read, time::SystemTime};

use loop_agents::{
    output::excerpt,
    tools::{ToolOutcome, Toolbox, overview},
};
use loop_guardrails::policy::workspace::Workspace;
use loop_schedule::Zone;
use loop_telemetry::clamped;
use serde_json::json;

/// The names of the project's file. The first that exists counts.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "HARVEY.md"];

/// The maximum length of the file in the prompt, in bytes. The middle of a longer file is left out.
const FILE_BYTES: usize = 64 << 10;

/// The maximum number of bytes to read from the file.
const READ_BYTES: u64 = 1 << 20;

/// The maximum length of a section, in bytes.
const SECTION_BYTES: usize = 4 << 10;

const DATE: &str = "<!-- @date -->";
const TREE: &str = "<!-- @files -->";
const STATUS: &str = "<!-- @git-status -->";

/// Which sections a prompt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptSections {
    /// Only those that the project's file marks. Without the file there is no prompt.
    Marked,
    /// All of them. Those without a marker come last.
    All,
}

/// Returns the system prompt of the project in this workspace. `toolbox` asks git.
pub async fn project_prompt(
    workspace: &Workspace,
    toolbox: &Toolbox,
    sections: PromptSections,
    now: SystemTime,
) -> Option<String> {
    let file = FILES.iter().find_map(|name| read(workspace, name));
    if file.is_none() && sections == PromptSections::Marked {
        return None;
    }
    let mut prompt = file.unwrap_or_default();
    let is_wanted = |prompt: &str, marker: &str| sections == PromptSections::All || prompt.contains(marker);
    if is_wanted(&prompt, DATE) {
        add(&mut prompt, DATE, "The date", &date(now));
    }
    if is_wanted(&prompt, TREE) {
        let tree = overview(workspace, SECTION_BYTES).unwrap_or_else(|error| format!("({error})"));
        add(&mut prompt, TREE, "Files in the project", &tree);
    }
    if is_wanted(&prompt, STATUS) {
        add(&mut prompt, STATUS, "git status", &git_status(workspace, toolbox).await);
    }
    Some(prompt.trim().to_owned()).filter(|prompt| !prompt.is_empty())
}

/// Replaces the marker, or adds a section at the end.
fn add(prompt: &mut String, marker: &str, heading: &str, text: &str) {
    if prompt.contains(marker) {
        *prompt = prompt.replace(marker, text);
    } else if !text.is_empty() {
        prompt.push_str(&format!("\n\n## {heading}\n\n{text}"));
    }
}

fn read(workspace: &Workspace, name: &str) -> Option<String> {
    let file = workspace.read(name).ok()?.file;
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
    Some(excerpt(&bytes, FILE_BYTES))
}

/// Returns the user's local date alone, so that the beginning of a prompt is the same all day.
fn date(now: SystemTime) -> String {
    let zone = Zone::of_system().unwrap_or_else(|_| Zone::utc());
    clamped(now).to_zoned(zone.rules().clone()).date().to_string()
}

async fn git_status(workspace: &Workspace, toolbox: &Toolbox) -> String {
    // Outside of a repository, the policy does not run git at all.
    if !workspace.root().ancestors().any(|folder| folder.join(".git").exists()) {
        return "(not a git repository)".to_owned();
    }
    let asked = json!({ "subcommand": "status", "arguments": "--short" });
    let report = toolbox.call("git", &asked).await;
    if report.outcome != ToolOutcome::Done {
        return "(git does not run here)".to_owned();
    }
    if report.commands.iter().any(|run| run.exit_code != 0) {
        return "(git status failed)".to_owned();
    }
    let text = report.text.trim_end();
    let text = text.strip_suffix("(exit 0)").unwrap_or(text).trim_end();
    excerpt(text.as_bytes(), SECTION_BYTES)
}

#[cfg(test)]
mod tests {
    use loop_guardrails::policy::{ActionPolicy, Verb};

    use super::*;

    #[test]
    fn a_model_writes_no_file_that_becomes_a_system_prompt() {
        let policy = ActionPolicy::default();
        for name in FILES {
            for name in [name.to_owned(), name.to_lowercase()] {
                let ruling = policy.explain_path(&name, Verb::Write);
                assert!(!ruling.allowed && ruling.needs_approval.is_some(), "{name}");
            }
        }
    }
}
