//! The checksum of a stored line, or of a small file, of JSON.
//!
//! A flipped bit in a text is still JSON: a folder, a number or a name would silently become another. So the last key of
//! an object that is stored, `crc`, is the CRC-32 of all bytes before `,"crc"`, as eight hexadecimal digits. It finds
//! damage. It does not keep anybody from forging the object.

/// The key, as it is written.
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

/// Returns whether the checksum of an object fits. An object without one, which an earlier version wrote, has none that
/// could not fit.
pub fn fits(object: &[u8]) -> bool {
    let object = object.trim_ascii_end();
    let (body, end) = object.split_at(object.len().saturating_sub(LENGTH));
    let digits = end.strip_prefix(KEY.as_bytes()).and_then(|rest| rest.strip_suffix(b"\"}"));
    digits.is_none_or(|digits| digits == format!("{:08x}", crc32fast::hash(body)).as_bytes())
}
