//! The checksum of a stored line of JSON, or of a small JSON file.
//!
//! If a bit flips, the text is often still JSON, so a folder, a number or a name would silently change. The last key of
//! a stored object, `crc`, is therefore the CRC-32 of all bytes before `,"crc"`, as eight hexadecimal digits. It
//! detects damage. It does not prevent forgery.

/// The key as written.
const KEY: &str = r#","crc":""#;

/// The length of `,"crc":"1a2b3c4d"}`.
const LENGTH: usize = KEY.len() + 8 + 2;

/// Adds the checksum to the text of a JSON object that has at least one key.
///
/// ```
/// use loop_telemetry::checksum;
/// let line = checksum::seal(r#"{"number":7}"#);
/// assert_eq!(line, r#"{"number":7,"crc":"145988d2"}"#);
/// assert!(checksum::fits(line.as_bytes()));
/// assert!(!checksum::fits(line.replace('7', "6").as_bytes()));
/// ```
pub fn seal(object: &str) -> String {
    let body = object.trim_end();
    let body = body.strip_suffix('}').unwrap_or(body).trim_end();
    format!("{body}{KEY}{:08x}\"}}", crc32fast::hash(body.as_bytes()))
}

/// Returns whether the checksum of an object is correct. An object without a checksum, from an earlier version, counts
/// as correct.
pub fn fits(object: &[u8]) -> bool {
    let object = object.trim_ascii_end();
    let (body, end) = object.split_at(object.len().saturating_sub(LENGTH));
    let digits = end.strip_prefix(KEY.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    digits.is_none_or(|digits| digits == format!("{:08x}", crc32fast::hash(body)).as_bytes())
}
