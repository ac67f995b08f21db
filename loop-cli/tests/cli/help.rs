//! The command's own help.

use crate::support::Scenario;

/// Compares the output of `loop` for these arguments with a snapshot.
fn said(name: &str, args: &[&str], code: i32) -> String {
    let ran = Scenario::new().run(args).exits(code);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    insta::with_settings!({
        filters => [(r"loop \d+\.\d+\.\d+", "loop [version]")],
        omit_expression => true,
        prepend_module_to_snapshot => false
    }, {
        insta::assert_snapshot!(name, text);
    });
    text
}

const COMMANDS: [&str; 28] = [
    "init",
    "run",
    "task",
    "every",
    "schedule",
    "chat",
    "resume",
    "runs",
    "show",
    "diff",
    "restore",
    "tail",
    "rm",
    "check",
    "policy",
    "apply",
    "snapshots",
    "models",
    "server",
    "skill",
    "assay",
    "replay",
    "session",
    "report",
    "verify",
    "schema",
    "completions",
    "man",
];

/// The last commands are for programs, or users reach them through another command.
const LISTED: usize = COMMANDS.len() - 14;

#[test]
fn help_fits_a_screen_and_begins_with_what_one_needs_first() {
    let help = said("help", &["--help"], 0);
    assert!(help.lines().count() < 24, "a prompt has to fit under it");
    assert!(help.lines().all(|line| line.len() <= 80));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed: Vec<_> = listed.filter_map(|line| line.split_whitespace().next()).take(LISTED).collect();
    assert_eq!(listed, COMMANDS[..LISTED]);
    let version = said("version", &["--version"], 0);
    assert_eq!(version, said("version", &["-V"], 0), "the fast answer is that of clap");
}

#[test]
fn the_help_of_every_command_fits_a_terminal_and_has_an_example() {
    for command in COMMANDS {
        let help = said(&format!("help_{command}"), &[command, "--help"], 0);
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        let (_, examples) = help.split_once("\nExample").expect("an example");
        assert!(examples.contains(&format!("\n  loop {command}")), "{help}");
    }
}

#[test]
fn a_command_line_that_is_wrong_says_how_it_is_meant() {
    said("usage_nothing", &[], 2);
    said("usage_unknown", &["run", "loop.json", "--dryrun"], 2);
    said("usage_missing", &["run"], 2);
    said("usage_flags_missing", &["run", "--agent", "x"], 2);
    said("usage_duration", &["run", "--agent", "x", "--check", "y", "--max", "3", "--max-time", "soon"], 2);
    said("usage_man", &["man", "rnu"], 2);
}

#[test]
fn there_is_a_completion_script_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Scenario::new().run(&["completions", shell]).exits(0);
        assert!(COMMANDS.iter().all(|command| ran.stdout.contains(command)), "{shell}");
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn there_is_a_manual_page_for_loop_and_for_every_command() {
    let page = Scenario::new().run(&["man"]).exits(0).stdout;
    assert!(page.contains(".TH loop 1") && page.contains("loop\\-run(1)"), "{page}");
    for command in COMMANDS {
        let page = Scenario::new().run(&["man", command]).exits(0).stdout;
        assert!(page.contains(&format!(".TH loop-{command} 1")) && page.contains("Example"), "{page}");
    }
}
