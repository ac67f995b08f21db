//! Entries of the policy that name commands by their leading words.
//!
//! The name of a program alone is too coarse: a person who allows `git commit` may not want to allow `git push`. So an
//! entry is compared with the words of a command after quotes are resolved, as the program would get them. A text that only
//! begins alike (`cargo testx`), another way to start the same program (`./cargo test`, `env cargo test`) and words
//! before it (`FOO=1 cargo test`) are not covered.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{is_assignment, proposal, starting_options};

/// The leading words of commands: `cargo test` covers `cargo test -q`, but neither `cargo run` nor `cargo testx`.
///
/// ```
/// use loop_guardrails::policy::command::CommandPrefix;
///
/// let entry: CommandPrefix = "cargo test".parse()?;
/// assert!(entry.covers(&["cargo", "test", "--all"]) && !entry.covers(&["cargo", "testx"]));
/// assert_eq!("git commit -m 'two  words'".parse::<CommandPrefix>()?.to_string(), "git commit -m 'two  words'");
/// assert!("FOO=1 cargo test".parse::<CommandPrefix>().is_err());
/// # Ok::<(), loop_guardrails::policy::command::InvalidCommandPrefix>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommandPrefix(Vec<String>);

/// A text that is not the beginning of a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the beginning of a command: {problem}")]
pub struct InvalidCommandPrefix {
    text: String,
    problem: &'static str,
}

impl CommandPrefix {
    /// Returns the entry that consists of these words.
    ///
    /// # Errors
    /// There is no word, the first one is no name of a program, or a word contains a line break.
    pub fn of_words<W: Into<String>>(
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, InvalidCommandPrefix> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        let invalid = |problem| InvalidCommandPrefix { text: words.join(" "), problem };
        if words.iter().any(|word| word.contains(['\n', '\r', '\0'])) {
            return Err(invalid("write it on one line"));
        }
        match words.first().map_or("", String::as_str) {
            "" => Err(invalid("write a program, and perhaps its first arguments")),
            word if word.starts_with('-') => Err(invalid("the name of a program does not begin with `-`")),
            word if word.contains(char::is_whitespace) => {
                Err(invalid("the name of a program contains no space"))
            }
            word if is_assignment(word) => {
                Err(invalid("begin with the program, because no shell sets variables"))
            }
            _ => Ok(Self(words)),
        }
    }

    /// Proposes the entry for a command: a program that has subcommands with its subcommand, and for words such as `run`
    /// with the name after them; a program of the project (`./check`) with its first word. All other proposals are the
    /// whole command.
    ///
    /// The proposal is narrow on purpose, because a person accepts it with one key: of `python3 -c CODE` it covers
    /// only this code. An option before the subcommand has a value perhaps, which would look like the subcommand. So the
    /// proposal for such a command is the whole command, too.
    pub(crate) fn proposed(words: &[String]) -> Result<Self, InvalidCommandPrefix> {
        Self::of_words(words[..proposal::leading_words(words)].iter().cloned())
    }

    /// Returns whether the command with these words, its program first, begins with this entry.
    pub fn covers<W: AsRef<str>>(&self, words: &[W]) -> bool {
        self.0.len() <= words.len() && self.0.iter().zip(words).all(|(own, word)| own == word.as_ref())
    }

    /// Returns whether this entry allows the command with these words: it [covers](Self::covers) them, and none of the
    /// words after its own is an option that would start any other program, such as `git grep -O` or `make --eval`. Such
    /// an option needs an entry that contains it.
    ///
    /// The options are those of programs that many projects use. For other programs, only common names of such options
    /// are known.
    pub fn allows<W: AsRef<str>>(&self, words: &[W]) -> bool {
        self.covers(words)
            && !words[self.0.len()..]
                .iter()
                .any(|word| starting_options::starts_another(self.program(), word.as_ref()))
    }

    /// Returns its words. There is at least one, the program.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Returns the name of its program.
    pub fn program(&self) -> &str {
        &self.0[0]
    }

    /// Returns the words after the program.
    pub(super) fn arguments(&self) -> &[String] {
        &self.0[1..]
    }
}

impl FromStr for CommandPrefix {
    type Err = InvalidCommandPrefix;

    fn from_str(text: &str) -> Result<Self, InvalidCommandPrefix> {
        let invalid = |problem| InvalidCommandPrefix { text: text.to_owned(), problem };
        if text.contains(['\n', '\r', '\0']) {
            // Otherwise a line break would count as a space.
            return Err(invalid("write it on one line"));
        }
        Self::of_words(shlex::split(text).ok_or_else(|| invalid("a quote in it is never closed"))?)
    }
}

impl TryFrom<String> for CommandPrefix {
    type Error = InvalidCommandPrefix;

    fn try_from(text: String) -> Result<Self, InvalidCommandPrefix> {
        text.parse()
    }
}

impl From<CommandPrefix> for String {
    fn from(entry: CommandPrefix) -> Self {
        entry.to_string()
    }
}

impl fmt::Display for CommandPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = shlex::try_join(self.0.iter().map(String::as_str));
        f.write_str(&line.unwrap_or_else(|_| unreachable!("no word contains NUL")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        shlex::split(text).unwrap()
    }

    fn any_words() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-c =$'\"\\\\|;é-]{0,3}", 1..5)
    }

    proptest! {
        #[test]
        fn an_entry_covers_its_words_with_any_others_after_them(own in any_words(), more in any_words()) {
            let Ok(entry) = CommandPrefix::of_words(own.clone()) else { return Ok(()) };
            prop_assert!(entry.covers(&own));
            prop_assert!(entry.covers(&[own.clone(), more].concat()));
            prop_assert!(!entry.covers(&own[1..]));
        }

        #[test]
        fn an_entry_covers_nothing_else(own in any_words(), other in any_words()) {
            let Ok(entry) = CommandPrefix::of_words(own.clone()) else { return Ok(()) };
            prop_assert_eq!(entry.covers(&other), other.starts_with(&own));
            let mut grown = own.clone();
            grown.last_mut().unwrap().push('x');
            prop_assert!(!entry.covers(&grown));
        }

        #[test]
        fn an_entry_is_read_as_it_is_written(own in any_words()) {
            let Ok(entry) = CommandPrefix::of_words(own) else { return Ok(()) };
            prop_assert_eq!(entry.to_string().parse(), Ok(entry));
        }

        #[test]
        fn the_proposal_covers_the_command(own in any_words()) {
            if let Ok(entry) = CommandPrefix::proposed(&own) {
                prop_assert!(entry.allows(&own));
            }
        }
    }

    #[test]
    fn the_proposal_is_a_subcommand_or_the_whole_command() {
        for (line, expected) in [
            ("cargo test -q", "cargo test"),
            ("cargo test", "cargo test"),
            ("cargo", "cargo"),
            ("make -j4", "make -j4"),
            ("cargo +nightly test --all", "cargo +nightly test"),
            ("python3 -m pytest -q", "python3 -m pytest"),
            ("python3 -c 'print(1)' x", "python3 -c 'print(1)' x"),
            ("npm run build -- --fast", "npm run build"),
            ("cargo run --release", "cargo run"),
            ("./check.sh src", "./check.sh src"),
            ("./gradlew test --info", "./gradlew test"),
            ("python3 -W ignore check.py -v", "python3 -W ignore check.py -v"),
            ("taskset 1 true", "taskset 1 true"),
            ("uv run --frozen pytest -q", "uv run --frozen pytest -q"),
            ("uv run pytest -q", "uv run pytest -q"),
            ("rustup run stable cargo test", "rustup run stable cargo test"),
            ("poetry run python x.py", "poetry run python x.py"),
            ("git config core.abbrev 12", "git config core.abbrev 12"),
            ("git stash pop", "git stash pop"),
            ("yarn test --ci", "yarn test"),
            ("npm run -s test", "npm run -s test"),
            ("docker compose run web", "docker compose run web"),
            ("docker compose -f a.yml run web", "docker compose -f a.yml run web"),
            ("kubectl -n dev get pods", "kubectl -n dev get pods"),
            ("pytest -q tests", "pytest -q tests"),
        ] {
            assert_eq!(CommandPrefix::proposed(&words(line)).unwrap().to_string(), expected, "{line}");
        }
    }

    #[test]
    fn an_option_that_starts_another_program_needs_its_own_entry() {
        for (entry, line) in [
            ("git grep", "git grep TODO -Osh"),
            ("git grep", "git grep --open-f=sh TODO"),
            ("git fetch", "git fetch '--upload-pack=touch x' ."),
            ("git fetch", "git fetch '-utouch x' ."),
            ("make test", "make test '--eval=$(shell touch x)'"),
            ("make test", "make test SHELL=./x"),
            ("cargo test", "cargo test --config x.toml"),
            ("npm test", "npm test --script-shell ./x"),
            ("go test", "go test -exec ./x"),
            ("python3 -m pytest", "python3 -m pytest -p x"),
            ("./check", "./check --eval x"),
            ("make test", "make test -sf x.mk"),
            ("make test", "make test --makef=x.mk"),
            ("git commit", "git commit -qx"),
            ("git push", "git push -nOsh"),
            ("mvn test", "mvn test -Dexec.executable=x"),
            ("mvn test", "mvn test --define exec.executable=x exec:exec"),
            ("make test", "make test 'X!=touch x'"),
            ("make test", "make test SHELL:=./x"),
            ("make test", "make test '.SHELLFLAGS=-c \"touch x\" --'"),
            ("make test", "make test 'X = 1'"),
            ("gmake test", "gmake test 'a-b!=touch x'"),
            ("rake test", "rake test RUBYOPT=-r./x"),
            ("go test", "go test '-ldflags=-linkmode=external -extld=./x'"),
            ("meson test", "meson test --wrapper 'sh -c x'"),
            ("helm template", "helm template --post-renderer ./x"),
            ("kubectl get", "kubectl get pods --kubeconfig ./x"),
            ("gradle test", "gradle test -Dorg.gradle.java.home=x"),
            ("pnpm test", "pnpm test --config.script-shell=x"),
            ("cabal test", "cabal test --test-wrapper=./x"),
            ("mix test", "mix test -r x"),
            ("bun test", "bun test -r ./x"),
            ("rake test", "rake test -C x"),
            ("ctest", "ctest -S x.cmake"),
            ("node --test", "node --test --test-reporter=./x.js"),
            ("meson test", "meson test --gdb --gdb-path=./x"),
            ("pytest", "pytest @x"),
            ("dotnet test", "dotnet test -p:X=y"),
        ] {
            let (entry, words) = (entry.parse::<CommandPrefix>().unwrap(), words(line));
            assert!(entry.covers(&words) && !entry.allows(&words), "{line}");
            let proposed = CommandPrefix::proposed(&words).unwrap();
            assert_eq!(proposed.words(), words, "{line}");
            assert!(proposed.allows(&words));
        }
        for line in
            ["cargo test --color always -q", "git commit -m 'a --exec b'", "git add -A src", "make test -j4"]
        {
            assert!(
                CommandPrefix::of_words(words(line)[..2].to_vec()).unwrap().allows(&words(line)),
                "{line}"
            );
        }
    }

    #[test]
    fn a_text_that_begins_no_command_is_refused() {
        for (text, problem) in [
            ("", "write a program"),
            ("'' x", "write a program"),
            ("-x", "does not begin with `-`"),
            ("'a b'", "contains no space"),
            ("FOO=1 cargo", "no shell sets variables"),
            ("cargo 'a\nb'", "on one line"),
            ("cargo 'test", "never closed"),
        ] {
            let error = text.parse::<CommandPrefix>().unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
