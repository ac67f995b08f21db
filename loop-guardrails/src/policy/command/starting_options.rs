//! Options with which programs start others.
//!
//! A person who allows `git grep TODO` does not expect that the model can then start a shell with `git grep -Osh`. An
//! entry therefore allows no option of these.

/// Long options of many programs, without their dashes. Some programs accept one dash, and the beginning of a name.
const LONG: &[&str] = &[
    "build-runner",
    "chooser",
    "cmd",
    "command",
    "compiler",
    "config",
    "config-env",
    "config-file",
    "configfile",
    "define",
    "editor",
    "entrypoint",
    "eval",
    "exec",
    "exec-batch",
    "exec-path",
    "execute",
    "experimental-loader",
    "ext-diff",
    "gdb-path",
    "globalconfig",
    "import",
    "init-command",
    "init-file",
    "init-module",
    "init-script",
    "interpreter",
    "kubeconfig",
    "launcher",
    "ldflags",
    "linker",
    "loader",
    "node-options",
    "open-files-in-pager",
    "pager",
    "plugin",
    "plugins",
    "post-renderer",
    "pre-command",
    "preload",
    "preprocessor",
    "print-command",
    "rcfile",
    "receive-pack",
    "rakelibdir",
    "require",
    "rsh",
    "runner",
    "script-shell",
    "shell",
    "test-wrapper",
    "textconv",
    "to-command",
    "toolexec",
    "upload-pack",
    "use-compress-program",
    "userconfig",
    "vettool",
    "with-compiler",
    "wrapper",
];

/// The beginnings of further words, for the programs of a row.
const WORDS: &[(&[&str], &[&str])] = &[
    (&["bundle", "rails", "rake", "rspec", "ruby"], &["-C", "-e", "-f", "-r", "-R"]),
    (&["bun"], &["-r"]),
    (&["cargo"], &["-C", "-Z", "--manifest-path"]),
    (&["ctest"], &["-S", "-SP", "--script", "--script-new-process"]),
    (&["deno"], &["-A", "--allow-all", "--allow-run", "--allow-ffi"]),
    (&["dotnet"], &["-p", "--property"]),
    (&["docker", "docker-compose", "podman"], &["-v", "--mount", "--privileged", "--volume"]),
    (&["git"], &["-c", "-O", "-u", "-x", "bisect", "foreach", "run"]),
    (&["go"], &["-C", "-modfile", "-overlay"]),
    (
        &["gradle", "gradlew"],
        &["-b", "-c", "-D", "-I", "-p", "--build-file", "--include-build", "--project-dir"],
    ),
    (&["just", "task"], &["-d", "-f", "-t", "--justfile", "--taskfile", "--working-directory"]),
    (&["elixir", "mix"], &["-e", "-r"]),
    (&["lua", "node", "perl", "php"], &["-e", "-l", "-M", "-p", "-r"]),
    (&["make", "gmake"], &["-C", "-E", "-f", "-I", "--directory", "--file", "--include-dir", "--makefile"]),
    (&["mvn", "mvnw"], &["-D", "-f", "-gs", "-s", "-t", "--file", "--settings", "--toolchains"]),
    (&["node"], &["--test-reporter"]),
    (&["npm", "pnpm", "yarn", "bun"], &["-C", "--cwd", "--dir", "--prefix"]),
    (&["pytest", "python", "python3"], &["-c", "-o", "-p", "--confcutdir", "--override-ini", "--rootdir"]),
    (&["rustup"], &["--install"]),
];

/// Returns whether this argument of the program may start another program. It may also belong to a program that this
/// one starts, so a harmless word can be among them.
pub(super) fn starts_another(program: &str, word: &str) -> bool {
    let program = super::name(program);
    // `make` has more forms of settings than a shell: `X!=COMMAND` runs the command.
    let is_setting =
        matches!(program, "make" | "gmake" | "rake") && !word.starts_with('-') && word.contains('=');
    // A file with further arguments.
    let is_file = matches!(program, "pytest" | "python" | "python3") && word.starts_with('@');
    let mut rows = WORDS.iter().filter(|(programs, _)| programs.contains(&program));
    is_setting
        || is_file
        || is_long(word)
        || rows.any(|(_, begins)| begins.iter().any(|begin| begins_option(word, begin)))
}

/// Returns whether a word is a long option, or the beginning of the name of one.
fn is_long(word: &str) -> bool {
    let Some(name) = word.strip_prefix('-') else { return false };
    match name.strip_prefix('-') {
        Some(name) => LONG.iter().any(|known| begins_name(name, known)),
        None => LONG.contains(&name.split(['=', ' ']).next().unwrap_or_default()),
    }
}

/// Returns whether a word is this subcommand, this long option or the beginning of its name, or a bundle with this short
/// option.
fn begins_option(word: &str, begin: &str) -> bool {
    match (begin.strip_prefix("--"), begin.strip_prefix('-')) {
        (Some(name), _) => word.strip_prefix("--").is_some_and(|word| begins_name(word, name)),
        (None, Some(letter)) if letter.len() == 1 => {
            // What follows the letters is a value.
            let is_letter = |sign: char| sign.is_ascii_alphanumeric();
            let bundle =
                word.strip_prefix('-').and_then(|bundle| bundle.split(|sign| !is_letter(sign)).next());
            bundle.is_some_and(|bundle| bundle.contains(letter))
        }
        _ => word.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')),
    }
}

/// Returns whether a long option, without its dashes, is this one or an abbreviation of it. `--c` could be short for
/// anything.
fn begins_name(option: &str, name: &str) -> bool {
    let mut parts = option.split(['=', ' ']).next().unwrap_or_default().split('.');
    let option = parts.next().unwrap_or_default();
    // `--config.script-shell` sets a key of a configuration.
    option.len() > 1 && name.starts_with(option) || parts.any(|key| key == name)
}
