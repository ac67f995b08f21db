//! Judges the arguments of a program by the table of known options.

use super::{
    CommandLine, PathArgument, built_in,
    parsed_arguments::{ParsedArguments, means, says},
    table::{self, Operands, Program, is_in},
};
use crate::policy::{Ruling, SecretFiles, case_folding::FOLDED_SIGNS};

/// Judges the arguments of a program that is not `git`, and finds the paths in them.
pub(super) fn judge(mut line: CommandLine, secrets: &SecretFiles) -> Result<CommandLine, Ruling> {
    let Some(program) = table::find(&line.program) else { return Ok(of_unknown(line)) };
    line.is_known = true;
    if let Some(word) = line.arguments.first().filter(|word| program.has_bundle && !word.starts_with('-')) {
        let name = &line.program;
        return Err(built_in(format!(
            "`{name} {word}` is refused: its first word needs a `-`, as in `{name} -t`"
        )));
    }
    let words = ParsedArguments::of(program, &line.arguments);
    refuse_options(program, &line.program, &words)?;
    refuse_words(program, &line.program, &words)?;
    let named: Vec<_> = words.paths.iter().copied().filter(|path| *path != "-").collect();
    let contents = if program.opens { place(&line.arguments, &named) } else { Vec::new() };
    let paths: Vec<String> = named.iter().map(ToString::to_string).collect();
    let walks = is_in(program.walks, "*") || words.options.iter().any(|option| is_in(program.walks, option));
    let end = words.end;
    line.paths = paths;
    line.contents = contents;
    line.walks = walks;
    line.reads_folders = walks && program.opens;
    if line.program == "rg" {
        // `rg` searches folders by itself. The last matching pattern decides, so ours come last. Pattern files can be
        // links, and an error message would print their lines.
        let own = ["--no-config", "--no-ignore-messages", "--no-ignore-parent"].map(str::to_owned);
        let globs = secrets.rules().map(|(name, _)| format!("--iglob=!**/{name}"));
        let odd = FOLDED_SIGNS.map(|sign| format!("--iglob=!**/*{sign}*"));
        let added: Vec<_> = own.into_iter().chain(globs).chain(odd).collect();
        for word in line.contents.iter_mut().filter(|word| word.argument >= end) {
            word.argument += added.len();
        }
        line.arguments.splice(end..end, added);
    }
    Ok(line)
}

/// Finds the paths in the arguments of a program whose options are not known.
pub(super) fn of_unknown(mut line: CommandLine) -> CommandLine {
    line.paths = line.arguments.iter().flat_map(|word| paths_in(word)).map(str::to_owned).collect();
    line
}

/// Returns the positions of these paths in the arguments that contain them.
fn place(arguments: &[String], paths: &[&str]) -> Vec<PathArgument> {
    let at = |path: &str| {
        arguments.iter().enumerate().find_map(|(argument, text)| {
            let start = (path.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
            (start + path.len() == text.len()).then_some(PathArgument { argument, start })
        })
    };
    paths.iter().filter_map(|path| at(path)).collect()
}

/// For an unknown program, every word may be a path, and so may each value in it: of a short option, also in a bundle
/// (`-qF.env`), of a long one (`--file=.env`), of a setting (`data=.env`), and what follows a revision (`HEAD:.env`). A `@`
/// before a path, and `file://`, belong to no path.
fn paths_in(word: &str) -> Vec<&str> {
    let mut paths = Vec::new();
    match word.strip_prefix('-') {
        Some(bundle) if !bundle.starts_with('-') && !word.contains('=') => {
            // Nobody knows which letter of the bundle takes the value.
            paths.extend(bundle.char_indices().skip(1).map(|(at, _)| &bundle[at..]));
        }
        Some(_) => {}
        None => paths.push(word),
    }
    paths.extend(word.match_indices(['=', ',']).map(|(at, _)| &word[at + 1..]));
    let is_address = |rest: &str| rest.starts_with("//");
    paths.extend(word.match_indices(':').map(|(at, _)| &word[at + 1..]).filter(|rest| !is_address(rest)));
    paths.extend(word.match_indices("file://").map(|(at, sign)| &word[at + sign.len()..]));
    let marked: Vec<_> = paths.iter().filter_map(|path| path.strip_prefix('@')).collect();
    paths.extend(marked);
    paths.retain(|path| !path.is_empty());
    paths
}

fn refuse_options(program: &Program, name: &str, words: &ParsedArguments<'_>) -> Result<(), Ruling> {
    if program.operands == Operands::Anything {
        return Ok(());
    }
    if let Some(given) = words.options.iter().find(|option| !program.knows(option)) {
        // Many programs accept the beginning of a long option for the whole.
        let mut refused = program
            .refused
            .iter()
            .flat_map(|(does, options)| options.split_whitespace().map(move |option| (does, option)));
        let rule = match refused.find(|(_, option)| means(given, option)) {
            Some((does, option)) => format!("`{name} {option}` is refused: {}", does.text()),
            None => format!(
                "`{name} {given}` is refused: it is not known to be harmless; write options in full, or leave it out"
            ),
        };
        return Err(built_in(rule));
    }
    let scripts = if let Operands::TextThenPaths(options) = program.operands { options } else { "" };
    let script = words.options.iter().position(|option| is_in(scripts, option));
    for (option, why) in program.needs {
        match words.options.iter().position(|it| it == option) {
            None => return Err(built_in(format!("`{name}` runs with `{option}` only: {why}"))),
            // It compiles each script as soon as it reads the option.
            Some(at) if script.is_some_and(|script| script < at) => {
                let rule = format!("`{name}` needs `{option}` before its first script: {why}");
                return Err(built_in(rule));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn refuse_words(program: &Program, name: &str, words: &ParsedArguments<'_>) -> Result<(), Ruling> {
    if let Some((does, unspoken)) = program.unspoken
        && let Some(word) =
            unspoken.split_whitespace().find(|word| words.texts.iter().any(|text| says(text, word)))
    {
        return Err(built_in(format!("`{word}` in the arguments of `{name}` is refused: {}", does.text())));
    }
    if let Some((does, subcommand)) = program.subcommands
        && words.paths.contains(&subcommand)
    {
        let text = does.text();
        return Err(built_in(format!(
            "`{name} {subcommand}` is refused: {text}; a file of that name is `./{subcommand}`"
        )));
    }
    if program.operands == Operands::OnePath && words.paths.len() > 1 {
        return Err(built_in(format!("`{name}` would write its second file; name one")));
    }
    let sets = |text: &&&str| !text.starts_with('+');
    if program.operands == Operands::Format
        && let Some(text) = words.operands.iter().find(sets)
    {
        return Err(built_in(format!(
            "`{name} {text}` is refused: it sets the clock; a format begins with `+`, as in `+%F`"
        )));
    }
    Ok(())
}
