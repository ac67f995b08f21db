//! The subcommands that run, and their options.
//!
//! An option that is not listed here does not run. Values are written into the option's own word, so that git cannot
//! take the next word for a value where we took it for a revision, or the other way round.

use super::built_in;
use crate::policy::Ruling;

/// A subcommand, with the options that only choose what is shown, and how.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subcommand {
    pub(super) name: &'static str,
    /// Options without a value, in groups; `-NUM` is `-5`.
    flags: &'static [&'static str],
    /// Options with a value, in the same word or the next.
    valued: &'static [&'static str],
    /// Options with a value in the same word, or none.
    attached: &'static [&'static str],
    /// Options that are always given.
    pub(super) forced: &'static str,
    /// Whether it shows what is in files, at paths of its own finding.
    shows_contents: bool,
    /// Whether it does so only with some options.
    may_show_names_only: bool,
    /// Whether it compares files of the index, or commits, and so can list all their names beforehand.
    pub(super) compares: bool,
    /// Whether its commits are those that change what is shown.
    pub(super) walks_history: bool,
    /// Whether `REVISION:path` means a file or a folder to show.
    pub(super) shows_objects: bool,
    /// Whether words before `--` are paths.
    pub(super) takes_paths_first: bool,
    /// Whether it shows one file, named last.
    pub(super) takes_one_path: bool,
}

/// How changes are shown.
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

/// How commits are shown.
const COMMIT_FLAGS: &str = "--oneline --abbrev-commit --no-abbrev-commit --no-decorate -c --cc -m --first-parent \
    --no-notes --parents --children --relative-date";
/// Of these, options with which changes are shown.
const MERGE_FLAGS: &str = "-c --cc -m";
/// Options of changes with which only names and numbers are shown.
const NAMES_ONLY: &str =
    "--stat --numstat --shortstat --name-only --name-status --summary -s --no-patch --no-color --color";
const COMMIT_VALUED: &str = "--date --decorate-refs --decorate-refs-exclude";
const COMMIT_ATTACHED: &str = "--pretty --format --decorate";

/// Which commits are shown.
const WALK_FLAGS: &str = "-NUM --all-match --invert-grep -i --regexp-ignore-case -E -F -P --basic-regexp \
    --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --no-min-parents --no-max-parents --all --not \
    --branches --tags --remotes --reflog -g --walk-reflogs --boundary --simplify-merges --simplify-by-decoration \
    --full-history --dense --sparse --show-pulls --date-order --author-date-order --topo-order --reverse --do-walk --graph \
    --no-graph --source --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --log-size \
    --clear-decorations";
const WALK_VALUED: &str = "-n --max-count --skip --since --after --until --before --since-as-filter --author --committer \
    --grep --grep-reflog --min-parents --max-parents --glob --exclude";
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
        // Of a submodule git would show what its refs hold, which may be links, and start another git in it.
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
        // Options that name refs are missing: a tag can be a file, and `show` would print it whatever its name was.
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
        attached: &["-M -C --abbrev"],
        // A setting can name such a file as often as it likes, and an empty setting takes none of them away.
        forced: "--no-textconv --no-ignore-revs-file",
        takes_one_path: true,
        ..DEFAULT
    },
];

/// A command's words, sorted.
pub(super) struct Words<'a> {
    /// Options, each with its value in the same word.
    pub(super) options: Vec<String>,
    /// The other words before `--`.
    pub(super) operands: Vec<&'a str>,
    /// The words behind `--`, if it is there.
    pub(super) paths: Option<Vec<&'a str>>,
}

/// The subcommand of this name.
pub(super) fn find(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
}

pub(super) fn no_subcommand() -> Ruling {
    let names: Vec<_> = SUBCOMMANDS.iter().map(|subcommand| subcommand.name).collect();
    built_in(format!("of `git` only {} run, each as the first word behind it", names.join(", ")))
}

impl Subcommand {
    /// Whether what is in files is shown with these options.
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

    /// Of these words, those that say what is compared.
    pub(super) fn compared<'a>(&self, words: &'a [String]) -> impl Iterator<Item = &'a str> {
        let chooses =
            |word: &&str| !word.starts_with('-') || ["--cached", "--staged", "--merge-base"].contains(word);
        words.iter().map(String::as_str).filter(chooses)
    }

    /// Sorts the words behind the subcommand.
    ///
    /// # Errors
    /// An option that is not listed.
    pub(super) fn words<'a>(&self, arguments: &'a [String]) -> Result<Words<'a>, Ruling> {
        let mut words = Words { options: Vec::new(), operands: Vec::new(), paths: None };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            match word {
                "--" => words.paths = Some(rest.by_ref().collect()),
                // `-sb`. Each letter gets a word, so that git cannot take one for the value of another.
                _ if self.is_cluster(word) => {
                    words.options.extend(word.chars().skip(1).map(|letter| format!("-{letter}")));
                }
                _ if word.starts_with('-') => {
                    let option = self.option(word, &mut rest)?;
                    if option == "--all" || option.starts_with("--glob=") {
                        // What a note holds has no path, and so no name that could be a secret's.
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
            // `-U3`: a letter and its value.
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
                return Err(
                    self.refused(name, "is not an option that runs here; do without, or write it out")
                );
            }
        };
        self.check_value(name, value)?;
        let sign = if name.starts_with("--") { "=" } else { "" };
        Ok(format!("{name}{sign}{value}"))
    }

    fn check_value(&self, name: &str, value: &str) -> Result<(), Ruling> {
        match name {
            // `%G?` and its like start the program that checks signatures.
            "--format" | "--pretty"
                if ["%G", "%+G", "%-G", "% G"].iter().any(|sign| value.contains(sign)) =>
            {
                Err(self.refused(name, "with `%G` starts a program; leave `%G` out"))
            }
            "-L" if value.contains(':') => {
                Err(self.refused(name, "takes lines here, as in `-L1,5`, and no `:`"))
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
