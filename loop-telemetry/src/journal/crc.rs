//! The checksum of a line: CRC-32 as in zlib, gzip and PNG, so that other programs can compute it.
//!
//! It finds damage, such as a flipped bit or a block of zeros. It does not keep a person from forging a line.

const POLYNOMIAL: u32 = 0xEDB8_8320;

/// So many bytes are taken at once.
const AT_ONCE: usize = 16;

/// The effect of each byte, by how many bytes come after it.
static TABLES: [[u32; 256]; AT_ONCE] = tables();

const fn tables() -> [[u32; 256]; AT_ONCE] {
    let mut tables = [[0; 256]; AT_ONCE];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut after = 1;
    while after < AT_ONCE {
        let mut byte = 0;
        while byte < 256 {
            let crc = tables[after - 1][byte];
            tables[after][byte] = (crc >> 8) ^ tables[0][(crc & 0xff) as usize];
            byte += 1;
        }
        after += 1;
    }
    tables
}

/// The checksum of these bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let (sixteens, rest) = bytes.as_chunks::<AT_ONCE>();
    let crc = sixteens.iter().fold(!0, add_sixteen);
    !rest.iter().fold(crc, |crc, byte| (crc >> 8) ^ TABLES[0][usize::from(crc as u8 ^ byte)])
}

fn add_sixteen(crc: u32, sixteen: &[u8; AT_ONCE]) -> u32 {
    let number = u128::from_le_bytes(*sixteen) ^ u128::from(crc);
    let bytes = number.to_le_bytes();
    // Sixteen look-ups that do not wait for each other.
    let mut sum = 0;
    for (place, byte) in bytes.into_iter().enumerate() {
        sum ^= TABLES[AT_ONCE - 1 - place][usize::from(byte)];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_one_that_others_compute() {
        // The check value of the CRC's definition.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"The quick brown fox jumps over the lazy dog"), 0x414F_A339);
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let line = br#"{"v":1,"seq":3,"time":"2026-01-31T09:30:00.000Z""#.to_vec();
        for bit in 0..line.len() * 8 {
            let mut damaged = line.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(crc32(&damaged), crc32(&line));
        }
    }
}
