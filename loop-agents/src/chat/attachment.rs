//! Files that a message carries besides its text.

use std::{fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A file for the model to look at: a picture. Cloning is cheap. As JSON it is `{"media_type": "image/png", "base64":
/// "...", "name": "a.png"}`.
///
/// ```
/// use loop_agents::chat::Attachment;
/// let picture = Attachment::new("image/png", b"\x89PNG").named("a.png");
/// assert_eq!(picture.base64(), "iVBORw==");
/// assert_eq!(picture.bytes(), 4);
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attachment {
    /// The media type, such as `image/png`. Each vendor documents the types that its models accept.
    pub media_type: String,
    /// The file's name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    // Shared, because conversations are cloned and pictures are large.
    #[serde(
        default = "no_bytes",
        skip_serializing_if = "str::is_empty",
        serialize_with = "as_text",
        deserialize_with = "shared"
    )]
    base64: Arc<str>,
    /// The place of the bytes, if they are elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_as: Option<AttachmentReference>,
}

/// Names an attachment that was stored before, instead of repeating its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct AttachmentReference {
    number: usize,
    bytes: usize,
}

impl Attachment {
    /// Creates an attachment of this media type with these bytes.
    pub fn new(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let base64 = STANDARD.encode(bytes).into();
        Self { media_type: media_type.into(), name: None, base64, same_as: None }
    }

    /// Sets its name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns the same attachment without its bytes, to be stored where a list already contains it under this number.
    /// [`resolved`](Self::resolved) brings the bytes back.
    ///
    /// ```
    /// use loop_agents::chat::Attachment;
    /// let picture = Attachment::new("image/png", b"\x89PNG");
    /// let stored = picture.reference(0);
    /// assert_eq!((stored.base64(), stored.bytes()), ("", 4));
    /// assert_eq!(stored.resolved(&[picture.clone()]), picture);
    /// ```
    #[must_use]
    pub fn reference(&self, number: usize) -> Self {
        let same_as = Some(AttachmentReference { number, bytes: self.bytes() });
        let (media_type, name) = (self.media_type.clone(), self.name.clone());
        Self { media_type, name, base64: no_bytes(), same_as }
    }

    /// Returns the attachment with its bytes, if it is a [reference](Self::reference) to one of these. Otherwise returns
    /// it unchanged.
    #[must_use]
    pub fn resolved(self, stored: &[Self]) -> Self {
        match self.same_as.and_then(|same| stored.get(same.number)) {
            Some(whole) => Self { base64: Arc::clone(&whole.base64), same_as: None, ..self },
            None => self,
        }
    }

    /// Returns its bytes in base 64; empty for a [reference](Self::reference).
    pub fn base64(&self) -> &str {
        &self.base64
    }

    /// Returns how many bytes it has.
    pub fn bytes(&self) -> usize {
        self.same_as.map_or_else(|| self.base64.trim_end_matches('=').len() * 3 / 4, |same| same.bytes)
    }
}

fn no_bytes() -> Arc<str> {
    Arc::from("")
}

fn as_text<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(text)
}

fn shared<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(from).map(Arc::from)
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the data, which may be a megabyte of letters.
        f.debug_struct("Attachment")
            .field("media_type", &self.media_type)
            .field("name", &self.name)
            .field("bytes", &self.bytes())
            .finish()
    }
}
