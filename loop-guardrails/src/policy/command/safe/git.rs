//! `git`, which reads histories, writes files and starts programs, all under one name.
//!
//! Only what shows something runs. A repository can name programs in its configuration, so those are
//! switched off: what is said here, and what [git has to be asked for](programs). And a history holds every secret
//! that was ever committed, so they are left out of what is shown, by name.

mod programs;

pub use self::programs::GIT_VARIABLES;
use super::{CommandLine, built_in, words::means};
use crate::policy::{LocalPath, Ruling, SecretFiles};

/// The subcommands that run.
const SUBCOMMANDS: &[&str] = &["status", "diff", "log", "show", "blame"];

/// What is refused of all of them, and why.
const REFUSED: &[(&str, &str)] = &[
    ("--output", "it writes a file"),
    ("--ext-diff", "it starts a program that the repository names"),
    ("--textconv", "it starts a program that the repository names"),
    ("--show-signature", "it starts a program that the repository names"),
    ("--open-files-in-pager", "it starts a program"),
    ("--no-index", "it reads files outside of the repository"),
    ("--contents", "it reads a file unseen"),
    ("--ignore-revs-file", "it reads a file unseen"),
    ("--submodule", "it shows files of other repositories"),
    ("--ignore-submodules", "it can start programs that other repositories name"),
    ("--remerge-diff", "it starts programs that the repository names"),
    ("--diff-merges", "it can start programs that the repository names"),
    ("--alternate-refs", "it starts a program that the repository names"),
    ("--full-diff", "it shows files that were not asked for, secrets among them"),
    ("--stdin", "there is no standard input"),
    ("-O", "it reads a file unseen"),
];

/// Options of all that show contents whose value may be the next word.
const VALUED: &[&str] = &[
    "-n",
    "-S",
    "-G",
    "--max-count",
    "--skip",
    "--since",
    "--after",
    "--until",
    "--before",
    "--author",
    "--committer",
    "--grep",
    "--date",
];

/// The subcommands that show what is in files, by revisions.
const SHOWING: &[&str] = &["diff", "log", "show"];

/// The subcommands that look at files in the folder. In a submodule git would start another git for that, to which
/// nothing holds that is set here.
const COMPARING: &[&str] = &["diff", "status"];

/// What a repository's configuration is not asked about.
const CONFIGURATION: &[&str] = &[
    // Files named as those of a repository make none: a model can write them.
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.diffMerges=separate",
    // What it does not find there it prints, whatever file it is.
    "blame.ignoreRevsFile=",
    "status.submoduleSummary=false",
    "diff.submodule=short",
];

/// Judges the arguments of `git`, and gives those with which it runs.
pub(super) fn judge(mut line: CommandLine, secrets: &SecretFiles) -> Result<CommandLine, Ruling> {
    let (subcommand, rest) = line.arguments.split_first().ok_or_else(no_subcommand)?;
    if !SUBCOMMANDS.contains(&subcommand.as_str()) {
        return Err(no_subcommand());
    }
    let end = rest.iter().position(|word| word == "--");
    let (before, paths) = rest.split_at(end.unwrap_or(rest.len()));
    let shows = SHOWING.contains(&subcommand.as_str());
    let mut words = Vec::new();
    let mut named = Vec::new();
    let mut is_value = false;
    for word in before {
        let is_option = word.starts_with('-') && !is_value;
        if is_option {
            words.push(option(subcommand, word)?);
        } else if is_value {
            words.push(word.clone());
        } else if shows {
            words.push(range(word, &mut named)?);
        } else {
            // A path, or for `blame` a revision before it.
            named.push(word.clone());
            words.push(word.clone());
        }
        // `blame -n` has no value.
        is_value = is_option && shows && VALUED.contains(&word.as_str());
    }
    named.extend(paths.iter().skip(1).cloned());
    line.paths = named;
    line.is_held = true;
    line.arguments = hardened(subcommand, words, paths.get(1..).unwrap_or_default(), end.is_some(), secrets);
    Ok(line)
}

fn no_subcommand() -> Ruling {
    built_in(format!("of `git` only {} run, each as the first word behind it", SUBCOMMANDS.join(", ")))
}

fn option(subcommand: &str, word: &str) -> Result<String, Ruling> {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let refused = |(option, _): &&(&str, &str)| means(name, option) || is_short(option, word);
    if let Some((option, why)) = REFUSED.iter().find(refused) {
        return Err(built_in(format!("`git {subcommand} {option}` is refused: {why}")));
    }
    // Of `blame` it is a file of revisions.
    if subcommand == "blame" && word.starts_with("-S") {
        return Err(built_in("`git blame -S` is refused: it reads a file unseen"));
    }
    let is_verbose = means(name, "--verbose") || (!word.starts_with("--") && word.contains('v'));
    if subcommand == "status" && is_verbose {
        return Err(built_in("`git status --verbose` is refused: it shows what is in files; use `git diff`"));
    }
    // Lines of a file: `-L1,5:path`.
    if word.starts_with("-L") && word.contains(':') {
        return Err(built_in(
            "`git -L` with a path is refused; use `git blame -L1,5 -- path`, or `read_file`",
        ));
    }
    Ok(word.to_owned())
}

fn is_short(option: &str, word: &str) -> bool {
    !option.starts_with("--") && word.starts_with(option)
}

/// One revision, or two with dots between them. What may be the name of a file is put to the others.
fn range(word: &str, named: &mut Vec<String>) -> Result<String, Ruling> {
    let dots = ["...", ".."].into_iter().find_map(|dots| Some((dots, word.split_once(dots)?)));
    let Some((dots, (from, to))) = dots else { return revision(word, named) };
    Ok(format!("{}{dots}{}", revision(from, named)?, revision(to, named)?))
}

/// A revision, `REVISION:path`, or a path.
fn revision(word: &str, named: &mut Vec<String>) -> Result<String, Ruling> {
    if word.is_empty() {
        return Ok(String::new());
    }
    let (revision, path) = split_path(word).map_or((None, word), |(revision, path)| (Some(revision), path));
    named.push(path.to_owned());
    let path = LocalPath::new(path).map_err(|error| built_in(error.to_string()))?;
    Ok(match revision {
        // `./` makes it start from this folder, and not from the repository's root, which may be above.
        Some(revision) => format!("{revision}:./{path}"),
        // All parents of a commit, and the like.
        None if ["^@", "^!"].iter().any(|end| word.ends_with(end)) || word.contains("^-") => word.to_owned(),
        // The hash of a file would show it without its name.
        None => format!("{word}^{{commit}}"),
    })
}

/// The two sides of `REVISION:path`, `:path` and `:0:path`.
fn split_path(word: &str) -> Option<(&str, &str)> {
    let staged = (0..4).map(|stage| format!(":{stage}:")).find(|stage| word.starts_with(stage.as_str()));
    match staged {
        Some(stage) => Some((&word[..stage.len() - 1], &word[stage.len()..])),
        None => word.split_once(':'),
    }
}

fn hardened(
    subcommand: &str,
    words: Vec<String>,
    paths: &[String],
    marked: bool,
    secrets: &SecretFiles,
) -> Vec<String> {
    let mut arguments = vec!["--no-pager".to_owned(), "--no-optional-locks".to_owned()];
    arguments.extend(CONFIGURATION.iter().flat_map(|entry| ["-c".to_owned(), (*entry).to_owned()]));
    arguments.push(subcommand.to_owned());
    let shows_contents = SHOWING.contains(&subcommand);
    if shows_contents {
        arguments.extend(["--no-ext-diff", "--no-textconv"].map(str::to_owned));
    }
    if subcommand == "blame" {
        arguments.push("--no-textconv".to_owned());
    }
    if COMPARING.contains(&subcommand) {
        arguments.push("--ignore-submodules=dirty".to_owned());
    }
    let names_paths = marked && !paths.is_empty();
    if ["log", "show"].contains(&subcommand) && !names_paths {
        // All commits, also those without changes, although paths are given: those below.
        arguments.extend(["--full-history", "--sparse"].map(str::to_owned));
    }
    arguments.extend(words);
    if shows_contents {
        arguments.push("--".to_owned());
        let given = paths.iter().map(|path| format!(":(literal){path}"));
        arguments.extend(given);
        if !names_paths {
            arguments.push(".".to_owned());
        }
        arguments.extend(secrets.rules().flat_map(|(name, _)| {
            [format!(":(exclude,glob,icase)**/{name}"), format!(":(exclude,glob,icase)**/{name}/**")]
        }));
    } else if marked {
        arguments.push("--".to_owned());
        arguments.extend(paths.iter().cloned());
    }
    arguments
}
