//! `Cargo.toml`.

use toml::{Table, Value};

use super::{put, table};

/// The keys that configure how tests run.
const KEYS: &[&str] = &["test", "bench", "profile", "patch", "replace", "lints"];

/// The keys of tables that decide what is tested, and how.
const PARTS: &[(&str, &[&str])] = &[
    ("package", &["autotests", "autobenches", "autoexamples", "build", "links"]),
    ("lib", &["test", "doctest", "harness"]),
    ("workspace", &["exclude", "default-members", "lints"]),
];

/// The keys of a dependency that say where it comes from.
const SOURCES: &[&str] = &["path", "git", "branch", "tag", "rev", "registry", "registry-index", "package"];

/// Puts what decides about tests into `judged`. More of it is welcome where it cannot hide a test.
pub(super) fn put_back(judged: &mut Table, first: &Table) {
    KEYS.iter().for_each(|key| put(judged, Some(first), key));
    for (part, keys) in PARTS {
        let before = table(first, part);
        edit(judged, part, |now| keys.iter().for_each(|key| put(now, before, key)));
    }
    keep_entries(judged, first, "dev-dependencies");
    for (platform, before) in table(first, "target").into_iter().flatten() {
        let Some(before) = before.as_table().filter(|before| before.contains_key("dev-dependencies")) else {
            continue;
        };
        edit(judged, "target", |targets| {
            edit(targets, platform, |now| keep_entries(now, before, "dev-dependencies"));
        });
    }
    add_to_list(judged, first, "features", "default");
    add_to_list(judged, first, "workspace", "members");
    if let Some(before) = table(first, "workspace").and_then(|workspace| table(workspace, "dependencies")) {
        edit(judged, "workspace", |workspace| {
            edit(workspace, "dependencies", |now| keep_sources(now, before));
        });
    }
}

/// Changes a table in `of`. An empty one that was not there is left out.
fn edit(of: &mut Table, key: &str, change: impl FnOnce(&mut Table)) {
    let mut now = table(of, key).cloned().unwrap_or_default();
    change(&mut now);
    if !now.is_empty() || of.contains_key(key) {
        of.insert(key.to_owned(), now.into());
    }
}

fn keep_entries(judged: &mut Table, first: &Table, key: &str) {
    if let Some(before) = table(first, key) {
        edit(judged, key, |now| now.extend(before.clone()));
    }
}

/// Keeps dependencies that come from another place than at the start. Other versions are welcome.
fn keep_sources(now: &mut Table, before: &Table) {
    let sources = |dependency: &Value| -> Vec<Option<Value>> {
        SOURCES.iter().map(|key| dependency.get(*key).cloned()).collect()
    };
    for (name, dependency) in before {
        if now.get(name).map(&sources) != Some(sources(dependency)) {
            now.insert(name.clone(), dependency.clone());
        }
    }
}

/// Adds to a list what it had at the start.
fn add_to_list(judged: &mut Table, first: &Table, part: &str, key: &str) {
    let list = |of: &Table| of.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let before = table(first, part).map(list).unwrap_or_default();
    if before.is_empty() {
        return;
    }
    edit(judged, part, |now| {
        let mut all = list(now);
        all.extend(before.into_iter().filter(|entry| !list(now).contains(entry)));
        now.insert(key.to_owned(), all.into());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_the_start_stay_and_more_is_welcome() {
        for (first, judged, expected) in [
            (
                "",
                "[workspace]\nmembers=['fake']\ndefault-members=['fake']\n",
                "[workspace]\nmembers=['fake']\n",
            ),
            ("", "[workspace]\nexclude=['a']\n", "[workspace]\n"),
            ("[features]\ndefault=['math']\n", "[features]\ndefault=[]\n", "[features]\ndefault=['math']\n"),
            (
                "[features]\ndefault=['math']\nmath=[]\n",
                "[features]\ndefault=['new']\nmath=[]\nnew=[]\n",
                "[features]\ndefault=['new', 'math']\nmath=[]\nnew=[]\n",
            ),
            (
                "[target.'cfg(unix)'.dev-dependencies]\nkit='1'\n",
                "[target.'cfg(unix)'.dev-dependencies]\nkit={path='fake'}\nmore='1'\n",
                "[target.'cfg(unix)'.dev-dependencies]\nkit='1'\nmore='1'\n",
            ),
            (
                "[workspace.dependencies]\nkit='1'\nused='1'\n",
                "[workspace.dependencies]\nkit={path='fake'}\nused={version='2', features=['x']}\n",
                "[workspace.dependencies]\nkit='1'\nused={version='2', features=['x']}\n",
            ),
            (
                "[workspace]\nmembers=['a']\n",
                "[workspace]\nmembers=['b']\n",
                "[workspace]\nmembers=['b', 'a']\n",
            ),
            ("", "[dependencies]\nx='1'\n", "[dependencies]\nx='1'\n"),
        ] {
            let mut merged: Table = judged.parse().unwrap();
            put_back(&mut merged, &first.parse().unwrap());
            assert_eq!(merged, expected.parse().unwrap(), "{first} {judged}");
        }
    }
}
