//! What git is told to disregard.
//!
//! Somebody who works in a folder can write `.git/config`, and what `git diff` starts or reads then would be chosen by
//! them. Keys with a fixed name are overridden here. Filters and hooks have names of their own, so git is
//! [asked](super::questions) for these. Only the repository's own configuration counts: the user's and the
//! system's are not read, since a repository can tell even a filter that the user chose what to start
//! (`lfs.extension.*`).
//!
//! Attributes cannot be switched off instead: `.git/info/attributes` applies whatever is set.

/// Variables that the other git commands of this workspace set as well. With these, git starts no program to fetch an
/// object that is missing. Git before 2.44 knows only the second; it beats every `protocol.*.allow`, and `.` can be the
/// name neither of a helper nor of an alias.
pub const GIT_VARIABLES: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", ".")];

/// Variables for a command that shows something.
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

/// Settings that the repository does not choose.
pub(super) const CONFIGURATION: &[&str] = &[
    // Files named as those of a repository make none: a model can write them.
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.alternateRefsCommand=false",
    // Such an index can name packs of other folders. What each pack has, its own index says.
    "core.multiPackIndex=false",
    // Git would write its index anew.
    "diff.autoRefreshIndex=false",
    // Without these, a file of the same size and time is taken for the one in the index, wherever it lies.
    "core.checkStat=default",
    "core.trustctime=true",
    // Names are asked for relative to the work tree, and left out by them.
    "diff.relative=false",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    // Merges are shown without a merge program.
    "log.diffMerges=separate",
    // With this, one path would show the file that it was before, whatever its name.
    "log.follow=false",
    "log.mailmap=false",
    "diff.submodule=short",
    "status.submoduleSummary=false",
    // Files that git reads, and whose lines it may print.
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "diff.orderFile=/dev/null",
    "mailmap.file=/dev/null",
    "mailmap.blob=",
    // What is redacted has to be readable.
    "i18n.logOutputEncoding=UTF-8",
];

/// What is set of a filter, so that files are taken as they are. An empty `process` alone would leave `required`.
const NO_FILTER: &[&str] = &["clean=", "smudge=", "process=", "required=false"];
const NO_HOOK: &[&str] = &["enabled=false"];

/// Settings that switch off these filters and hooks: `filter.lfs`.
pub(super) fn switching_off(names: &[String]) -> impl Iterator<Item = String> {
    names.iter().flat_map(|name| {
        let keys = if name.starts_with("filter.") { NO_FILTER } else { NO_HOOK };
        keys.iter().map(move |key| format!("{name}.{key}"))
    })
}
