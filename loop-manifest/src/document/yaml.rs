//! YAML, and JSON with places: text to [`Node`].

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{
    Error, Location, MessageFormatter, Options, Spanned, UserMessageFormatter,
    options::{DuplicateKeyPolicy, NonFiniteFloatPolicy},
};

use super::{
    super::diagnostic::{Diagnostic, Span},
    Node, ObjectEntry, Value, offset,
};

/// No manifest has this many values, but a few lines of nested aliases could expand to billions.
const MAX_NODES: usize = 10_000;

/// Reads `text`.
///
/// # Errors
/// The first place at which it is not YAML, or more than a manifest may hold.
pub(super) fn parse(text: &str) -> Result<Node, Diagnostic> {
    let SpannedNode(node) =
        serde_saphyr::from_str_with_options(text, options()).map_err(|error| explain(text, &error))?;
    Ok(node)
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 4 * MAX_NODES },
        // Keep both copies here; a later step rejects them where it can name and show them.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        // `goal: yes` is a goal, as YAML 1.2 has it.
        strict_booleans: true,
        // A silently dropped tag would disappoint whatever its writer expected of it.
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn explain(text: &str, error: &Error) -> Diagnostic {
    let place = error.location().map_or(0..0, |location| span(text, location));
    let finding = Diagnostic::error("this manifest cannot be read");
    match error {
        Error::AliasError { error, .. } => explain(text, error),
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } => {
            finding.at(place, "more values than a manifest can need, or nested deeper")
        }
        Error::MultipleDocuments { .. } => finding
            .at(place, "a second document begins before this")
            .help("a manifest is one document: put the second into a separate file"),
        Error::UnknownAnchor { .. } => {
            yaml_hint(text, finding, place, "there is no anchor of this name before it")
        }
        Error::ExternalMessage { msg, .. } => yaml_hint(text, finding, place, msg),
        other => yaml_hint(text, finding, place, &UserMessageFormatter.format_message(other)),
    }
}

/// A syntax error at `place`, with advice on what people stumble over most.
fn yaml_hint(text: &str, finding: Diagnostic, place: Span, message: &str) -> Diagnostic {
    let start = text[..place.start].rfind('\n').map_or(0, |feed| feed + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let finding = finding.at(place, message);
    let indentation = &line[..line.len() - line.trim_start().len()];
    if indentation.contains('\t') {
        return finding.help("YAML takes no tabs for indentation: use spaces");
    }
    if message.contains("quoted scalar") {
        return finding.help("look for a quote that is opened and not closed, or a `\\` that should be two");
    }
    if message.contains("unclosed bracket") {
        return finding.help("close the bracket, or put the value in quotes if it is text");
    }
    let value = line.split_once(": ").map_or("", |(_, value)| value.trim_start());
    let what = match value.chars().next() {
        Some(sign @ ('{' | '[' | '@' | '`' | '%' | '&' | '*' | '!')) => format!("that begins with `{sign}`"),
        Some('"' | '\'') => return finding,
        _ if value.contains(": ") => "with a colon and a space in it".to_owned(),
        _ => return finding,
    };
    finding.help(format!("put a value {what} in quotes, or write it after `|` on separate lines"))
}

fn span(text: &str, location: Location) -> Span {
    let given = location.span();
    let (start, len) = match (given.byte_offset(), given.byte_len()) {
        (Some(start), Some(len)) => (start as usize, len as usize),
        _ => (offset(text, location.line() as usize, location.column() as usize, |_| 1), 0),
    };
    let start = text.floor_char_boundary(start.min(text.len()));
    start..text.ceil_char_boundary((start + len).min(text.len()))
}

/// The shape in which serde hands a value over: spans are resolved when its place is known.
struct SpannedNode(Node);

impl<'de> Deserialize<'de> for SpannedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value: BareValue(value), referenced, .. } = Spanned::deserialize(deserializer)?;
        Ok(Self(Node { value, span: bytes(referenced) }))
    }
}

/// Returns the location of a value; the parser knows the byte offsets when it reads from a string.
fn bytes(location: Location) -> Span {
    let span = location.span();
    let start = span.byte_offset().unwrap_or_default() as usize;
    start..start + span.byte_len().unwrap_or_default() as usize
}

struct BareValue(Value);

impl<'de> Deserialize<'de> for BareValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Whole(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Whole(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Decimal(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(SpannedNode(node)) = items.next_element()? {
            list.push(node);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Vec::new();
        while let Some((key, SpannedNode(node))) = entries.next_entry::<Spanned<String>, _>()? {
            object.push(ObjectEntry { key: key.value, key_span: bytes(key.referenced), node, flag: None });
        }
        Ok(Value::Object(object))
    }
}
