//! Settings that make git ignore the repository's own.
//!
//! Anyone who works in a folder can write `.git/config`, and could so choose which programs and files `git diff` uses.
//! We override keys with a fixed name here. Filters and hooks have names of their own, so we [ask](super::questions)
//! git for these. Git reads only the repository's own configuration here, and not the user's or the system's, since a
//! repository can redirect even a filter that the user chose (`lfs.extension.*`).
//!
//! Attributes cannot be disabled instead: `.git/info/attributes` always applies.

/// Variables that this workspace also sets for other git commands. With these, git starts no program to fetch a missing
/// object. Git before 2.44 knows only the second. It overrides every `protocol.*.allow`, and no helper or alias can
/// have the name `.`.
pub const GIT_VARIABLES: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", ".")];

/// Variables for a command that shows files or history.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    GIT_VARIABLES[0],
    GIT_VARIABLES[1],
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    // A replacement shows one object under the name of another.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Settings that override those of the repository.
pub(super) const CONFIGURATION: &[&str] = &[
    // Files in the layout of a repository must not count as one: a model can write them.
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.alternateRefsCommand=false",
    // Such an index can name packs of other folders. Each pack's own index lists its contents.
    "core.multiPackIndex=false",
    // Otherwise git would rewrite its index.
    "diff.autoRefreshIndex=false",
    // Without these, git trusts size and time, and takes any such file for the one in the index, wherever it lies.
    "core.checkStat=default",
    "core.trustctime=true",
    // We query and exclude names relative to the work tree.
    "diff.relative=false",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    // Show merges without a merge program.
    "log.diffMerges=separate",
    // With this, git would also show the file's earlier versions under other names, which could be a secret's.
    "log.follow=false",
    "log.mailmap=false",
    "diff.submodule=short",
    "status.submoduleSummary=false",
    // Git reads these files, and may print their lines.
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "diff.orderFile=/dev/null",
    "mailmap.file=/dev/null",
    "mailmap.blob=",
    // The redactor must be able to read the output.
    "i18n.logOutputEncoding=UTF-8",
];

/// The settings that disable a filter, so that git uses files unchanged. An empty `process` alone would leave
/// `required`.
const NO_FILTER: &[&str] = &["clean=", "smudge=", "process=", "required=false"];
const NO_HOOK: &[&str] = &["enabled=false"];

/// Returns the settings that disable these filters and hooks, such as `filter.lfs`.
pub(super) fn switching_off(names: &[String]) -> impl Iterator<Item = String> {
    names.iter().flat_map(|name| {
        let keys = if name.starts_with("filter.") { NO_FILTER } else { NO_HOOK };
        keys.iter().map(move |key| format!("{name}.{key}"))
    })
}
