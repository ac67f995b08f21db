//! Real processes, most of them badly behaved.

mod common;

use std::{
    fs,
    future::{Future, pending, ready},
    path::Path,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use common::{Fifo, process, run};
use loop_agents::process::{Environment, Exit, OutputStream, Process, ProcessError, STRAGGLER_TIME};
use tokio::{
    runtime::Builder,
    sync::{mpsc::unbounded_channel, oneshot},
};

/// Generous: it only tells seconds from forever, so that no test depends on the machine's speed.
const SOON: Duration = Duration::from_secs(20);

/// Returns a stop signal for the first output, and the listener that triggers it.
fn at_first_output() -> (impl Future<Output = ()>, impl FnMut(OutputStream, &[u8])) {
    let (tell, told) = oneshot::channel();
    let mut tell = Some(tell);
    let listener = move |_: OutputStream, _: &[u8]| {
        tell.take().map(|tell| tell.send(()));
    };
    (async { told.await.expect("the command prints something") }, listener)
}

#[tokio::test]
async fn outputs_are_kept_apart_and_the_code_is_the_shells() {
    let finished = run(process("printf out; printf err >&2; exit 3")).await;
    assert_eq!(finished.exit, Exit::Code(3));
    assert_eq!((finished.stdout.to_bytes(), finished.stderr.to_bytes()), (b"out".into(), b"err".into()));
    assert!(finished.cut.is_none());
}

#[tokio::test]
async fn merged_outputs_keep_their_order_and_the_listener_sees_them_all() {
    let mut seen = Vec::new();
    let line = "for i in 1 2 3; do echo o$i; echo e$i >&2; done";
    let listener = |stream, bytes: &[u8]| {
        assert_eq!(stream, OutputStream::Merged);
        seen.extend_from_slice(bytes);
    };
    let finished = process(line).merged().run(pending(), listener).await.unwrap();
    assert_eq!(seen, b"o1\ne1\no2\ne2\no3\ne3\n");
    assert_eq!(finished.stdout.to_bytes(), seen);
    assert!(finished.stderr.is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_gets_no_more_memory_than_its_limit() {
    let growing = |times| {
        process(&format!("x=four; i=0; while [ $i -lt {times} ]; do x=$x$x; i=$((i + 1)); done")).merged()
    };
    let finished = run(growing(26).max_memory(64 << 20)).await;
    assert!(!finished.exit.success(), "{finished:?}");
    assert!(run(growing(20).max_memory(64 << 20)).await.exit.success());
    assert!(run(growing(26)).await.exit.success());
}

#[tokio::test]
async fn a_signal_is_reported_as_such() {
    let finished = run(process("kill -9 $$")).await;
    assert_eq!(finished.exit, Exit::Signal(9));
    assert_eq!(finished.exit.shell_code(), 137);
}

#[tokio::test]
async fn the_command_leads_a_session_with_signals_as_a_login_would_have_them() {
    let finished = run(process("cat /proc/self/stat; echo; cat /proc/self/status; cat")).await;
    let text = finished.stdout.excerpt(usize::MAX);
    let stat: Vec<&str> =
        text.lines().next().unwrap().rsplit(')').next().unwrap().split_whitespace().collect();
    let (parent, group, session, terminal) = (stat[1], stat[2], stat[3], stat[4]);
    assert_eq!((group, session, terminal), (parent, parent, "0"));
    for set in ["SigBlk", "SigIgn"] {
        let line = text.lines().find(|line| line.starts_with(set)).unwrap();
        let bits = u64::from_str_radix(line.rsplit('\t').next().unwrap(), 16).unwrap();
        // The C library reserves two signals, 32 and 33.
        assert_eq!(bits & 0x7FFF_FFFF, 0, "{line}");
    }
}

#[tokio::test]
async fn nothing_of_ours_is_inherited() {
    // Every child inherits the descriptors that the test's own parent left open, so they must not count.
    let count = "ls /proc/self/fd | wc -l";
    let usual = std::process::Command::new("sh").arg("-c").arg(count).output().unwrap().stdout;
    assert_eq!(run(process(count).input("x")).await.stdout.to_bytes(), usual);
    let environment = Environment::new().with("PATH", "/usr/bin:/bin").with("ONLY", "this one");
    let finished = run(Process::shell("env | grep -v -e ^PWD -e ^_ -e ^PATH").env(environment)).await;
    assert_eq!(finished.stdout.to_bytes(), b"ONLY=this one\n");
}

#[tokio::test]
async fn a_directory_and_a_line_that_begins_with_a_dash() {
    let dir = tempfile::tempdir().unwrap();
    let finished = run(process("pwd -P").dir(dir.path())).await;
    assert_eq!(Path::new(&finished.stdout.last_text(500)), fs::canonicalize(dir.path()).unwrap());
    assert_eq!(run(process("-x")).await.exit, Exit::Code(127));
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let error = |process: Process| async move { process.run(pending(), |_, _| {}).await.unwrap_err() };
    let gone = error(process("true").dir("/nonexistent/dir")).await;
    assert!(matches!(gone, ProcessError::Directory { .. }) && gone.is_lasting());
    assert!(gone.to_string().contains("/nonexistent/dir"), "{gone}");
    let cause = std::error::Error::source(&gone).unwrap().to_string();
    assert!(cause.contains("No such file"), "{cause}");
    assert!(matches!(error(process("true").dir("/dev/null")).await, ProcessError::Directory { .. }));
    let long = error(process(&format!("true {}", "x".repeat(131_072)))).await;
    assert!(matches!(long, ProcessError::TooLong { line_bytes: 131_077, .. }), "{long}");
    assert!(error(process("true \0")).await.to_string().contains("the command contains a NUL"));
}

#[tokio::test]
async fn a_prompt_of_five_mebibytes_arrives_whole() {
    let prompt = vec![b'x'; 5 * 1024 * 1024];
    let finished = run(process("wc -c").input(prompt)).await;
    assert_eq!(finished.stdout.last_text(20), "5242880");
}

#[tokio::test]
async fn a_prompt_that_nobody_reads_holds_nobody() {
    let prompt = vec![b'x'; 5 * 1024 * 1024];
    for line in ["true", "exec 0<&-; echo closed", "head -c 1 >/dev/null; echo one"] {
        let finished = run(process(line).input(prompt.clone())).await;
        assert_eq!(finished.exit, Exit::Code(0), "{line}");
    }
}

#[tokio::test]
async fn an_agent_that_prints_much_before_it_reads_much_gets_through() {
    let line = "head -c 300000 /dev/zero; wc -c >&2";
    let finished = run(process(line).input(vec![b'x'; 200_000])).await;
    assert_eq!(finished.stdout.total(), 300_000);
    assert_eq!(finished.stderr.last_text(20), "200000");
}

#[tokio::test]
async fn a_long_output_is_counted_whole_and_kept_at_both_ends() {
    let mut seen = 0_u64;
    let line = "echo first; head -c 50000000 /dev/zero; echo last";
    let process = process(line).capture_limit(1000);
    let finished = process.run(pending(), |_, bytes| seen += bytes.len() as u64).await.unwrap();
    assert_eq!((seen, finished.stdout.total()), (50_000_011, 50_000_011));
    assert_eq!(finished.stdout.omitted(), 50_000_011 - 2000);
    assert!(
        finished.stdout.head().starts_with(b"first\n") && finished.stdout.to_bytes().ends_with(b"last\n")
    );
}

#[tokio::test]
async fn a_background_child_in_the_group_does_not_hold_the_output() {
    let begun = Instant::now();
    let finished = run(process("sleep 60 & echo done")).await;
    assert_eq!(finished.stdout.to_bytes(), b"done\n");
    assert!(begun.elapsed() < SOON);
}

#[tokio::test]
async fn a_background_child_that_left_the_session_does_not_hold_the_output() {
    let begun = Instant::now();
    let dir = tempfile::tempdir().unwrap();
    // The pipe makes sure that the process has left the group before the command ends.
    let line = "mkfifo left; setsid sh -c 'echo $$ >left; exec sleep 60' & cat left";
    let finished = run(process(line).dir(dir.path())).await;
    assert_eq!(finished.exit, Exit::Code(0));
    assert!((STRAGGLER_TIME..SOON).contains(&begun.elapsed()));
    // The process is not ours to end, but the test must not leave it on the machine either.
    let _ = run(process(&format!("kill -9 {}", finished.stdout.last_text(20)))).await;
}

#[tokio::test]
async fn the_rest_of_the_group_is_dead_after_an_end_by_itself() {
    let fifo = Fifo::new();
    // The child has closed its outputs, so only its death closes the fifo.
    let line = format!("exec 3>'{}'; sleep 60 >/dev/null 2>&1 & exit 0", fifo.path());
    let held = fifo.held_until_end();
    assert_eq!(run(process(&line)).await.exit, Exit::Code(0));
    held.await;
}

#[tokio::test]
async fn asked_to_end_it_has_its_grace_time() {
    let (stop, listener) = at_first_output();
    let line = "trap 'echo saved; exit 7' TERM; sh -c 'echo ready; exec sleep 60' & wait";
    let finished = process(line).run(stop, listener).await.unwrap();
    assert_eq!((finished.exit, finished.cut.is_some()), (Exit::Code(7), true));
    assert!(finished.stdout.to_bytes().ends_with("saved\n…".as_bytes()));
}

#[tokio::test]
async fn the_grace_time_is_the_agents_too_when_its_shell_is_gone_at_once() {
    let (stop, listener) = at_first_output();
    // The outer shell dies of TERM. The inner one, for which it waits, saves its work first.
    let line = r#"sh -c 'trap "echo saved; exit 0" TERM; sh -c "echo ready; exec sleep 60" & wait'; true"#;
    let finished = process(line).run(stop, listener).await.unwrap();
    assert_eq!(finished.exit, Exit::Signal(15));
    assert!(finished.stdout.to_bytes().ends_with("saved\n…".as_bytes()));
}

#[tokio::test]
async fn who_ignores_term_is_killed_after_the_grace_time() {
    let (stop, listener) = at_first_output();
    let line = "trap '' TERM; echo ready; while :; do sleep 60; done";
    let begun = Instant::now();
    let finished = process(line).grace(Duration::from_millis(50)).run(stop, listener).await.unwrap();
    assert_eq!((finished.exit, finished.cut.is_some()), (Exit::Signal(9), true));
    assert!(begun.elapsed() < SOON);
}

#[tokio::test]
async fn a_stopped_process_ends_too() {
    let (stop, listener) = at_first_output();
    let finished = process("echo ready; kill -STOP $$; sleep 60").run(stop, listener).await.unwrap();
    assert_eq!(finished.exit, Exit::Signal(15));
}

#[tokio::test]
async fn a_command_that_prints_without_end_can_be_ended() {
    let (stop, listener) = at_first_output();
    let finished = process("yes").run(stop, listener).await.unwrap();
    assert_eq!(finished.exit, Exit::Signal(15));
}

#[tokio::test]
async fn a_stop_that_is_there_from_the_beginning_ends_it() {
    let finished = process("sleep 60").run(ready(()), |_, _| {}).await.unwrap();
    assert_eq!(finished.exit, Exit::Signal(15));
}

#[tokio::test]
async fn dropping_kills_the_group_at_once() {
    let fifo = Fifo::new();
    let line = format!("trap '' TERM; exec 3>'{}'; sleep 60 & sleep 60 & echo ready; wait", fifo.path());
    let held = fifo.held_until_end();
    let (ready, listener) = at_first_output();
    let process = process(&line);
    let mut running = Box::pin(process.run(pending(), listener));
    tokio::select! {
        _ = &mut running => panic!("it cannot end by itself"),
        () = ready => {}
    }
    drop(running);
    held.await;
}

/// Returns whether this process has a descriptor of this pipe.
#[cfg(target_os = "linux")]
fn holds(pipe: &Path) -> bool {
    let descriptors = fs::read_dir("/proc/self/fd").expect("a folder").flatten();
    descriptors.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target == pipe)
}

#[cfg(target_os = "linux")]
#[test]
fn an_executor_that_drops_a_command_kills_it_and_closes_nothing_itself() {
    let fifo = Fifo::new();
    let line = format!("exec 3>'{}'; readlink /proc/$$/fd/1; sleep 60 & wait", fifo.path());
    let writers = fifo.path();
    let gone = thread::spawn(move || fs::read(writers).unwrap());
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    let (release, released) = mpsc::channel::<()>();
    drop(runtime.spawn_blocking(move || released.recv()));
    let pipe = runtime.block_on(async {
        let (tell, mut told) = unbounded_channel();
        let process = process(&line);
        let mut running =
            Box::pin(process.run(pending(), move |_, bytes| tell.send(bytes.to_vec()).unwrap()));
        let pipe = tokio::select! {
            _ = &mut running => panic!("it cannot end by itself"),
            pipe = told.recv() => String::from_utf8(pipe.unwrap()).unwrap(),
        };
        let pipe = Path::new(pipe.trim()).to_owned();
        assert!(holds(&pipe));
        drop(running);
        gone.join().unwrap();
        // The only thread that may close the pipe is busy.
        assert!(holds(&pipe));
        pipe
    });
    drop(release);
    drop(runtime);
    assert!(!holds(&pipe));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_kept() {
    let finished = run(process(r"printf 'a\0b\377c'")).await;
    assert_eq!(finished.stdout.to_bytes(), b"a\0b\xFFc");
    assert_eq!(finished.stdout.excerpt(100), "a\0b\u{FFFD}c");
}

#[tokio::test]
async fn a_command_has_no_terminal() {
    assert!(!run(process(": </dev/tty")).await.exit.success());
}
