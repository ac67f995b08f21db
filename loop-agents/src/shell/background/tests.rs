use proptest::prelude::*;

use super::*;

const FORMATS: [Format; 4] =
    [Format::ClaudeStreamJson, Format::CodexJson, Format::OpencodeJson, Format::PiJson];

/// Returns a stream of an agent.
fn stream_of(name: &str) -> Vec<u8> {
    read(&format!("tests/background/{name}.jsonl"))
}

/// Returns the recorded stream of a real agent that starts `sleep 321` in the background and ends its turn.
fn recorded(agent: &str) -> Vec<u8> {
    read(&format!("conformance/streams/{agent}/background.stdout"))
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("a stream")
}

fn work(format: Format, policy: BackgroundPolicy, stream: &[u8]) -> BackgroundWork {
    let work = BackgroundWork::of(format, policy);
    work.feed(OutputStream::Stdout, stream);
    work
}

/// Names the work that was cut together with these processes.
fn cut(work: &BackgroundWork, processes: &[String]) -> Option<String> {
    work.cut(&leftovers(processes, false))
}

fn leftovers(processes: &[String], outlasted: bool) -> Leftovers {
    let mut leftovers = Leftovers::default();
    (leftovers.ended, leftovers.outlasted) = (processes.to_vec(), outlasted);
    leftovers
}

#[test]
fn a_stream_tells_which_work_was_cut() {
    let watch = ["node /usr/bin/npm run watch".to_owned()];
    let test = ["npm test".to_owned()];
    for (name, format, processes, expected) in [
        ("claude", Format::ClaudeStreamJson, &[][..], Some("`npm test -- --runInBand`")),
        ("claude-done", Format::ClaudeStreamJson, &[], None),
        ("claude-older", Format::ClaudeStreamJson, &[], Some("`npm run watch`")),
        ("codex", Format::CodexJson, &[], Some("`npm test`, Review the parser")),
        ("opencode", Format::OpencodeJson, &[], Some("Review the parser")),
        (
            "opencode",
            Format::OpencodeJson,
            &watch,
            Some("Review the parser, `npm run watch > watch.log 2>&1 &`"),
        ),
        ("pi", Format::PiJson, &[], None),
        ("pi", Format::PiJson, &test, Some("`nohup npm test > test.log 2>&1 &`")),
        ("claude", Format::Text, &test, None),
    ] {
        let work = work(format, BackgroundPolicy::Note, &stream_of(name));
        assert_eq!(cut(&work, processes).as_deref(), expected, "{name}");
    }
}

#[test]
fn the_work_of_real_agents_is_named() {
    let sleep = ["sleep 321".to_owned()];
    for (agent, format, processes, expected) in [
        // These end their background work themselves.
        ("claude", Format::ClaudeStreamJson, &[][..], Some("`sleep 321`")),
        ("codex", Format::CodexJson, &[], Some("`sleep 321`")),
        ("opencode", Format::OpencodeJson, &sleep, Some("`sleep 321 >/dev/null 2>&1 &`")),
        ("opencode", Format::OpencodeJson, &[], None),
        ("pi", Format::PiJson, &sleep, Some("`sleep 321 >/dev/null 2>&1 &`")),
        ("pi", Format::PiJson, &[], None),
    ] {
        let work = work(format, BackgroundPolicy::Note, &recorded(agent));
        assert_eq!(cut(&work, processes).as_deref(), expected, "{agent}");
    }
}

#[test]
fn only_declared_work_is_waited_for() {
    let work = work(Format::PiJson, BackgroundPolicy::Wait, &stream_of("pi"));
    assert_eq!(work.linger(&["npm test".to_owned()]), MAX_BACKGROUND_WAIT);
    assert_eq!(work.linger(&["gradle --daemon".to_owned()]), STRAGGLER_TIME);
    assert_eq!(work.cut(&leftovers(&[], true)), None);
    let work = self::work(Format::PiJson, BackgroundPolicy::Note, &stream_of("pi"));
    assert_eq!(work.linger(&["npm test".to_owned()]), STRAGGLER_TIME);
}

#[test]
fn work_that_ended_with_its_agent_is_cut_even_if_somebody_would_have_waited() {
    let work = work(Format::ClaudeStreamJson, BackgroundPolicy::Wait, &stream_of("claude"));
    assert!(cut(&work, &[]).is_some());
    assert_eq!(work.cut(&leftovers(&[], true)), None);
}

#[test]
fn a_command_in_progress_counts_only_after_the_turn() {
    let stream = stream_of("codex");
    let lines: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').collect();
    let before = lines[..lines.len() - 1].concat();
    assert_eq!(cut(&work(Format::CodexJson, BackgroundPolicy::Note, &before), &[]), None);
}

#[test]
fn a_long_list_is_short() {
    let names: Vec<_> = (1..=7).map(|number| number.to_string()).collect();
    assert_eq!(list(&names, 0), "1, 2, 3, 4, 5 and 2 more");
    assert_eq!(list(&names[..5], 0), "1, 2, 3, 4, 5");
}

proptest! {
    #[test]
    fn no_bytes_are_an_error(
        format in prop::sample::select(FORMATS.to_vec()),
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8),
    ) {
        let work = BackgroundWork::of(format, BackgroundPolicy::Wait);
        pieces.iter().for_each(|piece| work.feed(OutputStream::Stdout, piece));
        prop_assert!(cut(&work, &[]).is_none_or(|named| !named.is_empty()));
    }

    #[test]
    fn a_damaged_stream_is_no_error(
        stream in prop::sample::select(vec!["claude", "claude-older", "codex", "opencode", "pi"]),
        format in prop::sample::select(FORMATS.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
    ) {
        let mut bytes = stream_of(stream);
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let named = cut(&work(format, BackgroundPolicy::Fail, &bytes), &["npm".to_owned()]);
        prop_assert!(named.is_none_or(|named| named.len() < 2_000));
    }

    #[test]
    fn a_stream_may_be_split_anywhere(
        at in any::<prop::sample::Index>(),
        (name, format) in prop::sample::select(vec![("claude", Format::ClaudeStreamJson), ("codex", Format::CodexJson)]),
    ) {
        let stream = stream_of(name);
        let (first, rest) = stream.split_at(at.index(stream.len()));
        let split = work(format, BackgroundPolicy::Note, first);
        split.feed(OutputStream::Merged, rest);
        prop_assert_eq!(cut(&split, &[]), cut(&work(format, BackgroundPolicy::Note, &stream), &[]));
    }
}
