//! What a job is called by.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// A job's id: eight hexadecimal digits. Its jitter comes from it, so it should be random.
///
/// ```
/// use loop_schedule::JobId;
/// let id = JobId::from_bits(0xC0FFEE);
/// assert_eq!(id.to_string(), "00c0ffee");
/// assert_eq!("00C0FFEE".parse::<JobId>()?, id);
/// # Ok::<(), loop_schedule::JobIdError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(u32);

impl JobId {
    /// The id with these bits, which are best drawn at random.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Draws an id at random.
    pub fn random() -> Self {
        // The system draws the keys of the first state of a thread, and each further state has other ones.
        let [a, b, c, d, ..] = RandomState::new().hash_one(()).to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }

    /// Its bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for JobId {
    type Err = JobIdError;

    fn from_str(text: &str) -> Result<Self, JobIdError> {
        let is_hex = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u32::from_str_radix(text, 16).ok().filter(|_| is_hex);
        bits.map(Self).ok_or_else(|| JobIdError { text: text.to_owned() })
    }
}

impl TryFrom<String> for JobId {
    type Error = JobIdError;

    fn try_from(text: String) -> Result<Self, JobIdError> {
        text.parse()
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.to_string()
    }
}

/// Something is no job's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no job's id: an id has eight digits, 0 to 9 and a to f")]
pub struct JobIdError {
    /// What was given.
    pub text: String,
}
