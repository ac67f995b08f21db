//! The output of real tools for a line that contains a value. `tools.txt` holds these outputs.

use loop_telemetry::{REDACTED, Redactor};

const VALUE: &str = "k'ey-12\"34&ab<cd $e ä~end-of-it";

#[test]
fn no_tool_spells_a_value_in_a_way_that_passes() {
    let redactor = Redactor::new([VALUE]);
    let mut clean = String::new();
    for output in include_str!("tools.txt").split_inclusive("\n\n") {
        let whole = redactor.redact(output).into_owned();
        assert!(whole.contains(REDACTED), "{output}");
        let (mut stream, mut pieces) = (redactor.stream(), Vec::new());
        output.as_bytes().chunks(1).for_each(|byte| stream.push(byte, &mut pieces));
        stream.finish(&mut pieces);
        assert_eq!(String::from_utf8_lossy(&pieces), whole);
        clean.push_str(&whole);
    }
    insta::assert_snapshot!(clean);
}
