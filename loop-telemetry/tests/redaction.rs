//! An adversary for redaction: each known value, in each form in which a program may print it, cut at every byte, on
//! its way to each place where it would stay.

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
