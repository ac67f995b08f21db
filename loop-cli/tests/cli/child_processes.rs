//! The children of a process, as the system lists them.

use std::fs;

/// Returns the numbers of the children of a process. Each belongs to the thread that started it.
pub(crate) fn children(of: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}
