//! Calls that a model writes into its text.

use serde_json::{Map, Value};

use super::{super::ToolCall, FencedBlock, fences::Fenced};
use crate::{output::json_objects, tools::ToolDefinition};

/// The result of an invalid call; short enough that it never gets cut.
const MISPLACED: &str = "a call must be a closed block with no text after it and no key twice";

/// Returns the calls of a text that ends with calls: fenced blocks of JSON, or without a language, that hold an object
/// with a `name` and `arguments` (or `parameters`, if there are no `arguments`). Words may precede the first call. If
/// words follow a call, or if another block is among them, it returns none: such a text explains or quotes a call. It
/// also returns none if a block is not closed, or if a key appears twice.
///
/// ```
/// use loop_agents::chat::written_calls;
/// let text = "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\n";
/// assert_eq!(written_calls(text)[0].name, "read_file");
/// assert_eq!(written_calls(&format!("I look at the file.\n{text}")).len(), 1);
/// assert!(written_calls(&format!("{text}That is how a call looks.")).is_empty());
/// assert!(written_calls(&format!("{text}```rust\nfn main() {{}}\n```")).is_empty());
/// ```
pub fn written_calls(text: &str) -> Vec<ToolCall> {
    let Fenced { blocks, are_last, .. } = Fenced::of(text);
    let calls = blocks.iter().enumerate().map(|(index, block)| match json_objects::unique(&block.content) {
        Some(Value::Object(fields)) if is_json(block) => call(index, fields),
        _ => None,
    });
    if are_last { calls.collect::<Option<_>>().unwrap_or_default() } else { Vec::new() }
}

/// Returns whether the text has no words before its first block.
pub(super) fn begins_with_block(text: &str) -> bool {
    !Fenced::of(text).has_opening
}

/// Returns the calls of these tools in a text that contains more than calls. They have no arguments, so that the tools
/// refuse them, and the model learns about the mistake.
pub(super) fn misplaced_calls(text: &str, tools: &[ToolDefinition]) -> Vec<ToolCall> {
    let blocks = Fenced::of(text).blocks;
    let calls = blocks.iter().enumerate().filter(|(_, block)| is_json(block)).filter_map(|(index, block)| {
        let call = call(index, serde_json::from_str(&block.content).ok()?)?;
        let is_one = tools.iter().any(|tool| tool.name == call.name);
        is_one.then(|| ToolCall { arguments: Value::from(MISPLACED), ..call })
    });
    calls.collect()
}

fn is_json(block: &FencedBlock) -> bool {
    block.language.is_empty() || block.language.eq_ignore_ascii_case("json")
}

fn call(index: usize, mut fields: Map<String, Value>) -> Option<ToolCall> {
    let name = fields.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
    let arguments = fields.remove("arguments").or_else(|| fields.remove("parameters"))?;
    Some(ToolCall { in_text: true, ..ToolCall::new(format!("prose_{index}"), name, arguments) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_call_is_not_made() {
        let tools =
            [ToolDefinition { name: "t".to_owned(), description: String::new(), parameters: Value::Null }];
        let block = |content: &str| format!("```json\n{content}\n```");
        let one = r#"{"name": "t", "arguments": {"a": 1}}"#;
        for (text, calls, misplaced) in [
            (block(one), 1, 0),
            (format!("\n{}\n\n{}\n", block(one), block(one)), 2, 0),
            (format!("I look at the file.\n{}", block(one)), 1, 0),
            (format!("I look twice.\n{}\nNow:\n{}", block(one), block(one)), 0, 2),
            (format!("{}\nThat is a trick.", block(one)), 0, 1),
            (format!("```json\n{one}"), 0, 1),
            (format!("{}\n```rust\nx\n```", block(one)), 0, 1),
            (block(r#"{"name": "x", "name": "t", "arguments": {}}"#), 0, 1),
            (block(r#"{"name": "t", "arguments": {"a": 1, "a": 2}}"#), 0, 1),
            (format!("> {}", block(one).replace('\n', "\n> ")), 0, 0),
            (format!("````\n{}\n````", block(one)), 0, 0),
            (format!("{}\nSee?", block(r#"{"name": "me", "arguments": {}}"#)), 0, 0),
        ] {
            assert_eq!(written_calls(&text).len(), calls, "{text}");
            if calls == 0 {
                assert_eq!(misplaced_calls(&text, &tools).len(), misplaced, "{text}");
            }
        }
    }
}
