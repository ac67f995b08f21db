//! An adversary for redaction: each known value, in each form that a program may print, cut at every byte, on its way
//! to each place that stores it.

#[path = "redaction/escapes.rs"]
mod escapes;
#[path = "redaction/forms.rs"]
mod forms;
#[path = "redaction/spellings.rs"]
mod spellings;
#[path = "redaction/streams.rs"]
mod streams;
#[path = "redaction/surfaces.rs"]
mod surfaces;
#[path = "redaction/tools.rs"]
mod tools;
#[path = "redaction/wrapped.rs"]
mod wrapped;
