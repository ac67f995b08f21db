//! The checksum of a stored line of JSON, or of a small JSON file.
//!
//! If a bit flips, the text is often still JSON, so a folder, a number or a name would silently change. The last key of
//! a stored object, `crc`, is therefore the CRC-32 of all bytes before `,"crc"`, as eight hexadecimal digits. It
//! detects damage. It does not prevent forgery.

/// The end of a sealed object. The points are the digits.
const END: &[u8] = br#","crc":"........"}"#;

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
    format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()))
}

/// Returns whether the checksum of an object is correct. An object without a checksum, from an earlier version, counts
/// as correct.
///
/// An end that differs from a checksum in one sign is a damaged checksum. No key of an earlier version is so near to it.
pub fn fits(object: &[u8]) -> bool {
    let object = object.trim_ascii_end();
    let Some((body, end)) = object.split_last_chunk::<{ END.len() }>() else { return true };
    let signs = end.iter().zip(END).filter(|(_, sign)| **sign != b'.');
    match signs.filter(|(found, sign)| found != sign).count() {
        0 => end[8..16] == *format!("{:08x}", crc32fast::hash(body)).as_bytes(),
        1 => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_with_one_wrong_sign_does_not_fit() {
        let sealed = seal(r#"{"number":7}"#);
        assert!(fits(sealed.as_bytes()));
        let last = sealed.trim_end().len();
        for at in 0..last {
            let mut damaged = sealed.clone().into_bytes();
            damaged[at] = b'x';
            assert!(!fits(&damaged), "{}", String::from_utf8_lossy(&damaged));
        }
        for unsealed in ["", "{}", r#"{"number":7}"#, r#"{"id":1,"cwd":"/a/b/c/d"}"#] {
            assert!(fits(unsealed.as_bytes()), "{unsealed}");
        }
    }
}
