//! Questions to git before it shows anything: whether it finds the repository that we vetted, and which programs and
//! files the repository's configuration names.

use std::path::Path;

use super::{GitCommand, built_in, messages, pathspec, revision, settings};
use crate::policy::{DeniedAction, Ruling, case_folding::folded, command::CommandLine};

/// A git command that must run before the requested one. See [`CommandLine::questions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitQuestion {
    /// Asks which repository git finds by itself, and whether the user trusts it.
    Repository,
    /// Asks which filters, hooks and files the repository's configuration names.
    Configuration,
    /// Asks which files the index names. Git opens each of them below the work tree without a check, even `../../key`.
    Index,
    /// Asks which files differ between the compared revisions. The index lacks files that were removed from it.
    Names,
}

/// The hashes of a folder without files, in the two formats.
const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/// The configuration keys that we query.
const ASKED: &str = r"^(filter|hook|include|includeif|extensions)\.";

impl CommandLine {
    /// Names the repository that git reads, after the workspace has [vetted](crate::policy::workspace::Repository) it.
    ///
    /// # Errors
    /// [`DeniedAction`] if a path is not UTF-8.
    pub fn pin(&mut self, git_dir: &Path, work_tree: &Path) -> Result<(), DeniedAction> {
        self.change_git(|git| git.pin(git_dir, work_tree))
    }

    /// Returns the questions that git must answer before this command runs, in order. Empty unless this is git in safe
    /// mode.
    ///
    /// ```
    /// use std::path::Path;
    /// use loop_guardrails::policy::command::{CommandPolicy, GitQuestion};
    ///
    /// let mut line = CommandPolicy::new().judge("git diff")?;
    /// line.pin(Path::new("/app/.git"), Path::new("/app"))?;
    /// assert_eq!(line.questions()[..2], [GitQuestion::Repository, GitQuestion::Configuration]);
    /// line.answer(GitQuestion::Repository, 0, b"/app/.git\n")?;
    /// line.answer(GitQuestion::Configuration, 0, b"filter.trap.clean\nrm -rf /\0")?;
    /// assert_eq!(line.switched_off(), ["filter.trap"]);
    /// assert!(line.arguments.contains(&"filter.trap.clean=".to_owned()));
    /// # Ok::<(), loop_guardrails::policy::DeniedAction>(())
    /// ```
    pub fn questions(&self) -> &'static [GitQuestion] {
        use GitQuestion::{Configuration, Index, Names, Repository};
        match self.git() {
            Some(git) if git.can_list_names() => &[Repository, Configuration, Index, Names],
            Some(_) => &[Repository, Configuration, Index],
            None => &[],
        }
    }

    /// Returns the arguments and variables of a question. The command's own variables are in
    /// [`variables`](Self::variables).
    pub fn question(&self, question: GitQuestion) -> (Vec<String>, &'static [(&'static str, &'static str)]) {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let pinned = |asked: &[&str]| {
            let preamble = self.git().map(GitCommand::preamble).unwrap_or_default();
            preamble.into_iter().chain(words(asked)).collect::<Vec<_>>()
        };
        match question {
            // This question uses the user's own configuration, because it contains the repositories that the user
            // trusts.
            GitQuestion::Repository => {
                let asked = ["-c", "safe.bareRepository=explicit", "rev-parse", "--absolute-git-dir"];
                (words(&asked), &settings::GIT_VARIABLES)
            }
            GitQuestion::Configuration => {
                (pinned(&["config", "--no-includes", "--null", "--get-regexp", ASKED]), settings::VARIABLES)
            }
            GitQuestion::Index => {
                (pinned(&["ls-files", "-z", "--full-name", "--", ":/"]), settings::VARIABLES)
            }
            GitQuestion::Names => {
                let options = ["--name-only", "-z", "--no-renames", "--ignore-submodules=all"];
                let mut asked = pinned(&["diff"]);
                asked.extend(words(&options));
                let git = self.git();
                asked.extend(
                    git.into_iter().flat_map(|git| git.subcommand.compared(&git.words)).map(str::to_owned),
                );
                asked.extend(words(&["--", ":/"]));
                (asked, settings::VARIABLES)
            }
        }
    }

    /// Processes git's answer: its exit code, and its whole standard output.
    ///
    /// # Errors
    /// [`DeniedAction`] if git finds another repository than the [pinned](Self::pin) one, or if the configuration names
    /// something that we cannot disable.
    pub fn answer(
        &mut self,
        question: GitQuestion,
        exit_code: i32,
        stdout: &[u8],
    ) -> Result<(), DeniedAction> {
        self.change_git(|git| match question {
            GitQuestion::Repository => git.is_same_repository(exit_code, stdout),
            GitQuestion::Configuration => git.switch_off(exit_code, stdout),
            GitQuestion::Index => {
                names_stay_below(exit_code, stdout)?;
                if git.can_list_names() {
                    git.withhold(stdout);
                }
                Ok(())
            }
            GitQuestion::Names => {
                // On failure, the command itself will report the problem, and patterns exclude the secrets.
                if exit_code == 0 {
                    git.withhold(stdout);
                } else {
                    git.compare_with_nothing();
                }
                Ok(())
            }
        })
    }

    /// Returns the disabled filters and hooks, such as `filter.lfs`.
    pub fn switched_off(&self) -> &[String] {
        self.git().map_or(&[], |git| &git.switched_off)
    }

    /// Returns the variables to set for the command, whatever its environment contains. Remove all `GIT_*` variables
    /// first.
    pub fn variables(&self) -> &'static [(&'static str, &'static str)] {
        if self.git().is_some() { settings::VARIABLES } else { &[] }
    }

    /// Returns the part of git's standard error that is safe to show, because messages can quote files. Returns nothing
    /// if this is not git in safe mode; then you may show all of it.
    pub fn shown_errors(&self, stderr: &str) -> Option<String> {
        self.git().map(|_| messages::shown(stderr))
    }
}

impl GitCommand {
    /// Excludes the secrets among these names, instead of all possible names of secrets. Until all names are known,
    /// patterns exclude the secrets.
    fn withhold(&mut self, names: &[u8]) {
        let Some(found) = pathspec::without_names(&self.secret_files, names) else { return };
        match self.indexed.take() {
            None => self.indexed = Some(found),
            Some(indexed) => self.secrets = [indexed, found].concat(),
        }
    }

    /// Compares the index with an empty folder instead of `HEAD`. Git does that by itself as long as a branch has no
    /// commit.
    fn compare_with_nothing(&mut self) {
        let empty = EMPTY_TREES[usize::from(self.is_sha256)];
        if self.subcommand.implies_head(&self.words)
            && let Some(word) = self.words.iter_mut().find(|word| *word == revision::HEAD)
        {
            empty.clone_into(word);
        }
    }

    /// Returns whether two questions name every file that the command could show. The source of a copy may be neither
    /// in the index nor changed. For more than two trees, git lists the files that differ from all of them, under their
    /// last names, but then also shows files that were renamed from one of them.
    fn can_list_names(&self) -> bool {
        let finds_copies =
            |word: &String| ["-C", "--find-copies"].iter().any(|option| word.starts_with(option));
        let compared = self.words.iter().filter(|word| !word.starts_with('-'));
        let trees: usize = compared.map(|commits| revision::trees(commits)).sum();
        self.subcommand.compares && trees <= 2 && !self.words.iter().any(finds_copies)
    }

    fn is_same_repository(&self, exit_code: i32, stdout: &[u8]) -> Result<(), Ruling> {
        let found = String::from_utf8_lossy(stdout);
        let found = found.strip_suffix('\n').unwrap_or(&found);
        let pinned = self.repository.as_ref().map(|(git_dir, _)| git_dir.as_str());
        if exit_code == 0 && pinned == Some(found) {
            return Ok(());
        }
        let rule = match pinned {
            Some(pinned) if exit_code == 0 => {
                format!(
                    "git uses `{found}` as the repository here instead of `{pinned}`; ask the user to look"
                )
            }
            _ => "git does not accept the repository here; ask the user to run `git status` in this folder"
                .to_owned(),
        };
        Err(built_in(rule))
    }

    fn switch_off(&mut self, exit_code: i32, entries: &[u8]) -> Result<(), Ruling> {
        // Exit code 1 means that there are none.
        if exit_code > 1 {
            return Err(built_in(
                "git does not report the repository's configuration, so it is not run; ask the user to look at \
                 `.git/config`",
            ));
        }
        for entry in entries.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let entry = String::from_utf8_lossy(entry);
            let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
            self.is_sha256 |= key == "extensions.objectformat" && value.eq_ignore_ascii_case("sha256");
            if let Some(name) = switchable(key, value)?
                && !self.switched_off.iter().any(|known| known == name)
            {
                self.switched_off.push(name.to_owned());
            }
        }
        Ok(())
    }
}

/// Refuses an index that contains a name outside the work tree, or a second spelling of a name.
fn names_stay_below(exit_code: i32, names: &[u8]) -> Result<(), Ruling> {
    let is_git = |part: &[u8]| folded(&String::from_utf8_lossy(part)) == ".git";
    let is_odd = |part: &[u8]| matches!(part, b"" | b"." | b"..") || is_git(part);
    // The name of a folder that is not checked out ends in `/`.
    let whole = |name: &[u8]| name.strip_suffix(b"/").unwrap_or(name).split(|byte| *byte == b'/').any(is_odd);
    let odd = names.split(|byte| *byte == 0).filter(|name| !name.is_empty()).find(|name| whole(name));
    match odd {
        None if exit_code == 0 => Ok(()),
        None => {
            Err(built_in("git cannot read its index, so it is not run; ask the user to run `git status`"))
        }
        Some(odd) => {
            let odd = String::from_utf8_lossy(odd);
            let rule = format!(
                "git's index names `{odd}`, which is not a file of the work tree; ask the user to look"
            );
            Err(built_in(rule))
        }
    }
}

/// Returns the filter or hook that a key belongs to.
fn switchable<'a>(key: &'a str, value: &str) -> Result<Option<&'a str>, Ruling> {
    let refused = |what: &str| {
        let rule = format!("the repository's configuration has `{key}`, {what}; ask the user to remove it");
        Err(built_in(rule))
    };
    if key.starts_with("include") {
        return refused("which reads another file");
    }
    if key.starts_with("extensions.") {
        let is_elsewhere = key == "extensions.refstorage" && value.contains("://");
        return if is_elsewhere { refused("which keeps refs elsewhere") } else { Ok(None) };
    }
    // `filter.required` on its own belongs to no filter.
    let Some((name, _)) = key.rsplit_once('.').filter(|(name, _)| name.contains('.')) else {
        return Ok(None);
    };
    if name.contains(['=', char::REPLACEMENT_CHARACTER]) {
        return refused("a program that cannot be switched off");
    }
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::command::CommandPolicy;

    #[test]
    fn a_diff_leaves_out_the_secrets_that_there_are_and_not_all_that_could_be() {
        let patterns =
            |line: &CommandLine| line.arguments.iter().filter(|argument| argument.contains("icase")).count();
        let mut line = CommandPolicy::new().judge("git diff HEAD").unwrap();
        assert!(patterns(&line) > 100);
        assert_eq!(line.questions()[2..], [GitQuestion::Index, GitQuestion::Names]);
        line.answer(GitQuestion::Index, 0, b"src/main.rs\0a/.ENV\0").unwrap();
        assert!(patterns(&line) > 100, "the commit may have other names");
        line.answer(GitQuestion::Names, 0, b"keys/id_rsa\0README.md\0").unwrap();
        assert_eq!(patterns(&line), 0);
        let left_out = line.arguments.iter().filter(|argument| argument.starts_with(":(exclude"));
        let expected = [":(exclude,top,literal)a/.ENV", ":(exclude,top,literal)keys/id_rsa"];
        assert_eq!(left_out.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn patterns_stay_if_git_does_not_list_the_names_or_could_show_others() {
        let mut line = CommandPolicy::new().judge("git diff nowhere").unwrap();
        line.answer(GitQuestion::Index, 0, b"").unwrap();
        line.answer(GitQuestion::Names, 128, b"").unwrap();
        assert!(line.arguments.iter().any(|argument| argument.contains("icase")));
        for copies in ["-C", "-C10", "--find-copies", "--find-copies=9", "--find-copies-harder"] {
            let line = CommandPolicy::new().judge(&format!("git diff {copies}")).unwrap();
            assert_eq!(line.questions().last(), Some(&GitQuestion::Index), "{copies}");
        }
        for (words, lists) in [
            ("", true),
            ("a", true),
            ("a b", true),
            ("a ^b", true),
            ("a..b", true),
            ("--cached a", true),
            ("a b c", false),
            ("a..b c", false),
            ("a...b", false),
            ("a^!", false),
            ("a^@", false),
            ("a^-1", false),
        ] {
            let line = CommandPolicy::new().judge(&format!("git diff {words}")).unwrap();
            assert_eq!(line.questions().contains(&GitQuestion::Names), lists, "{words}");
        }
    }
}
