//! The allowed subcommands and their options.
//!
//! Options that are not listed here are refused. We write each value into the same word as its option, so that git
//! cannot read as a value what we read as a revision, or the reverse.

use super::built_in;
use crate::policy::Ruling;

/// A subcommand, with the options that only select or format its output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subcommand {
    pub(super) name: &'static str,
    /// Options without a value, in groups. `-NUM` means any number, such as `-5`.
    flags: &'static [&'static str],
    /// Options whose value is in the same word or the next.
    valued: &'static [&'static str],
    /// Options with an optional value in the same word.
    attached: &'static [&'static str],
    /// Options that we always add.
    pub(super) forced: &'static str,
    /// Whether it shows the contents of files, at paths that it finds itself.
    shows_contents: bool,
    /// Whether it shows contents only with some options.
    may_show_names_only: bool,
    /// Whether it compares commits or files of the index, and so can list all their names beforehand.
    pub(super) compares: bool,
    /// Whether it limits its commits to those that change the shown paths.
    pub(super) walks_history: bool,
    /// Whether `REVISION:path` selects a file or a folder to show.
    pub(super) shows_objects: bool,
    /// Whether words before `--` are paths.
    pub(super) takes_paths_first: bool,
    /// Whether it shows one file, named last.
    pub(super) takes_one_path: bool,
}

/// Options that control how changes are shown.
const DIFF_FLAGS: &str = "-p -u --patch -s --no-patch --raw --numstat --shortstat --summary --patch-with-stat \
    --patch-with-raw --compact-summary --name-only --name-status --minimal --patience --histogram --no-color -z -w -b \
    --ignore-space-at-eol --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-cr-at-eol -a --text -R \
    --find-copies-harder -D --irreversible-delete --no-renames --rename-empty --no-rename-empty --full-index --no-abbrev \
    -W --function-context --exit-code --check --no-prefix --default-prefix --pickaxe-regex --indent-heuristic \
    --no-indent-heuristic --no-ext-diff --no-textconv";
const DIFF_VALUED: &str = "-S -G --diff-filter --diff-algorithm --anchored --inter-hunk-context --src-prefix --dst-prefix \
    --line-prefix --ws-error-highlight --word-diff-regex --stat-width --stat-name-width --stat-count --stat-graph-width";
const DIFF_ATTACHED: &str = "--stat --dirstat --color --color-words --word-diff --color-moved --color-moved-ws -M -C -B \
    --find-renames --find-copies --break-rewrites --abbrev -U --unified";

/// Options that control how commits are shown.
const COMMIT_FLAGS: &str = "--oneline --abbrev-commit --no-abbrev-commit --no-decorate -c --cc -m --first-parent \
    --no-notes --parents --children --relative-date";
/// The options among these that show changes.
const MERGE_FLAGS: &str = "-c --cc -m";
/// Diff options that show only names and numbers.
const NAMES_ONLY: &str =
    "--stat --numstat --shortstat --name-only --name-status --summary -s --no-patch --no-color --color";
const COMMIT_VALUED: &str = "--date --decorate-refs --decorate-refs-exclude";
const COMMIT_ATTACHED: &str = "--pretty --format --decorate";

/// Options that select commits.
const WALK_FLAGS: &str = "-NUM --all-match --invert-grep -i --regexp-ignore-case -E -F -P --basic-regexp \
    --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --no-min-parents --no-max-parents --all --not \
    --branches --tags --remotes --reflog --boundary --simplify-merges --simplify-by-decoration \
    --full-history --dense --sparse --show-pulls --date-order --author-date-order --topo-order --reverse --do-walk --graph \
    --no-graph --source --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --log-size \
    --clear-decorations";
const WALK_VALUED: &str = "-n --max-count --skip --since --after --until --before --since-as-filter --author --committer \
    --grep --min-parents --max-parents --glob --exclude";
const WALK_ATTACHED: &str = "--branches --tags --remotes --no-walk --ancestry-path";

const DEFAULT: Subcommand = Subcommand {
    name: "",
    flags: &[],
    valued: &[],
    attached: &[],
    forced: "",
    shows_contents: false,
    may_show_names_only: false,
    compares: false,
    walks_history: false,
    shows_objects: false,
    takes_paths_first: false,
    takes_one_path: false,
};

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "status",
        flags: &[
            "-s --short -b --branch --show-stash --long -z --no-column --ahead-behind --no-ahead-behind --renames \
                  --no-renames",
        ],
        attached: &["--porcelain -u --untracked-files --ignored --column --find-renames"],
        // For a submodule, git would follow its refs, which may be links, and start another git in it.
        forced: "--ignore-submodules=all",
        takes_paths_first: true,
        ..DEFAULT
    },
    Subcommand {
        name: "diff",
        flags: &[
            DIFF_FLAGS,
            "--cached --staged --merge-base -1 -2 -3 -0 --base --ours --theirs --cc -c -q --quiet",
        ],
        valued: &[DIFF_VALUED],
        attached: &[DIFF_ATTACHED],
        forced: "--no-ext-diff --no-textconv --ignore-submodules=all",
        shows_contents: true,
        compares: true,
        ..DEFAULT
    },
    Subcommand {
        name: "log",
        flags: &[DIFF_FLAGS, COMMIT_FLAGS, WALK_FLAGS],
        valued: &[DIFF_VALUED, COMMIT_VALUED, WALK_VALUED],
        attached: &[DIFF_ATTACHED, COMMIT_ATTACHED, WALK_ATTACHED],
        forced: "--no-ext-diff --no-textconv --no-notes",
        shows_contents: true,
        may_show_names_only: true,
        walks_history: true,
        ..DEFAULT
    },
    Subcommand {
        name: "show",
        // Options that name refs are not allowed: a tag can point to a file, and `show` would print it whatever its
        // name was.
        flags: &[DIFF_FLAGS, COMMIT_FLAGS],
        valued: &[DIFF_VALUED, COMMIT_VALUED],
        attached: &[DIFF_ATTACHED, COMMIT_ATTACHED],
        forced: "--no-ext-diff --no-textconv --no-notes",
        shows_contents: true,
        walks_history: true,
        shows_objects: true,
        ..DEFAULT
    },
    Subcommand {
        name: "blame",
        flags: &[
            "-b --root --show-stats -l -t -s -n --show-number -e --show-email -f --show-name -w -p --porcelain \
                  --line-porcelain --incremental -c --first-parent --color-lines --color-by-age --no-progress",
        ],
        valued: &["-L --date --since --until"],
        // `-C` compares with all files, and so shows which lines a forbidden one has.
        attached: &["-M --abbrev"],
        // A setting can name such a file any number of times, and an empty setting removes none of them.
        forced: "--no-textconv --no-ignore-revs-file",
        takes_one_path: true,
        ..DEFAULT
    },
];

/// The words of a command, grouped by kind.
pub(super) struct GitWords<'a> {
    /// Options, each with its value in the same word.
    pub(super) options: Vec<String>,
    /// The other words before `--`.
    pub(super) operands: Vec<&'a str>,
    /// The words after `--`, if it is present.
    pub(super) paths: Option<Vec<&'a str>>,
}

/// Returns the subcommand of this name.
pub(super) fn find(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
}

pub(in super::super) fn no_subcommand() -> Ruling {
    let names: Vec<_> = SUBCOMMANDS.iter().map(|subcommand| subcommand.name).collect();
    built_in(format!("only {} of `git` run here, each as its first word", names.join(", ")))
}

impl Subcommand {
    /// Returns whether the command shows the contents of files with these options.
    pub(super) fn shows_contents(&self, words: &[String]) -> bool {
        let names_only = |word: &String| {
            let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
            let name = if name.starts_with("-n") { "-n" } else { name };
            let known = [
                COMMIT_FLAGS,
                COMMIT_VALUED,
                COMMIT_ATTACHED,
                WALK_FLAGS,
                WALK_VALUED,
                WALK_ATTACHED,
                NAMES_ONLY,
            ];
            let is_number = name[1..].bytes().all(|byte| byte.is_ascii_digit());
            !is_in(&[MERGE_FLAGS], name) && (is_number || is_in(&known, name))
        };
        let mut options = words.iter().filter(|word| word.starts_with('-'));
        self.shows_contents && !(self.may_show_names_only && options.all(names_only))
    }

    /// Returns whether it shows or compares `HEAD` if it names no revision, whatever `HEAD` is. The other commands
    /// accept only a commit there.
    pub(super) fn implies_head(&self, words: &[String]) -> bool {
        let takes_index = |word: &String| ["--cached", "--staged"].contains(&word.as_str());
        self.shows_objects || (self.compares && words.iter().any(takes_index))
    }

    /// Returns the words that name the compared revisions.
    pub(super) fn compared<'a>(&self, words: &'a [String]) -> impl Iterator<Item = &'a str> {
        let chooses =
            |word: &&str| !word.starts_with('-') || ["--cached", "--staged", "--merge-base"].contains(word);
        words.iter().map(String::as_str).filter(chooses)
    }

    /// Groups the words after the subcommand.
    ///
    /// # Errors
    /// If an option is not listed.
    pub(super) fn words<'a>(&self, arguments: &'a [String]) -> Result<GitWords<'a>, Ruling> {
        let mut words = GitWords { options: Vec::new(), operands: Vec::new(), paths: None };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word {
                "--" => words.paths = Some(rest.by_ref().collect()),
                // A cluster such as `-sb`. Each letter gets its own word, so that git cannot read one letter as the
                // value of another.
                _ if self.is_cluster(word) => {
                    words.options.extend(word.chars().skip(1).map(|letter| format!("-{letter}")));
                }
                _ if word.starts_with('-') => {
                    let option = self.option(word, &mut rest)?;
                    if option == "--all" || option.starts_with("--glob=") {
                        // The content of a note has no path, so we could not recognise a secret in it by name.
                        words.options.push("--exclude=refs/notes/*".to_owned());
                    }
                    words.options.push(option);
                }
                _ => words.operands.push(word),
            }
        }
        Ok(words)
    }

    fn is_cluster(&self, word: &str) -> bool {
        let letters = word.strip_prefix('-').filter(|letters| letters.len() > 1).unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| is_in(self.flags, &format!("-{letter}")))
    }

    fn option<'a>(&self, word: &'a str, rest: &mut impl Iterator<Item = &'a str>) -> Result<String, Ruling> {
        let digits = word.trim_start_matches('-');
        let is_number = !digits.is_empty() && digits.len() + 1 == word.len() && is_digits(digits);
        if is_in(self.flags, word) || (is_number && is_in(self.flags, "-NUM")) {
            return Ok(word.to_owned());
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if word.starts_with("--") => (name, Some(value)),
            _ if word.starts_with("--") => (word, None),
            // A letter with its value, such as `-U3`.
            _ => {
                let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
                (&word[..end], Some(&word[end..]).filter(|value| !value.is_empty()))
            }
        };
        let value = match value {
            Some(value) if is_in(self.valued, name) || is_in(self.attached, name) => value,
            None if is_in(self.attached, name) => return Ok(name.to_owned()),
            None if is_in(self.valued, name) => {
                rest.next().ok_or_else(|| self.refused(name, "needs a value"))?
            }
            _ => {
                return Err(self.refused(
                    name,
                    "is not an option that is allowed here; leave it out, or write it in full",
                ));
            }
        };
        self.check_value(name, value)?;
        let sign = if name.starts_with("--") { "=" } else { "" };
        Ok(format!("{name}{sign}{value}"))
    }

    fn check_value(&self, name: &str, value: &str) -> Result<(), Ruling> {
        match name {
            // `%G?` and similar placeholders start the program that checks signatures.
            "--format" | "--pretty"
                if ["%G", "%+G", "%-G", "% G"].iter().any(|sign| value.contains(sign)) =>
            {
                Err(self.refused(name, "with `%G` starts a program; leave `%G` out"))
            }
            "-L" if value.contains(':') => {
                Err(self.refused(name, "takes only lines here, as in `-L1,5`, without `:`"))
            }
            _ if !name.starts_with("--") && value.is_empty() => Err(self.refused(name, "needs a value")),
            _ => Ok(()),
        }
    }

    fn refused(&self, option: &str, why: &str) -> Ruling {
        built_in(format!("`git {} {option}` {why}", self.name))
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_in(groups: &[&str], option: &str) -> bool {
    groups.iter().flat_map(|group| group.split_whitespace()).any(|it| it == option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_one_arity_but_where_git_gives_it_two() {
        for subcommand in SUBCOMMANDS {
            for option in subcommand.valued.iter().flat_map(|group| group.split_whitespace()) {
                assert!(!is_in(subcommand.flags, option) && !is_in(subcommand.attached, option), "{option}");
            }
            if subcommand.shows_contents {
                assert!(subcommand.forced.starts_with("--no-ext-diff --no-textconv"), "{}", subcommand.name);
            }
        }
    }
}
