//! The head of a task in Markdown.

use super::yaml;

const FENCE: &str = "---";

/// All that the head of a task can say. With any other key it is the front matter of something else.
const KEYS: &[&str] = &["tools", "model", "checks"];

/// Whether the text begins with the head of a task.
pub(super) fn is_task(text: &str) -> bool {
    let text = text.replace('\r', "\n");
    let keys = head(&text).and_then(yaml::keys);
    keys.is_some_and(|keys| !keys.is_empty() && keys.iter().all(|key| KEYS.contains(&key.as_str())))
}

/// The text between the first line, if it is a fence, and the next line that is one.
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
