//! The entries that are proposed to a person.

use super::starting_options;

/// Programs whose first operand is a subcommand, each with its words that only the next word explains.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("bazel", &["run"]),
    ("bun", &["pm", "run", "x"]),
    ("bundle", &["exec"]),
    ("cabal", &[]),
    ("cargo", &[]),
    ("composer", &["exec", "run", "run-script"]),
    ("conda", &["run"]),
    ("dart", &["pub", "run"]),
    ("deno", &["run", "task"]),
    ("docker", &["compose", "container", "exec", "image", "run", "volume"]),
    ("docker-compose", &["exec", "run"]),
    ("dotnet", &[]),
    ("flutter", &["pub"]),
    ("gem", &[]),
    ("gh", &["issue", "pr", "release", "repo", "run", "workflow"]),
    ("git", &["remote", "stash", "submodule", "worktree"]),
    ("go", &["mod", "run", "tool"]),
    ("gradle", &[]),
    ("gradlew", &[]),
    ("hatch", &["env", "run"]),
    ("helm", &[]),
    ("just", &[]),
    ("kubectl", &["exec", "rollout", "run"]),
    ("lein", &["run"]),
    ("make", &[]),
    ("meson", &[]),
    ("mix", &["run"]),
    ("mvn", &[]),
    ("mvnw", &[]),
    ("nix", &["develop", "flake", "run", "shell"]),
    ("npm", &["exec", "run", "run-script", "x"]),
    ("nx", &["run"]),
    ("pdm", &["run"]),
    ("pip", &[]),
    ("pip3", &[]),
    ("pnpm", &["dlx", "exec", "run"]),
    ("podman", &["compose", "container", "exec", "image", "run", "volume"]),
    ("poetry", &["env", "run"]),
    ("rails", &["runner"]),
    ("rake", &[]),
    ("rustup", &["component", "run", "target", "toolchain"]),
    ("sbt", &[]),
    ("stack", &["exec", "run"]),
    ("swift", &["package"]),
    ("task", &[]),
    ("terraform", &["state", "workspace"]),
    ("turbo", &["run"]),
    ("uv", &["pip", "run", "tool"]),
    ("yarn", &["dlx", "exec", "run", "workspace"]),
    ("zig", &["run"]),
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
    let known = PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, runners)| *runners);
    // A program of the project is known to the person, and so is its first word.
    let is_own = words.first().is_some_and(|word| word.starts_with("./"));
    let Some(runners) = known.or(is_own.then_some(&[])) else { return words.len() };
    // Cargo's toolchain is no option.
    let first = if operand(1).is_some_and(|word| word.starts_with('+')) { 2 } else { 1 };
    let mut last = first;
    loop {
        match operand(last) {
            Some(word) if runners.contains(&word) => last += 1,
            Some(_) => return last + 1,
            None => return words.len(),
        }
    }
}
