//! Skills in a session at a terminal.

use std::{fs, os::unix::fs::symlink};

use loop_testing::Answer;

use crate::{
    chat_harness::{ChatHarness, answered_by},
    model_server::{KEY, ModelServer},
    screen::SIZES,
    support::{Manifest, RunningCommand, Scenario},
};

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

fn digest(scenario: &Scenario) -> String {
    let page = scenario.run(&["skill", "info", "notes"]).stdout;
    page.split_whitespace().find(|word| word.starts_with("sha256:")).expect("a digest").to_owned()
}

#[test]
fn a_yes_is_kept_for_the_text_of_a_script_until_it_is_withdrawn() {
    let (scenario, server) =
        (Scenario::new(), ModelServer::new(["By hand.", "By hand."].map(|text| Answer::deltas([text]))));
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let script = |line: &str| {
        let text = format!("# {}\n{line}\n", digest(&scenario));
        scenario.write(".agents/skills/notes/scripts/compiled.bash", text);
    };
    script("echo $LOOP_PROMPT >> ran; echo done by the script");
    let run = ["skill", "run", "notes", "one", "--model", "openai:scripted"];
    let unasked = server.run(&scenario, &run).exits(0);
    assert_eq!(unasked.stdout, "By hand.\n");
    assert!(unasked.stderr.contains("nobody has agreed to the script"), "{}", unasked.stderr);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.types("/skill run notes two\r");
    chat.sees("Type `yes` and Enter");
    chat.types("yes\r");
    chat.sees("allowed until its text changes");
    chat.wait_for_prompt_after("done by the script");
    chat.leaves();
    let again =
        server.run(&scenario, &["skill", "run", "notes", "three", "--model", "openai:scripted"]).exits(0);
    assert_eq!(again.stdout, "done by the script\n(exit 0)\n");
    assert_eq!(scenario.read("ran"), "two\nthree\n");
    let agreed = scenario.run(&["skill", "agreed"]).exits(0).stdout;
    assert!(agreed.starts_with("notes  .agents/skills/notes/scripts/compiled.bash  sha256:"), "{agreed}");

    // Another text is another script.
    script("echo $LOOP_PROMPT changed >> ran");
    let changed = server.run(&scenario, &run).exits(0);
    assert_eq!(changed.stdout, "By hand.\n");
    assert_eq!(scenario.read("ran"), "two\nthree\n");
    scenario.run(&["skill", "withdraw", "notes"]).exits(0);
    assert!(
        scenario.run(&["skill", "withdraw", "notes"]).exits(2).stderr.contains("you agreed to no script")
    );
}

#[test]
fn a_person_writes_skills_and_sets_and_lets_the_model_write_a_script() {
    let script = "```bash\n#!/bin/bash\necho compiled for $LOOP_VAR_WHO\n```";
    let proposal = "- greeting: Writes greetings. Use it for letters.\n- notes: known\n- Faulty Name: x";
    let server = ModelServer::new([script, proposal].map(|text| Answer::deltas([text])));
    let scenario = Scenario::new();
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.types("/skill new tidy --description 'Sorts \"all\" imports.' --trigger 'tidy up'\r");
    chat.sees("wrote .agents/skills/tidy/SKILL.md");
    chat.types("/skill-set create both notes tidy\r");
    chat.sees("wrote .agents/skill-sets/both.yaml");
    chat.types("/skill compile notes\r");
    chat.sees("Type `yes` and Enter to allow this change. `no`, or a reason, refuses it.");
    chat.types("yes\r");
    chat.wait_for_prompt_after("`/skill run notes` runs it");
    chat.types("/notes WHO=Ann\r");
    chat.sees("to run the script");
    chat.types("yes\r");
    chat.wait_for_prompt_after("compiled for Ann");
    chat.types("/skill suggest\r");
    chat.sees("/skill new greeting --description 'Writes greetings. Use it for letters.'");
    chat.leaves();
    assert!(!scenario.has(".agents/skills/greeting"));
    assert!(scenario.run(&["skill-set", "list"]).exits(0).stdout.starts_with("both"));
    assert_eq!(scenario.run(&["skill", "info", "tidy"]).exits(0).stdout.lines().count(), 6);
}

#[test]
fn after_a_no_to_a_script_the_model_does_the_work() {
    let (scenario, server) = (Scenario::new(), ModelServer::new([Answer::deltas(["By hand."])]));
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let script = format!("# {}\ntouch ran\n", digest(&scenario));
    scenario.write(".agents/skills/notes/scripts/compiled.bash", script);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.types("/skill run notes WHO=Ann Begin\r");
    chat.sees("Type `yes` and Enter");
    chat.types("no\r");
    chat.wait_for_prompt_after("By hand.");
    chat.sees("the model does it without the script");
    chat.says("/skill check notes", "valid");
    chat.says("/skill check notes --strict", "`trigger` is not a field of the format");
    chat.leaves();
    assert!(!scenario.has("ran") && scenario.run(&["skill", "agreed"]).stdout.contains("no script"));
    let prompt = server.requests()[0].body["messages"].to_string();
    assert!(prompt.contains("Thank Ann first.") && prompt.contains("Begin"), "{prompt}");
}

/// Starts `loop` with these arguments at a terminal, with this server as its model.
fn at_terminal(scenario: &Scenario, server: &ModelServer, args: &[&str]) -> ChatHarness {
    ChatHarness::open(scenario, args, SIZES[0], |command| {
        command.env("OPENAI_BASE_URL", server.url()).env("OPENAI_API_KEY", KEY);
    })
}

#[test]
fn the_command_writes_a_script_only_after_a_yes_at_a_terminal() {
    let reply = || Answer::deltas(["```bash\n#!/bin/bash\necho compiled\n```"]);
    let (scenario, server) = (Scenario::new(), ModelServer::new([reply(), reply()]));
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let compile = ["skill", "compile", "notes", "--model", "openai:scripted"];
    let unasked = server.run(&scenario, &compile).exits(3);
    assert!(unasked.stderr.contains("only a person can agree to a new script"), "{}", unasked.stderr);
    for (answer, said, code) in [("no", "nothing was written", 3), ("yes", "`/skill run notes` runs it", 0)] {
        let mut command = at_terminal(&scenario, &server, &compile);
        command.sees("Type `yes` and Enter");
        command.sees("echo compiled");
        command.types(&format!("{answer}\r"));
        command.sees(said);
        command.finish().exits(code);
        assert_eq!(scenario.has(".agents/skills/notes/scripts/compiled.bash"), answer == "yes");
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn the_command_proposes_skills_from_the_last_session_and_writes_none() {
    let proposal = "- greeting: Writes greetings.\n- notes: known\n- Faulty Name: x";
    let server = ModelServer::new(["Dear Ann", proposal].map(|text| Answer::deltas([text])));
    let scenario = Scenario::new();
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let suggest = ["skill", "suggest", "--model", "openai:scripted"];
    server.run(&scenario, &suggest).exits(2).says(&["there is no session of this folder"]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.says("Greet her", "Dear Ann");
    chat.leaves();
    let command = at_terminal(&scenario, &server, &suggest);
    command.sees("greeting  Writes greetings.");
    command.sees("/skill new greeting --description 'Writes greetings.'");
    command.finish().exits(0);
    assert!(server.requests()[1].body["messages"].to_string().contains("Dear Ann"));
    assert!(!scenario.has(".agents/skills/greeting"));
}

/// Returns the scenario of a skill whose script appends to the file `ran`.
fn with_script(script: &str) -> Scenario {
    let scenario = Scenario::new();
    scenario.write(".agents/skills/notes/SKILL.md", SKILL);
    let text = format!("# {}\n{script}\n", digest(&scenario));
    scenario.write(".agents/skills/notes/scripts/compiled.bash", text);
    scenario
}

/// Runs the script in a session at a terminal, and says yes to the question.
fn says_yes(scenario: &Scenario, answer: &str) {
    let server = ModelServer::new([]);
    let mut chat = ChatHarness::chat(scenario, &server, &[], SIZES[0]);
    chat.types("/skill run notes\r");
    chat.sees("Type `yes` and Enter");
    chat.types("yes\r");
    chat.wait_for_prompt_after(answer);
    chat.leaves();
}

#[test]
fn a_damaged_store_of_agreed_scripts_is_never_an_empty_one() {
    let scenario = with_script("echo done by the script");
    says_yes(&scenario, "done by the script");
    let store = fs::read_dir(scenario.state().join("skills")).expect("a folder").next();
    let store = store.expect("a store").expect("a name").path();
    let whole = fs::read(&store).expect("a file");
    for damage in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&store, &whole[..damage]).expect("a file");
        for args in [&["skill", "agreed"][..], &["skill", "withdraw", "notes"]] {
            scenario.run(args).exits(2).says(&[&store.display().to_string(), "Delete the file"]);
        }
        scenario.run(&["doctor"]).prints(&["no script counts as agreed"]);
        assert_eq!(fs::read(&store).expect("a file"), &whole[..damage]);
    }
    says_yes(&scenario, "the yes holds only this once");
    assert_eq!(fs::read(&store).expect("a file"), &whole[..whole.len() - 1]);
    fs::remove_file(&store).expect("a file");
    symlink(scenario.path("elsewhere"), &store).expect("a link");
    scenario.run(&["skill", "agreed"]).exits(2).says(&["cannot be read"]);
    fs::remove_file(&store).expect("a link");
    scenario.run(&["skill", "agreed"]).exits(0).prints(&["you agreed to no script"]);
}

/// An agent makes a terminal of its own, types there what a person would, and hides the marks of its run.
#[test]
fn an_agent_cannot_forge_a_yes() {
    let scenario = with_script("echo ran >> ran");
    let server = ModelServer::new((0..6).map(|_| Answer::deltas(["By hand."])));
    let line = format!("{} skill run notes --model openai:scripted", env!("CARGO_BIN_EXE_loop"));
    let typed = |line: &str| format!("yes yes | head -n 9 | script -qec '{line}' /dev/null >> screen");
    let hidden = format!("env -u LOOP_RUN_ID XDG_STATE_HOME=$PWD/other {line}");
    let unlimited = format!("prlimit --locks=unlimited:unlimited {hidden}");
    let alone = format!("setsid -f sh -c \"{}; : > done\"; until [ -e done ]; do :; done", typed(&hidden));
    // The limits of the agent, and of what started it, are lower then.
    scenario.write("forge", typed(&hidden));
    let unmarked =
        "for pid in $PPID $$; do prlimit --pid $pid --locks=9:9; done; exec env -u LOOP_RUN_ID sh forge"
            .to_owned();
    for agent in [typed(&line), typed(&hidden), typed(&unlimited), alone, unmarked] {
        scenario.manifest(&Manifest::new(&agent, "true"));
        server.run(&scenario, &["run", "loop.json"]).exits(0);
        assert!(!scenario.has("ran"), "{agent}: {}", scenario.read("screen"));
        assert!(scenario.read("screen").contains("nobody has agreed to the script"), "{agent}");
        fs::remove_file(scenario.path("screen")).expect("a file");
    }
    // The same keys in the terminal of a person are a yes.
    let mut command = scenario.command("sh", &["-c", &typed(&line)]);
    answered_by(&mut command, &server);
    RunningCommand::new(&mut command).finish().exits(0);
    assert_eq!(scenario.read("ran"), "ran\n");
}

/// The variable of a run is enough, and nothing that only a person may do works.
#[test]
fn nobody_is_asked_in_a_run() {
    let scenario = with_script("echo done by the script");
    let server = ModelServer::new(["By hand.", "By hand."].map(|text| Answer::deltas([text])));
    let in_run = |args: &[&str]| {
        ChatHarness::open(&scenario, args, SIZES[0], |command| {
            answered_by(command, &server);
            command.env("LOOP_RUN_ID", "a-run");
        })
    };
    let skill = in_run(&["skill", "run", "notes", "--model", "openai:scripted"]);
    skill.sees("nobody has agreed to the script");
    skill.sees("By hand.");
    let mut chat = in_run(&["chat", "--model", "openai:scripted"]);
    chat.wait_for_prompt_after("/help");
    chat.types("/skill run notes\r");
    chat.wait_for_prompt_after("By hand.");
    assert!(chat.page().contains("nobody has agreed to the script"), "{}", chat.page());
    chat.types("/allow --keep 'cargo test'\r");
    chat.wait_for_prompt_after("only a person may change the rules");
    chat.types("/memory accept any\r");
    chat.wait_for_prompt_after("is for people");
    chat.leaves();
    scenario.run(&["skill", "agreed"]).exits(0).prints(&["you agreed to no script"]);
}

#[test]
fn the_question_shows_a_carriage_return_at_the_end_of_a_line() {
    let server = ModelServer::new([Answer::deltas(["By hand."])]);
    let scenario = with_script("echo one\r\necho two");
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.types("/skill run notes\r");
    chat.sees("+echo one\\u{d}");
    chat.sees("+echo two");
    chat.types("no\r");
    chat.wait_for_prompt_after("By hand.");
    chat.leaves();
}
