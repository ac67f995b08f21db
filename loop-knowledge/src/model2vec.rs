//! An embedder with static vectors: a table of words in files on this machine.

use std::{
    fmt, fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use model2vec_rs::model::StaticModel;
use sha2::{Digest as _, Sha256};

use crate::{BoxError, Embedder, HashedEmbedder};

/// The beginning of the name of each of these embedders.
const PREFIX: &str = "model2vec:";

/// The files of a model, in the order of [`StaticModel::from_bytes`].
const FILES: [&str; 3] = ["tokenizer.json", "model.safetensors", "config.json"];

/// The reason why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Model2VecError {
    /// A file cannot be read.
    #[error("cannot read {}: a model of Model2Vec has the files tokenizer.json, model.safetensors and config.json", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The files are not those of a model.
    #[error("the files in {} are not a model of Model2Vec", folder.display())]
    Format {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        source: BoxError,
    },
    /// The tokenizer and the table of vectors belong to different models.
    #[error("tokenizer.json and model.safetensors are not of the same model")]
    Mismatch,
}

/// A model of [Model2Vec](https://github.com/MinishLab/model2vec) as an [`Embedder`]: it runs in this process, and needs
/// neither a server nor the network. Its vectors say what a text is about, less precisely than those of a large model.
///
/// Its name contains the digest of its files. So a store refuses other weights, and the files can move. Texts without
/// any word that the model knows have the vectors of [`HashedEmbedder`], folded to the length of the others.
#[derive(Clone)]
pub struct Model2VecEmbedder {
    model: StaticModel,
    name: String,
}

impl Model2VecEmbedder {
    /// Reads the model in a folder with the files `tokenizer.json`, `model.safetensors` and `config.json`.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, and if the files are not a model.
    pub fn load(folder: &Path) -> Result<Self, Model2VecError> {
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|source| Model2VecError::Read { path, source })
        };
        let [tokenizer, weights, config] = FILES.map(read);
        let (tokenizer, weights, config) = (tokenizer?, weights?, config?);
        let mut digest = Sha256::new();
        for file in [&tokenizer, &weights, &config] {
            digest.update((file.len() as u64).to_le_bytes());
            digest.update(file);
        }
        let digest: String = digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let model = StaticModel::from_bytes(tokenizer, weights, config, None)
            .map_err(|source| Model2VecError::Format { folder: folder.to_owned(), source: source.into() })?;
        Ok(Self { model, name: format!("{PREFIX}{digest}") })
    }

    /// Returns whether a name is that of one of these embedders.
    #[must_use]
    pub fn is_named(name: &str) -> bool {
        name.starts_with(PREFIX)
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, Model2VecError> {
        // The crate looks up words in the table without a check of its bounds.
        let mut values = catch_unwind(AssertUnwindSafe(|| self.model.encode_single(text)))
            .map_err(|_| Model2VecError::Mismatch)?;
        if values.iter().all(|value| *value == 0.0) {
            let length = values.len();
            for (at, value) in HashedEmbedder::vector(text).into_iter().enumerate() {
                values[at % length] += value;
            }
            // Hashed words can cancel out.
            if values.iter().all(|value| *value == 0.0) {
                values[0] = 1.0;
            }
        }
        Ok(values)
    }
}

impl fmt::Debug for Model2VecEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model2VecEmbedder").field("name", &self.name).finish_non_exhaustive()
    }
}

#[async_trait]
impl Embedder for Model2VecEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn length(&self) -> usize {
        self.model.dim()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::embed_all;

    /// The words of the model, with vectors of two values.
    const WORDS: [(&str, [f32; 2]); 4] =
        [("[UNK]", [0.0, 0.0]), ("bread", [1.0, 0.0]), ("loaf", [0.9, 0.1]), ("parser", [0.0, 1.0])];

    /// Writes a model that knows these words into a folder.
    fn write(folder: &Path, words: &[&str], vectors: &[[f32; 2]]) {
        let vocabulary: Map<_, _> =
            words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true,
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "post_processor": null, "decoder": null,
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocabulary,
            },
        });
        let bytes: Vec<_> = vectors.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let table = json!({ "dtype": "F32", "shape": [vectors.len(), 2], "data_offsets": [0, bytes.len()] });
        let header = json!({ "embeddings": table }).to_string();
        let weights = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
        fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
        fs::write(folder.join("model.safetensors"), weights).unwrap();
        fs::write(folder.join("config.json"), json!({ "normalize": true }).to_string()).unwrap();
    }

    fn model() -> (tempfile::TempDir, Model2VecEmbedder) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &WORDS.map(|(word, _)| word), &WORDS.map(|(_, vector)| vector));
        let embedder = Model2VecEmbedder::load(folder.path()).unwrap();
        (folder, embedder)
    }

    #[tokio::test]
    async fn words_of_a_similar_meaning_are_close() {
        let (_folder, embedder) = model();
        assert_eq!(embedder.length(), 2);
        let texts = ["A LOAF", "bread!", "the parser"];
        let vectors = embed_all(&embedder, &texts).await.unwrap();
        assert!(vectors[0].cosine(&vectors[1]) > 0.9);
        assert!(vectors[0].cosine(&vectors[2]) < 0.2);
    }

    #[tokio::test]
    async fn each_text_has_a_vector() {
        let (_folder, embedder) = model();
        let long = "bread ".repeat(5_000);
        let texts = ["", "-----", "ขนมปัง", "الخبز\u{200f}", "🍞", &long, "\0\u{feff}"];
        let vectors = embed_all(&embedder, &texts).await.unwrap();
        assert_eq!(vectors.len(), texts.len());
    }

    #[test]
    fn the_name_follows_the_files_and_not_their_place() {
        let (folder, embedder) = model();
        assert!(Model2VecEmbedder::is_named(embedder.name()) && embedder.name().len() == PREFIX.len() + 12);
        let moved = tempfile::tempdir().unwrap();
        for file in FILES {
            fs::copy(folder.path().join(file), moved.path().join(file)).unwrap();
        }
        assert_eq!(Model2VecEmbedder::load(moved.path()).unwrap().name(), embedder.name());
        write(moved.path(), &WORDS.map(|(word, _)| word), &[[1.0, 1.0]; WORDS.len()]);
        assert_ne!(Model2VecEmbedder::load(moved.path()).unwrap().name(), embedder.name());
    }

    #[tokio::test]
    async fn files_that_are_no_model_are_refused() {
        let (folder, _) = model();
        // The table has fewer rows than the tokenizer has words.
        write(folder.path(), &WORDS.map(|(word, _)| word), &[[1.0, 0.0]; 2]);
        let embedder = Model2VecEmbedder::load(folder.path()).unwrap();
        let error = embed_all(&embedder, &["parser"]).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("not of the same model"), "{cause}");
        for file in FILES {
            let (folder, _) = model();
            fs::write(folder.path().join(file), "{").unwrap();
            let error = Model2VecEmbedder::load(folder.path()).unwrap_err().to_string();
            assert!(error.contains("are not a model of Model2Vec"), "{error}");
            fs::remove_file(folder.path().join(file)).unwrap();
            let error = Model2VecEmbedder::load(folder.path()).unwrap_err().to_string();
            assert!(error.contains("cannot read") && error.contains(file), "{error}");
        }
    }
}
