//! The names of failing tests in the lines of further runners, whose counts are [one line](super::fallback).
//!
//! These runners print each failing test on a line of its own. Nothing here is counted, so a line that a test printed
//! itself adds a name at most.

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
    // `  1) test adds (CalcTest)`
    ("ExUnit", |line, _| {
        let (name, module) = numbered(line)?.strip_prefix("test ")?.rsplit_once(" (")?;
        module.ends_with(')').then(|| name.to_owned())
    }),
    // `  1) Failure:` and `TestCalc#test_adds [calc_test.rb:5]:`
    ("Minitest", |line, next| {
        let is_first = matches!(numbered(line)?, "Failure:" | "Error:");
        let name = next.split([' ', ':']).next().filter(|name| is_first && name.contains('#'))?;
        Some(name.to_owned())
    }),
    // `1) CalcTest::testAdds`
    ("PHPUnit", |line, _| {
        numbered(line).filter(|name| name.contains("::") && !name.contains(' ')).map(str::to_owned)
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
        Some(name.split_once(" failed after ")?.0.trim_matches('"').to_owned())
    }),
    // `[  FAILED  ] Calc.Adds (0 ms)`
    ("GoogleTest", |line, _| {
        let name = line.strip_prefix("[  FAILED  ] ")?.split([' ', ',']).next()?;
        name.contains('.').then(|| name.to_owned())
    }),
    // `(fail) adds [0.12ms]`
    ("Bun", |line, _| {
        let name = line.strip_prefix("(fail) ")?;
        Some(name.rsplit_once(" [").map_or(name, |(name, _)| name).to_owned())
    }),
    // ` ✗ adds`
    ("Bats", |line, _| line.strip_prefix(" ✗ ").map(str::to_owned)),
    // `[FAIL] Calc [It] adds`
    ("Ginkgo", |line, _| line.trim_start().strip_prefix("[FAIL] ").map(str::to_owned)),
];

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
