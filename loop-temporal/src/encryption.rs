//! Encrypts what the server stores.

use std::collections::HashMap;

use futures::future::BoxFuture;
use loop_core::BoxError;
use prost::Message;
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};
use temporalio_common::{
    data_converters::{PayloadCodec, PayloadConversionError, SerializationContextData},
    protos::temporal::api::common::v1::Payload,
};

const ENCODING: &str = "encoding";

/// The encoding of an encrypted payload, as the samples of other SDKs name it.
const ENCRYPTED: &[u8] = b"binary/encrypted";

/// A key of 256 bits for all payloads. Everything that has to do with a run needs the same key: whoever submits it, and
/// the workers.
///
/// With a key, payloads without encryption are refused: a server that is not trusted must not make a worker run a manifest
/// of its own.
pub(crate) struct Encryption {
    key: Option<LessSafeKey>,
    random: SystemRandom,
}

impl Encryption {
    /// Reads a key of 64 hexadecimal digits. `None` encrypts nothing.
    ///
    /// # Errors
    /// The key has another form. The error does not contain it.
    pub(crate) fn new(key: Option<&str>) -> Result<Self, &'static str> {
        let key = key.map(|key| {
            let bytes =
                from_hex(key.trim()).ok_or("it has to be 64 hexadecimal digits: openssl rand -hex 32")?;
            let key =
                UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| "it has to be 64 hexadecimal digits")?;
            Ok::<_, &'static str>(LessSafeKey::new(key))
        });
        Ok(Self { key: key.transpose()?, random: SystemRandom::new() })
    }

    fn seal(&self, payload: Payload) -> Result<Payload, BoxError> {
        let Some(key) = &self.key else { return Ok(payload) };
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(|_| "this system has no random numbers")?;
        let mut sealed = payload.encode_to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(ENCRYPTED), &mut sealed)
            .map_err(|_| "the payload is too long to encrypt")?;
        let metadata = HashMap::from([(ENCODING.to_owned(), ENCRYPTED.to_vec())]);
        Ok(Payload { metadata, data: [&nonce, sealed.as_slice()].concat(), ..Payload::default() })
    }

    fn open(&self, mut payload: Payload) -> Result<Payload, BoxError> {
        let is_sealed = payload.metadata.get(ENCODING).is_some_and(|encoding| encoding == ENCRYPTED);
        let key = match (&self.key, is_sealed) {
            (None, false) => return Ok(payload),
            (Some(key), true) => key,
            (None, true) => {
                return Err("this is encrypted: set `encryption_key_env` in `[engine.temporal]`".into());
            }
            (Some(_), false) => {
                return Err(
                    "this is not encrypted, although `engine.temporal` has a key: it was written without \
                            `encryption_key_env`"
                        .into(),
                );
            }
        };
        let Some((nonce, sealed)) = payload.data.split_at_mut_checked(NONCE_LEN) else {
            return Err("an encrypted payload is cut".into());
        };
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| "an encrypted payload is cut")?;
        let opened = key
            .open_in_place(nonce, Aad::from(ENCRYPTED), sealed)
            .map_err(|_| "a payload was encrypted with another key, or changed")?;
        Ok(Payload::decode(&*opened)?)
    }
}

impl PayloadCodec for Encryption {
    fn encode(
        &self,
        _: &SerializationContextData,
        payloads: Vec<Payload>,
    ) -> BoxFuture<'static, Result<Vec<Payload>, PayloadConversionError>> {
        let sealed = payloads.into_iter().map(|payload| self.seal(payload)).collect::<Result<_, _>>();
        Box::pin(std::future::ready(sealed.map_err(PayloadConversionError::EncodingError)))
    }

    fn decode(
        &self,
        _: &SerializationContextData,
        payloads: Vec<Payload>,
    ) -> BoxFuture<'static, Result<Vec<Payload>, PayloadConversionError>> {
        let opened = payloads.into_iter().map(|payload| self.open(payload)).collect::<Result<_, _>>();
        Box::pin(std::future::ready(opened.map_err(PayloadConversionError::EncodingError)))
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<Vec<_>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().filter_map(|[high, low]| u8::try_from(high * 16 + low).ok()).collect();
    bytes.try_into().ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encryption(digit: &str) -> Encryption {
        Encryption::new(Some(&digit.repeat(64))).expect("a key")
    }

    fn payload() -> Payload {
        let metadata = HashMap::from([(ENCODING.to_owned(), b"json/plain".to_vec())]);
        Payload { metadata, data: b"\"a secret plan\"".to_vec(), ..Payload::default() }
    }

    #[test]
    fn only_the_same_key_reads_a_payload() {
        let sealed = encryption("a").seal(payload()).expect("a payload");
        assert!(!sealed.data.windows(6).any(|part| part == b"secret"));
        assert_eq!(encryption("A").open(sealed.clone()).expect("the payload"), payload());
        let error = encryption("b").open(sealed.clone()).expect_err("another key").to_string();
        assert_eq!(error, "a payload was encrypted with another key, or changed");
        let none = Encryption::new(None).expect("no key");
        assert!(none.open(sealed).expect_err("no key").to_string().contains("encryption_key_env"));
    }

    #[test]
    fn a_changed_or_plain_payload_is_refused() {
        let sealed = encryption("a").seal(payload()).expect("a payload");
        for place in 0..sealed.data.len() {
            let mut changed = sealed.clone();
            changed.data[place] ^= 1;
            encryption("a").open(changed).expect_err("a changed payload");
            let mut cut = sealed.clone();
            cut.data.truncate(place);
            encryption("a").open(cut).expect_err("a cut payload");
        }
        encryption("a").open(payload()).expect_err("a plain payload");
    }

    #[test]
    fn a_key_has_64_hexadecimal_digits() {
        for wrong in ["", "ab", &"a".repeat(63), &"a".repeat(66), &"g".repeat(64)] {
            assert!(Encryption::new(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
