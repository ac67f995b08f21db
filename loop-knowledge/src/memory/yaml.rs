//! The YAML of front matter: fields with a text or a list of texts. All scalars are texts.

use granit_parser::{Event, Parser};

/// The value of a field.
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
}

impl Value {
    pub(super) fn text(&self, key: &str) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::List(_) => Err(format!("`{key}` must be one text")),
        }
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(texts) => texts,
        }
    }
}

/// Reads the fields of a map, in order. Fails with the first problem and its line in the file.
pub(super) fn parse(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    let (mut depth, mut key, mut list) = (0, None, None::<Vec<String>>);
    for event in Parser::new_from_str(text) {
        // The first line of the file is the fence.
        let (event, span) =
            event.map_err(|error| format!("line {}: {}", error.marker().line() + 1, error.info()))?;
        let wrong = |problem: &str| Err(format!("line {}: {problem}", span.start.line() + 1));
        match event {
            Event::Alias(_) => return wrong("an alias is not supported here: write the value out"),
            Event::MappingStart(..) if depth == 0 => depth = 1,
            Event::SequenceStart(..) if depth == 1 && key.is_some() && list.is_none() => {
                list = Some(Vec::new());
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                return wrong("only fields with a text or a list of texts are supported here");
            }
            Event::Scalar(text, ..) => {
                // The parser reports a missing value as `~`.
                let text =
                    if span.start.index() == span.end.index() { String::new() } else { text.into_owned() };
                match (&mut list, key.take()) {
                    _ if depth == 0 => return wrong("the front matter has no fields: write `summary: ...`"),
                    (Some(texts), name) => {
                        texts.push(text);
                        key = name;
                    }
                    (None, Some(name)) => fields.push((name, Value::Text(text))),
                    (None, None) if fields.iter().any(|(name, _)| *name == text) => {
                        return wrong(&format!("`{text}` appears twice"));
                    }
                    (None, None) => key = Some(text),
                }
            }
            Event::SequenceEnd => {
                if let (Some(name), Some(texts)) = (key.take(), list.take()) {
                    fields.push((name, Value::List(texts)));
                }
            }
            Event::MappingEnd => depth = 2,
            _ => {}
        }
    }
    Ok(fields)
}
