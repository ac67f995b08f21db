//! Recognises the head of a task in Markdown.

use super::yaml;

const FENCE: &str = "---";

/// All keys that the head of a task can have. With any other key, it is a different kind of front matter.
const KEYS: &[&str] = &["tools", "model", "checks"];

/// Returns whether the text begins with the head of a task.
pub(super) fn is_task(text: &str) -> bool {
    let text = text.replace('\r', "\n");
    let keys = head(&text).and_then(yaml::keys);
    keys.is_some_and(|keys| !keys.is_empty() && keys.iter().all(|key| KEYS.contains(&key.as_str())))
}

/// Returns the text between the first line, if it is a fence, and the next fence.
fn head(text: &str) -> Option<&str> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == FENCE)?;
    let begin = first.len();
    let mut end = begin;
    for line in lines {
        if line.trim_end() == FENCE {
            return text.get(begin..end);
        }
        end += line.len();
    }
    None
}
