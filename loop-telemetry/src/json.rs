//! JSON of our own types.

/// Unwraps the JSON of a type that always has one: of texts, times and finite numbers.
///
/// # Panics
/// The type has a value that JSON cannot hold, which is a fault of the program.
pub fn always_json<T>(written: serde_json::Result<T>) -> T {
    written.unwrap_or_else(|error| unreachable!("texts, times and finite numbers have JSON: {error}"))
}
