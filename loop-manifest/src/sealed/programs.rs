//! The parts of a command, and what its programs do with the files that they get.

/// Programs whose arguments can be folders with tests.
pub(super) const RUNNERS: &[&str] = &[
    "pytest",
    "py.test",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "tap",
    "node",
    "python",
    "rspec",
    "phpunit",
    "bats",
    "prove",
    "deno",
    "bun",
    "run-parts",
];

/// Programs that run the file that they get.
pub(super) const INTERPRETERS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "python", "node", "perl", "ruby", "php", "deno", "bun", "source"];

/// Scripts of `package.json` that run what the project makes.
pub(super) const PRODUCT_SCRIPTS: &[&str] =
    &["start", "dev", "serve", "preview", "build", "watch", "prepare"];

/// Programs that judge the output of another one.
const JUDGES_OF_OUTPUT: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "diff",
    "cmp",
    "jq",
    "awk",
    "wc",
    "md5sum",
    "sha256sum",
    "head",
    "tail",
    "sort",
];

/// Programs that judge the files that they get.
const JUDGES_OF_FILES: &[&str] = &[
    "[",
    "black",
    "cc",
    "clang",
    "clang-format",
    "clang-tidy",
    "compileall",
    "cppcheck",
    "doctest",
    "eslint",
    "flake8",
    "g++",
    "gcc",
    "go",
    "gofmt",
    "golangci-lint",
    "grep",
    "hadolint",
    "jshint",
    "markdownlint",
    "mypy",
    "prettier",
    "py_compile",
    "pylint",
    "pyright",
    "rg",
    "rubocop",
    "ruff",
    "rustc",
    "rustfmt",
    "shellcheck",
    "shfmt",
    "test",
    "tsc",
    "wc",
    "yamllint",
];

/// Splits a line at its operators, but not within quotes. Each part comes with the sign that ends it.
pub(super) fn parts(command: &str) -> Vec<(&str, Option<char>)> {
    let (mut parts, mut start, mut quote, mut is_escaped) = (Vec::new(), 0, None, false);
    for (at, sign) in command.char_indices() {
        match (quote, sign) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            // As in `find -exec sh {} ;`.
            (None, '{') if command[at..].starts_with("{}") => {}
            (None, '}') if command[..at].ends_with('{') => {}
            (None, ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' | '`') => {
                parts.push((&command[start..at], Some(sign)));
                start = at + sign.len_utf8();
            }
            _ => {}
        }
    }
    parts.push((&command[start..], None));
    parts
}

/// Returns whether a program judges what another one prints.
pub(super) fn judges_output(program: &str) -> bool {
    JUDGES_OF_OUTPUT.contains(&program)
}

/// Returns the name of a program without its version.
pub(super) fn plain_name(program: &str) -> &str {
    program.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.')
}

/// Returns whether a command judges the files that it names, instead of judging with them.
pub(super) fn judges_files(program: &str, arguments: &[String]) -> bool {
    match plain_name(program) {
        "python" => {
            let module = arguments.iter().position(|word| word == "-m").and_then(|at| arguments.get(at + 1));
            module.is_some_and(|module| JUDGES_OF_FILES.contains(&module.as_str()))
        }
        "node" => arguments.first().is_some_and(|first| first == "--check"),
        "pytest" => arguments.iter().any(|word| word == "--doctest-modules"),
        _ => JUDGES_OF_FILES.contains(&program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_programs_judge_the_files_that_they_get() {
        for (command, expected) in [
            ("go test ./pkg/q", true),
            ("python3 -m doctest calc.py", true),
            ("python3.12 -W error -m mypy src/a.py", true),
            ("node --check a.js", true),
            ("pytest --doctest-modules src", true),
            ("grep -q done README.md", true),
            ("flake8 src", true),
            ("python3 verify.py mypy", false),
            ("python3 -m unittest doctest", false),
            ("node verify.js --check", false),
            ("sh check.sh test", false),
            ("cat check.sh", false),
        ] {
            let words = shlex::split(command).unwrap();
            assert_eq!(judges_files(&words[0], &words[1..]), expected, "{command}");
        }
    }
}
