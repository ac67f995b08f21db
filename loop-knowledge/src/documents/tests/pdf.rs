//! PDF files, and the identifiers that are tags of chunks.

use super::*;

const PAPER: &str = "On Rye\n\nAbstract\nRye needs water.\n\nReferences\n\
                     [1] Baker. Rye bread. https://doi.org/10.1000/182, ISSN 0378-5955.\n\
                     [2] Miller. Flour. doi:10.1000/183\n";

/// Finds one text in every PDF, or none.
struct Scripted(Option<&'static str>);

#[async_trait]
impl PdfText for Scripted {
    async fn text(&self, file: &Path) -> Result<String, BoxError> {
        assert!(file.ends_with("paper.PDF"), "{}", file.display());
        self.0.map(str::to_owned).ok_or_else(|| "poppler is missing".into())
    }
}

async fn ingest(fixture: &Fixture, store: &mut DocumentStore, pdf: Option<&dyn PdfText>) -> IngestReport {
    let root = fixture.root();
    let (paths, embedder) = ([root.clone()], None);
    let ingest = Ingest { pdf, embedder, ..request(&root, &paths) };
    store.ingest(ingest).await.unwrap()
}

#[tokio::test]
async fn a_pdf_is_in_chunks_by_section_and_each_reference_has_its_tags() {
    let fixture = Fixture::new();
    fixture.write("paper.PDF", b"%PDF-1.7\n\0");
    fixture.write("notes.txt", "doi 10 1000 182, doi 10 1000 182, and ISSN again");
    let mut store = fixture.store(None);
    let report = ingest(&fixture, &mut store, Some(&Scripted(Some(PAPER)))).await;
    assert_eq!((report.added, report.skipped.len()), (2, 0));
    let chunks = contents(&mut store, "paper.PDF");
    assert_eq!(chunks.len(), 5, "{chunks:?}");
    let report = ingest(&fixture, &mut store, Some(&Scripted(Some(PAPER)))).await;
    assert_eq!(report.unchanged, 2);

    let found = store.query("Who wrote DOI: 10.1000/182?", QueryOptions::default(), None).await.unwrap();
    let hit = &found.hits[0];
    assert_eq!(
        (hit.source.as_str(), hit.label.as_deref(), hit.score),
        ("paper.PDF", Some("References"), 1.0)
    );
    assert!(hit.content.starts_with("[1] Baker"), "{hit:?}");
    assert_eq!(hit.tags, ["doi:10.1000/182", "issn:0378-5955"]);
    let others = &found.hits[1..];
    assert!(others.iter().any(|hit| hit.source == "notes.txt" && hit.tags.is_empty()), "{others:?}");
    assert!(others.iter().all(|other| other.id != hit.id && other.score < 1.0), "{others:?}");

    let report = ingest(&fixture, &mut store, Some(&Scripted(Some("Nothing more.")))).await;
    assert_eq!(report.changed, 1);
    let tags = store
        .database
        .read(|read| read.query_row("SELECT count(*) FROM tags", [], |row| row.get::<_, i64>(0)));
    assert_eq!(tags.unwrap(), 0, "the tags of old chunks are gone");
}

#[tokio::test]
async fn a_pdf_that_nobody_can_read_keeps_its_old_chunks() {
    let fixture = Fixture::new();
    let path = fixture.write("paper.PDF", b"%PDF-1.7\n\0");
    let mut store = fixture.store(None);
    ingest(&fixture, &mut store, Some(&Scripted(Some(PAPER)))).await;
    let report = ingest(&fixture, &mut store, Some(&Scripted(None))).await;
    assert_eq!(report.skipped[&path], SkipReason::Pdf);
    assert!(report.pdf_failure.is_some_and(|failure| failure.ends_with("paper.PDF: poppler is missing")));
    assert_eq!((report.dropped, contents(&mut store, "paper.PDF").len()), (0, 5));
    let report = ingest(&fixture, &mut store, None).await;
    assert_eq!((report.skipped[&path], report.dropped), (SkipReason::Binary, 1));
}
