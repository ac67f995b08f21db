//! Messages with the version of their format.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// The version of the format in which [`Action`](crate::Action), [`Input`](crate::Input), [`Event`](crate::Event),
/// [`Progress`](crate::Progress) and [`Snapshot`](crate::Snapshot) are serialized.
///
/// It grows only if an older version of this crate would misread a message. New kinds and fields alone do not change it:
/// a reader that does not know a kind refuses it.
pub const FORMAT_VERSION: u32 = 1;

/// A message with the version of its format, for a store or a worker that may have another version of this crate.
///
/// ```
/// use loop_core::{Action, Versioned};
/// let json = serde_json::to_string(&Versioned::new(Action::Evaluate))?;
/// assert_eq!(json, r#"{"version":1,"message":"evaluate"}"#);
/// assert_eq!(serde_json::from_str::<Versioned<Action>>(&json)?.message, Action::Evaluate);
///
/// let newer = r#"{"version":2,"message":"dream"}"#;
/// let error = serde_json::from_str::<Versioned<Action>>(newer).unwrap_err().to_string();
/// assert!(error.starts_with("the message has format version 2, and this program knows only version 1"), "{error}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Versioned<T> {
    /// [`FORMAT_VERSION`] of the writer. No other version can be read.
    #[serde(deserialize_with = "known_version")]
    pub version: u32,
    /// The message.
    pub message: T,
}

impl<T> Versioned<T> {
    /// Adds the present version to a message.
    pub const fn new(message: T) -> Self {
        Self { version: FORMAT_VERSION, message }
    }
}

fn known_version<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    match u32::deserialize(from)? {
        FORMAT_VERSION => Ok(FORMAT_VERSION),
        other => Err(D::Error::custom(format_args!(
            "the message has format version {other}, and this program knows only version {FORMAT_VERSION}: use the \
             version of loop-core that wrote it, or a newer one"
        ))),
    }
}
