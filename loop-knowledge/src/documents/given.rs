//! Texts that somebody else reads: those of addresses, and those of PDF files.

use std::path::Path;

use async_trait::async_trait;

use super::{Ingest, IngestReport, SkipReason};
use crate::BoxError;

/// A text from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteText {
    /// Its address, which contains `://`.
    pub address: String,
    /// The text.
    pub text: String,
}

/// Finds the text in a PDF: the programs of poppler, or a script in a test.
#[async_trait]
pub trait PdfText: Send + Sync {
    /// Returns the text of the pages, in order.
    ///
    /// # Errors
    ///
    /// Fails if the program is missing, is not allowed, or cannot read the file.
    async fn text(&self, file: &Path) -> Result<String, BoxError>;
}

const _: Option<&dyn PdfText> = None;

/// Returns whether the name of a file is that of a PDF.
fn is_pdf(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

/// Returns the text of a file that somebody else reads: of an address, or of a PDF.
pub(super) async fn given_text(
    path: &Path,
    ingest: &Ingest<'_>,
    report: &mut IngestReport,
) -> Option<Result<String, SkipReason>> {
    if let Some(remote) = ingest.texts.iter().find(|text| Path::new(&text.address) == path) {
        return Some(Ok(remote.text.clone()));
    }
    let reader = ingest.pdf.filter(|_| is_pdf(path))?;
    if ingest.secrets.is_secret(path) {
        return Some(Err(SkipReason::Secret));
    }
    Some(reader.text(path).await.map_err(|error| {
        report.pdf_failure.get_or_insert_with(|| format!("{}: {error}", path.display()));
        SkipReason::Pdf
    }))
}
