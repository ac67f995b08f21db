//! Replies about documents.

use loop_core::with_causes;
use loop_knowledge::{
    data_line,
    documents::{DocumentStore, Hit, IngestReport, Retrieved, Selection, StoreStatus},
};
use loop_telemetry::words;
use serde_json::{Value, json};

use super::{KnowledgeError, KnowledgeReply, WorkspaceKnowledge};

/// The most characters of a hit's line.
const LINE_CHARACTERS: usize = 80;

/// The most paths that a person reads after an ingest.
const MOST_SKIPPED: usize = 20;

pub(super) fn list(known: &WorkspaceKnowledge) -> Result<KnowledgeReply, KnowledgeError> {
    let selection = Selection::load(&known.folder)?;
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for name in DocumentStore::names(&known.folder)? {
        let is_used = selection.store.as_ref() == Some(&name);
        // A damaged store does not hide the others.
        let status = DocumentStore::open(&known.folder, &name).and_then(|mut store| store.status());
        let (line, mut value) = match &status {
            Ok(status) => (described(status), json!(status)),
            Err(error) => {
                let why = with_causes(error);
                (format!("{name}  cannot be used: {why}"), json!({ "name": name, "error": why }))
            }
        };
        value["in_use"] = json!(is_used);
        lines.push(if is_used { format!("{line}  (in use)") } else { line });
        values.push(value);
    }
    Ok(KnowledgeReply::list(&lines, "there are no stores: `loop rag new NAME` creates one", values))
}

pub(super) fn status(known: &WorkspaceKnowledge) -> Result<KnowledgeReply, KnowledgeError> {
    let selection = Selection::load(&known.folder)?;
    let store = super::open(known, None)?.status()?;
    let text = format!(
        "{}\ncreated  {}\nprompts  {}\nfolder   {}",
        described(&store),
        store.created,
        if selection.is_on { "carry hits" } else { "carry no hits: `loop rag on` adds them" },
        known.folder.path().display(),
    );
    let mut value = json!(store);
    value["on"] = json!(selection.is_on);
    Ok(KnowledgeReply::said(text, value))
}

fn described(store: &StoreStatus) -> String {
    let embedder = store.embedder.as_ref().map_or("full text alone", |embedder| embedder.name.as_str());
    let (sources, chunks) = (words::count(store.sources, "source"), words::count(store.chunks, "chunk"));
    format!("{}  {embedder}  {sources}, {chunks}", store.name)
}

pub(super) fn ingested(known: &WorkspaceKnowledge, report: &IngestReport) -> KnowledgeReply {
    let shown = |path: &std::path::Path| path.strip_prefix(&known.root).unwrap_or(path).display().to_string();
    let mut lines = vec![format!(
        "{} added, {} changed, {} unchanged, {} dropped; {}",
        report.added,
        report.changed,
        report.unchanged,
        report.dropped,
        words::count(report.chunks, "new chunk"),
    )];
    for (reason, count) in report.skipped_by_reason() {
        lines.push(format!("skipped {count}: {}", reason.as_str()));
    }
    // Hidden and ignored files are left out as usual, so only the counts matter.
    let is_usual = |reason: &str| matches!(reason, "hidden" | "ignored by git");
    let unusual = report.skipped.iter().filter(|(_, reason)| !is_usual(reason.as_str()));
    let unusual: Vec<_> =
        unusual.map(|(path, reason)| format!("  {}  {}", reason.as_str(), data_line(&shown(path)))).collect();
    lines.extend(unusual.iter().take(MOST_SKIPPED).cloned());
    if unusual.len() > MOST_SKIPPED {
        lines.push(format!("  and {} more", unusual.len() - MOST_SKIPPED));
    }
    let skipped: Vec<_> = report
        .skipped
        .iter()
        .map(|(path, reason)| json!({ "path": shown(path), "reason": reason }))
        .collect();
    let mut value = json!({
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "dropped": report.dropped,
        "chunks": report.chunks,
    });
    value["skipped"] = Value::Array(skipped);
    let mut reply = KnowledgeReply::said(lines.join("\n"), value);
    reply.remarks.extend(report.pdf_failure.clone());
    reply
}

pub(super) fn hits(found: &Retrieved, remark: Option<String>) -> KnowledgeReply {
    let lines: Vec<_> = found.hits.iter().map(line).collect();
    let values = found.hits.iter().map(|hit| json!(hit)).collect();
    let mut reply = KnowledgeReply::list(&lines, "nothing was found", values);
    reply.is_empty = found.hits.is_empty();
    reply.remarks.extend(remark);
    reply
}

fn line(hit: &Hit) -> String {
    let first = hit.content.lines().next().unwrap_or_default();
    let mut shown: String = first.chars().take(LINE_CHARACTERS).collect();
    if shown.len() < first.len() {
        shown.push('…');
    }
    // A line end in the name of a file could make it look like another hit.
    let (source, shown) = (data_line(&hit.source), data_line(&shown));
    format!("{:.2}  {source}:{}-{}  {shown}", hit.score, hit.first_line, hit.last_line)
}
