//! Stores of the first format, whose index had the words as they were written.

use super::*;
use crate::store::{Database, Schema};

const FIRST: Schema = Schema { migrations: &[&[include_str!("../tables.sql")]], ..store::SCHEMA };

#[tokio::test]
async fn another_form_of_a_word_is_found() {
    let fixture = Fixture::new();
    fixture.write("a.txt", "the tests hung without a server");
    let mut store = fixture.store(None);
    fixture.ingest(&mut store, None, false).await.unwrap();
    for query in ["test", "testing", "SERVERS"] {
        let found = store.query(query, QueryOptions::default(), None).await.unwrap();
        assert_eq!(found.hits.len(), 1, "{query}");
    }
}

#[tokio::test]
async fn an_earlier_store_finds_other_forms_after_its_migration() {
    let fixture = Fixture::new();
    let path = fixture.folder.stores().join("docs.db");
    let mut first = Database::open(&path, &FIRST).unwrap();
    // The index has letters apart, and no word that was secret.
    let texts = [
        ("The tests hang: 全文", "the tests hang:  全  文 "),
        ("KEY and", "[redacted] and"),
        ("gone", "gone"),
    ];
    let written = first.write(|change| {
        change.execute("INSERT INTO store VALUES (1, NULL, 0, '2026-01-01T00:00:00Z')", [])?;
        change
            .execute("INSERT INTO sources VALUES (1, 'a.txt', x'00', 'text', '2026-01-01T00:00:00Z')", [])?;
        for (id, (content, indexed)) in (1_i64..).zip(texts) {
            change.execute("INSERT INTO chunks VALUES (?1, 1, ?2, 1, 1, NULL)", (id, content))?;
            change.execute("INSERT INTO chunk_texts (rowid, text) VALUES (?1, ?2)", (id, indexed))?;
        }
        change.execute("DELETE FROM chunks WHERE id = 3", [])
    });
    written.unwrap();
    drop(first);
    let mut store = DocumentStore::open(&fixture.folder, "docs").unwrap();
    for (query, expected) in [("test", Some(1)), ("文 全文", Some(1)), ("key", None), ("gone", None)] {
        let found = store.query(query, QueryOptions::default(), None).await.unwrap();
        assert_eq!(found.hits.first().map(|hit| hit.id), expected, "{query}");
    }
    check_index(&mut store);
    let setting = "SELECT v FROM chunk_texts_config WHERE k = 'hashsize'";
    let bytes = store.database.read(|read| read.query_row(setting, [], |row| row.get::<_, i64>(0)));
    assert_eq!(bytes.unwrap(), 8 << 20);
    let copy = fixture.folder.stores().join("docs.db.format-1");
    assert!(copy.exists());
    DocumentStore::delete(&fixture.folder, "docs").unwrap();
    assert!(!copy.exists());
}
