//! Messages with the version of their format.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

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
/// // In any order, because some stores sort the keys.
/// let newer = r#"{"message":"dream","version":2}"#;
/// let error = serde_json::from_str::<Versioned<Action>>(newer).unwrap_err().to_string();
/// assert!(error.starts_with("the message has format version 2, and this program knows only version 1"), "{error}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Versioned<T> {
    /// [`FORMAT_VERSION`] of the writer. No other version can be read.
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

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Versioned<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_struct("Versioned", &["version", "message"], VersionedVisitor(PhantomData))
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Version,
    Message,
    #[serde(other)]
    Other,
}

/// A message that comes before its version, so that it may be one of another version.
#[derive(Deserialize)]
#[serde(untagged)]
enum Early<T> {
    Known(T),
    Unknown(IgnoredAny),
}

struct VersionedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for VersionedVisitor<T> {
    type Value = Versioned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message with its version")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let missing = |field| A::Error::missing_field(field);
        known_version(from.next_element()?.ok_or_else(|| missing("version"))?)?;
        Ok(Versioned::new(from.next_element()?.ok_or_else(|| missing("message"))?))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let (mut is_known, mut message) = (false, None);
        while let Some(key) = from.next_key()? {
            match key {
                Key::Message if message.is_some() => return Err(A::Error::duplicate_field("message")),
                Key::Version => {
                    known_version(from.next_value()?)?;
                    is_known = true;
                }
                Key::Message if is_known => message = Some(Early::Known(from.next_value()?)),
                Key::Message => message = Some(from.next_value()?),
                Key::Other => drop(from.next_value::<IgnoredAny>()?),
            }
        }
        match message {
            _ if !is_known => Err(A::Error::missing_field("version")),
            None => Err(A::Error::missing_field("message")),
            Some(Early::Known(message)) => Ok(Versioned::new(message)),
            Some(Early::Unknown(_)) => Err(A::Error::custom(
                "the message has a kind or a field that this program does not know: use the version of loop-core that \
                 wrote it, or a newer one",
            )),
        }
    }
}

fn known_version<E: Error>(version: u32) -> Result<(), E> {
    match version {
        FORMAT_VERSION => Ok(()),
        other => Err(E::custom(format_args!(
            "the message has format version {other}, and this program knows only version {FORMAT_VERSION}: use the \
             version of loop-core that wrote it, or a newer one"
        ))),
    }
}
