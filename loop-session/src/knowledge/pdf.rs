//! The text of PDF files, by the programs of poppler.

use std::path::Path;

use async_trait::async_trait;
use loop_agents::tools::{ToolOutcome, Toolbox};
use loop_knowledge::{
    BoxError,
    documents::{MOST_BYTES, PdfText},
};
use serde_json::json;

use crate::pdf_pages::{advised, first_and_last, page_count};

/// The notice of a result that is longer than a tool returns.
const CUT: &str = "bytes left out";

/// Runs the programs with the tools of a workspace, and so under its policy.
#[derive(Debug)]
pub(super) struct PdfPrograms(pub(super) Toolbox);

#[async_trait]
impl PdfText for PdfPrograms {
    async fn text(&self, file: &Path) -> Result<String, BoxError> {
        let name = file.to_str().ok_or("its name is not UTF-8")?;
        let file = shlex::try_quote(name)?;
        let info = self.run(&format!("pdfinfo {file}")).await?;
        let count = page_count(&info).ok_or("pdfinfo names no pages")?;
        let mut ranges = first_and_last(&[1..=count], count);
        ranges.reverse();
        let mut text = String::new();
        while let Some((first, last)) = ranges.pop() {
            let pages = self.run(&format!("pdftotext -f {first} -l {last} {file} -")).await?;
            if pages.contains(CUT) && first < last {
                let middle = first.midpoint(last);
                ranges.extend([(middle + 1, last), (first, middle)]);
                continue;
            }
            text.push_str(&pages);
            // Then the store refuses the text, and the rest does not matter.
            if text.len() as u64 > MOST_BYTES {
                break;
            }
        }
        Ok(text)
    }
}

impl PdfPrograms {
    /// Runs a program, and returns its output.
    async fn run(&self, line: &str) -> Result<String, BoxError> {
        let report = self.0.call("run_command", &json!({ "command": line })).await;
        let output = report.text.strip_suffix("(exit 0)").filter(|_| report.outcome == ToolOutcome::Done);
        output.map(str::to_owned).ok_or_else(|| advised(report.text.clone()).into())
    }
}
