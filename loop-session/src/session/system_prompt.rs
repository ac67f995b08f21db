//! The system prompt: the project's `AGENTS.md` and a description of the environment.

use std::io::Read;

use loop_agents::output::excerpt;
use serde_json::json;

use super::state::Session;

/// The name of the project's file.
const FILE: &str = "AGENTS.md";

/// The maximum length of the file in the prompt, in bytes. The middle of a longer file is left out.
const FILE_BYTES: usize = 64 << 10;

/// The maximum number of bytes to read from the file.
const READ_BYTES: u64 = 1 << 20;

/// The maximum length of a section, in bytes.
const SECTION_BYTES: usize = 4 << 10;

/// A part of the prompt that changes over time.
struct Section {
    /// The marker by which `AGENTS.md` places the section; without it the section comes last.
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
    /// Builds the current system prompt. A prompt of the user's own (`--system`) is used unchanged.
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

    /// Returns the text of a section; `None` if there is nothing to report, for example without git.
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
