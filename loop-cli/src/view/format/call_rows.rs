//! Tool calls of a model, for people: one row with the size of the result, and the lines that an edit changes.

use anstyle::Style;
use loop_agents::{
    chat::ToolCall,
    output::first_line,
    tools::{ToolOutcome, ToolReport},
};
use loop_telemetry::words::Differences;
use serde_json::Value;

use super::{text, tool_calls::unenforced_lines};
use crate::view::{ADDED, DIM, REMOVED, WARN, fitted, paint, wrapped};

/// The arguments whose meaning needs no name, most important first.
const MAIN: [&str; 4] = ["command", "path", "pattern", "query"];

/// The tool whose result confirms a job: its id and its prompt, and below them its schedule.
const CONFIRMS: &str = "CronCreate";

/// The arguments that hold the text of a file: their lines are shown as a diff.
const TEXTS: [&str; 3] = ["content", "old", "new"];

/// The longest argument on a row, in characters.
const MAX_ARGUMENT: usize = 40;

/// The longest result that is shown itself, rather than its size.
const MAX_RESULT: usize = 60;

/// The longest reason of a failure, in characters.
const MAX_REASON: usize = 400;

/// The maximum number of rows of a diff.
const MAX_DIFF: usize = 20;

/// The maximum number of rows of a failed command's output.
const MAX_OUTPUT: usize = 5;

/// How calls are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallRows {
    /// The most columns of a row.
    pub(crate) columns: usize,
    /// Whether the person has just seen the change in a question.
    pub(crate) is_seen: bool,
}

impl CallRows {
    /// Formats a call and its result, if there is one.
    pub(crate) fn of(self, call: &ToolCall, report: Option<&ToolReport>) -> Vec<String> {
        let (width, result) = (self.columns, report.map(result));
        let room = width.saturating_sub(result.as_ref().map_or(0, |(_, result)| result.chars().count() + 3));
        let row = cut(&heading(call), room.max(width / 2));
        let (Some((style, result)), Some(report)) = (result, report) else { return vec![paint(DIM, row)] };
        let rest = width.saturating_sub(console::measure_text_width(&row) + 3);
        let is_problem = report.outcome != ToolOutcome::Done;
        if is_problem && console::measure_text_width(&result) > rest {
            // The whole reason tells how to avoid the problem.
            let reason = wrapped(&result, width.saturating_sub(2));
            let reason = reason.iter().map(|row| format!("  {}", paint(style, row)));
            return std::iter::once(paint(DIM, cut(&heading(call), width))).chain(reason).collect();
        }
        let mut rows =
            vec![format!("{} {}", paint(DIM, row), paint(style, format!("→ {}", cut(&result, rest))))];
        for line in unenforced_lines(report) {
            rows.extend(fitted(&line, width).lines().map(str::to_owned));
        }
        if !is_problem {
            if !self.is_seen {
                rows.extend(diff(call, report, width));
            }
            rows.extend(confirmation(report, width));
            rows.extend(failed_output(report, width));
        }
        rows
    }
}

/// Formats the confirmation of a new job, which a person reads too.
fn confirmation(report: &ToolReport, width: usize) -> Vec<String> {
    if report.tool != CONFIRMS {
        return Vec::new();
    }
    let text = text::printable(&report.text);
    let row = |line: &str| paint(DIM, line);
    text.lines().skip(1).flat_map(|line| fitted(line, width).lines().map(row).collect::<Vec<_>>()).collect()
}

/// Formats the last lines that a failed command printed, which mostly tell why it failed.
fn failed_output(report: &ToolReport, width: usize) -> Vec<String> {
    if report.commands.iter().all(|run| run.exit_code == 0) {
        return Vec::new();
    }
    let text = text::printable(output(report));
    // The row has the words of a tool that wrote a file.
    let of_row = |(at, line): &(usize, &str)| is_change(report) && (*at == 0 || is_about_format(line));
    let lines = text.lines().enumerate().filter(|line| !of_row(line)).map(|(_, line)| line);
    let lines: Vec<_> = lines.filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(MAX_OUTPUT)..];
    let row =
        |line: &&str| format!("  {}", paint(DIM, cut(&line.replace('\t', "    "), width.saturating_sub(2))));
    last.iter().map(row).collect()
}

/// Returns the output in a result: the last line of a command repeats the exit code.
fn output(report: &ToolReport) -> &str {
    match report.text.rsplit_once("(exit ") {
        Some((output, _)) if !report.commands.is_empty() => output,
        _ => &report.text,
    }
}

/// Formats the tool and its arguments on one line.
pub(crate) fn heading(call: &ToolCall) -> String {
    let mut words = vec![call.name.clone()];
    let argument = |name: &str| call.arguments.get(name).and_then(Value::as_str);
    if let ("git", Some(subcommand)) = (call.name.as_str(), argument("subcommand")) {
        words.extend([subcommand, argument("arguments").unwrap_or_default()].map(str::to_owned));
    } else if let Value::Object(arguments) = &call.arguments {
        let main = MAIN.iter().filter_map(|name| arguments.get(*name)?.as_str());
        words.extend(main.map(str::to_owned));
        let is_other = |name: &str| !MAIN.contains(&name) && !TEXTS.contains(&name);
        let others = arguments.iter().filter(|(name, _)| is_other(name));
        words.extend(others.map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{name}={}", cut(&text::one_line(&value), MAX_ARGUMENT))
        }));
    } else {
        words.push(call.arguments.to_string());
    }
    text::one_line(words.join(" ").trim_end())
}

/// Formats a result on one line, with its style.
fn result(report: &ToolReport) -> (Style, String) {
    let first = || text::last_line(&first_line(&report.text), MAX_REASON).unwrap_or_default();
    match report.outcome {
        ToolOutcome::Rejected => return (WARN, format!("denied: {}", first())),
        ToolOutcome::Failed => return (WARN, format!("failed: {}", first())),
        ToolOutcome::Done => {}
    }
    let size = text::bytes(output(report).len() as u64);
    let lines = report.text.lines().count();
    let text = text::one_line(report.text.trim());
    let (last, earlier) = match report.commands.split_last() {
        Some((last, earlier)) => (Some(last), earlier),
        None => (None, &[][..]),
    };
    if is_change(report) {
        // The other lines are of programs that ran afterwards.
        let mut lines = report.text.lines();
        let (wrote, formatted) = (lines.next(), lines.next().filter(|line| is_about_format(line)));
        let words: Vec<_> = wrote.into_iter().chain(formatted).collect();
        let words = text::one_line(&words.join(", "));
        return match report.commands.iter().find(|run| run.exit_code != 0) {
            Some(run) => {
                let command = cut(&text::one_line(&run.line), MAX_ARGUMENT);
                (WARN, format!("{words}, `{command}`: exit {}", run.exit_code))
            }
            None => (DIM, words),
        };
    }
    // The last command of a pipeline decides, but an earlier one that failed tells more.
    if let (Some(last), Some(failed)) = (last, earlier.iter().rev().find(|run| run.exit_code != 0)) {
        let command = cut(&text::one_line(&failed.line), MAX_ARGUMENT);
        let (code, exit) = (failed.exit_code, last.exit_code);
        return (WARN, format!("exit {exit}, `{command}`: exit {code}, {size}"));
    }
    match last {
        Some(run) if run.timed_out => (WARN, format!("exit {}, out of time, {size}", run.exit_code)),
        Some(run) if run.exit_code != 0 => (WARN, format!("exit {}, {size}", run.exit_code)),
        Some(run) => (DIM, format!("exit {}, {size}", run.exit_code)),
        None if report.tool == CONFIRMS => {
            (DIM, text.split(' ').next().map(|id| format!("job {id}")).unwrap_or_default())
        }
        None if report.tool == "read_file" => (DIM, text::count(lines as u64, "line")),
        None if text.is_empty() => (DIM, "nothing".to_owned()),
        None if lines == 1 && text.chars().count() <= MAX_RESULT => (DIM, text),
        None if lines == 1 => (DIM, size),
        None => (DIM, text::count(lines as u64, "line")),
    }
}

/// Returns whether a line tells the result of a formatter.
fn is_about_format(line: &str) -> bool {
    ["formatted by ", "not formatted, "].iter().any(|words| line.starts_with(words))
}

fn is_change(report: &ToolReport) -> bool {
    !report.files.is_empty()
}

/// Formats the lines that the call removed and added, if its arguments tell. It counts the lines that do not fit.
fn diff(call: &ToolCall, report: &ToolReport, width: usize) -> Vec<String> {
    let argument = |name: &str| call.arguments.get(name).and_then(Value::as_str).map(text::printable);
    let is_new = report.files.iter().any(|file| file.created);
    let (old, new) = match (argument("old"), argument("new"), argument("content")) {
        (Some(old), Some(new), _) => (old, new),
        (_, _, Some(content)) if is_new => (String::new(), content),
        _ => return Vec::new(),
    };
    let Differences { then, now, .. } = Differences::between(&old, &new);
    let removed = then.into_iter().map(|line| (REMOVED, '-', line));
    let added = now.into_iter().map(|line| (ADDED, '+', line));
    let lines: Vec<_> = removed.chain(added).collect();
    let row = |(style, sign, line): &(Style, char, &str)| {
        let line = line.replace('\t', "    ");
        format!("  {}", paint(*style, cut(&format!("{sign} {line}"), width.saturating_sub(2))))
    };
    let mut rows: Vec<_> = lines.iter().take(MAX_DIFF).map(row).collect();
    if let more @ 1.. = lines.len().saturating_sub(MAX_DIFF) {
        rows.push(paint(DIM, format!("  … {}", text::count(more as u64, "more line"))));
    }
    rows
}

fn cut(text: &str, columns: usize) -> String {
    console::truncate_str(text, columns, "…").into_owned()
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use loop_agents::tools::Toolbox;
    use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
    use serde_json::json;

    use super::*;

    async fn shown(folder: &std::path::Path, name: &str, arguments: Value, width: usize) -> String {
        let workspace = Workspace::open(folder, ActionPolicy::default()).expect("a workspace");
        let tools = Toolbox::standard(workspace).environment(std::env::vars_os(), &EnvironmentPolicy::new());
        let report = tools.call(name, &arguments).await;
        let call = ToolCall::new("c1", name, arguments);
        let rows = CallRows { columns: width, is_seen: false }.of(&call, Some(&report));
        let rows: Vec<_> = rows.iter().map(|row| strip_str(row).to_string()).collect();
        assert!(rows.iter().all(|row| console::measure_text_width(row) <= width), "{rows:#?}");
        rows.join("\n")
    }

    #[tokio::test]
    async fn a_call_is_one_row_and_an_edit_is_a_diff() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut pages = Vec::new();
        let poem = "one\ntwo\nthree\n";
        for (name, arguments) in [
            ("write_file", json!({ "path": "poem", "content": poem })),
            ("write_file", json!({ "path": "poem", "content": poem })),
            ("edit_file", json!({ "path": "poem", "old": "one\ntwo\nthree", "new": "one\n2\nthree" })),
            ("write_file", json!({ "path": "long", "content": "a\n".repeat(50) })),
            ("read_file", json!({ "path": "poem" })),
            ("read_file", json!({ "path": "none" })),
            ("run_command", json!({ "command": "cat poem" })),
            ("run_command", json!({ "command": format!("cat {}", "long ".repeat(40)) })),
            ("run_command", json!({ "command": "rm -rf /" })),
            ("run_command", json!({ "command": "grep none poem" })),
            ("run_command", json!({ "command": "cat poem poem - | grep -c none" })),
            ("run_command", json!({ "command": "grep -c none poem long" })),
            ("nothing", json!("text")),
        ] {
            pages.push(shown(folder.path(), name, arguments, 60).await);
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../../../tests/cli/snapshots" }, {
            insta::assert_snapshot!("call_rows", pages.join("\n"));
        });
    }

    #[tokio::test]
    async fn a_change_that_the_person_has_just_seen_is_not_shown_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
        let arguments = json!({ "path": "poem", "content": "one\n" });
        let report = Toolbox::standard(workspace).call("write_file", &arguments).await;
        let call = ToolCall::new("c1", "write_file", arguments);
        let rows = |is_seen| CallRows { columns: 60, is_seen }.of(&call, Some(&report)).len();
        assert_eq!((rows(true), rows(false)), (1, 2));
    }

    #[test]
    fn a_call_of_git_reads_like_its_command() {
        let head = |arguments| heading(&ToolCall::new("c1", "git", arguments));
        assert_eq!(head(json!({ "subcommand": "diff", "arguments": "a.txt" })), "git diff a.txt");
        assert_eq!(head(json!({ "subcommand": "status" })), "git status");
    }
}
