//! The binary form of records: little-endian numbers, and byte strings after their length.

use crate::digest::Digest;

pub(crate) fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

pub(crate) fn put_i64(out: &mut Vec<u8>, number: i64) {
    out.extend(number.to_le_bytes());
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    // Names, targets of links and paths: the system limits them to a few kilobytes.
    put_u32(out, u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    out.extend(bytes);
}

/// Reads what the functions above wrote. Each method returns `None` past the end.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    pub(crate) fn digest(&mut self) -> Option<Digest> {
        self.array().map(Digest)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Appends the checksum of what is in `out`.
pub(crate) fn seal(mut out: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&out);
    put_u32(&mut out, sum);
    out
}

/// Returns what [`seal`] got, or `None` if a byte of it changed.
pub(crate) fn unseal(sealed: &[u8]) -> Option<&[u8]> {
    let (content, sum) = sealed.split_at_checked(sealed.len().checked_sub(4)?)?;
    (crc32fast::hash(content).to_le_bytes() == sum).then_some(content)
}
