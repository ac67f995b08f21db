//! What the model is told before anything is said: the project's `AGENTS.md`, and where it is.

use std::io::Read;

use loop_agents::output::excerpt;
use serde_json::json;

use super::state::Session;

/// The project's file.
const FILE: &str = "AGENTS.md";

/// The longest that the file may be, in bytes; more is left out in its middle.
const FILE_BYTES: usize = 64 << 10;

/// How much of it is read at all.
const READ_BYTES: u64 = 1 << 20;

/// The longest that a section may be, in bytes.
const SECTION_BYTES: usize = 4 << 10;

/// A part that changes with time.
struct Section {
    /// `AGENTS.md` may say where it stands; otherwise it stands at the end.
    marker: &'static str,
    heading: &'static str,
    tool: &'static str,
}

const SECTIONS: [Section; 3] = [
    Section { marker: "<!-- @date -->", heading: "The date", tool: "current_datetime" },
    Section { marker: "<!-- @files -->", heading: "Files in the project", tool: "file_tree" },
    Section { marker: "<!-- @git-status -->", heading: "git status", tool: "git" },
];

impl Session {
    /// The system prompt as things stand now. What the user's own file says (`--system`) is taken as it is.
    pub(crate) async fn system_prompt(&mut self) -> Option<String> {
        if let Some(own) = &self.dialogue.system {
            return Some(own.clone());
        }
        let mut prompt = self.agents_file().unwrap_or_default();
        for Section { marker, heading, tool } in SECTIONS {
            let Some(text) = self.section(tool).await else { continue };
            if prompt.contains(marker) {
                prompt = prompt.replace(marker, &text);
            } else {
                prompt.push_str(&format!("\n\n## {heading}\n\n{text}"));
            }
        }
        Some(prompt.trim().to_owned()).filter(|prompt| !prompt.is_empty())
    }

    fn agents_file(&self) -> Option<String> {
        let file = self.tools.workspace.read(FILE).ok()?.file;
        let mut bytes = Vec::new();
        file.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
        Some(excerpt(&bytes, FILE_BYTES))
    }

    /// What a section says; nothing where there is no git, say.
    async fn section(&mut self, tool: &str) -> Option<String> {
        let arguments = match tool {
            "file_tree" => json!({ "depth": 2 }),
            "git" => json!({ "subcommand": "status", "arguments": "--short --branch" }),
            _ => json!({}),
        };
        let report = self.call(tool, &arguments).await.ok()?;
        let text = report.text.trim_end();
        let text = text.strip_suffix("(exit 0)").unwrap_or(text).trim_end();
        let failed = report.commands.iter().any(|run| run.exit_code != 0);
        (!failed && !text.is_empty()).then(|| excerpt(text.as_bytes(), SECTION_BYTES))
    }
}
