//! The content of an address.

use std::fmt;

use super::{RemoteError, html};

/// How many bytes decide whether a content is text.
const SNIFFED_BYTES: usize = 8 << 10;

/// The most bytes of an address for a conversation: 63 KiB, so that a notice fits into 64 KiB with it.
const ROOM: usize = 63 << 10;

/// The most bytes of HTML that are read for a conversation. Most of a page is not text.
const HTML_BYTES: u64 = 8 << 20;

/// The answer of a server.
#[derive(Clone)]
#[non_exhaustive]
pub struct RemoteContent {
    /// The address after all redirects, without its query.
    pub address: String,
    /// The media type without parameters, in lower case; empty if the server names none.
    pub media_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the server has more bytes, which were not read.
    pub is_cut: bool,
}

/// The text of an address, cut for a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationText {
    /// The text, of at most 64 KiB, with notices about missing parts.
    pub text: String,
    /// These notices, for a person.
    pub notes: Vec<String>,
}

impl RemoteContent {
    /// The most bytes that are read for a conversation.
    pub const CONVERSATION_BYTES: u64 = HTML_BYTES;

    fn is_html(&self) -> bool {
        matches!(self.media_type.as_str(), "text/html" | "application/xhtml+xml")
    }

    /// Returns the text. HTML becomes plain text. Bytes that are not UTF-8 appear as U+FFFD.
    ///
    /// # Errors
    /// [`RemoteError::NotText`] if there is a NUL byte at the beginning.
    pub fn text(&self) -> Result<String, RemoteError> {
        if self.bytes[..self.bytes.len().min(SNIFFED_BYTES)].contains(&0) {
            let media_type = match self.media_type.as_str() {
                "" => "data of an unknown kind",
                media_type => media_type,
            };
            let (address, media_type) = (self.address.clone(), media_type.to_owned());
            return Err(RemoteError::NotText { address, media_type });
        }
        let text = String::from_utf8_lossy(&self.bytes);
        Ok(if self.is_html() { html::text(&text) } else { text.into_owned() })
    }

    /// Returns the text as far as it fits into a conversation.
    ///
    /// # Errors
    /// As for [`text`](Self::text).
    pub fn conversation_text(&self) -> Result<ConversationText, RemoteError> {
        let (mut text, mut notes) = (self.text()?, Vec::new());
        let whole = text.len();
        if whole > ROOM {
            text.truncate(text.floor_char_boundary(ROOM));
        }
        match (whole > ROOM, self.is_cut) {
            (true, false) => notes.push(format!("cut after {} of {whole} bytes", text.len())),
            (true, true) | (false, true) => notes.push(format!("cut after {} bytes", text.len())),
            (false, false) => {}
        }
        for note in &notes {
            text.push_str(&format!("\n[... {note} ...]"));
        }
        Ok(ConversationText { text, notes })
    }
}

impl fmt::Debug for RemoteContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteContent")
            .field("address", &self.address)
            .field("media_type", &self.media_type)
            .field("bytes", &self.bytes.len())
            .field("is_cut", &self.is_cut)
            .finish()
    }
}
