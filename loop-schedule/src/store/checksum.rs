//! The checksum at the end of a file of jobs.
//!
//! A prompt with a flipped bit is still JSON, and would fire as another prompt. So the last key of the file, `crc`, is
//! the CRC-32 of all bytes before `,"crc"`, as eight hexadecimal digits. A file without it is still read: earlier
//! versions wrote none, and drop it when they write the file again.

/// The end of a sealed object. The points are the digits.
const END: &[u8] = br#","crc":"........"}"#;

/// Adds the checksum to the text of a JSON object that has at least one key.
pub(super) fn seal(object: &str) -> String {
    let body = object.trim_end();
    let body = body.strip_suffix('}').unwrap_or(body).trim_end();
    format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
}

/// Returns whether the checksum matches. A file that does not end with one has none to match.
///
/// An end that differs from a checksum in one sign is a damaged checksum. No key of an earlier version is so near to it.
pub(super) fn fits(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_end();
    let Some((body, end)) = bytes.split_last_chunk::<{ END.len() }>() else { return true };
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
