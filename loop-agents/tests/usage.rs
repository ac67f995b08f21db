//! Usage files that real processes write, watched while the processes run.

mod common;

use std::{future::pending, sync::mpsc, time::Duration};

use common::{env, process};
use loop_agents::usage::UsageFile;
use loop_core::{Cost, IterationContext, Meter, Usage, Usd, Work};
use tokio::runtime::Builder;

fn at_least(micros: u64) -> Usage {
    Usage::unknown().with_partial_tokens().with_cost(Cost::at_least(Usd::micros(micros)))
}

fn cost(micros: u64) -> Usage {
    Usage::unknown().with_cost(Cost::known(Usd::micros(micros)))
}

fn meter(work: &Work) -> Meter {
    IterationContext::<()>::new(work, 1).meter()
}

/// Runs a line with the file's path in `$F`, and returns the reported usage after its end.
async fn written_by(file: &UsageFile, line: &str) -> Usage {
    let work = Work::new();
    let process = process(line).env(env().with("F", file.path()));
    let finished = process.run(pending(), |_, _| {}).await.expect("the command runs");
    assert!(finished.exit.success(), "{finished:?}");
    file.finish(&meter(&work));
    work.take_usage()
}

#[tokio::test]
async fn what_is_appended_is_reported_while_the_command_runs() {
    let (file, work) = (UsageFile::create().unwrap(), Work::new());
    assert_eq!(file.watch_error(), None);
    let line = r#"echo '{"cost_usd":0.5}' >>"$F"; sleep 60"#;
    let process = process(line).env(env().with("F", file.path())).grace(Duration::ZERO);
    let meter = meter(&work);
    tokio::select! {
        finished = process.run(work.reported(), |_, _| {}) => assert!(finished.unwrap().cut.is_some()),
        never = file.follow(&meter) => match never {},
    }
    assert_eq!(work.take_usage(), cost(500_000));
}

#[tokio::test]
async fn each_line_counts_once_over_several_commands() {
    let file = UsageFile::create().unwrap();
    assert_eq!(written_by(&file, "true").await, Usage::unknown());
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.1}' >>"$F""#).await, cost(100_000));
    assert_eq!(written_by(&file, "true").await, Usage::unknown());
    let twice = r#"echo '{"cost_usd":0.1}' >>"$F"; echo '{"input_tokens":7}' >>"$F""#;
    let expected = cost(100_000).with_input_tokens(7);
    assert_eq!(written_by(&file, twice).await, expected);
}

#[tokio::test]
async fn a_torn_last_line_counts_if_it_is_whole_and_harms_no_other_if_not() {
    let file = UsageFile::create().unwrap();
    assert_eq!(written_by(&file, r#"printf '{"cost_usd":0.1}' >>"$F""#).await, cost(100_000));
    assert_eq!(written_by(&file, r#"printf '{"cost_us' >>"$F""#).await, at_least(0));
    assert_eq!(file.refused(), 1);
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.2}' >>"$F""#).await, cost(200_000));
}

#[tokio::test]
async fn a_file_that_is_replaced_or_written_anew_goes_on_counting() {
    let file = UsageFile::create().unwrap();
    let long = r#"echo '{"cost_usd":0.1, "model":"a long name"}' >"$F""#;
    assert_eq!(written_by(&file, long).await, cost(100_000));
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.2}' >"$F""#).await, cost(200_000));
    let renamed = r#"echo '{"cost_usd":0.3}' >"$F.new" && mv "$F.new" "$F""#;
    assert_eq!(written_by(&file, renamed).await, cost(300_000));
    let both = r#"echo '{"cost_usd":0.1}' >>"$F"; echo '{"cost_usd":0.2}' >"$F.new"; mv "$F.new" "$F""#;
    assert_eq!(written_by(&file, both).await, cost(300_000));
    assert_eq!(file.last_read_error(), None);
    assert_eq!(written_by(&file, r#"rm "$F""#).await, Usage::unknown());
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.4}' >>"$F""#).await, cost(400_000));
    assert_eq!(file.refused(), 0);
}

/// Nobody looks at the file while the command runs, so each line but the last one is lost.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_is_replaced_more_often_than_it_is_read_has_a_lower_bound() {
    let append = r#"echo '{"cost_usd":0.1}' >>"$F""#;
    let moved = r#"echo '{"cost_usd":0.1}' >"$F.new"; mv "$F.new" "$F""#;
    for (line, expected) in [
        (format!(r#"{moved}; {moved}"#), at_least(100_000)),
        (format!(r#"{append}; mv "$F" "$F.1"; {append}; mv "$F" "$F.2"; {append}"#), at_least(200_000)),
        (format!(r#"rm "$F"; {append}; rm "$F""#), at_least(0)),
        (format!(r#"{append}; mv "$F" "$F.1"; {append}"#), cost(200_000)),
        (format!(r#"{append}; touch "$F""#), cost(100_000)),
    ] {
        let file = UsageFile::create().unwrap();
        assert_eq!(written_by(&file, &line).await, expected, "{line}");
        let later = r#"echo '{"cost_usd":0.25, "model":"x"}' >"$F.new"; mv "$F.new" "$F""#;
        assert_eq!(written_by(&file, later).await, cost(250_000), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_is_written_anew_several_times_has_a_lower_bound() {
    let file = UsageFile::create().unwrap();
    let anew = r#"echo '{"cost_usd":0.1}' >"$F""#;
    assert_eq!(written_by(&file, anew).await, cost(100_000));
    // The clock of a file system may be coarse, so each command sets another time.
    let once = format!(r#"{anew}; touch -d 2001-01-01 "$F""#);
    assert_eq!(written_by(&file, &once).await, cost(100_000));
    let twice = format!(r#"{anew}; {anew}; touch -d 2002-02-02 "$F""#);
    assert_eq!(written_by(&file, &twice).await, at_least(100_000));
    let other = r#"echo '{"cost_usd":0.7}' >"$F""#;
    assert_eq!(written_by(&file, &format!("{other}; {anew}; {other}")).await, at_least(700_000));
}

#[tokio::test]
async fn what_was_written_counts_after_the_file_is_gone() {
    let file = UsageFile::create().unwrap();
    let line = r#"echo '{"cost_usd":0.1}' >>"$F"; rm "$F""#;
    assert_eq!(written_by(&file, line).await, cost(100_000));
    assert!(file.last_read_error().is_some_and(|error| error.contains("No such file")));
}

#[tokio::test]
async fn what_is_put_in_its_place_cannot_hold_us() {
    let file = UsageFile::create().unwrap();
    assert_eq!(written_by(&file, r#"rm "$F" && mkfifo "$F""#).await, Usage::unknown());
    assert_eq!(written_by(&file, r#"rm "$F" && ln -s /dev/zero "$F""#).await, Usage::unknown());
    assert_eq!(written_by(&file, r#"rm "$F" && mkdir "$F""#).await, Usage::unknown());
}

/// A sandboxed agent must not make us read what it cannot read itself: a refused line appears in a warning.
#[tokio::test]
async fn a_link_in_its_place_is_not_followed() {
    let (file, other) = (UsageFile::create().unwrap(), tempfile::NamedTempFile::new().unwrap());
    std::fs::write(&other, "a secret\n{\"cost_usd\": 1}\n").unwrap();
    let line = format!(r#"rm "$F" && ln -s '{}' "$F""#, other.path().display());
    assert_eq!(written_by(&file, &line).await, Usage::unknown());
    assert_eq!((file.refused(), file.last_read_error().as_deref()), (0, Some("it is a link")));
}

#[test]
fn the_file_is_gone_with_its_last_handle() {
    let file = UsageFile::create().unwrap();
    let (path, other) = (file.path().to_owned(), file.clone());
    drop(file);
    assert!(path.exists());
    drop(other);
    assert!(!path.parent().unwrap().exists());
}

#[test]
fn an_executor_that_drops_the_last_handle_does_not_remove_the_folder_itself() {
    let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let (release, released) = mpsc::channel::<()>();
    drop(runtime.spawn_blocking(move || released.recv()));
    let path = runtime.block_on(async {
        let file = UsageFile::create().unwrap();
        let path = file.path().to_owned();
        drop(file);
        // The only thread that may remove the folder is busy.
        assert!(path.exists());
        path
    });
    drop(release);
    drop(runtime);
    assert!(!path.parent().unwrap().exists());
}

#[tokio::test]
async fn a_file_with_a_huge_length_is_not_read_for_ever() {
    let file = UsageFile::create().unwrap();
    let line = r#"echo '{"cost_usd":0.1}' >>"$F"; truncate -s 100G "$F""#;
    assert_eq!(written_by(&file, line).await, at_least(100_000));
    assert!(file.last_read_error().is_some_and(|error| error.contains("were left in it")));
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.2}' >>"$F""#).await, cost(200_000));
}

#[tokio::test]
async fn a_file_that_is_written_anew_counts_anew_though_it_is_as_long() {
    let file = UsageFile::create().unwrap();
    assert_eq!(written_by(&file, r#"echo '{"cost_usd":0.1}' >"$F""#).await, cost(100_000));
    for (line, expected) in [
        (r#"echo '{"cost_usd":0.2}' >"$F""#, cost(200_000)),
        (r#"echo '{"cost_usd":0.2}' >"$F""#, cost(200_000)),
        (r#"echo '{"cost_usd":0.25, "model": "longer"}' >"$F""#, cost(250_000)),
        ("true", Usage::unknown()),
        (r#"echo '{"cost_usd":0.1}' >>"$F""#, cost(100_000)),
        (r#"touch "$F""#, Usage::unknown()),
    ] {
        // Without the pause, the file system's clock may not tell two writes apart.
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(written_by(&file, line).await, expected, "{line}");
    }
}
