//! The checksum at the end of a file of jobs.
//!
//! A prompt with a flipped bit is still JSON, and would fire as another prompt. So the last key of the file, `crc`, is
//! the CRC-32 of all bytes before `,"crc"`, as eight hexadecimal digits. A file without it is still read: earlier
//! versions wrote none, and drop it when they write the file again.

/// The key in its serialised form.
const KEY: &str = r#","crc":""#;

/// The length of `,"crc":"1a2b3c4d"}`.
const LENGTH: usize = KEY.len() + 8 + 2;

/// Adds the checksum to the text of a JSON object that has at least one key.
pub(super) fn seal(object: &str) -> String {
    let body = object.trim_end();
    let body = body.strip_suffix('}').unwrap_or(body).trim_end();
    format!("{body}{KEY}{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
}

/// Returns whether the checksum matches. A file that does not end with one has none to match.
pub(super) fn fits(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_end();
    let (body, end) = bytes.split_at(bytes.len().saturating_sub(LENGTH));
    let digits = end.strip_prefix(KEY.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    digits.is_none_or(|digits| digits == format!("{:08x}", crc32fast::hash(body)).as_bytes())
}
