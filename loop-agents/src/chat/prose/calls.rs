//! Calls that a model wrote into its text.

use serde_json::Value;

use super::{super::ToolCall, FencedBlock, fenced_blocks};

/// The calls that stand in a text: fenced blocks, of JSON or of no language, that hold an object with a
/// `name` and `arguments` (or `parameters`, if there are no `arguments`). None if there is another block
/// beside them: then the text explains something, and does not ask for it.
///
/// ```
/// use loop_agents::chat::written_calls;
/// let text = "Let me look.\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\n";
/// assert_eq!(written_calls(text)[0].name, "read_file");
/// assert!(written_calls(&format!("{text}```rust\nfn main() {{}}\n```")).is_empty());
/// ```
pub fn written_calls(text: &str) -> Vec<ToolCall> {
    let blocks = fenced_blocks(text);
    let calls = blocks.iter().enumerate().map(|(index, block)| written_call(index, block));
    calls.collect::<Option<_>>().unwrap_or_default()
}

fn written_call(index: usize, block: &FencedBlock) -> Option<ToolCall> {
    if !(block.language.is_empty() || block.language.eq_ignore_ascii_case("json")) {
        return None;
    }
    let Ok(Value::Object(mut fields)) = serde_json::from_str(&block.content) else { return None };
    let name = fields.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
    let arguments = fields.remove("arguments").or_else(|| fields.remove("parameters"))?;
    Some(ToolCall { in_text: true, ..ToolCall::new(format!("prose_{index}"), name, arguments) })
}
