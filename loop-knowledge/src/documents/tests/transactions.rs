//! How often an ingest writes.

use std::sync::Arc;

use super::*;

/// Returns how often an ingest of these many files commits.
async fn commits(files: usize) -> usize {
    let fixture = Fixture::new();
    for number in 0..files {
        fixture.write(&format!("{number}.txt"), "word ".repeat(100));
    }
    let mut store = fixture.store(None);
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&commits);
    let hook = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        false
    };
    store.database.connection().commit_hook(Some(hook)).unwrap();
    let report = fixture.ingest(&mut store, None, false).await.unwrap();
    assert_eq!(report.added as usize, files);
    check_index(&mut store);
    commits.load(Ordering::Relaxed)
}

#[tokio::test]
async fn many_small_files_are_written_in_one_transaction() {
    assert_eq!(commits(600).await, commits(1).await);
}

/// Statements that make FTS5 write its parts early leave one part for each document.
#[tokio::test]
async fn the_documents_of_a_transaction_share_one_part_of_the_index() {
    let fixture = Fixture::new();
    for number in 0..200 {
        fixture.write(&format!("{number}.txt"), format!("word{number}"));
    }
    let mut store = fixture.store(None);
    let parts = |store: &mut DocumentStore| {
        let count = "SELECT count(DISTINCT segid) FROM chunk_texts_idx";
        store.database.read(|read| read.query_row(count, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    fixture.ingest(&mut store, None, false).await.unwrap();
    assert_eq!(parts(&mut store), 1);
    let rows = "SELECT max(segid) FROM chunk_texts_idx";
    let last = store.database.read(|read| read.query_row(rows, [], |row| row.get::<_, i64>(0))).unwrap();
    assert_eq!(last, 1, "no part was merged into another");
}
