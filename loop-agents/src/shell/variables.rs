//! Values that the user of a loop gives by name: `{var.NAME}`.
//!
//! A value may come from anywhere: a branch name, the title of an issue. So it is only ever copied. In a command it
//! becomes one quoted word, at the same places as the prompt. In a prompt it is not searched for placeholders.

use std::collections::BTreeMap;

use super::{
    command::{CommandError, check_line},
    quoting::{problem_at, quote},
};

/// The values of variables, by name.
///
/// ```
/// use loop_agents::shell::Variables;
///
/// let values: Variables = [("branch".to_owned(), "main; rm -rf /".to_owned())].into_iter().collect();
/// assert_eq!(values.fill("Work on {var.branch}, {var.other}."), "Work on main; rm -rf /, {var.other}.");
/// assert_eq!(values.fill_command("git switch {var.branch}")?, "git switch 'main; rm -rf /'");
/// assert!(values.fill_command("git switch \"{var.branch}\"").is_err());
/// # Ok::<(), loop_agents::shell::CommandError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Variables {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

/// A variable in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariablePlace<'a> {
    /// Its name.
    pub name: &'a str,
    /// The offset of its opening brace, in bytes.
    pub offset: usize,
}

impl VariablePlace<'_> {
    const PREFIX: &'static str = "{var.";

    /// Returns the offset of the byte after its closing brace.
    pub(super) const fn end(&self) -> usize {
        self.offset + Self::PREFIX.len() + self.name.len() + 1
    }
}

/// A piece of a text with variables.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<'a> {
    /// Text, and its offset.
    Text(&'a str, usize),
    /// The value of a variable.
    Value(&'a str),
}

impl Variables {
    /// Returns the variables that a text names: `{var.NAME}`, in their order. A name consists of ASCII letters, digits,
    /// `_` and `-`.
    ///
    /// ```
    /// use loop_agents::shell::Variables;
    ///
    /// let names: Vec<_> = Variables::named_in("{var.a} {goal} {var.} {var.b-2}").map(|place| place.name).collect();
    /// assert_eq!(names, ["a", "b-2"]);
    /// ```
    pub fn named_in(text: &str) -> impl Iterator<Item = VariablePlace<'_>> {
        text.match_indices(VariablePlace::PREFIX).filter_map(|(offset, prefix)| {
            let (name, _) = text[offset + prefix.len()..].split_once('}')?;
            Self::is_name(name).then_some(VariablePlace { name, offset })
        })
    }

    /// Returns whether this can be the name of a variable.
    pub fn is_name(name: &str) -> bool {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    }

    /// Returns the names and the values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the text with the values copied into it. Variables without a value stay as they are.
    pub fn fill(&self, text: &str) -> String {
        let copy = |piece| match piece {
            Piece::Text(text, _) | Piece::Value(text) => text,
        };
        self.pieces(text).into_iter().map(copy).collect()
    }

    /// Returns the regular expression in which each value matches only itself. Variables without a value stay as they
    /// are.
    ///
    /// ```
    /// use loop_agents::shell::Variables;
    ///
    /// let values: Variables = [("version".to_owned(), "1.2".to_owned())].into_iter().collect();
    /// assert_eq!(values.fill_pattern("^v{var.version}$"), r"^v1\.2$");
    /// ```
    pub fn fill_pattern(&self, pattern: &str) -> String {
        let copy = |piece| match piece {
            Piece::Text(text, _) => text.to_owned(),
            Piece::Value(value) => regex_syntax::escape(value),
        };
        self.pieces(pattern).into_iter().map(copy).collect()
    }

    /// Returns the command line with each value as one quoted word, or as a part of one. Variables without a value stay
    /// as they are. A program may still read a value that begins with `-` as an option.
    ///
    /// # Errors
    /// Fails if a variable is at a place where the shell would not read a quoted word as one, even without a value; and
    /// if the line is empty, too long, or has a NUL byte in it.
    pub fn fill_command(&self, line: &str) -> Result<String, CommandError> {
        Self::check_places(line)?;
        let copy = |piece| match piece {
            Piece::Text(text, _) => text.to_owned(),
            Piece::Value(value) => quote(value),
        };
        let filled: String = self.pieces(line).into_iter().map(copy).collect();
        check_line(&filled)?;
        Ok(filled)
    }

    /// Checks that a quoted word is one at the place of each variable.
    pub(super) fn check_places(line: &str) -> Result<(), CommandError> {
        for VariablePlace { name, offset } in Self::named_in(line) {
            if let Some(problem) = problem_at(line, offset) {
                return Err(CommandError::VariablePlace { name: name.to_owned(), offset, problem });
            }
        }
        Ok(())
    }

    /// Splits a text into its own parts and the values. Variables without a value belong to the text.
    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> Vec<Piece<'a>> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        for place in Self::named_in(text) {
            if let Some(value) = self.0.get(place.name) {
                pieces.extend([Piece::Text(&text[at..place.offset], at), Piece::Value(value)]);
                at = place.end();
            }
        }
        pieces.push(Piece::Text(&text[at..], at));
        pieces
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;
    use crate::shell::{CommandLine, PromptValues, Template};

    fn of(value: &str) -> Variables {
        [("x".to_owned(), value.to_owned())].into_iter().collect()
    }

    proptest! {
        #[test]
        fn a_value_is_one_word_of_the_line(value in r#"([a-z'"\\$`(){}!\n é-]|\{prompt\}|\{var\.x\}){0,30}"#) {
            let line = of(&value).fill_command("agent {var.x} y={var.x}").unwrap();
            prop_assert_eq!(shlex::split(&line).unwrap(), ["agent".to_owned(), value.clone(), format!("y={value}")]);
        }

        #[test]
        fn a_value_is_never_a_place_for_the_prompt(value in r"([a-z' ]|\{prompt\}){0,20}", prompt in "[a-z' {}]{0,9}") {
            let line = CommandLine::parse_with("agent {var.x} {prompt} {var.x}", &of(&value)).unwrap();
            let words = shlex::split(&line.with_prompt(prompt.as_str()).unwrap().line).unwrap();
            prop_assert_eq!(words, ["agent".to_owned(), value.clone(), prompt, value]);
        }

        #[test]
        fn a_value_is_copied_into_a_prompt(value in r"([a-z$ ]|\{goal\}|\{var\.x\}|\{guidance\}){0,9}") {
            let template = Template::with_variables("<{var.x}> {goal} {var.y}", &of(&value));
            let values = PromptValues { goal: "{var.x}".into(), ..PromptValues::default() };
            prop_assert_eq!(template.render(&values), format!("<{value}> {{var.x}} {{var.y}}"));
        }
    }

    #[test]
    fn a_shell_reads_each_value_as_the_text_that_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for value in
            ["$(touch x)", "`touch x`", "it's", "\"", "a\nb", "; touch x", "-n", "", "*", "~", "\\", "é"]
        {
            let line = of(value).fill_command("printf '%s|' {var.x} pre{var.x}").unwrap();
            let ran = Command::new("sh").args(["-c", &line]).current_dir(&folder).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("{value}|pre{value}|"), "{line}");
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_place_where_quotes_do_not_hold_is_refused_with_or_without_a_value() {
        for line in [
            "a '{var.x}'",
            "a \"{var.x}\"",
            "a `b {var.x}`",
            "a ${var.x}",
            "a # {var.x}",
            "a <<E\n{var.x}\nE",
        ] {
            for values in [of("v"), Variables::default()] {
                let error = values.fill_command(line).unwrap_err();
                assert_eq!(error.offset(), line.find("{var.x}"), "{line}: {error}");
                assert!(CommandLine::parse_with(line, &values).is_err());
            }
        }
        assert!(matches!(of("a\0b").fill_command("a {var.x}"), Err(CommandError::Nul { .. })));
        assert!(matches!(
            of(&"x".repeat(1 << 17)).fill_command("a {var.x}"),
            Err(CommandError::TooLong { .. })
        ));
    }
}
