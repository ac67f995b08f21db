//! `mined.json`: which texts were mined, so that nothing is mined twice.

use std::{collections::BTreeMap, io::ErrorKind};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{super::folder, Memories, MemoryError, MiningText};
use crate::{Error, regular_file};

/// The name of the file below `memories/`.
const NAME: &str = "mined.json";

/// The most bytes of the file.
const MOST_BYTES: u64 = 16 << 20;

/// A text that was mined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinedText {
    /// The digest of its source at that time.
    pub digest: String,
    /// When it was mined.
    pub mined: Timestamp,
    /// The number of proposals that were kept; may be 0.
    pub proposals: usize,
}

impl Memories<'_> {
    /// Returns the texts that were mined, by their names.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read. A file that is not of this form counts as missing: texts are then mined again,
    /// and memories that they repeat are dropped.
    pub fn mined_texts(&self) -> Result<BTreeMap<String, MinedText>, MemoryError> {
        let path = self.root.join(NAME);
        match regular_file::read(&path, MOST_BYTES) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(Error::file(path)(error).into()),
        }
    }

    pub(super) fn note_mined(
        &self,
        text: &MiningText,
        proposals: usize,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let _lock = folder::lock(&self.root)?;
        let mut mined = self.mined_texts()?;
        mined.insert(text.key.clone(), MinedText { digest: text.digest.clone(), mined: now, proposals });
        let json = serde_json::to_string_pretty(&mined);
        // Strings, numbers and times always have a JSON text.
        Ok(folder::write(&self.root.join(NAME), &json.unwrap_or_default())?)
    }
}
