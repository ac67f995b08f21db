//! The names of failing tests in the lines of further runners, whose counts are [one line](super::fallback).
//!
//! These runners print each failing test on a line of its own. Nothing here is counted, so a line that a test printed
//! itself adds a name at most.

use super::failure_counts::counts_failures;

/// Returns the name of a failing test in a line, and in the line after it.
type Reads = fn(&str, &str) -> Option<String>;

/// The runners.
const RUNNERS: &[(&str, Reads)] = &[
    // `  2 - subtracts (Failed)`
    ("ctest", |line, _| {
        let (number, rest) = line.trim().split_once(" - ")?;
        let (name, how) = rest.rsplit_once(" (")?;
        (is_number(number) && how.ends_with(')')).then(|| name.to_owned())
    }),
    // `CalcTest > adds() FAILED`
    ("Gradle", |line, _| line.strip_suffix(" FAILED").filter(|name| name.contains(" > ")).map(str::to_owned)),
    // `[ERROR]   CalcTest.adds:12 expected: <3> but was: <4>`
    ("Maven", |line, _| {
        let name = line.strip_prefix("[ERROR]   ")?.split([':', ' ']).next()?;
        (name.contains('.') && !name.contains('/')).then(|| name.to_owned())
    }),
    // `rspec ./spec/calc_spec.rb:2 # Calc adds`
    ("RSpec", |line, _| {
        let (_, name) = line.strip_prefix("rspec ")?.split_once(" # ")?;
        Some(name.to_owned())
    }),
    ("a file of RSpec", |line, _| {
        let name = line.strip_prefix("An error occurred while loading ")?;
        Some(name.trim_end_matches('.').to_owned())
    }),
    // `  1) test adds (CalcTest)`
    ("ExUnit", |line, _| {
        let (name, module) = numbered(line)?.strip_prefix("test ")?.rsplit_once(" (")?;
        module.ends_with(')').then(|| name.to_owned())
    }),
    // `  1) Failure:`, or `Failure:` of Rails, and `TestCalc#test_adds [calc_test.rb:5]:`
    ("Minitest", |line, next| {
        let is_first = matches!(numbered(line).unwrap_or(line), "Failure:" | "Error:");
        let name = next.split([' ', ':']).next().filter(|name| is_first && name.contains('#'))?;
        Some(name.to_owned())
    }),
    // `1) CalcTest::testAdds` and `2) CalcTest::testAdds with data set "small" (1, 2)`
    ("PHPUnit", |line, _| {
        let (test, data) = match numbered(line)?.split_once(" with data set ") {
            Some((test, data)) => (test, Some(data)),
            None => (numbered(line)?, None),
        };
        // Behind the label are the data.
        let label = data.map(|data| match data.split_once("\" (") {
            Some((label, _)) => format!("{label}\""),
            None => data.split(' ').next().unwrap_or_default().to_owned(),
        });
        let name =
            test.to_owned() + &label.map_or_else(String::new, |label| format!(" with data set {label}"));
        (test.contains("::") && !test.contains(' ')).then_some(name)
    }),
    // `  1) [chromium] › calc.spec.ts:3:1 › adds ─────`
    ("Playwright", |line, _| {
        let (_, name) = numbered(line)?.split_once(" › ")?;
        Some(name.trim_end_matches(['─', ' ']).to_owned())
    }),
    // `adds => ./calc_test.ts:1:6`
    ("Deno", |line, _| {
        let (name, place) = line.split_once(" => ")?;
        (place.starts_with("./") && place.ends_with(|sign: char| sign.is_ascii_digit()))
            .then(|| name.to_owned())
    }),
    // `  Failed Calc.Adds [5 ms]`
    (".NET", |line, _| {
        let (name, time) = line.trim().strip_prefix("Failed ")?.rsplit_once(" [")?;
        time.ends_with("s]").then(|| name.to_owned())
    }),
    // `Test Case 'CalcTests.testAdds' failed (0.001 seconds)`
    ("XCTest", |line, _| {
        let (name, _) = line.strip_prefix("Test Case '")?.split_once("' failed (")?;
        Some(name.trim_start_matches("-[").trim_end_matches(']').to_owned())
    }),
    // `✘ Test adds() failed after 0.001 seconds with 1 issue.`
    ("Swift Testing", |line, _| {
        let (_, name) = line.split_once(" Test ").filter(|(mark, _)| mark.chars().count() <= 1)?;
        let name = name.split_once(" failed after ")?.0;
        (!name.starts_with("run with ")).then(|| name.trim_matches('"').to_owned())
    }),
    // `[  FAILED  ] Calc.Adds (0 ms)`
    ("GoogleTest", |line, _| {
        let name = line.strip_prefix("[  FAILED  ] ")?.split([' ', ',']).next()?;
        name.contains('.').then(|| name.to_owned())
    }),
    // `(fail) adds [0.12ms]`, and in a terminal `✗ adds [0.12ms]`
    ("Bun", |line, _| {
        let name = line.strip_prefix("(fail) ").or_else(|| line.strip_prefix("✗ "))?;
        Some(name.rsplit_once(" [").map_or(name, |(name, _)| name).to_owned())
    }),
    // ` ✗ adds`
    ("Bats", |line, _| line.strip_prefix(" ✗ ").map(str::to_owned)),
    // `00:00 +1 -1: test/calc_test.dart: adds [E]`
    ("Dart", |line, _| {
        let (_, name) =
            line.strip_suffix(" [E]")?.split_once(": ").filter(|(time, _)| time.contains(" -"))?;
        Some(name.split_once(".dart: ").map_or(name, |(_, name)| name).to_owned())
    }),
    // `1/2 calc.test.adds...FAIL (TestExpectedEqual)`, and `2/2 adds  FAIL  0.01s`
    ("Zig and Meson", |line, _| {
        let (place, rest) = line.trim_start().split_once(' ')?;
        let (at, of) = place.split_once('/')?;
        let (name, _) = rest.split_once("...FAIL").or_else(|| rest.split_once(" FAIL "))?;
        (is_number(at) && is_number(of)).then(|| name.trim_end_matches(['.', ' ']).trim_start().to_owned())
    }),
    // `[info] - adds *** FAILED ***`
    ("ScalaTest", |line, _| {
        let name = line.trim_start_matches("[info]").trim_start().strip_prefix("- ")?;
        Some(name.strip_suffix(" *** FAILED ***")?.to_owned())
    }),
    // `==> X CalcSuite.adds  0.02s munit.ComparisonFailException: /calc.scala:7`
    ("MUnit", |line, _| {
        let name = line.trim_start_matches("[error]").trim_start().strip_prefix("==> X ")?;
        Some(name.split_once("  ").map_or(name, |(name, _)| name).to_owned())
    }),
    // `  1) calc_test:adds_test: module 'calc_test'`
    ("EUnit", |line, _| Some(numbered(line)?.split_once(": module '")?.0.to_owned())),
    // `  1) Calc adds` and `       expected: 3`
    ("Hspec", |line, next| {
        let is_first =
            ["expected:", "predicate failed"].iter().any(|start| next.trim_start().starts_with(start));
        numbered(line).filter(|_| is_first).map(str::to_owned)
    }),
    // `//calc:adds_test   FAILED in 0.1s`
    ("Bazel", |line, _| {
        let name = line.strip_prefix("//")?.split_once(" FAILED in ")?.0;
        Some(format!("//{}", name.trim_end()))
    }),
    // `#   Failed test 'adds'`
    ("Test::More", |line, _| {
        // That of a subtest is indented, and counts as a part of its test.
        let name = line.strip_prefix("#   Failed test '")?;
        Some(name.trim_end_matches('\'').to_owned())
    }),
    // `  ✘ [fail]: adds`
    ("AVA", |line, _| line.trim_start().strip_prefix("✘ [fail]: ").map(str::to_owned)),
    // `1) Calc adds` and `  Message:`
    ("Jasmine", |line, next| numbered(line).filter(|_| next.trim() == "Message:").map(str::to_owned)),
    // `[FAIL] Calc [It] adds`
    ("Ginkgo", |line, _| line.trim_start().strip_prefix("[FAIL] ").map(str::to_owned)),
    ("any other", |line, _| marked(line)),
];

/// Returns the name in a line with a mark of failure before, behind or within it: `FAIL: adds`, `✘ adds`,
/// `adds ... FAILED`, `calc.c:4: FAIL: adds`.
fn marked(line: &str) -> Option<String> {
    const BEFORE: [&str; 11] =
        ["FAIL: ", "FAIL ", "FAILED: ", "FAILED ", "[FAILED] ", "[ FAIL ] ", "✗ ", "✘ ", "✖ ", "× ", "❌ "];
    const BEHIND: [&str; 8] = ["FAIL", "FAILED", "Failed", "failed", "[FAIL]", "[FAILED]", "✗", "❌"];
    let line = line.trim();
    let before = || BEFORE.iter().find_map(|mark| line.strip_prefix(mark)).map(|name| name.trim().to_owned());
    let behind = || {
        let name = BEHIND.iter().find_map(|mark| line.strip_suffix(mark))?;
        let is_apart = ["...", "  ", ": ", "- ", ". "].iter().any(|sign| name.ends_with(sign));
        is_apart.then(|| name.trim_end_matches(['.', ':', '-', ' ']).to_owned())
    };
    let within = || line.split_once(": FAIL: ").map(|(place, name)| format!("{place}: {name}"));
    let name = before().or_else(behind).or_else(within)?;
    // `FAIL: 3` counts, and `Result: FAIL` is about all tests.
    let begins = name.starts_with(|sign: char| sign.is_alphanumeric() || "./_\"'`".contains(sign));
    let is_named = name.contains(char::is_alphabetic) && !counts_failures(line);
    let is_whole =
        ["result", "status", "summary", "tests", "overall"].contains(&name.to_lowercase().as_str());
    (begins && is_named && !is_whole).then_some(name)
}

/// The maximum number of names.
const MOST: usize = 20;

/// Returns the names of failing tests in some lines, each once. Those of the first runner that knows a line.
pub(super) fn failing(lines: &[&str]) -> Vec<String> {
    let names = |reads: Reads| {
        let mut names = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let next = lines.get(index + 1).copied().unwrap_or_default();
            if let Some(name) = reads(line, next).filter(|name| !name.is_empty() && !names.contains(name)) {
                names.push(name);
            }
            if names.len() == MOST {
                break;
            }
        }
        names
    };
    RUNNERS.iter().map(|(_, reads)| names(*reads)).find(|names| !names.is_empty()).unwrap_or_default()
}

/// Returns the text behind the number of a line such as `  1) test adds (CalcTest)`.
fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.trim_start().split_once(") ")?;
    is_number(number).then_some(rest)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
