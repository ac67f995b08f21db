//! Programs and shell words that precede another program and start it.

/// A program, or a word of the shell, whose arguments are another command.
struct Wrapper {
    name: &'static str,
    /// Its options whose value is the next word.
    valued: &'static [&'static str],
    /// The number of words between its options and the command.
    operands: usize,
}

const fn plain(name: &'static str) -> Wrapper {
    wrapper(name, &[], 0)
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands }
}

const TIMEOUT: &[&str] = &["-k", "--kill-after", "-s", "--signal"];

/// After these options, the next word is a package and not a program.
const PACKAGES: &[&str] = &["-p", "--package", "--from", "--with"];

const WRAPPERS: &[Wrapper] = &[
    plain("!"),
    plain("{"),
    plain("}"),
    plain("if"),
    plain("then"),
    plain("elif"),
    plain("else"),
    plain("fi"),
    plain("while"),
    plain("until"),
    plain("do"),
    plain("done"),
    plain("command"),
    wrapper("exec", &["-a"], 0),
    wrapper("time", &["-f", "--format", "-o", "--output"], 0),
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("timeout", TIMEOUT, 1),
    wrapper("gtimeout", TIMEOUT, 1),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    wrapper("xargs", &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"], 0),
    wrapper("sudo", &["-u", "--user", "-g", "--group"], 0),
    plain("nohup"),
    plain("setsid"),
    plain("unbuffer"),
    plain("caffeinate"),
    wrapper("npx", PACKAGES, 0),
    wrapper("bunx", PACKAGES, 0),
    wrapper("uvx", PACKAGES, 0),
];

const SHELLS: [&str; 5] = ["sh", "bash", "dash", "ksh", "zsh"];

/// Returns whether the purpose of `program` is to start another one.
pub(super) fn starts_others(program: &str) -> bool {
    let name = super::name(program);
    SHELLS.contains(&name) || WRAPPERS.iter().any(|wrapper| wrapper.name == name)
}

/// Returns the command that `program` starts with these arguments, if it starts others.
pub(super) fn inner<'a>(program: &str, arguments: &'a [String]) -> Option<&'a [String]> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.name == program)?;
    let command = after_options(arguments, wrapper.valued);
    Some(command.get(wrapper.operands..).unwrap_or_default())
}

fn after_options<'a>(mut words: &'a [String], valued: &[&str]) -> &'a [String] {
    while let Some((option, rest)) = words.split_first().filter(|(word, _)| word.starts_with('-')) {
        if option == "--" {
            return rest;
        }
        let taken = usize::from(valued.contains(&option.as_str()));
        words = rest.get(taken..).unwrap_or_default();
    }
    words
}

/// Returns the script of `sh -c`, `bash -lc` and similar commands.
pub(super) fn script<'a>(program: &str, arguments: &'a [String]) -> Option<&'a str> {
    let is_script = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let flag = arguments.iter().position(is_script).filter(|_| SHELLS.contains(&program))?;
    arguments.get(flag + 1).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::super::simple_commands;
    use super::*;

    #[test]
    fn every_wrapper_is_looked_through_with_all_its_options() {
        for wrapper in WRAPPERS {
            let options: String = wrapper.valued.iter().map(|option| format!("{option} value ")).collect();
            let line = format!("{} {options}-x -- {}claude -p", wrapper.name, "5 ".repeat(wrapper.operands));
            let found = simple_commands(&line);
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!((found[0].program.as_str(), &*found[0].arguments), ("claude", &["-p".to_owned()][..]));
        }
    }

    #[test]
    fn every_shell_is_looked_into() {
        for shell in SHELLS {
            let found = simple_commands(&format!("/bin/{shell} -l -c 'cd x && claude' name"));
            assert_eq!(found[1].program, "claude");
        }
    }
}
