//! The language of a file, and the headings and symbols that give its chunks their places.

mod declarations;
mod detect;
#[cfg(feature = "grammars")]
mod grammars;
mod markdown;
mod pdf;
mod symbols;

pub use self::{
    detect::language,
    symbols::{Symbol, symbols},
};
use crate::documents::{Chunk, chunks_of_regions};

/// Cuts a text into chunks: Markdown by headings, a PDF by sections and references, programs by symbols, everything else as text.
pub(crate) fn chunks<'a>(text: &'a str, language: &str) -> Vec<Chunk<'a>> {
    let regions = match language {
        "markdown" => markdown::sections(text),
        "pdf" => pdf::sections(text),
        _ => symbols::regions(text, language),
    };
    chunks_of_regions(text, regions)
}
