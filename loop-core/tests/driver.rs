//! The tokio driver, on a paused clock: what it cuts and when, and what runs, streams and tasks owe
//! to those who read, drop and cancel them.

#[path = "driver/busy.rs"]
mod busy;
#[path = "driver/combined.rs"]
mod combined;
#[path = "driver/cutting.rs"]
mod cutting;
#[path = "driver/evaluated.rs"]
mod evaluated;
#[path = "driver/granted.rs"]
mod granted;
#[path = "driver/journaled.rs"]
mod journaled;
#[path = "driver/loops.rs"]
mod loops;
#[path = "driver/outputs.rs"]
mod outputs;
#[path = "driver/parts.rs"]
mod parts;
#[path = "driver/people.rs"]
mod people;
#[path = "driver/readers.rs"]
mod readers;
#[path = "driver/restored.rs"]
mod restored;
#[path = "driver/settling.rs"]
mod settling;
#[path = "driver/shown.rs"]
mod shown;
#[path = "driver/spawned.rs"]
mod spawned;
#[path = "driver/streamed.rs"]
mod streamed;
#[path = "driver/time_off.rs"]
mod time_off;
