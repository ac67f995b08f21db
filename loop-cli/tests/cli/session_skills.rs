//! Skills in a session at a terminal.

use loop_testing::Answer;

use crate::{chat_harness::ChatHarness, model_server::ModelServer, screen::SIZES, support::Scenario};

const SKILL: &str =
    "---\nname: notes\ndescription: Writes release notes.\ntrigger: release notes\n---\nThank Ann first.\n";

#[test]
fn a_typed_prompt_goes_with_its_skill_and_a_script_runs_after_a_yes() {
    for size in SIZES {
        let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["Thanks."])]));
        scenario.write(".agents/skills/notes/SKILL.md", SKILL);
        let page = scenario.run(&["skill", "show", "notes"]).stdout;
        let digest = page.split_whitespace().find(|word| word.starts_with("sha256:")).expect("a digest");
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.says("The notes of this release", "Thanks.");
        chat.sees("using the skill `notes`");
        let request = server.requests()[0].body["messages"].to_string();
        assert!(request.contains("- notes: Writes release notes."), "{request}");
        assert!(request.contains("Thank Ann first.\\n[end of the skill notes]"), "{request}");
        scenario.write(
            ".agents/skills/notes/scripts/compiled.bash",
            format!("# {digest}\necho $((40 + 2)) from $LOOP_WORKDIR\n"),
        );
        chat.types("/skill run notes\r");
        chat.sees("Type `yes` and Enter");
        chat.types("yes\r");
        chat.wait_for_prompt_after("42 from ");
        chat.leaves();
    }
}
