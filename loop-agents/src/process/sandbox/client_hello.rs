//! The name of the server in the first message of TLS.

/// The name that a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AskedName {
    /// More bytes are needed.
    Unknown,
    /// These bytes are not TLS.
    NoTls,
    /// TLS without a name, or with a message that cannot be read.
    Unnamed,
    Named(String),
}

/// The most bytes of a first message. Those of programs have a few hundred, and a few thousand with new ciphers.
const MAX_HELLO: usize = 32 * 1024;

const HANDSHAKE_RECORD: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: usize = 0;

/// Reads the name from the first bytes that a client sends. The message may be split over several records.
pub(super) fn asked_name(bytes: &[u8]) -> AskedName {
    match bytes.first() {
        None => return AskedName::Unknown,
        Some(&HANDSHAKE_RECORD) => {}
        Some(_) => return AskedName::NoTls,
    }
    let (mut message, mut records) = (Vec::new(), Reader(bytes));
    while let Some(record) = records.record() {
        let Some(content) = record else { return AskedName::Unnamed };
        message.extend_from_slice(content);
    }
    let mut reader = Reader(&message);
    let kind = reader.number(1);
    let hello = reader.vector(3);
    match (kind, hello) {
        (Some(kind), _) if kind != usize::from(CLIENT_HELLO) => AskedName::Unnamed,
        (_, Some(hello)) => name_in(hello).map_or(AskedName::Unnamed, AskedName::Named),
        _ if bytes.len() > MAX_HELLO => AskedName::Unnamed,
        _ => AskedName::Unknown,
    }
}

/// Returns the only name in the message. One with several names can mean different servers to different readers.
fn name_in(hello: &[u8]) -> Option<String> {
    let mut reader = Reader(hello);
    // A version, and random bytes.
    reader.bytes(2 + 32)?;
    let (_session, _ciphers, _compression) = (reader.vector(1)?, reader.vector(2)?, reader.vector(1)?);
    let mut extensions = Reader(reader.vector(2)?);
    let mut found = None;
    while !extensions.0.is_empty() {
        let (kind, content) = (extensions.number(2)?, extensions.vector(2)?);
        if kind == SERVER_NAME && found.replace(content).is_some() {
            return None;
        }
    }
    let mut names = Reader(Reader(found?).vector(2)?);
    let (kind, name) = (names.number(1)?, names.vector(2)?);
    (kind == 0 && names.0.is_empty()).then(|| String::from_utf8(name.to_vec()).ok())?
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A number of this many bytes, the greatest first.
    fn number(&mut self, bytes: usize) -> Option<usize> {
        Some(self.bytes(bytes)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// Bytes after their number.
    fn vector(&mut self, size: usize) -> Option<&'a [u8]> {
        let count = self.number(size)?;
        self.bytes(count)
    }

    /// The content of the next whole record, `Some(None)` for a record of another kind, or `None` at the end.
    fn record(&mut self) -> Option<Option<&'a [u8]>> {
        let kind = *self.0.first()?;
        if kind != HANDSHAKE_RECORD {
            return Some(None);
        }
        let mut reader = Reader(self.0.get(3..)?);
        let content = reader.vector(2)?;
        self.0 = reader.0;
        Some(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(size: usize, content: &[u8]) -> Vec<u8> {
        let length = content.len().to_be_bytes();
        [&length[length.len() - size..], content].concat()
    }

    fn extension(kind: u8, content: &[u8]) -> Vec<u8> {
        [&[0, kind][..], &vector(2, content)].concat()
    }

    fn server_name(name: &str) -> Vec<u8> {
        extension(0, &vector(2, &[&[0][..], &vector(2, name.as_bytes())].concat()))
    }

    /// The message, in records of at most this many bytes.
    fn hello(extensions: &[u8], most: usize) -> Vec<u8> {
        let content =
            [&[3, 3][..], &[7; 32], &vector(1, &[]), &vector(2, &[0x13, 1]), &vector(1, &[0])].concat();
        let content = [content, vector(2, extensions)].concat();
        let message = [&[CLIENT_HELLO][..], &vector(3, &content)].concat();
        message
            .chunks(most)
            .flat_map(|part| [&[HANDSHAKE_RECORD, 3, 1][..], &vector(2, part)].concat())
            .collect()
    }

    #[test]
    fn the_name_is_found_however_the_message_is_split() {
        let extensions = [extension(43, &[1, 2]), server_name("api.example.org")].concat();
        for most in [1, 5, 1000] {
            let bytes = hello(&extensions, most);
            assert_eq!(asked_name(&bytes), AskedName::Named("api.example.org".to_owned()));
            for end in 0..bytes.len() {
                assert_eq!(asked_name(&bytes[..end]), AskedName::Unknown, "{end}");
            }
        }
    }

    #[test]
    fn a_message_without_one_clear_name_has_none() {
        let twice = [server_name("a.org"), server_name("b.org")].concat();
        for extensions in [Vec::new(), extension(43, &[1]), twice, extension(0, &[0])] {
            assert_eq!(asked_name(&hello(&extensions, 1000)), AskedName::Unnamed);
        }
        let mut other = hello(&server_name("a.org"), 1000);
        other[5] = 2;
        assert_eq!(asked_name(&other), AskedName::Unnamed);
        let mut mixed = hello(&server_name("a.org"), 20);
        mixed[25] = 23;
        assert_eq!(asked_name(&mixed), AskedName::Unnamed);
        let endless = [&[HANDSHAKE_RECORD, 3, 1][..], &vector(2, &[CLIENT_HELLO, 255, 255, 255])].concat();
        assert_eq!(asked_name(&endless), AskedName::Unknown);
        let long = [endless, [&[HANDSHAKE_RECORD, 3, 1][..], &vector(2, &[0; 60_000])].concat()].concat();
        assert_eq!(asked_name(&long), AskedName::Unnamed);
        assert_eq!(asked_name(b"GET / HTTP/1.1"), AskedName::NoTls);
    }
}
