//! The front matter of a `SKILL.md`, read leniently.

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{
    Trigger,
    yaml::{self, YamlSubset, YamlValue},
};

/// The maximum length of a name, in characters.
pub(super) const MAX_NAME: usize = 64;

/// The maximum length of a description, in characters.
pub(super) const MAX_DESCRIPTION: usize = 1_024;

/// The maximum length of the field `compatibility`, in characters.
pub(super) const MAX_COMPATIBILITY: usize = 500;

/// The line before the front matter and after it.
pub(super) const FENCE: &str = "---";

/// A variable that the body of a skill uses as `{{NAME}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillVariable {
    /// Its name.
    pub name: String,
    /// Its meaning; may be empty.
    pub description: String,
    /// A value that it could have; may be empty.
    pub example: String,
}

/// The fields of a front matter.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) license: Option<String>,
    pub(super) compatibility: Option<String>,
    pub(super) allowed_tools: Option<Vec<String>>,
    pub(super) trigger: Option<Trigger>,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) variables: Vec<SkillVariable>,
    /// Problems that do not prevent the skill from working.
    pub(super) remarks: Vec<String>,
}

/// Returns the text with the line ends and without the byte order mark that editors of other systems write.
pub(super) fn plain_text(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n")
}

/// Splits a [plain](plain_text) text into its front matter and its body.
///
/// # Errors
/// There is no front matter, or it does not end.
pub(super) fn split(text: &str) -> Result<(&str, &str), String> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == FENCE);
    let Some(first) = first else {
        return Err("the first line must be `---`, before the fields `name` and `description`".to_owned());
    };
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == FENCE {
            return Ok((&text[first.len()..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the front matter does not end: put a line `---` after it".to_owned())
}

/// Returns the text in the form in which names are compared.
pub(super) fn normal_form(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfkc().normalize(text.trim()).into_owned()
}

/// Returns whether the reference validator accepts this character in a name: a letter or a digit of any script, or `-`.
pub(super) fn is_of_name(sign: char) -> bool {
    // `char::is_alphanumeric` would also accept marks, which Python's `isalnum` does not.
    static OTHERS: std::sync::LazyLock<regex::Regex> =
        std::sync::LazyLock::new(|| regex::Regex::new(r"^[\p{L}\p{N}]$").expect("the pattern is valid"));
    match sign {
        sign if sign.is_ascii() => sign.is_ascii_alphanumeric() || sign == '-',
        sign => OTHERS.is_match(sign.encode_utf8(&mut [0; 4])),
    }
}

impl FrontMatter {
    /// Reads the fields. Unknown ones are ignored.
    ///
    /// # Errors
    /// The problem that makes the skill unusable.
    pub(super) fn read(text: &str, folder: &str) -> Result<Self, String> {
        let fields = yaml::parse(text, YamlSubset::Lenient)?;
        if !matches!(fields, YamlValue::Map(_)) {
            return Err("the front matter has no fields: write `name: ...` and `description: ...`".to_owned());
        }
        let text_of = |key: &str| {
            let text = fields.get(key)?.texts().join("\n");
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let Some(description) = text_of("description") else {
            return Err("`description` is missing: state what the skill does and when to use it".to_owned());
        };
        let name = normal_form(&text_of("name").unwrap_or_else(|| folder.to_owned()));
        if let Some(sign) = name.chars().find(|sign| !is_of_name(*sign) && *sign != '_') {
            return Err(format!(
                "the name `{}` contains {sign:?}: use lower-case letters, digits and `-`",
                name.escape_debug()
            ));
        }
        let mut read = Self {
            name,
            description,
            license: text_of("license"),
            compatibility: text_of("compatibility"),
            allowed_tools: fields.get("allowed-tools").map(|tools| tool_names(&tools.texts())),
            metadata: texts_by_name(fields.get("metadata")),
            variables: fields.get("variables").map(variables).unwrap_or_default(),
            ..Self::default()
        };
        read.remark_on_limits(folder);
        if let Some(trigger) = text_of("trigger") {
            match Trigger::parse(&trigger) {
                Ok(trigger) => read.trigger = Some(trigger),
                Err(error) => read.remarks.push(format!("its trigger never fires: {error}")),
            }
        }
        Ok(read)
    }

    fn remark_on_limits(&mut self, folder: &str) {
        let Self { name, description, compatibility, .. } = &*self;
        let is_plain = *name == name.to_lowercase() && !name.contains("--") && !name.contains('_');
        let is_plain = is_plain && !name.starts_with('-') && !name.ends_with('-');
        let length = |text: &str| text.chars().count();
        let compatibility = compatibility.as_deref().unwrap_or_default();
        let remarks = [
            (*name != normal_form(folder))
                .then(|| format!("the name `{name}` differs from that of its folder")),
            (!is_plain)
                .then(|| format!("the name `{name}` is not of lower-case letters, digits and single `-`")),
            (length(name) > MAX_NAME).then(|| format!("the name has more than {MAX_NAME} characters")),
            (length(description) > MAX_DESCRIPTION)
                .then(|| format!("the description has more than {MAX_DESCRIPTION} characters")),
            (length(compatibility) > MAX_COMPATIBILITY)
                .then(|| format!("`compatibility` has more than {MAX_COMPATIBILITY} characters")),
        ];
        self.remarks.extend(remarks.into_iter().flatten());
    }
}

/// Splits lists such as `Read, Bash(git add:*)` at spaces and commas outside of brackets.
fn tool_names(texts: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for text in texts {
        let mut depth = 0_usize;
        let parts = text.split(|sign: char| {
            match sign {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && (sign == ',' || sign.is_whitespace())
        });
        names.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    names
}

pub(super) fn texts_by_name(value: Option<&YamlValue>) -> Vec<(String, String)> {
    let entries = value.map(YamlValue::entries).unwrap_or_default();
    entries.iter().map(|(name, value)| (name.clone(), value.texts().join(", "))).collect()
}

fn variables(value: &YamlValue) -> Vec<SkillVariable> {
    let variable = |(name, value): &(String, YamlValue)| {
        let text = |key| value.get(key).and_then(YamlValue::text).map(str::to_owned);
        let description = text("description").or_else(|| value.text().map(str::to_owned));
        SkillVariable {
            name: name.clone(),
            description: description.unwrap_or_default(),
            example: text("example").unwrap_or_default(),
        }
    };
    value.entries().iter().map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_outside_of_brackets() {
        assert_eq!(
            tool_names(&["Read, Bash(git add:*) Bash(git a, b)", "x"]),
            ["Read", "Bash(git add:*)", "Bash(git a, b)", "x"]
        );
    }

    #[test]
    fn block_scalars_other_line_ends_and_unknown_fields_are_read() {
        let text = "\u{feff}---\r\nname: a-b\r\ndescription: >-\r\n  Two\r\n  lines.\r\nother: {a: 1}\r\n\
                    variables:\r\n  WHO:\r\n    description: A name\r\n    example: Ann\r\n---\r\nBody\r\n";
        let text = plain_text(text);
        let (front, body) = split(&text).expect("a front matter");
        let read = FrontMatter::read(front, "a-b").expect("fields");
        assert_eq!((read.name.as_str(), read.description.as_str(), body), ("a-b", "Two lines.", "Body\n"));
        assert_eq!(read.variables[0].example, "Ann");
        assert!(read.remarks.is_empty(), "{:?}", read.remarks);
    }
}
