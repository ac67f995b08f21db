//! Vectors of texts, and the seam to whatever computes them.

use async_trait::async_trait;

use crate::{BoxError, fts};

/// The most texts in one call of [`Embedder::embed`].
pub const BATCH: usize = 32;

/// Turns texts into vectors. Texts of similar meaning have vectors of a similar direction.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The name of the method or model. A store accepts vectors of one name only.
    fn name(&self) -> &str;

    /// The number of values of each vector.
    fn length(&self) -> usize;

    /// Returns one vector for each text, in order. The caller passes at most [`BATCH`] texts.
    ///
    /// # Errors
    ///
    /// Fails if there are no vectors, for example because the server is unavailable.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError>;
}

const _: Option<&dyn Embedder> = None;

/// The reason why texts have no vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The embedder failed.
    #[error("the embedder `{name}` failed (check that its server runs)")]
    Failed {
        /// The name of the embedder.
        name: String,
        /// Its error.
        source: BoxError,
    },
    /// The number of vectors differs from the number of texts.
    #[error("the embedder `{name}` returned {found} vectors for {expected} texts")]
    Count {
        /// The name of the embedder.
        name: String,
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
    /// A vector cannot be compared.
    #[error("the embedder `{name}` returned an unusable vector")]
    Vector {
        /// The name of the embedder.
        name: String,
        /// The reason.
        source: VectorError,
    },
}

/// The reason why values are not a vector that can be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// All values are 0, or there are none.
    #[error("the vector has length 0")]
    Zero,
    /// A value is not a number, or infinite.
    #[error("the vector has a value that is not finite")]
    NotFinite,
    /// The number of values is wrong.
    #[error("the vector has {found} values instead of {expected}")]
    Length {
        /// The number of values that the embedder promised.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// The bytes are not a stored vector.
    #[error("the bytes are not a vector")]
    Encoding,
}

/// A vector of length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// Scales the values to length 1.
    ///
    /// # Errors
    ///
    /// Fails if a value is not finite, and if all are 0.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Result<Self, VectorError> {
        let values: Vec<_> = values.into_iter().collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(VectorError::NotFinite);
        }
        // Squares of large values would overflow.
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if largest == 0.0 {
            return Err(VectorError::Zero);
        }
        let norm = values.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
        Ok(Self(values.iter().map(|value| (value / largest / norm) as f32).collect()))
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// Returns the values as 32-bit floats, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Reads what [`Vector::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not such a vector.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VectorError> {
        let (values, []) = bytes.as_chunks::<4>() else { return Err(VectorError::Encoding) };
        Self::new(values.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))))
    }

    /// Reads the form that Harvey stores: a 32-bit count, then 64-bit floats, all little-endian.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not such a vector.
    pub fn from_harvey(bytes: &[u8]) -> Result<Self, VectorError> {
        let (count, values) = bytes.split_first_chunk::<4>().ok_or(VectorError::Encoding)?;
        let (values, []) = values.as_chunks::<8>() else { return Err(VectorError::Encoding) };
        if u32::from_le_bytes(*count) as usize != values.len() {
            return Err(VectorError::Encoding);
        }
        Self::new(values.iter().map(|bytes| f64::from_le_bytes(*bytes)))
    }

    /// Returns the cosine of the angle to another vector, from -1 to 1, or 0 if the lengths differ.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.0.len() == other.0.len() { dot(&self.0, other.0.iter().copied()) } else { 0.0 }
    }

    /// [`Vector::cosine`] with a stored vector, without a copy of it.
    pub(crate) fn cosine_of_bytes(&self, bytes: &[u8]) -> f32 {
        match bytes.as_chunks::<4>() {
            (stored, []) if stored.len() == self.0.len() => {
                dot(&self.0, stored.iter().map(|bytes| f32::from_le_bytes(*bytes)))
            }
            _ => 0.0,
        }
    }
}

/// Four sums, so that the compiler can add several products at once.
fn dot(left: &[f32], right: impl Iterator<Item = f32>) -> f32 {
    let mut sums = [0.0_f32; 4];
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        sums[index % 4] += left * right;
    }
    sums.iter().sum()
}

/// Returns one vector for each text, in order. Calls the embedder with batches of [`BATCH`] texts.
///
/// # Errors
///
/// Fails if the embedder fails, and if it does not return one usable vector for each text.
pub async fn embed_all(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let name = || embedder.name().to_owned();
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let found =
            embedder.embed(batch).await.map_err(|source| EmbedError::Failed { name: name(), source })?;
        if found.len() != batch.len() {
            return Err(EmbedError::Count { name: name(), expected: batch.len(), found: found.len() });
        }
        for values in found {
            let vector = if values.len() == embedder.length() {
                Vector::new(values.into_iter().map(f64::from))
            } else {
                Err(VectorError::Length { expected: embedder.length(), found: values.len() })
            };
            vectors.push(vector.map_err(|source| EmbedError::Vector { name: name(), source })?);
        }
    }
    Ok(vectors)
}

/// An embedder without a model: it hashes lower-cased words and their character trigrams, with sign, into 512 places.
/// It finds texts that share words or parts of words, and knows nothing about their meaning.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashedEmbedder;

impl HashedEmbedder {
    /// Its name.
    pub const NAME: &str = "hashed";
    const LENGTH: usize = 512;

    pub(crate) fn vector(text: &str) -> Vec<f32> {
        let mut values = vec![0.0; Self::LENGTH];
        let lower = text.to_lowercase();
        for word in fts::runs(&lower) {
            add(&mut values, word, 1.0);
            let starts: Vec<_> = word.char_indices().map(|(index, _)| index).chain([word.len()]).collect();
            starts.windows(4).for_each(|ends| add(&mut values, &word[ends[0]..ends[3]], 0.5));
        }
        // A text without a word, such as a line of dashes, would have length 0. So would one whose words cancel out.
        if values.iter().all(|value| *value == 0.0) {
            add(&mut values, &lower, 1.0);
        }
        values
    }
}

fn add(values: &mut [f32], part: &str, weight: f32) {
    // FNV-1a: the stored vectors need a hash that is the same in each version.
    let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
    values[(hash % HashedEmbedder::LENGTH as u64) as usize] += sign * weight;
}

#[async_trait]
impl Embedder for HashedEmbedder {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn length(&self) -> usize {
        Self::LENGTH
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_vector_has_length_1_and_survives_its_encoding(values in prop::collection::vec(-1e300..1e300, 1..64)) {
            prop_assume!(values.iter().any(|value: &f64| *value != 0.0));
            let vector = Vector::new(values).unwrap();
            prop_assert!((vector.cosine(&vector) - 1.0).abs() < 1e-5);
            let read = Vector::from_bytes(&vector.to_bytes()).unwrap();
            prop_assert!((vector.cosine(&read) - 1.0).abs() < 1e-5);
            prop_assert!((vector.cosine_of_bytes(&read.to_bytes()) - 1.0).abs() < 1e-5);
        }

        #[test]
        fn each_text_has_a_hashed_vector(text in any::<String>()) {
            let values = HashedEmbedder::vector(&text);
            prop_assert!(Vector::new(values.into_iter().map(f64::from)).is_ok());
        }
    }

    #[test]
    fn values_without_a_direction_are_refused() {
        assert_eq!(Vector::new([]), Err(VectorError::Zero));
        assert_eq!(Vector::new([0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(Vector::new([1.0, f64::NAN]), Err(VectorError::NotFinite));
        assert_eq!(Vector::new([f64::INFINITY]), Err(VectorError::NotFinite));
        assert_eq!(Vector::from_bytes(&[1, 2, 3]), Err(VectorError::Encoding));
    }

    #[test]
    fn the_form_of_harvey_is_read() {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        bytes.extend([3.0_f64, 4.0].iter().flat_map(|value| value.to_le_bytes()));
        let vector = Vector::from_harvey(&bytes).unwrap();
        assert!((vector.values()[0] - 0.6).abs() < 1e-6);
        bytes[0] = 3;
        assert_eq!(Vector::from_harvey(&bytes), Err(VectorError::Encoding));
    }

    #[tokio::test]
    async fn texts_that_share_words_are_closer() {
        let texts = ["The parser drops comments.", "comments dropped by the Parser", "Bake bread at noon"];
        let vectors = embed_all(&HashedEmbedder, &texts).await.unwrap();
        assert!(vectors[0].cosine(&vectors[1]) > 0.5);
        assert!(vectors[0].cosine(&vectors[2]) < 0.3);
    }

    struct Broken(Vec<Vec<f32>>);

    #[async_trait]
    impl Embedder for Broken {
        fn name(&self) -> &str {
            "broken"
        }

        fn length(&self) -> usize {
            2
        }

        async fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
            Ok(self.0.clone())
        }
    }

    #[tokio::test]
    async fn wrong_numbers_of_vectors_and_of_values_are_refused() {
        for (vectors, part) in [(vec![], "0 vectors for 1"), (vec![vec![1.0]], "unusable vector")] {
            let error = embed_all(&Broken(vectors), &["text"]).await.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
