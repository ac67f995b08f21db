//! The format of a line, in a journal or in another file with the same format: see [`LinePayload`].
//!
//! ```text
//! {"v":2,"seq":7,"prev":"5e8f...","time":"2026-01-31T09:30:00.000Z","event":{"at":1500000,"kind":{...}},"crc":"1a2b3c4d"}
//! ```
//!
//! | key | holds |
//! | --- | --- |
//! | `v` | the line's format. It comes first in every format, so that each version can tell its own. |
//! | `seq` | the line's number, from 0, without a gap |
//! | `prev` | from format 2: the SHA-256, in hexadecimal, of the line before with its end (see `chain.rs`) |
//! | `time` | the wall-clock time, for people: nothing depends on it, and it may jump back |
//! | `event` | the event, with its run time in microseconds. Its number is `seq` plus 1, unless it has a `sequence` |
//! | `output` | the iteration's output, on the line of its end |
//! | `output_file` | instead of `output`: the name of the file in `outputs` that holds it |
//! | `crc` | the CRC-32, in hexadecimal, of the line's bytes before `,"crc"` |
//!
//! The checksum is the one of zlib, gzip and PNG, so that other programs can compute it. It detects damage, such as a
//! flipped bit or a block of zeros. `prev` is for changes by somebody.

use std::io::Write as _;

use loop_core::Event;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned, ser::SerializeStruct};
use serde_json::value::RawValue;

use super::chain::LinePosition;

/// The contents of the lines of a file. All files share the structure of a line, so torn and damaged lines are detected
/// in one way. The contents and the number of their format differ.
pub(crate) trait LinePayload: DeserializeOwned {
    /// The newest format, in which we write.
    const FORMAT: u32;
    /// The first format in which each line contains the digest of the line before it.
    const CHAINED: Option<u32> = None;
}

impl LinePayload for Event {
    const FORMAT: u32 = 2;
    const CHAINED: Option<u32> = Some(2);
}

/// An event on the line with this number. If the event has the number that follows from the line's, it is written
/// without one: [`number_by_line`] restores it.
pub(super) struct NumberedByLine<'a> {
    pub(super) line: u64,
    pub(super) event: &'a Event,
}

impl Serialize for NumberedByLine<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { line, event } = self;
        if event.sequence != line + 1 {
            return event.serialize(to);
        }
        let mut fields = to.serialize_struct("Event", 2)?;
        fields.serialize_field("at", &event.at)?;
        fields.serialize_field("kind", &event.kind)?;
        fields.end()
    }
}

/// Gives an event without a number the one that follows from its line. Events are numbered from 1, and lines from 0.
pub(super) const fn number_by_line(line: u64, mut event: Event) -> Event {
    if event.sequence == 0 {
        event.sequence = line + 1;
    }
    event
}

const FORMAT_KEY: &[u8] = br#"{"v":"#;
const CRC_KEY: &[u8] = br#","crc":""#;
/// The length of `,"crc":"1a2b3c4d"}`.
const CRC_LEN: usize = CRC_KEY.len() + 8 + 2;

/// An output to be written into a line.
pub(crate) enum Output<'a> {
    /// The output's JSON.
    Inline(&'a [u8]),
    /// The name of the file that holds it.
    File(&'a str),
}

/// Appends a line to `to`, including its end. `event` is an `E`, or its redacted JSON.
pub(crate) fn write<E: LinePayload>(
    to: &mut Vec<u8>,
    position: LinePosition,
    time: &str,
    event: &impl Serialize,
    output: Option<&Output<'_>>,
) -> Result<(), serde_json::Error> {
    let begin = to.len();
    to.extend_from_slice(FORMAT_KEY);
    number(to, u64::from(E::FORMAT));
    to.extend_from_slice(br#","seq":"#);
    number(to, position.number);
    if let Some(before) = position.before {
        to.extend_from_slice(br#","prev":""#);
        to.extend_from_slice(&before.hex());
        to.push(b'"');
    }
    to.extend_from_slice(br#","time":""#);
    to.extend_from_slice(time.as_bytes());
    to.extend_from_slice(br#"","event":"#);
    serde_json::to_writer(&mut *to, event)?;
    match output {
        None => {}
        Some(Output::Inline(json)) => {
            to.extend_from_slice(br#","output":"#);
            to.extend_from_slice(json);
        }
        Some(Output::File(name)) => {
            to.extend_from_slice(br#","output_file":""#);
            to.extend_from_slice(name.as_bytes());
            to.push(b'"');
        }
    }
    let crc = crc32fast::hash(&to[begin..]);
    to.extend_from_slice(CRC_KEY);
    infallible(write!(to, "{crc:08x}"));
    to.extend_from_slice(b"\"}\n");
    Ok(())
}

fn number(to: &mut Vec<u8>, number: u64) {
    infallible(write!(to, "{number}"));
}

fn infallible(written: std::io::Result<()>) {
    if let Err(error) = written {
        unreachable!("memory takes all that is written to it: {error}");
    }
}

/// A parsed line.
#[derive(Debug, Deserialize)]
#[serde(bound = "E: DeserializeOwned")]
pub(crate) struct StoredLine<'a, E> {
    /// Its format.
    pub(super) v: u32,
    pub(super) seq: u64,
    pub(super) prev: Option<&'a str>,
    pub(crate) time: &'a str,
    pub(crate) event: E,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(super) output: Option<&'a RawValue>,
    pub(super) output_file: Option<&'a str>,
}

/// An output exists if its key does, because `null` is an output.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// The reason why a line is not a line of this format.
#[derive(Debug, PartialEq)]
pub(super) enum LineError {
    Newer(u32),
    Damaged(String),
}

/// Parses a line without its line end.
pub(super) fn read<E: LinePayload>(line: &[u8]) -> Result<StoredLine<'_, E>, LineError> {
    if let Some(found) = newer::<E>(line) {
        return Err(LineError::Newer(found));
    }
    let damaged = |why: &str| LineError::Damaged(why.to_owned());
    let (body, end) = line.split_at(line.len().saturating_sub(CRC_LEN));
    let crc = end.strip_prefix(CRC_KEY).and_then(|rest| rest.strip_suffix(b"\"}"));
    let crc = crc.and_then(|hex| u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
    let crc = crc.ok_or_else(|| damaged("it does not end with a checksum"))?;
    if crc != crc32fast::hash(body) {
        return Err(damaged("its checksum does not match"));
    }
    serde_json::from_slice(line).map_err(|error| LineError::Damaged(error.to_string()))
}

/// Parses the last line of a file without the lines before it. Returns its format and its event; `None` if this version
/// cannot read it.
pub(crate) fn last<E: LinePayload>(line: &[u8]) -> Option<(u32, E)> {
    read(line).ok().map(|line| (line.v, line.event))
}

/// Returns the format that a line declares, if this version does not know it.
pub(super) fn newer<E: LinePayload>(line: &[u8]) -> Option<u32> {
    format(line).filter(|found| *found > E::FORMAT)
}

/// Returns the format that a line declares.
fn format(line: &[u8]) -> Option<u32> {
    let rest = line.strip_prefix(FORMAT_KEY)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use loop_core::{EventKind, RunTime};

    use super::*;
    use crate::LineDigest;

    fn position() -> LinePosition {
        LinePosition { number: 3, before: Some(LineDigest::of(b"")) }
    }

    fn line(output: Option<&Output<'_>>) -> Vec<u8> {
        let event = Event::new(
            RunTime::from_micros(9),
            EventKind::RunStarted { evaluated: true, evaluates_first: false },
        );
        let mut line = Vec::new();
        write::<Event>(&mut line, position(), "2026-01-31T09:30:00.000Z", &event, output).unwrap();
        line
    }

    #[test]
    fn a_line_is_as_documented() {
        let text = String::from_utf8(line(Some(&Output::Inline(b"[1]")))).unwrap();
        let begin = r#"{"v":2,"seq":3,"prev":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","time":"2026-01-31T09:30:00.000Z","event":{"at":9,"kind":{"run_started":{"evaluated":true}}},"output":[1],"crc":""#;
        assert!(text.starts_with(begin), "{text}");
        assert!(text.ends_with("\"}\n"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let body = text.split(",\"crc\"").next().unwrap();
        assert_eq!(json["crc"], format!("{:08x}", crc32fast::hash(body.as_bytes())));
    }

    #[test]
    fn an_event_keeps_its_number_if_that_of_its_line_differs() {
        for sequence in [0, 1, 3, 4, 5] {
            let mut event = Event::new(RunTime::ZERO, EventKind::RunResumed {});
            event.sequence = sequence;
            let mut line = Vec::new();
            write::<Event>(&mut line, position(), "", &NumberedByLine { line: 3, event: &event }, None)
                .unwrap();
            let stored = read::<Event>(line.strip_suffix(b"\n").unwrap()).unwrap();
            let is_left_out = sequence == 0 || sequence == 4;
            assert_eq!(stored.event.sequence, if is_left_out { 0 } else { sequence });
            assert_eq!(number_by_line(3, stored.event).sequence, if is_left_out { 4 } else { sequence });
        }
    }

    #[test]
    fn the_checksum_is_the_one_that_others_compute() {
        // The standard check value of CRC-32.
        assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn every_changed_byte_is_found() {
        let whole = line(Some(&Output::File("abc.json")));
        let whole = whole.strip_suffix(b"\n").unwrap();
        assert_eq!(read::<Event>(whole).unwrap().output_file, Some("abc.json"));
        for place in 0..whole.len() {
            let mut changed = whole.to_vec();
            changed[place] ^= 0x10;
            assert!(read::<Event>(&changed).is_err(), "{place}");
            assert!(read::<Event>(&whole[..place]).is_err(), "{place}");
        }
    }

    #[test]
    fn a_newer_format_is_told_from_damage() {
        assert_eq!(read::<Event>(br#"{"v":3,"what":"ever"}"#).unwrap_err(), LineError::Newer(3));
        assert!(matches!(read::<Event>(br#"{"v":1,"what":"ever"}"#).unwrap_err(), LineError::Damaged(_)));
        assert!(matches!(read::<Event>(b"").unwrap_err(), LineError::Damaged(_)));
    }
}
