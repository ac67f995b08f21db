//! The panel at the bottom of a terminal.

use std::{fs, io::Write as _};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    support::{FOREVER, Fifo, Manifest, RunningCommand, Scenario, shown, wait_until},
    terminal::{Terminal, start_by},
};

/// A loop whose second iteration prints more than the panel shows, and then hangs.
fn talkative() -> Scenario {
    let long = "a line that is longer than any terminal is wide, since agents do not care, ".repeat(3);
    let agent = format!(
        "echo '{{\"cost_usd\": 0.25}}' >> \"$LOOP_USAGE_FILE\"; \
         test $LOOP_ITERATION = 1 && echo x > made && exit; \
         for tick in 1 2 3 4 5 6; do printf 'tick %s \\033[31mred\\033[0m {long}\\n' $tick; done; {FOREVER}"
    );
    let scenario = Scenario::new();
    scenario.manifest(
        &Manifest::new(&agent, "echo 2 failed; false")
            .set("guardrails.max_cost_usd", 2)
            .set("guardrails.max_seconds", 600),
    );
    scenario
}

/// Returns the rows of a screen, without trailing blanks.
fn page(emulator: &vt100::Parser) -> String {
    let (_, cols) = emulator.screen().size();
    let rows: Vec<_> = emulator.screen().rows(0, cols).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

/// Returns the screen as a person sees it, once it shows the agent's last line and the whole panel.
fn screen(terminal: &Terminal, (cols, rows): (u16, u16)) -> String {
    let mut seen = String::new();
    // The output so far may end within the panel.
    wait_until("the last line, the cost and the verdict", || {
        let mut emulator = vt100::Parser::new(rows, cols, 0);
        emulator.process(terminal.sent().as_bytes());
        seen = page(&emulator);
        ["tick 6", "$0.50 of", "last check: fail 2 failed"].iter().all(|text| seen.contains(text))
    });
    seen
}

#[test]
fn the_panel_fits_its_terminal() {
    for (name, size) in [("live_80x24", (80, 24)), ("live_120x40", (120, 40))] {
        let scenario = talkative();
        let mut terminal = Terminal::live(&scenario, &["run", "loop.json"], size, true);
        shown(name, &screen(&terminal, size));
        terminal.types("\u{3}");
        terminal.finish().exits(130);
    }
}

#[test]
fn it_is_gone_when_the_run_is_over() {
    let (scenario, size) = (talkative(), (100, 30));
    let mut terminal = Terminal::live(&scenario, &["run", "loop.json"], size, false);
    screen(&terminal, size);
    // Keys without a question do not disturb it.
    terminal.types("\nx\n\u{3}");
    let ran = terminal.finish().exits(130);
    let mut emulator = vt100::Parser::new(size.1, size.0, 0);
    emulator.process(ran.stderr.replace('\n', "\r\n").as_bytes());
    shown("live_over", &page(&emulator));
}

#[test]
fn no_color_is_honoured_in_the_panel_too() {
    let (scenario, size) = (talkative(), (80, 24));
    let mut terminal = Terminal::live(&scenario, &["run", "loop.json"], size, false);
    screen(&terminal, size);
    terminal.types("\u{3}");
    let ran = terminal.finish().exits(130);
    let mut emulator = vt100::Parser::new(size.1, size.0, 10_000);
    for byte in ran.stderr.bytes() {
        emulator.process(&[byte]);
        let (row, col) = emulator.screen().cursor_position();
        let coloured = col
            .checked_sub(1)
            .and_then(|col| emulator.screen().cell(row, col))
            .is_some_and(|cell| cell.fgcolor() != vt100::Color::Default || cell.bold() || cell.dim());
        assert!(!coloured, "{}", page(&emulator));
    }
}

#[test]
fn show_output_prints_every_line_for_good() {
    let (scenario, size) = (talkative(), (80, 60));
    let mut terminal = Terminal::live(&scenario, &["run", "loop.json", "--show-output"], size, false);
    let page = screen(&terminal, size);
    for tick in 1..=6 {
        assert!(page.contains(&format!("│ tick {tick} red")), "{page}");
    }
    terminal.types("\u{3}");
    terminal.finish().exits(130);
}

#[test]
fn an_agent_cannot_steer_the_terminal_by_failing() {
    let scenario = Scenario::new();
    let agent = "printf 'x\\033]0;title\\007\\033[2Jy\\n' >&2; exit 1";
    scenario.manifest(&Manifest::new(agent, "true"));
    let ran = Terminal::live(&scenario, &["run", "loop.json"], (80, 24), true).finish().exits(0);
    assert!(ran.stderr.contains("exited with 1"));
    assert!(!ran.stderr.contains("\u{1b}]0;") && !ran.stderr.contains("\u{1b}[2J"), "{:?}", ran.stderr);
}

/// Returns the system's state of a process: `S` for sleeping, `T` for stopped.
fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

#[test]
fn ctrl_z_stops_the_agent_as_well_and_fg_continues_both() {
    let scenario = Scenario::new();
    let here = scenario.fifo("here");
    let running = scenario.start_manifest(&Manifest::new("echo $$ > here; exec sleep 1000", "true"));
    let agent = here.line().trim().parse().expect("a number");
    running.signal(Signal::TSTP);
    wait_until("both are stopped", || [agent, running.pid()].iter().all(|pid| state(*pid) == Some('T')));
    running.signal(Signal::CONT);
    wait_until("both go on", || [agent, running.pid()].iter().all(|pid| state(*pid) == Some('S')));
    running.signal(Signal::INT);
    running.finish().exits(130);
    assert_eq!(state(agent), None);
}

/// Returns an agent that prints these numbers, and again each time that it continues. It starts no processes: a shell
/// that waits for a child to start misses signals.
fn told_of_continuing(numbers: &str) -> String {
    format!(
        "exec 3> here 4<> never; trap 'echo continued >&3' CONT; echo {numbers} >&3; while :; do read -r _ <&4; done"
    )
}

/// Starts a run whose agent is [told of continuing](told_of_continuing), and suspends both. Returns the agent's PID.
fn suspended(scenario: &Scenario, here: &Fifo) -> (RunningCommand, u32) {
    let running = scenario.start_manifest(&Manifest::new(&told_of_continuing("$$"), "true"));
    let agent = here.line().trim().parse().expect("a number");
    running.signal(Signal::TSTP);
    wait_until("both are stopped", || [agent, running.pid()].iter().all(|pid| state(*pid) == Some('T')));
    (running, agent)
}

fn continues(pid: u32) {
    kill_process(Pid::from_raw(pid.cast_signed()).expect("a number"), Signal::CONT).expect("it is there");
}

#[test]
fn nothing_of_a_run_that_was_stopped_on_purpose_goes_on_before_the_run_does() {
    let scenario = Scenario::new();
    let (here, _never) = (scenario.fifo("here"), scenario.fifo("never"));
    let (running, agent) = suspended(&scenario, &here);
    // The agent could ask another process to do this. It may be stopped again before it has written anything.
    continues(agent);
    wait_until("it is stopped again", || state(agent) == Some('T'));
    assert_eq!(state(running.pid()), Some('T'));
    running.signal(Signal::CONT);
    assert_eq!(here.line(), "continued\n");
    running.signal(Signal::INT);
    running.finish().exits(130);
    assert_eq!(state(agent), None);
}

#[test]
fn an_agent_that_does_not_stay_stopped_is_ended() {
    let scenario = Scenario::new();
    let (here, _never) = (scenario.fifo("here"), scenario.fifo("never"));
    let (running, agent) = suspended(&scenario, &here);
    wait_until("it is ended", || {
        // A timer or a helper outside of the run does this. Meanwhile the time limits pause.
        if state(agent) == Some('T') {
            continues(agent);
        }
        state(agent).is_none_or(|state| state == 'Z')
    });
    running.signal(Signal::CONT);
    running.signal(Signal::INT);
    running.finish();
    assert_eq!(state(agent), None);
}

#[test]
fn a_run_that_its_terminal_stops_in_the_background_stands_still_until_fg() {
    let scenario = Scenario::new();
    let here = scenario.fifo("here");
    let agent =
        "exec 3> here; trap 'echo continued >&3' CONT; echo $PPID $$ >&3; while :; do sleep 0.1; done";
    scenario.manifest(&Manifest::new(agent, "true"));
    let shell = ["sh", "-mc", "\"$@\" & read -r _; fg", "sh"];
    let (mut started, mut keys) = start_by(&shell, &scenario, &["run", "loop.json"], (80, 24), |_| {});
    let line = here.line();
    let numbers: Vec<u32> = line.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let [running, agent] = numbers[..] else { panic!("{line}") };
    // A terminal sends this when a background process reads from it.
    kill_process(Pid::from_raw(running.cast_signed()).expect("a number"), Signal::TTIN).expect("it is there");
    wait_until("both are stopped", || [agent, running].iter().all(|pid| state(*pid) == Some('T')));
    keys.write_all(b"\n").expect("the terminal is there");
    assert_eq!(here.line(), "continued\n");
    kill_process(Pid::from_raw(running.cast_signed()).expect("a number"), Signal::INT).expect("it is there");
    wait_until("the shell ends", || started.has_ended());
    assert_eq!(state(agent), None);
}

#[test]
fn a_question_keeps_the_terminal_to_itself_after_ctrl_z() {
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new("true", "false").set("guardrails.hitl_checkpoint", 1));
    let mut terminal = Terminal::live(&scenario, &["run", "loop.json"], (80, 24), false);
    let question = "type a note for the next prompt:";
    terminal.shows(question, 1);
    let pid = terminal.started().pid();
    terminal.started().signal(Signal::TSTP);
    wait_until("it is stopped", || state(pid) == Some('T'));
    terminal.started().signal(Signal::CONT);
    wait_until("it goes on", || state(pid) == Some('S'));
    terminal.types("n\n");
    let ran = terminal.finish().exits(1);
    let (_, after) = ran.stderr.split_once(question).expect("a question");
    // The typed text is visible, and no panel covers it. The frame with the question ends before it.
    let after = after.replace("\x1b[?2026l", "");
    assert!(after.trim_start().starts_with("n\n"), "{after:?}");
}
