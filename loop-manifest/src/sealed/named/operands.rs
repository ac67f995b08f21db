//! Files with which a command or a script judges what something else prints: rules, expected texts, and lists of cases.

use std::{collections::BTreeSet, path::Path};

use loop_guardrails::policy::command::simple_commands;

use super::{
    super::{
        programs::{INTERPRETERS, parts, plain_name},
        scripts, shell_text,
    },
    Scope, Search,
};

/// Programs that read rules from the file behind `-f`.
const WITH_RULES: &[&str] = &["awk", "gawk", "mawk", "sed", "jq", "grep", "egrep", "fgrep", "rg"];

/// The long forms of that option.
const RULES: &[&str] = &["--file", "--from-file"];

impl Search<'_> {
    /// Looks for such files in the text of a shell.
    pub(super) fn operands(&mut self, text: &str, scope: &Scope) {
        let text = text.replace("\\\n", " ");
        let written = written(&text);
        for line in text.lines().map(|line| line.trim_start().trim_start_matches(['@', '-', '+'])) {
            self.operands_in(line, &written, scope);
        }
        self.lists(&text, &written, scope);
    }

    fn operands_in(&mut self, line: &str, written: &BTreeSet<String>, scope: &Scope) {
        let (rest, printed) = shell_text::printed(line);
        let rest_runs = runs_text(&rest);
        let printed_files: Vec<_> = printed.iter().filter_map(|command| printed_file(command)).collect();
        let is_comparison = rest.contains("test ") || rest.contains("[ ");
        // One of two texts comes from a program, and is judged by the one in the file.
        if rest_runs || is_comparison && printed.len() == 2 && printed_files.len() == 1 {
            for file in printed_files {
                self.operand(&file, written, scope);
            }
        }
        for inner in &printed {
            self.operands_in(inner, written, scope);
        }
        for (piece, _) in parts(&rest) {
            for found in simple_commands(piece) {
                let name = plain_name(&found.program);
                let files = match name {
                    _ if WITH_RULES.contains(&name) => rules(&found.arguments),
                    "diff" | "cmp" => self.expected(&found.arguments, scope),
                    _ => Vec::new(),
                };
                for file in files {
                    self.operand(&file, written, scope);
                }
            }
        }
    }

    fn operand(&mut self, word: &str, written: &BTreeSet<String>, scope: &Scope) {
        if written.contains(word) {
            return;
        }
        if let Some(path) = self.below(&scope.base, word).filter(|path| !self.is_judged(path)) {
            self.add(&path, false, &Scope { is_printed: false, ..scope.clone() });
        }
    }

    /// Returns the operand that the other one has to be equal to, as far as the names and the folder say which one it is.
    pub(super) fn expected(&self, arguments: &[String], scope: &Scope) -> Vec<String> {
        let operands = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains(['<', '>']));
        let there: Vec<_> = operands
            .filter(|word| self.below(&scope.base, word).is_some_and(|path| self.is_file(&path)))
            .cloned()
            .collect();
        let [one, other] = &there[..] else { return there };
        let (one_is, other_is) = (scripts::is_expectation(one), scripts::is_expectation(other));
        let is_made = |word: &str| scripts::is_result(word) || self.is_judged(Path::new(word));
        match (one_is && !other_is, other_is && !one_is, is_made(one), is_made(other)) {
            (true, ..) | (false, false, false, true) => vec![one.clone()],
            (_, true, ..) | (false, false, true, false) => vec![other.clone()],
            _ => Vec::new(),
        }
    }

    /// Adds the files whose lines a loop runs, or uses as cases, as in `while read a b; do sh add.sh $a $b; done < cases`.
    fn lists(&mut self, text: &str, written: &BTreeSet<String>, scope: &Scope) {
        let mut loops: Vec<bool> = Vec::new();
        for part in text.lines().flat_map(|line| line.split(';')).map(str::trim) {
            if ["while ", "until ", "for "].iter().any(|word| part.starts_with(word)) {
                loops.push(false);
            } else if part == "done" || part.starts_with("done ") || part.starts_with("done<") {
                let uses_files = loops.pop().unwrap_or_default();
                let file = part.split_once('<').and_then(|(_, rest)| rest.split_whitespace().next());
                if let Some(file) = file.filter(|_| uses_files) {
                    self.operand(file.trim_matches(['"', '\'']), written, scope);
                }
                if let Some(outer) = loops.last_mut() {
                    *outer |= uses_files;
                }
            } else if let Some(uses_files) = loops.last_mut() {
                *uses_files |= self.uses_files(part, scope);
            }
        }
    }

    /// Returns whether a line of a shell names a file of the folder, or runs a text.
    fn uses_files(&self, line: &str, scope: &Scope) -> bool {
        let is_end = |sign: char| sign.is_whitespace() || "\"'`()|&=".contains(sign);
        line.split(is_end).filter(|word| !word.is_empty()).any(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            let is_file = || self.below(&scope.base, word).is_some_and(|path| self.is_file(&path));
            INTERPRETERS.contains(&plain_name(name)) || name == "eval" || is_file()
        })
    }
}

/// Returns the files that a text of a shell writes.
fn written(text: &str) -> BTreeSet<String> {
    let after = text.split('>').skip(1).filter_map(|rest| rest.split_whitespace().next());
    after
        .map(|word| word.trim_end_matches([';', ')', '&', '|']).trim_matches(['"', '\'']).to_owned())
        .collect()
}

/// Returns the files behind the options for rules. Short options can stand together, as in `-qxf`.
fn rules(arguments: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let is_short = word.starts_with('-') && !word.starts_with("--") && word.ends_with('f');
        let joined = RULES.iter().find_map(|option| word.strip_prefix(option)?.strip_prefix('='));
        if let Some(file) = joined {
            files.push(file.to_owned());
        } else if is_short || RULES.contains(&word.as_str()) {
            files.extend(arguments.get(at + 1).cloned());
        }
    }
    files
}

/// Returns the file that a command prints as it is.
fn printed_file(command: &str) -> Option<String> {
    let command = command.trim();
    let file = command.strip_prefix("cat ").or_else(|| command.strip_prefix('<'))?.trim();
    let is_word =
        !file.starts_with('-') && !file.contains(char::is_whitespace) && !file.contains(['|', ';', '$']);
    is_word.then(|| file.trim_matches(['"', '\'']).to_owned())
}

/// Returns whether a line runs a text that an inner command prints, as in `eval "$(cat rules)"`.
fn runs_text(rest: &str) -> bool {
    parts(rest).iter().any(|(piece, _)| {
        let words = shlex::split(piece.trim()).unwrap_or_default();
        let first = words.first().map_or("", |word| plain_name(word.rsplit('/').next().unwrap_or(word)));
        let text =
            words.iter().position(|word| word == "-c" || word == "-e").and_then(|at| words.get(at + 1));
        first == "eval" && words.iter().any(|word| word.contains("$_"))
            || INTERPRETERS.contains(&first) && text.is_some_and(|text| text.trim() == "$_")
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::{super::NamedPaths, *};

    /// Returns which of the files judge, if a script with this text does.
    fn judging(text: &str, files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sums.sh"), "").unwrap();
        files.iter().for_each(|file| fs::write(folder.path().join(file), "").unwrap());
        let mut search = Search {
            folder: folder.path(),
            real: PathBuf::from(folder.path()),
            task: "Mend product.txt",
            named: NamedPaths::default(),
        };
        search.operands(text, &Scope::default());
        search.named.lines.into_iter().collect()
    }

    #[test]
    fn rules_expected_texts_and_lists_of_cases_judge() {
        for (text, files, expected) in [
            ("sh sums.sh | awk -f rules", &["rules"][..], &["/rules"][..]),
            ("sh sums.sh | grep -qxf list", &["list"], &["/list"]),
            ("sh sums.sh | jq --from-file=rule .", &["rule"], &["/rule"]),
            ("sh sums.sh | diff - want", &["want"], &["/want"]),
            ("diff <(sh sums.sh) want", &["want"], &["/want"]),
            ("sh sums.sh > now; cmp now want", &["now", "want"], &["/want"]),
            ("cmp got.txt want.txt", &["got.txt", "want.txt"], &["/want.txt"]),
            ("diff a.txt out.txt", &["a.txt", "out.txt"], &["/a.txt"]),
            ("cmp product.txt a.txt", &["a.txt", "product.txt"], &["/a.txt"]),
            ("diff a b", &["a", "b"], &[]),
            ("test \"$(sh sums.sh)\" = \"$(cat want)\"", &["want"], &["/want"]),
            ("[ \"$(< want)\" = \"$(sh sums.sh)\" ]", &["want"], &["/want"]),
            ("test \"$(cat answer)\" = 4", &["answer"], &[]),
            ("eval \"$(cat rule)\"", &["rule"], &["/rule"]),
            ("sh -c \"$(cat rule)\"", &["rule"], &["/rule"]),
            ("echo \"$(cat page)\"", &["page"], &[]),
            ("while read -r a; do\n  sh sums.sh $a\ndone < cases", &["cases"], &["/cases"]),
            ("while read -r a; do sh -c \"$a\" || exit 1; done < cases", &["cases"], &["/cases"]),
            ("while read -r a; do case $a in x) ;; esac; done < notes", &["notes"], &[]),
        ] {
            assert_eq!(judging(text, files), expected, "{text}");
        }
    }
}
