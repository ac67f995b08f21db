//! Memories as text for people, and as JSON for programs.

use std::path::Path;

use jiff::Timestamp;
use loop_knowledge::memory::{Memories, Memory, MemoryState, MemoryStatus};
use loop_telemetry::words;
use serde_json::{Value, json};

/// Returns the line of a memory in a list.
pub(super) fn line(memory: &Memory) -> String {
    let state = match memory.state {
        MemoryState::Active => String::new(),
        other => format!("({other}) "),
    };
    let content = &memory.content;
    let effect = content.effect().map(|effect| format!("{effect}: ")).unwrap_or_default();
    let (id, confidence, memory_type) = (&memory.id, memory.confidence, content.memory_type);
    format!("{id}  {confidence}  {memory_type:17}  {state}{effect}{}", content.summary)
}

/// Returns the page of a memory.
pub(super) fn page(memory: &Memory, used: Option<Timestamp>, path: &Path) -> String {
    let content = &memory.content;
    let kind = content.kind.map(|kind| format!(", {kind}")).unwrap_or_default();
    let mut rows = vec![
        ("id", memory.id.clone()),
        ("type", format!("{}{kind}", content.memory_type)),
        ("state", memory.state.to_string()),
        ("confidence", memory.confidence.to_string()),
    ];
    rows.extend(content.origin.clone().map(|origin| ("origin", origin)));
    rows.extend(memory.created.map(|time| ("created", time.to_string())));
    rows.extend(used.map(|time| ("last used", time.to_string())));
    rows.extend(content.effect().map(|effect| ("on accept", effect)));
    if !content.applies_to.is_empty() {
        rows.push(("applies to", content.applies_to.join(", ")));
    }
    rows.push(("file", path.display().to_string()));
    let rows: Vec<_> = rows.iter().map(|(name, value)| format!("{name:10}  {value}")).collect();
    format!("{}\n\n{}\n\n{}", content.summary, content.body, rows.join("\n"))
}

/// Returns the text of the status.
pub(super) fn status(status: &MemoryStatus, root: &Path) -> String {
    let numbers = [
        (status.active, "recalled"),
        (
            status.proposed,
            "proposed (`loop memory mine` asks about them, `loop memory accept ID` accepts one)",
        ),
        (status.archived, "archived"),
        (status.rejected, "rejected"),
    ];
    let mut lines: Vec<_> = numbers.iter().map(|(number, state)| format!("{number} {state}")).collect();
    lines.push(if status.has_profile { "a profile".to_owned() } else { "no profile".to_owned() });
    lines.push(format!("in {}", root.display()));
    if !status.faults.is_empty() {
        lines.push(format!("{} skipped:", words::count(status.faults.len() as u64, "file")));
    }
    lines.extend(status.faults.iter().map(|fault| format!("  {}: {}", fault.path.display(), fault.why)));
    lines.join("\n")
}

/// Returns a memory with the path of its file.
pub(super) fn json(memories: &Memories<'_>, memory: &Memory) -> Value {
    let mut value = json!(memory);
    value["file"] = memories.path(memory).to_string_lossy().into();
    value
}
