//! JSON of our own types.

/// Unwraps the JSON of a type that always serialises, because it consists of texts, times and finite numbers.
///
/// # Panics
/// If the type has a value that JSON cannot represent. This is a bug in the program.
pub fn always_json<T>(written: serde_json::Result<T>) -> T {
    written.unwrap_or_else(|error| unreachable!("texts, times and finite numbers have JSON: {error}"))
}
