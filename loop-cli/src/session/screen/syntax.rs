//! The words of languages, as far as colours need them.

/// What is coloured in a language.
#[derive(Debug)]
pub(super) struct Syntax {
    /// What begins a comment that ends with the line.
    pub(super) comments: &'static [&'static str],
    /// The signs that stand around texts.
    pub(super) quotes: &'static str,
    pub(super) keywords: &'static [&'static str],
}

/// The syntax of a language, by the word that stands on a fence.
pub(super) fn of_language(name: &str) -> Option<&'static Syntax> {
    Some(match name {
        "rust" | "rs" => &RUST,
        "go" | "c" | "h" | "cpp" | "c++" | "java" | "kotlin" | "swift" | "cs" | "csharp" | "zig" => &BRACES,
        "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" => &SCRIPT,
        "py" | "python" => &PYTHON,
        "sh" | "bash" | "zsh" | "shell" | "console" | "make" | "makefile" | "dockerfile" => &SHELL,
        "toml" | "yaml" | "yml" | "json" | "ini" => &DATA,
        "ruby" | "rb" | "lua" | "sql" | "haskell" | "hs" | "elixir" => &WORDS,
        _ => return None,
    })
}

static RUST: Syntax = Syntax {
    comments: &["//"],
    quotes: "\"'",
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
        "return", "self", "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use",
        "where", "while",
    ],
};

static BRACES: Syntax = Syntax {
    comments: &["//"],
    quotes: "\"'`",
    keywords: &[
        "bool",
        "break",
        "case",
        "catch",
        "chan",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "defer",
        "do",
        "double",
        "else",
        "enum",
        "extends",
        "false",
        "final",
        "float",
        "for",
        "func",
        "fun",
        "go",
        "goto",
        "if",
        "implements",
        "import",
        "int",
        "interface",
        "let",
        "long",
        "map",
        "namespace",
        "new",
        "nil",
        "null",
        "nullptr",
        "package",
        "private",
        "protected",
        "public",
        "range",
        "return",
        "select",
        "static",
        "string",
        "struct",
        "switch",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typedef",
        "union",
        "unsigned",
        "using",
        "val",
        "var",
        "virtual",
        "void",
        "while",
    ],
};

static SCRIPT: Syntax = Syntax {
    comments: &["//"],
    quotes: "\"'`",
    keywords: &[
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "from",
        "function",
        "if",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "of",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typeof",
        "undefined",
        "var",
        "void",
        "while",
        "yield",
    ],
};

static PYTHON: Syntax = Syntax {
    comments: &["#"],
    quotes: "\"'",
    keywords: &[
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
        "except", "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None",
        "nonlocal", "not", "or", "pass", "raise", "return", "self", "True", "try", "while", "with", "yield",
    ],
};

static SHELL: Syntax = Syntax {
    comments: &["# "],
    quotes: "\"'",
    keywords: &[
        "case", "cd", "do", "done", "echo", "elif", "else", "esac", "exit", "export", "fi", "for",
        "function", "if", "in", "local", "return", "set", "shift", "source", "then", "trap", "unset",
        "until", "while",
    ],
};

static DATA: Syntax = Syntax { comments: &["#"], quotes: "\"'", keywords: &["true", "false", "null"] };

static WORDS: Syntax = Syntax {
    comments: &["--", "# "],
    quotes: "\"'",
    keywords: &[
        "and", "begin", "by", "case", "class", "def", "do", "else", "end", "false", "for", "from",
        "function", "group", "if", "in", "insert", "into", "join", "let", "local", "module", "nil", "not",
        "on", "or", "order", "return", "select", "set", "then", "true", "update", "values", "where", "while",
        "SELECT", "FROM", "WHERE", "JOIN", "ON", "GROUP", "ORDER", "BY", "INSERT", "INTO", "UPDATE", "SET",
        "VALUES", "AND", "OR", "NOT", "AS",
    ],
};
