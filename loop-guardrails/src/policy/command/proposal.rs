//! The entries that are proposed to a person.

use super::starting_options;

/// Programs whose first operand is a subcommand, each with its words that only the next word explains. Behind a
/// subcommand of [`STARTING`], any program can follow.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("bazel", &[]),
    ("bun", &["pm", "run"]),
    ("cabal", &[]),
    ("cargo", &[]),
    ("composer", &["run", "run-script"]),
    ("dart", &["pub"]),
    ("deno", &["task"]),
    ("docker", &["compose", "container", "image", "volume"]),
    ("dotnet", &[]),
    ("flutter", &["pub"]),
    ("gem", &[]),
    ("gh", &["issue", "pr", "release", "repo", "run", "workflow"]),
    ("git", &["stash"]),
    ("go", &["mod", "run"]),
    ("gradle", &[]),
    ("gradlew", &[]),
    ("helm", &[]),
    ("just", &[]),
    ("kubectl", &["rollout"]),
    ("make", &[]),
    ("meson", &[]),
    ("mix", &[]),
    ("mvn", &[]),
    ("mvnw", &[]),
    ("npm", &["run", "run-script"]),
    ("nx", &["run"]),
    ("pip", &[]),
    ("pip3", &[]),
    ("pnpm", &["run"]),
    ("podman", &["compose", "container", "image", "volume"]),
    ("poetry", &[]),
    ("rake", &[]),
    ("rustup", &["component", "target", "toolchain"]),
    ("sbt", &[]),
    ("swift", &["package"]),
    ("task", &[]),
    ("terraform", &["state", "workspace"]),
    ("turbo", &["run"]),
    ("uv", &["pip"]),
    ("yarn", &["run"]),
    ("zig", &[]),
];

/// Programs whose subcommand `run` runs only the project's own programs and scripts.
const RUN_THEIR_OWN: &[&str] = &[
    "bun", "cargo", "composer", "dotnet", "flutter", "gh", "go", "npm", "nx", "pnpm", "swift", "turbo",
    "yarn", "zig",
];

/// Subcommands after which the next words are any program, or that execute code from their arguments.
const STARTING: &[&str] = &[
    "cache", "config", "console", "create", "debug", "develop", "dlx", "do", "env", "eval", "exec", "init",
    "install", "plugin", "run", "runner", "set", "shell", "tool", "x",
];

/// The subcommands of git that an entry may allow with any options. All others can write settings, start programs, or
/// show files of the history, so only the whole command is proposed.
const OF_GIT: &[&str] = &[
    "add",
    "branch",
    "checkout",
    "cherry-pick",
    "commit",
    "fetch",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stash",
    "switch",
    "tag",
];

/// Returns the number of leading words that tell what a command does.
pub(super) fn leading_words(words: &[String]) -> usize {
    if words.iter().skip(1).any(|word| starting_options::starts_another(&words[0], word)) {
        return words.len();
    }
    let operand = |at: usize| words.get(at).map(String::as_str).filter(|word| !word.starts_with('-'));
    let program = words.first().map(|word| super::name(word)).unwrap_or_default();
    if program.starts_with("python") && words.get(1).is_some_and(|word| word == "-m") && operand(2).is_some()
    {
        return 3;
    }
    let known = PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, groups)| *groups);
    // A program of the project is known to the person, and so is its first word.
    let is_own = words.first().is_some_and(|word| word.starts_with("./"));
    let Some(groups) = known.or(is_own.then_some(&[])) else { return words.len() };
    let is_wide = |word: &str| match program {
        "git" => !OF_GIT.contains(&word),
        _ if word == "run" => !RUN_THEIR_OWN.contains(&program),
        _ => STARTING.contains(&word),
    };
    // Cargo's toolchain is no option.
    let mut last = if operand(1).is_some_and(|word| word.starts_with('+')) { 2 } else { 1 };
    loop {
        match operand(last) {
            Some(word) if known.is_some() && is_wide(word) => return words.len(),
            Some(word) if groups.contains(&word) => last += 1,
            Some(_) => return last + 1,
            None => return words.len(),
        }
    }
}
