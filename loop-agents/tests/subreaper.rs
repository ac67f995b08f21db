//! Taking over processes that commands leave behind. This test has a separate file, because a process has only one
//! subreaper, and every command in the file would count.
#![cfg(target_os = "linux")]

mod common;

use std::{
    io::ErrorKind,
    process::{Command, Stdio},
};

use common::{Fifo, held, hold, process, run, soon};
use loop_agents::process::Supervisor;

#[tokio::test]
async fn a_subreaper_ends_what_a_command_left_as_soon_as_the_command_has_ended() {
    let mut before = Command::new("setsid").args(["sleep", "1000"]).spawn().unwrap();
    let supervisor = Supervisor::subreaper("adopted").unwrap();
    assert_eq!(Supervisor::subreaper("again").unwrap_err().kind(), ErrorKind::AlreadyExists);
    let mut own = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();

    // The process has no mark in its environment, and nobody watches it.
    let fifo = Fifo::new();
    let gone = fifo.held_until_end();
    let holder = format!("PATH=/usr/bin:/bin; {}", hold(&fifo));
    let scrubbed = format!("env -i setsid /bin/sh -c '({holder}) &'; {}", held(&fifo));
    let finished = run(process(&scrubbed).supervisor(supervisor.clone())).await;
    assert!(finished.survivors.is_empty());
    soon(gone, "the end of an orphan").await;

    // Another command runs at the same time, and its orphans must stay with it.
    let (early, late) = (Fifo::new(), Fifo::new());
    let (early_gone, late_gone) = (early.held_until_end(), late.held_until_end());
    let line = format!("({} &); exec sleep 1000", hold(&late));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let other = process(&line).supervisor(supervisor.clone());
    let other = tokio::spawn(async move { other.run(async { drop(stopped.await) }, |_, _| {}).await });
    let line = format!("({} &); {}; {}", hold(&early), held(&early), held(&late));
    run(process(&line).supervisor(supervisor.clone())).await;
    soon(early_gone, "the end of an orphan in its command's session").await;
    assert!(!other.is_finished());
    stop.send(()).unwrap();
    assert!(other.await.unwrap().unwrap().cut.is_some());
    soon(late_gone, "the end of the other one's orphan").await;

    // While the command runs, orphans that exit are reaped. The command prints a line when none of them is left.
    let line = "for i in 1 2 3; do setsid sh -c 'true & exit' & done; wait; \
                while grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | xargs -r grep -l \"^PPid:.$PPID$\" \
                | grep -q .; do sleep 0.01; done; echo reaped";
    let finished = soon(run(process(line).supervisor(supervisor.clone())), "orphans to be reaped").await;
    assert!(finished.stdout.last_text(100).ends_with("reaped"));

    assert!(supervisor.end().is_empty());
    // Processes from before, and processes that the host started itself, must survive.
    assert!(before.try_wait().unwrap().is_none() && own.try_wait().unwrap().is_none());
    for child in [&mut before, &mut own] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    drop(supervisor);
    Supervisor::subreaper("once the first is gone").unwrap();
}
