use super::*;

async fn filled(fixture: &Fixture, embedder: Option<&dyn Embedder>) -> DocumentStore {
    fixture.write("parser.md", "# Parser\nThe parser drops comments between two tokens.");
    fixture.write("bread.md", "# Bread\nBake the bread for forty minutes.\n\n## Flour\nUse rye.");
    fixture.write("code.rs", "fn tokenise() {}\n");
    let mut store = fixture.store(embedder);
    fixture.ingest(&mut store, embedder, false).await.unwrap();
    store
}

#[tokio::test]
async fn a_query_finds_the_chunk_with_its_lines_and_heading() {
    let fixture = Fixture::new();
    let mut store = filled(&fixture, Some(&HashedEmbedder)).await;
    let found =
        store.query("parser comments tokens", QueryOptions::default(), Some(&HashedEmbedder)).await.unwrap();
    assert!(!found.is_lexical);
    let hit = &found.hits[0];
    assert_eq!((hit.source.as_str(), hit.first_line, hit.last_line), ("parser.md", 1, 2));
    assert_eq!(hit.label.as_deref(), Some("Parser"));
    assert!(found.hits.iter().all(|hit| hit.score >= MIN_SCORE), "{found:?}");
    let nothing = store.query("zebra", QueryOptions::default(), Some(&HashedEmbedder)).await.unwrap();
    assert!(nothing.hits.is_empty(), "{nothing:?}");
}

#[tokio::test]
async fn without_an_embedder_words_alone_count_and_there_is_no_threshold() {
    let fixture = Fixture::new();
    let mut store = filled(&fixture, Some(&HashedEmbedder)).await;
    let found = store.query("rye?", QueryOptions::default(), None).await.unwrap();
    assert!(found.is_lexical && found.failure.is_none());
    assert_eq!(found.hits[0].source, "bread.md");
    assert_eq!(found.hits[0].label.as_deref(), Some("Flour"));
    assert!((0.0..1.0).contains(&found.hits[0].score));
    let by_heading = store.query("flour", QueryOptions::default(), None).await.unwrap();
    assert_eq!(by_heading.hits[0].content, "## Flour\nUse rye.");
    assert!(store.query("?!", QueryOptions::default(), None).await.unwrap().hits.is_empty());
}

#[tokio::test]
async fn an_embedder_that_fails_reduces_the_query_to_words() {
    let fixture = Fixture::new();
    let embedder = Switched::default();
    let mut store = filled(&fixture, Some(&embedder)).await;
    embedder.is_off.store(true, Ordering::Relaxed);
    let found = store.query("rye", QueryOptions::default(), Some(&embedder)).await.unwrap();
    assert!(found.is_lexical && found.failure.is_some());
    assert_eq!(found.hits.len(), 1);
}

/// Gives each text a vector by its last character, which is no word.
struct Stated;

#[async_trait]
impl Embedder for Stated {
    fn name(&self) -> &str {
        "stated"
    }

    fn length(&self) -> usize {
        2
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        let vector = |text: &&str| match text.chars().last() {
            Some('^') => vec![0.0, 1.0],
            Some('/') => vec![0.9, 0.1],
            _ => vec![1.0, 0.0],
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[tokio::test]
async fn ranks_of_both_lists_are_added_and_the_threshold_is_the_cosine() {
    let fixture = Fixture::new();
    // In order of ids: best by words but below the threshold; second by cosine; both lists; equal to the second.
    for (name, text) in [("1.txt", "alpha ^"), ("2.txt", "beta >"), ("3.txt", "alpha /"), ("4.txt", "beta >")]
    {
        fixture.write(name, text);
    }
    let mut store = fixture.store(Some(&Stated));
    fixture.ingest(&mut store, Some(&Stated), false).await.unwrap();
    let found = store.query("alpha >", QueryOptions::default(), Some(&Stated)).await.unwrap();
    let order: Vec<_> = found.hits.iter().map(|hit| hit.source.as_str()).collect();
    assert_eq!(order, ["3.txt", "2.txt", "4.txt"], "{found:?}");
    let options = QueryOptions { top_k: 2, min_score: -1.0 };
    let all = store.query("alpha >", options, Some(&Stated)).await.unwrap();
    assert_eq!(all.hits.len(), 2);
}

#[tokio::test]
async fn texts_in_other_scripts_are_found() {
    let fixture = Fixture::new();
    for (name, text) in [
        ("ja.txt", "東京都の天気は晴れです"),
        ("ru.txt", "Привет, мир"),
        ("ar.txt", "مرحبا بالعالم"),
        ("hi.txt", "नमस्ते दुनिया"),
        ("de.txt", "Größe und Straße"),
    ] {
        fixture.write(name, text);
    }
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    for (query, source) in [
        ("天気", "ja.txt"),
        ("ПРИВЕТ", "ru.txt"),
        ("بالعالم", "ar.txt"),
        ("दुनिया", "hi.txt"),
        ("grosse GRÖSSE größe", "de.txt"),
    ] {
        let found = store.query(query, QueryOptions::default(), None).await.unwrap();
        assert_eq!(found.hits.first().map(|hit| hit.source.as_str()), Some(source), "{query}");
    }
}
