use std::os::unix::fs::symlink;

use super::*;

#[tokio::test]
async fn unchanged_sources_are_left_alone_and_changed_ones_replaced() {
    let fixture = Fixture::new();
    fixture.write("a.md", "# Title\nfirst text");
    fixture.write("b/c.txt", "second text");
    let mut store = fixture.store(None);
    let report = fixture.ingest(&mut store, None, false).await.unwrap();
    assert_eq!((report.added, report.changed, report.unchanged, report.chunks), (2, 0, 0, 2));
    fixture.write("a.md", "# Title\nnew text");
    let report = fixture.ingest(&mut store, None, false).await.unwrap();
    assert_eq!((report.added, report.changed, report.unchanged, report.chunks), (0, 1, 1, 1));
    assert_eq!(contents(&mut store, "a.md"), ["# Title\nnew text"]);
    assert_eq!(contents(&mut store, "b/c.txt"), ["second text"]);
    check_index(&mut store);
}

#[tokio::test]
async fn files_are_passed_over_by_reason() {
    let fixture = Fixture::new();
    fixture.write("plain.txt", "text");
    fixture.write(".hidden", "text");
    fixture.write(".git/config", "text");
    fixture.write(".gitignore", "/built\n*.log\n");
    fixture.write("built/deep/out.txt", "text");
    fixture.write("x.log", "text");
    fixture.write("image", b"PNG\0\x01");
    fixture.write("latin", b"caf\xe9");
    fixture.write("late", [b"a".repeat(10_000), vec![0]].concat());
    fixture.write("key.pem", "text");
    fixture.write(&format!("{PLANTED}.txt"), "text");
    fixture.write("closed.txt", "unknowable");
    fixture.write("edge.txt", "a ".repeat(MOST_BYTES as usize / 2));
    // 100 MB that nobody reads: the file has no blocks.
    fs::File::create(fixture.root().join("large")).unwrap().set_len(100_000_000).unwrap();
    symlink("/etc/passwd", fixture.root().join("link")).unwrap();
    let mut store = fixture.store(None);
    let report = fixture.ingest(&mut store, None, false).await.unwrap();
    assert_eq!(report.added, 2);
    let root = fixture.root();
    let found: Vec<_> = report
        .skipped
        .iter()
        .map(|(path, reason)| (path.strip_prefix(&root).unwrap().to_str().unwrap(), *reason))
        .collect();
    let secret = format!("{PLANTED}.txt");
    let expected = [
        (".git", SkipReason::Hidden),
        (".gitignore", SkipReason::Hidden),
        (".hidden", SkipReason::Hidden),
        ("built", SkipReason::Ignored),
        ("closed.txt", SkipReason::Secret),
        ("image", SkipReason::Binary),
        ("key.pem", SkipReason::Secret),
        ("large", SkipReason::TooLarge),
        ("late", SkipReason::Binary),
        ("latin", SkipReason::Binary),
        ("link", SkipReason::NotRegular),
        (secret.as_str(), SkipReason::Secret),
        ("x.log", SkipReason::Ignored),
    ];
    assert_eq!(found, expected);
    assert_eq!(report.skipped_by_reason()[&SkipReason::Secret], 3);
}

#[tokio::test]
async fn a_named_file_may_be_hidden_but_not_secret() {
    let fixture = Fixture::new();
    let paths = [fixture.write(".hidden", "text"), fixture.write("key.pem", "text")];
    let mut store = fixture.store(None);
    let root = fixture.root();
    let ingest = request(&root, &paths);
    let report = store.ingest(ingest).await.unwrap();
    assert_eq!((report.added, report.skipped[&paths[1]]), (1, SkipReason::Secret));
    let missing = [fixture.root().join("missing")];
    let error = store.ingest(Ingest { paths: &missing, ..ingest }).await.unwrap_err();
    assert!(matches!(error, DocumentError::Path { .. }), "{error:?}");
}

#[tokio::test]
async fn no_planted_key_is_in_any_file_of_the_store() {
    let fixture = Fixture::new();
    fixture.write("a.txt", format!("before {PLANTED} after"));
    let embedder = Switched::default();
    let mut store = fixture.store(Some(&embedder));
    fixture.ingest(&mut store, Some(&embedder), false).await.unwrap();
    assert_eq!(contents(&mut store, "a.txt"), ["before [redacted] after"]);
    let mut count = 0;
    for entry in fs::read_dir(fixture.folder.stores()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(PLANTED.len()).any(|window| window == PLANTED.as_bytes()));
        count += 1;
    }
    assert_eq!(count, 3, "the database, its log and its shared memory");
}

#[tokio::test]
async fn prune_drops_what_is_gone_below_the_paths_only() {
    let fixture = Fixture::new();
    let gone = fixture.write("a/gone.txt", "one");
    fixture.write("a/stays.txt", "two");
    fixture.write("b/gone.txt", "three");
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    fs::remove_file(gone).unwrap();
    fs::remove_file(fixture.root().join("b/gone.txt")).unwrap();
    assert_eq!(fixture.ingest(&mut store, None, false).await.unwrap().dropped, 0);
    let (root, paths) = (fixture.root(), [fixture.root().join("a")]);
    let ingest = Ingest { prune: true, ..request(&root, &paths) };
    assert_eq!(store.ingest(ingest).await.unwrap().dropped, 1);
    assert_eq!(store.status().unwrap().sources, 2);
    // A file that became secret is dropped too.
    fixture.write("a/stays.txt", "unknowable");
    assert_eq!(store.ingest(ingest).await.unwrap().dropped, 1);
    check_index(&mut store);
}

#[tokio::test]
async fn a_named_path_that_is_gone_can_be_pruned() {
    let fixture = Fixture::new();
    let file = fixture.write("solo.md", "one");
    fixture.write("d/deep/a.txt", "two");
    fixture.write("stays.txt", "three");
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    fs::remove_file(&file).unwrap();
    fs::remove_dir_all(fixture.root().join("d")).unwrap();
    let root = fixture.root();
    let paths = [file, root.join("d/deep"), root.join("stays.txt")];
    let ingest = Ingest { prune: true, ..request(&root, &paths) };
    let misspelled = [root.join("solo.txt"), root.join("stays.txt")];
    for refused in [
        Ingest { prune: false, ..ingest },
        Ingest { paths: &misspelled, ..ingest },
        Ingest { paths: &[root.join("gone/../stays.txt")], ..ingest },
    ] {
        let error = store.ingest(refused).await.unwrap_err();
        assert!(matches!(error, DocumentError::Path { .. }), "{error:?}");
        assert_eq!(store.status().unwrap().sources, 3);
    }
    let report = store.ingest(ingest).await.unwrap();
    assert_eq!((report.dropped, report.unchanged), (2, 1));
    assert_eq!(contents(&mut store, "stays.txt"), ["three"]);
}

/// Nothing else would say that the lines of a hit do not exist any more.
#[tokio::test]
async fn a_source_that_is_passed_over_by_now_is_not_served() {
    let fixture = Fixture::new();
    let names = ["large.txt", "binary.txt", "secret.txt", "stays.txt"];
    let paths = names.map(|name| fixture.write(name, name));
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    fs::File::options().write(true).open(&paths[0]).unwrap().set_len(MOST_BYTES + 1).unwrap();
    fs::write(&paths[1], [0]).unwrap();
    fs::write(&paths[2], "unknowable").unwrap();
    assert_eq!(fixture.ingest(&mut store, None, false).await.unwrap().dropped, 3);
    let left: Vec<_> = names.iter().filter(|name| !contents(&mut store, name).is_empty()).collect();
    assert_eq!(left, [&"stays.txt"]);
    check_index(&mut store);
}

#[tokio::test]
async fn a_secret_in_capitals_is_no_word_of_the_index() {
    let fixture = Fixture::new();
    fixture.write("upper.txt", format!("word {} word", PLANTED.to_uppercase()));
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    assert!(store.query("word", QueryOptions::default(), None).await.unwrap().hits.len() == 1);
    store.database.erase_deleted(&["chunk_texts"]).unwrap();
    let bytes = fs::read(fixture.folder.stores().join("docs.db")).unwrap();
    let has = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
    assert!(has("[redacted]") || has("redact"), "the stem of the word");
    assert!(!has("planted"));
}

#[tokio::test]
async fn an_embedder_that_fails_in_the_middle_leaves_the_file_as_it_was() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "old text");
    let embedder = Switched::default();
    let mut store = fixture.store(Some(&embedder));
    fixture.ingest(&mut store, Some(&embedder), false).await.unwrap();
    fixture.write("a.txt", "new words in many chunks. ".repeat(2000));
    embedder.calls.store(0, Ordering::Relaxed);
    embedder.is_off.store(true, Ordering::Relaxed);
    let error = fixture.ingest(&mut store, Some(&embedder), false).await.unwrap_err();
    assert!(matches!(error, DocumentError::Embed(_)), "{error:?}");
    assert_eq!(embedder.calls.load(Ordering::Relaxed), 2, "the first call had vectors");
    assert_eq!(contents(&mut store, "a.txt"), ["old text"]);
    embedder.is_off.store(false, Ordering::Relaxed);
    assert_eq!(fixture.ingest(&mut store, Some(&embedder), false).await.unwrap().changed, 1);
    check_index(&mut store);
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_document() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "old text");
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    fixture.write("a.txt", "new words in many chunks. ".repeat(2000));
    let limit = |pages: i64| format!("PRAGMA max_page_count = {pages}");
    let pages = store.database.read(|read| read.query_row("PRAGMA page_count", [], |row| row.get(0)));
    store.database.connection().execute_batch(&limit(pages.unwrap())).unwrap();
    let error = fixture.ingest(&mut store, None, false).await.unwrap_err();
    assert!(matches!(error, DocumentError::Store(_)), "{error:?}");
    assert_eq!(contents(&mut store, "a.txt"), ["old text"]);
    check_index(&mut store);
    store.database.connection().execute_batch(&limit(1 << 20)).unwrap();
    assert_eq!(fixture.ingest(&mut store, None, false).await.unwrap().changed, 1);
}

#[tokio::test]
async fn a_store_belongs_to_one_embedder() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "text");
    let mut plain = fixture.store(None);
    let error = fixture.ingest(&mut plain, Some(&HashedEmbedder), false).await.unwrap_err().to_string();
    assert!(error.contains("has vectors of no embedder, not of `hashed` (length 512)"), "{error}");
    assert!(plain.query("text", QueryOptions::default(), Some(&HashedEmbedder)).await.is_err());
    let other = EmbedderId { name: "other".to_owned(), length: 3 };
    let mut other =
        DocumentStore::create(&fixture.folder, "other", Some(other), Timestamp::UNIX_EPOCH).unwrap();
    for embedder in [None, Some(&HashedEmbedder as &dyn Embedder)] {
        let error = fixture.ingest(&mut other, embedder, false).await.unwrap_err().to_string();
        assert!(error.contains("`other` (length 3)"), "{error}");
    }
    assert_eq!(other.status().unwrap().sources, 0);
}

#[test]
fn stores_are_created_listed_and_deleted_once() {
    let fixture = Fixture::new();
    assert_eq!(DocumentStore::names(&fixture.folder).unwrap(), Vec::<String>::new());
    drop(fixture.store(None));
    let create = |name| DocumentStore::create(&fixture.folder, name, None, Timestamp::UNIX_EPOCH);
    assert!(matches!(create("docs"), Err(DocumentError::Exists(_))));
    let long = "a".repeat(65);
    for name in ["", "a/b", "..", ".", "ä", &long] {
        assert!(matches!(create(name), Err(DocumentError::Name(_))), "{name}");
    }
    create("Api_2").unwrap();
    assert_eq!(DocumentStore::names(&fixture.folder).unwrap(), ["Api_2", "docs"]);
    DocumentStore::delete(&fixture.folder, "docs").unwrap();
    assert!(matches!(DocumentStore::delete(&fixture.folder, "docs"), Err(DocumentError::NoStore(_))));
    assert!(matches!(DocumentStore::open(&fixture.folder, "docs"), Err(DocumentError::NoStore(_))));
    assert_eq!(DocumentStore::names(&fixture.folder).unwrap(), ["Api_2"]);
}

/// Writes another text of a file into the store while the first one is embedded.
struct Overtaken<'a> {
    fixture: &'a Fixture,
    is_done: AtomicBool,
}

#[async_trait]
impl Embedder for Overtaken<'_> {
    fn name(&self) -> &str {
        HashedEmbedder::NAME
    }

    fn length(&self) -> usize {
        HashedEmbedder.length()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        if !self.is_done.swap(true, Ordering::Relaxed) {
            self.fixture.write("a.txt", "new text");
            let mut store = DocumentStore::open(&self.fixture.folder, "docs")?;
            self.fixture.ingest(&mut store, Some(&HashedEmbedder), false).await?;
        }
        HashedEmbedder.embed(texts).await
    }
}

#[tokio::test]
async fn an_old_text_does_not_replace_a_new_one_of_another_process() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "old text");
    let mut store = fixture.store(Some(&HashedEmbedder));
    let embedder = Overtaken { fixture: &fixture, is_done: AtomicBool::new(false) };
    let report = fixture.ingest(&mut store, Some(&embedder), false).await.unwrap();
    assert_eq!((report.added, report.changed, report.unchanged), (0, 0, 1));
    assert_eq!(contents(&mut store, "a.txt"), ["new text"]);
    check_index(&mut store);
}

#[tokio::test]
async fn two_ingests_at_once_leave_each_document_once() {
    let fixture = Fixture::new();
    for number in 0..20 {
        fixture.write(&format!("{number}.txt"), format!("text of file {number}. ").repeat(60));
    }
    drop(fixture.store(None));
    let counts = std::thread::scope(|scope| {
        let ingest = || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let mut store = DocumentStore::open(&fixture.folder, "docs").unwrap();
            let report = runtime.block_on(fixture.ingest(&mut store, None, false)).unwrap();
            (report.added, report.changed, report.unchanged)
        };
        let started = [scope.spawn(ingest), scope.spawn(ingest)];
        started.map(|thread| thread.join().unwrap())
    });
    assert_eq!(counts[0].0 + counts[1].0, 20, "{counts:?}");
    assert_eq!((counts[0].1 + counts[1].1, counts[0].2 + counts[1].2), (0, 20), "{counts:?}");
    let mut store = DocumentStore::open(&fixture.folder, "docs").unwrap();
    assert_eq!(store.status().unwrap().sources, 20);
    let text = "text of file 7. ".repeat(60);
    assert_eq!(contents(&mut store, "7.txt").len(), chunks(&text, CHUNK_CHARACTERS).len());
    check_index(&mut store);
}
