//! The id of a job.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// A job's id: eight hexadecimal digits. The job's jitter depends on it, so it should be random.
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
    /// Creates an id with these bits, which should be random.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Draws an id at random.
    pub fn random() -> Self {
        // The system draws random keys for a thread's first state, and each further state gets different ones.
        let [a, b, c, d, ..] = RandomState::new().hash_one(()).to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }

    /// Returns the bits.
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

/// A text that is not a job's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the id of a job: an id has eight digits, 0 to 9 and a to f")]
pub struct JobIdError {
    /// The text as given.
    pub text: String,
}
