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
    #[serde(serialize_with = "as_text", deserialize_with = "shared")]
    base64: Arc<str>,
}

impl Attachment {
    /// Creates an attachment of this media type with these bytes.
    pub fn new(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self { media_type: media_type.into(), name: None, base64: STANDARD.encode(bytes).into() }
    }

    /// Sets its name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns its bytes in base 64.
    pub fn base64(&self) -> &str {
        &self.base64
    }

    /// Returns how many bytes it has.
    pub fn bytes(&self) -> usize {
        self.base64.trim_end_matches('=').len() * 3 / 4
    }
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
