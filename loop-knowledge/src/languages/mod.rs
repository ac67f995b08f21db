//! The language of a file, and the headings and symbols that give its chunks their places.

mod detect;
mod markdown;

pub use self::detect::language;
use crate::documents::{CHUNK_CHARACTERS, Chunk, Region, chunks_of_regions};

/// Cuts a text into chunks: Markdown by headings, everything else as text.
pub(crate) fn chunks<'a>(text: &'a str, language: &str) -> Vec<Chunk<'a>> {
    let regions = match language {
        "markdown" => markdown::sections(text),
        _ => vec![Region { range: 0..text.len(), label: None, limit: CHUNK_CHARACTERS }],
    };
    chunks_of_regions(text, regions)
}
