//! Searches files.

use std::io::{BufRead, BufReader, Read};

use async_trait::async_trait;
use loop_guardrails::policy::workspace::{FileKind, Workspace};
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Need, StopFlag, Tool, ToolContext, ToolError, read_file::is_text};
use crate::output::{ELLIPSIS, beginning};

/// The most lines in a result.
const MAX_MATCHES: usize = 100;

/// How many bytes of a line the result shows, and how many the search reads.
const SHOWN_BYTES: usize = 300;
const SEARCHED_BYTES: u64 = 64 * 1024;

/// Finds the lines that match a regular expression. It skips files that the policy forbids to read.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default())?);
/// std::fs::write(folder.path().join("poem"), "one\nSECRET of spring\n")?;
/// std::fs::write(folder.path().join(".env"), "SECRET=1")?;
/// let report = tools.call("search_files", &serde_json::json!({ "pattern": "SECRET" })).await;
/// assert_eq!(report.text, "poem:2:SECRET of spring\n[1 file was not searched: reading it is not allowed]\n");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchFiles;

/// The arguments of `search_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFilesArguments {
    /// A regular expression, matched against each line.
    pattern: String,
    /// The file or folder to search, relative to the workspace. Default: the whole workspace.
    path: Option<String>,
}

#[async_trait]
impl Tool for SearchFiles {
    type Arguments = SearchFilesArguments;

    fn name(&self) -> &'static str {
        "search_files"
    }

    fn description(&self) -> &'static str {
        "Finds lines of text files that match a regular expression. Returns at most 100, as `path:line:text`. \
         Skips links and .git."
    }

    fn needs(&self, arguments: &SearchFilesArguments) -> Vec<Need> {
        vec![Need::read(arguments.path.as_deref().unwrap_or_default())]
    }

    async fn call(
        &self,
        SearchFilesArguments { pattern, path }: SearchFilesArguments,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        let pattern = Regex::new(&pattern).map_err(|error| {
            ToolError::failed(format!("the pattern is not a regular expression: {error}"))
        })?;
        cx.blocking(move |workspace, stop| {
            let path = path.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
            let mut search = Search { workspace, stop, pattern, text: String::new(), found: 0, refused: 0 };
            if workspace.status(&path)?.kind == FileKind::Folder {
                search.folder(&path)?;
            } else {
                search.file(&path)?;
            }
            Ok(search.into_text())
        })
        .await
    }
}

struct Search<'a> {
    workspace: &'a Workspace,
    stop: &'a StopFlag,
    pattern: Regex,
    text: String,
    found: usize,
    refused: usize,
}

impl Search<'_> {
    fn folder(&mut self, path: &str) -> Result<(), ToolError> {
        for entry in self.workspace.list(path)? {
            if self.is_over() {
                break;
            }
            let inner = if path == "." { entry.name.clone() } else { format!("{path}/{}", entry.name) };
            // Skips entries that no longer exist, or that this user cannot read.
            match entry.kind {
                _ if !entry.readable => self.refused += 1,
                FileKind::Folder if entry.name != ".git" => drop(self.folder(&inner)),
                FileKind::File => drop(self.file(&inner)),
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &str) -> Result<(), ToolError> {
        let failed = |error| ToolError::io("read", path, &error);
        let opened = self.workspace.read(path)?;
        let mut file = BufReader::new(opened.file);
        if !is_text(&mut file).map_err(failed)? {
            return Ok(());
        }
        let (mut number, mut line, mut begins) = (1, Vec::new(), true);
        while !self.is_over() {
            line.clear();
            let length = file.by_ref().take(SEARCHED_BYTES).read_until(b'\n', &mut line).map_err(failed)?;
            if length == 0 {
                break;
            }
            let ends = line.ends_with(b"\n");
            let shown = line.strip_suffix(b"\n").unwrap_or(&line);
            let shown = shown.strip_suffix(b"\r").unwrap_or(shown);
            if self.pattern.is_match(shown) {
                self.found += 1;
                let mark = |is_cut| if is_cut { ELLIPSIS } else { "" };
                let goes_on = !ends && length as u64 == SEARCHED_BYTES;
                let shown = format!("{}{}{}", mark(!begins), String::from_utf8_lossy(shown), mark(goes_on));
                self.text.push_str(&format!("{}:{number}:{}\n", opened.path, beginning(&shown, SHOWN_BYTES)));
            }
            number += u64::from(ends);
            begins = ends;
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.found >= MAX_MATCHES || self.stop.is_set()
    }

    fn into_text(self) -> String {
        let found = match self.found {
            0 => "[nothing found]\n",
            MAX_MATCHES => "[... cut after 100 lines: search a subfolder, or use a narrower pattern ...]\n",
            _ => "",
        };
        let refused = match self.refused {
            0 => String::new(),
            1 => "[1 file was not searched: reading it is not allowed]\n".to_owned(),
            more => format!("[{more} files were not searched: reading them is not allowed]\n"),
        };
        self.text + found + &refused
    }
}
