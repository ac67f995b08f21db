//! Lines that declare something, by language.

/// Words that may precede a declaration.
const MODIFIERS: &[&str] = &[
    "pub",
    "async",
    "unsafe",
    "extern",
    "export",
    "default",
    "static",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "sealed",
    "partial",
    "internal",
    "inline",
    "declare",
    "readonly",
    "template",
    "open",
];

/// The words that declare something in each language, if a line begins with them.
const KEYWORDS: &[(&str, &[&str])] = &[
    (
        "rust",
        &["fn", "struct", "enum", "trait", "impl", "mod", "type", "union", "const", "static", "macro_rules!"],
    ),
    ("python", &["def", "class"]),
    ("javascript", &["function", "class", "const", "let"]),
    ("typescript", &["function", "class", "interface", "type", "enum", "namespace", "const", "let"]),
    ("go", &["func", "type", "var", "const"]),
    ("c", &["struct", "enum", "union", "typedef"]),
    ("cpp", &["struct", "enum", "union", "class", "namespace", "typedef"]),
    ("java", &["class", "interface", "enum", "record"]),
    ("csharp", &["class", "interface", "enum", "struct", "record", "namespace"]),
    ("ruby", &["def", "class", "module"]),
    ("php", &["function", "class", "interface", "trait", "enum", "namespace"]),
    ("shell", &["function"]),
];

/// The kinds of things that a statement of SQL creates.
const CREATED: &[&str] = &["table", "view", "index", "function", "procedure", "trigger"];

/// Words of C that precede a parenthesis and declare nothing.
const CONTROL: &[&str] = &["if", "for", "while", "switch", "return", "else", "do", "sizeof"];

/// Returns the kind and the name of what a line at the left edge declares.
pub(super) fn declaration(line: &str, language: &str) -> Option<(&'static str, String)> {
    if line.starts_with(|letter: char| !letter.is_alphabetic() && letter != '_') {
        return None;
    }
    if language == "sql" {
        return created(line);
    }
    let (_, keywords) = KEYWORDS.iter().find(|(own, _)| *own == language)?;
    let mut rest = line;
    loop {
        let (word, after) = split_word(rest);
        if let Some(kind) = keywords.iter().find(|keyword| **keyword == word) {
            return Some((kind, name(kind, after)?));
        }
        let is_modifier = MODIFIERS.contains(&word.split('(').next().unwrap_or(word));
        if !is_modifier || after.is_empty() {
            break;
        }
        rest = after;
    }
    match language {
        "c" | "cpp" => function(line),
        "shell" => line
            .split_once("()")
            .filter(|(name, _)| is_name(name))
            .map(|(name, _)| ("function", name.to_owned())),
        _ => None,
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '~' | '-'))
}

fn name(kind: &str, after: &str) -> Option<String> {
    if kind == "impl" {
        let name = after.split(['{', '\r']).next().unwrap_or_default().trim();
        return (!name.is_empty()).then(|| name.to_owned());
    }
    // The receiver of a method in Go.
    let after = match after.strip_prefix('(') {
        Some(receiver) if kind == "func" => receiver.split_once(')')?.1.trim_start(),
        _ => after,
    };
    let name: String =
        after.chars().take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$')).collect();
    (!name.is_empty()).then_some(name)
}

/// Recognises a definition such as `static int f(int a)`. A line that ends with `;` only declares a function.
fn function(line: &str) -> Option<(&'static str, String)> {
    let (head, _) = line.split_once('(')?;
    let name = head.trim_end().rsplit([' ', '*', '&', '\t']).next()?;
    let first = split_word(line).0.split('(').next()?;
    let is_definition = !line.trim_end().ends_with(';') && !head.contains('=') && head.trim_end() != name;
    (is_definition && is_name(name) && !CONTROL.contains(&first)).then(|| ("function", name.to_owned()))
}

/// Recognises `CREATE TABLE IF NOT EXISTS name`.
fn created(line: &str) -> Option<(&'static str, String)> {
    let mut words = line.split_whitespace();
    if !words.next()?.eq_ignore_ascii_case("create") {
        return None;
    }
    let kind = words.find_map(|word| CREATED.iter().find(|kind| kind.eq_ignore_ascii_case(word)))?;
    let is_filler =
        |word: &&str| ["if", "not", "exists"].iter().any(|filler| filler.eq_ignore_ascii_case(word));
    let name = words.find(|word| !is_filler(word))?.split('(').next()?.trim_matches(['"', '`', ';']);
    (!name.is_empty()).then(|| (*kind, name.to_owned()))
}
