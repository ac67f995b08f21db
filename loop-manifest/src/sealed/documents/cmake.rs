//! `CMake`: `CMakeLists.txt`, and files that it includes.
//!
//! The commands that declare tests stay, each in the blocks (`if`, `foreach`, ...) in which it was, and so do the sources of
//! the programs that are tests, and the lists of tests over which a `foreach` goes. Everything else is the agent's: other
//! targets, more sources, more tests.

use std::path::Path;

use super::super::scripts;

/// Commands that declare tests, or change how they run.
const TESTS: &[&str] = &[
    "add_test",
    "catch_discover_tests",
    "create_test_sourcelist",
    "doctest_discover_tests",
    "enable_testing",
    "gtest_add_tests",
    "gtest_discover_tests",
    "set_tests_properties",
];

/// Commands of which no more may be there than at the start: they end a file early, or replace other commands.
const ENDING: &[&str] = &["cmake_language", "return", "set_tests_properties", "variable_watch"];

/// Words that put another program before a test, disable it, or build it without its assertions.
const DISTURBING: &[&str] = &[
    "-Wl,-e",
    "BUILD_TESTING",
    "CMAKE_BUILD_TYPE",
    "CTEST_",
    "CTestC",
    "CTestTestfile",
    "DISABLED",
    "EMULATOR",
    "LINK_EXECUTABLE",
    "NDEBUG",
    "RULE_LAUNCH",
    "SKIP_",
    "TEST_INCLUDE_FILE",
    "TEST_LAUNCHER",
    "WILL_FAIL",
    "main=",
];

/// New commands that may be about a program that is a test: they give it what the agent writes.
const WELCOME: &[&str] = &[
    "add_dependencies",
    "install",
    "target_compile_features",
    "target_include_directories",
    "target_link_libraries",
];

/// A command, in its blocks.
#[derive(Debug, PartialEq, Eq)]
struct Command {
    name: String,
    words: Vec<String>,
    blocks: Vec<String>,
}

/// Returns whether a file has this name.
pub(super) fn is_file(name: &str) -> bool {
    name == "CMakeLists.txt" || name.ends_with(".cmake")
}

/// Returns the words of the commands that add tests, one a line, as paths in the folder of the file, and the patterns of files
/// from which lists of tests are. Sources of what is tested are not among them.
pub(super) fn test_words(text: &str) -> String {
    let commands = commands(&without_comments(text));
    let lists = lists_of_tests(&commands);
    let words = commands
        .iter()
        .filter(|command| command.name == "add_test" || command.name == "file" && command.changes(&lists))
        .flat_map(|command| &command.words);
    let paths = words.map(|word| word.split_once("_SOURCE_DIR}/").map_or(word.as_str(), |(_, path)| path));
    let paths = paths.filter(|path| !scripts::says_that_it_is_judged(Path::new(path)));
    let line = |path: &str| {
        if path.contains('*') { format!("testMatch: [\"{path}\"]\n") } else { format!("\"{path}\"\n") }
    };
    paths.map(line).collect()
}

/// Returns the names of the lists over which a `foreach` with tests goes.
fn lists_of_tests(commands: &[Command]) -> Vec<String> {
    let tests = commands.iter().filter(|command| TESTS.contains(&command.name.as_str()));
    let loops = tests.flat_map(|command| &command.blocks).filter_map(|block| block.strip_prefix("foreach "));
    let words = loops.flat_map(|words| words.split_whitespace().skip(1));
    let names = words.map(|word| word.trim_start_matches("${").trim_end_matches('}').to_owned());
    names.filter(|name| name != "IN" && name != "LISTS" && name != "ITEMS").collect()
}

/// Returns the file of the agent if all that judges in `first` is in it, and `None` otherwise.
pub(super) fn merge(first: &str, judged: &str) -> Option<String> {
    let texts = [without_comments(first), without_comments(judged)];
    // Other texts in such brackets could hide commands from us, or from CMake.
    if texts.iter().any(|text| text.contains("[[") || text.contains("[=")) {
        return None;
    }
    let [first, judged_commands] = texts.map(|text| commands(&text));
    let programs: Vec<_> = first.iter().filter_map(tested).collect();
    let lists = lists_of_tests(&first);
    let (mut kept, mut rest) = (Vec::new(), judged_commands.iter());
    for command in first.iter().filter(|command| command.judges(&programs) || command.changes(&lists)) {
        kept.push(rest.find(|other| command.is_in(other))?);
    }
    let is_kept = |command: &Command| kept.iter().any(|other| std::ptr::eq(*other, command));
    let mut new = judged_commands.iter().filter(|command| !is_kept(command));
    (!new.any(|command| command.disturbs(&programs) || command.changes(&lists))).then(|| judged.to_owned())
}

/// Returns the program that a command declares to be a test.
fn tested(command: &Command) -> Option<&str> {
    let word = |at: usize| command.words.get(at).map(String::as_str);
    match command.name.as_str() {
        "add_test" => {
            let after = command.words.iter().position(|word| word == "COMMAND").map(|at| at + 1);
            word(after.unwrap_or(1))
        }
        name if name.ends_with("_discover_tests") || name == "gtest_add_tests" => {
            word(usize::from(word(0) == Some("TARGET")))
        }
        _ => None,
    }
}

impl Command {
    /// Returns whether this command of the start decides which tests run, and how.
    fn judges(&self, programs: &[&str]) -> bool {
        TESTS.contains(&self.name.as_str())
            || self.is_program(programs)
            || self.has_any(DISTURBING)
            || self.includes_tests()
            || ENDING.contains(&self.name.as_str())
    }

    /// Returns whether this new command would change the tests of the start.
    fn disturbs(&self, programs: &[&str]) -> bool {
        let redefines = |name: &String| {
            let name = name.to_ascii_lowercase();
            TESTS.contains(&name.as_str()) || name.starts_with("add_") || name == "include"
        };
        ENDING.contains(&self.name.as_str())
            || self.is_about(programs) && !WELCOME.contains(&self.name.as_str())
            || self.has_any(DISTURBING)
            || self.includes_unread()
            || ["function", "macro"].contains(&self.name.as_str())
                && self.words.first().is_some_and(redefines)
    }

    /// Returns whether the command changes one of these lists.
    fn changes(&self, lists: &[String]) -> bool {
        ["set", "list", "file", "string", "unset"].contains(&self.name.as_str())
            && self.words.iter().any(|word| lists.contains(word))
    }

    /// Returns whether the command makes a program that is a test.
    fn is_program(&self, programs: &[&str]) -> bool {
        self.name == "add_executable"
            && self.words.first().is_some_and(|word| programs.contains(&word.as_str()))
    }

    /// Returns whether the command names a program that is a test where commands name what they change.
    fn is_about(&self, programs: &[&str]) -> bool {
        let named = self.words.iter().take(2).filter(|word| !["TARGET", "TARGETS"].contains(&word.as_str()));
        let is_program = |word: &&String| programs.contains(&word.as_str());
        // The program can be called, and waited for.
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        let is_custom = self.name.starts_with("add_custom_");
        let mut others = pairs.filter(|(before, _)| !["COMMAND", "DEPENDS"].contains(&before.as_str()));
        self.name != "add_test"
            && (named.into_iter().any(|word| is_program(&word))
                || is_custom && others.any(|(_, word)| is_program(&word)))
    }

    /// Returns whether the command reads a file that can have tests: not one of the sources.
    fn includes_tests(&self) -> bool {
        let Some(first) = self.words.first() else { return false };
        match self.name.as_str() {
            "include" => first.to_ascii_lowercase().contains("test"),
            "add_subdirectory" => !scripts::says_that_it_is_judged(Path::new(first)),
            _ => false,
        }
    }

    /// Returns whether the command reads a file that is not known to be one of `CMake`.
    fn includes_unread(&self) -> bool {
        let is_module = |word: &String| word.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
        let first = self.words.first().filter(|word| !is_module(word) && !word.ends_with(".cmake"));
        self.name == "include" && first.is_some()
    }

    fn has_any(&self, parts: &[&str]) -> bool {
        self.words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
    }

    /// Returns whether the other command is this one. A program may have more sources, and a list more tests.
    fn is_in(&self, other: &Self) -> bool {
        let mut words = other.words.iter();
        let has_all = self.words.iter().all(|word| words.any(|other| word == other));
        let has_same =
            self.words == other.words || ["add_executable", "set"].contains(&self.name.as_str()) && has_all;
        self.name == other.name && self.blocks == other.blocks && has_same
    }
}

/// Returns the text without its comments, of one line (`# ...`) or in brackets (`#[=[ ... ]=]`). A comment in brackets without
/// an end stays, and so does everything in quotes.
///
/// This reads as `CMake` does up to the first argument in brackets. The result then has the opening bracket of that argument.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest, mut is_quoted) = (String::new(), text, false);
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '#' if !is_quoted => {
                let Some(length) = comment_length(rest) else { break };
                kept.push(' ');
                rest = &rest[length..];
                continue;
            }
            sign => sign.len_utf8(),
        };
        is_quoted ^= sign == '"';
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    kept + rest
}

/// Returns the bytes of the comment at the start of a text, without the end of its line; `None` if its bracket has no end.
fn comment_length(text: &str) -> Option<usize> {
    let signs = text.strip_prefix("#[").map(|after| after.len() - after.trim_start_matches('=').len());
    match signs.filter(|signs| text[2 + signs..].starts_with('[')) {
        Some(signs) => {
            let (open, close) = (signs + 3, format!("]{}]", "=".repeat(signs)));
            text[open..].find(&close).map(|at| open + at + close.len())
        }
        None => Some(text.find('\n').unwrap_or(text.len())),
    }
}

/// Returns the commands of a text without comments.
fn commands(text: &str) -> Vec<Command> {
    let (mut commands, mut blocks, mut pieces) =
        (Vec::new(), Vec::new(), pieces(text).into_iter().peekable());
    while let Some(name) = pieces.next() {
        if pieces.next_if(|piece| piece == "(").is_none() {
            continue;
        }
        let (mut depth, mut words) = (1, Vec::new());
        for piece in pieces.by_ref() {
            depth += i32::from(piece == "(") - i32::from(piece == ")");
            if depth == 0 {
                break;
            }
            words.push(piece);
        }
        let name = name.to_ascii_lowercase();
        if name.starts_with("end") || name.starts_with("else") {
            blocks.pop();
        }
        let command = Command { words, blocks: blocks.clone(), name };
        let opens = ["if", "else", "elseif", "foreach", "while", "function", "macro", "block"];
        if opens.contains(&command.name.as_str()) {
            blocks.push(format!("{} {}", command.name, command.words.join(" ")));
        }
        commands.push(command);
    }
    commands
}

/// Splits a text without comments into words, quoted texts and parentheses.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut word, mut signs) = (Vec::new(), String::new(), text.chars().peekable());
    let end = |word: &mut String, pieces: &mut Vec<String>| {
        if !word.is_empty() {
            pieces.push(std::mem::take(word));
        }
    };
    while let Some(sign) = signs.next() {
        match sign {
            '"' => {
                while let Some(sign) = signs.next().filter(|sign| *sign != '"') {
                    word.push(sign);
                    word.extend((sign == '\\').then(|| signs.next()).flatten());
                }
            }
            '\\' => {
                word.push(sign);
                word.extend(signs.next());
            }
            '(' | ')' => {
                end(&mut word, &mut pieces);
                pieces.push(sign.to_string());
            }
            sign if sign.is_whitespace() => end(&mut word, &mut pieces),
            sign => word.push(sign),
        }
    }
    end(&mut word, &mut pieces);
    pieces
}
