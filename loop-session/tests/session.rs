//! A session without a terminal, as a front end drives it.

use std::{
    ffi::OsString,
    sync::{Arc, Mutex},
};

use loop_agents::process::Supervisor;
use loop_core::{CancellationToken, with_causes};
use loop_manifest::{ExecutionContext, model::ConversationOptions, settings::Settings};
use loop_session::{
    ArgumentKind, Command, CommandGroup, CommandInfo, Commands, InputError, Session, SessionHost,
    SessionOutput,
};
use loop_telemetry::words::plain;
use loop_testing::{Answer, Call, ScriptedServer};
use tempfile::TempDir;

const KEY: &str = "sk-test-0123456789abcdefghijkl";

/// Collects everything that a session shows.
#[derive(Debug, Clone, Default)]
struct Shown(Arc<Mutex<Vec<String>>>);

impl Shown {
    fn add(&self, text: String) {
        self.0.lock().expect("no panic").push(text);
    }

    /// Returns what was shown since the last call.
    fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().expect("no panic")).join("\n")
    }
}

impl SessionOutput for Shown {
    fn say(&self, text: &str) {
        self.add(plain(text).into_owned());
    }

    fn warn(&self, text: &str) {
        self.add(format!("warning: {text}"));
    }

    fn reply(&self, text: &str) {
        self.add(format!("reply: {text}"));
    }
}

/// A session in a folder of its own, with the model that `server` plays.
struct Scenario {
    folder: TempDir,
    server: ScriptedServer,
    shown: Shown,
}

impl Scenario {
    async fn new(script: impl IntoIterator<Item = Answer>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("work")).expect("a folder");
        let server = ScriptedServer::start(script).await.expect("a server");
        Self { folder, server, shown: Shown::default() }
    }

    fn session(&self, name: &str) -> Session {
        let variables = [
            ("LOOP_HOME", self.folder.path().join("state").into_os_string()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("OPENAI_BASE_URL", self.server.url().into()),
            ("OPENAI_API_KEY", KEY.into()),
        ];
        let variables = variables.map(|(name, value)| (OsString::from(name), value));
        let cx = ExecutionContext::new(self.folder.path().join("work"), Supervisor::new(name));
        let cx = cx.expect("a context").with_variables(variables);
        let conversation = ConversationOptions {
            model: Some("openai:scripted".to_owned()),
            ..ConversationOptions::default()
        };
        let host = SessionHost::new(self.shown.clone());
        Session::open(conversation, Settings::default(), cx, host).expect("a session")
    }
}

async fn act(session: &mut Session, line: &str) -> Result<(), InputError> {
    session.run_line(line, CancellationToken::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_talks_runs_commands_and_is_resumed() {
    let script = [Answer::deltas(["Hel", "lo.\u{1b}[2J ", KEY]).usage(10, 2), Answer::deltas(["Again."])];
    let scenario = Scenario::new(script).await;
    let mut session = scenario.session("01890a5d-ac96-774b-bcce-b302099a8057");
    session.start(None).await.expect("it starts");
    assert!(scenario.shown.take().starts_with("scripted, with tools, in "), "a greeting");
    act(&mut session, "Hi").await.expect("a reply");
    let shown = scenario.shown.take();
    assert!(shown.starts_with("reply: Hello. [redacted]\nscripted"), "{shown}");
    act(&mut session, "!echo seen").await.expect("a command");
    assert!(scenario.shown.take().contains("seen"));
    let error = act(&mut session, "/hlep").await.expect_err("no command");
    assert!(error.to_string().contains("did you mean /help?"));
    act(&mut session, "/loop 1ms --count 2 !echo twice").await.expect("a loop");
    let shown = scenario.shown.take();
    assert_eq!(shown.matches("\ntwice").count(), 2, "{shown}");
    assert!(shown.contains("loop finished after 2/2 iterations"), "{shown}");
    act(&mut session, "/exit").await.expect("an end");
    assert!(session.is_over());
    session.end();
    drop(session);

    let mut session = scenario.session("01890a5d-ac96-774b-bcce-b302099a8058");
    session.start(Some("")).await.expect("it goes on");
    assert!(scenario.shown.take().contains("continuing "));
    act(&mut session, "And?").await.expect("a reply");
    let request = scenario.server.requests().pop().expect("a request").body.to_string();
    for said in ["Hi", "Hello.", "seen", "twice", "And?"] {
        assert!(request.contains(said), "{said}: {request}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_asks_only_while_a_front_end_listens() {
    let write =
        || Answer::calls([Call::new("c", "write_file", [r#"{"path": "AGENTS.md", "content": "x\n"}"#])]);
    let scenario =
        Scenario::new([write(), Answer::deltas(["No."]), write(), Answer::deltas(["Done."])]).await;
    let mut session = scenario.session("s");
    act(&mut session, "Write it").await.expect("a reply");
    let file = scenario.folder.path().join("work/AGENTS.md");
    assert!(!file.exists());
    let (host, mut questions) = (session.host().clone(), session.approvals().open());
    let answer = async {
        let question = questions.recv().await.expect("a question");
        let again = question.show(&host).expect("it can be shown").answered(Some("yes"), &host);
        assert!(again.is_none());
    };
    let (done, ()) = tokio::join!(act(&mut session, "Write it now"), answer);
    done.expect("a reply");
    assert!(file.exists(), "{}", scenario.shown.take());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_line_is_interrupted() {
    let scenario = Scenario::new([]).await;
    let mut session = scenario.session("s");
    for line in ["Hi", "!echo x", "/loop 1h x", "/summarize"] {
        let stop = CancellationToken::new();
        stop.cancel();
        match session.run_line(line, stop).await {
            Err(error) => assert!(error.is_interrupted(), "{line}: {}", with_causes(&error)),
            Ok(()) => assert!(scenario.shown.take().contains("loop cancelled after 0"), "{line}"),
        }
    }
    assert!(scenario.server.requests().is_empty());
}

/// A command of a front end's own.
struct Ping;

#[async_trait::async_trait]
impl Command for Ping {
    fn info(&self) -> &'static CommandInfo {
        const INFO: CommandInfo = CommandInfo {
            group: CommandGroup::Other,
            name: "ping",
            aliases: &[],
            arguments: "",
            summary: "Answer",
            help: "",
            argument_kind: ArgumentKind::Nothing,
        };
        &INFO
    }

    async fn run(&self, _: &str, session: &mut Session) -> Result<(), InputError> {
        session.say("pong");
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_front_end_adds_and_leaves_out_commands() {
    let scenario = Scenario::new([]).await;
    let mut session = scenario.session("s").with_commands(Commands::none().with(Ping));
    act(&mut session, "/ping").await.expect("an answer");
    assert_eq!(scenario.shown.take(), "pong");
    assert!(matches!(act(&mut session, "/help").await, Err(InputError::UnknownCommand(_))));
    let error = act(&mut session, "/ping pong").await.expect_err("it takes nothing").to_string();
    assert_eq!(error, "/ping takes no arguments, but got `pong`\n  usage: /ping");
}

const SKILL: &str = "---\nname: notes\ndescription: \"Writes release\\x07 notes. Use it late.\"\nallowed-tools: Read\n\
                     trigger: release notes\n---\nThank {{WHO}} first.\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_listed_loaded_by_its_trigger_and_unloaded() {
    let read = Answer::calls([Call::new("c", "load_skill", [r#"{"name": "notes"}"#])]);
    let answers = ["One.", "Two.", "Three."].map(|text| Answer::deltas([text]));
    let scenario = Scenario::new([read].into_iter().chain(answers)).await;
    let folder = scenario.folder.path().join("work/.agents");
    for (name, text) in [("skills/notes", SKILL), ("skills/broken", "no front matter")] {
        std::fs::create_dir_all(folder.join(name)).expect("a folder");
        std::fs::write(folder.join(name).join("SKILL.md"), text).expect("a skill");
    }
    std::fs::create_dir(folder.join("skill-sets")).expect("a folder");
    std::fs::write(folder.join("skill-sets/a.yaml"), "name: a\nskills: [notes]\n").expect("a set");
    let mut session = scenario.session("s");
    session.start(None).await.expect("it starts");
    let shown = scenario.shown.take();
    assert!(shown.contains("warning: skipped `.agents/skills/broken/SKILL.md`: the first line"), "{shown}");
    // Nobody types this prompt, so the trigger does not count, and the model asks for the skill itself.
    act(&mut session, "Write the release notes").await.expect("a reply");
    let requests: Vec<_> = scenario.server.requests().iter().map(|request| request.body.clone()).collect();
    assert!(requests[0].to_string().contains("- notes: Writes release\\\\u{7} notes.\""), "a list");
    assert!(!requests[0].to_string().contains("Thank {{WHO}}"));
    assert!(requests[1].to_string().contains("Thank {{WHO}} first."), "{}", requests[1]);
    let _questions = session.approvals().open();
    act(&mut session, "The notes of this release!").await.expect("a reply");
    let shown = scenario.shown.take();
    assert!(shown.contains("using the skill `notes`"), "{shown}");
    let request = scenario.server.requests().pop().expect("a request").body;
    let text = request["messages"].to_string();
    assert!(text.contains("[the skill notes]") && text.contains("[end of the skill notes]"), "{text}");
    let names: Vec<_> = request["tools"].as_array().expect("tools").iter().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(names[0]["function"]["name"], "read_file");
    act(&mut session, "/skill status").await.expect("a status");
    assert_eq!(scenario.shown.take(), "loaded: notes");
    act(&mut session, "/skill-set unload a").await.expect("it was loaded");
    assert!(act(&mut session, "/skill unload notes").await.is_err());
    act(&mut session, "/skill run notes WHO=Ann Now").await.expect("a reply");
    let request = scenario.server.requests().pop().expect("a request").body;
    let text = request["messages"].to_string();
    assert!(text.contains("Thank Ann first.") && text.contains("\\n\\nNow"), "{text}");
    assert_eq!(text.matches("[the skill notes]").count(), 1, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_words_about_skills_name_what_is_wrong() {
    let scenario = Scenario::new([]).await;
    let mut session = scenario.session("s");
    for (line, problem) in [
        ("/skill load x", "there is no skill `x`; `/skill list` lists them"),
        ("/skill load", "the name of the skill is missing"),
        ("/skill dance", "`dance` is not understood"),
        ("/skill-set load x", "there is no set `x`"),
    ] {
        let error = act(&mut session, line).await.expect_err(line).to_string();
        assert!(error.contains(problem), "{error}");
    }
    act(&mut session, "/skill list").await.expect("a list");
    assert!(scenario.shown.take().contains("there are no skills"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_runs_after_a_yes_to_its_text_and_asks_again_when_it_changes() {
    let scenario = Scenario::new([]).await;
    let folder = scenario.folder.path().join("work/.agents/skills/notes");
    std::fs::create_dir_all(folder.join("scripts")).expect("a folder");
    std::fs::write(folder.join("SKILL.md"), SKILL).expect("a skill");
    let mut session = scenario.session("s");
    act(&mut session, "/skill info notes").await.expect("a page");
    let page = scenario.shown.take();
    let digest = page.split_whitespace().find(|word| word.starts_with("sha256:")).expect("a digest");
    let write = |line: &str| {
        let text = format!("# {digest}\n{line} \"$LOOP_PROMPT $LOOP_VAR_WHO ${{OPENAI_API_KEY-none}}\"\n");
        std::fs::write(folder.join("scripts/compiled.bash"), text).expect("a script");
    };
    write("echo one");
    act(&mut session, "/skill run notes").await.expect_err("the model has no answer");
    let shown = scenario.shown.take();
    assert!(shown.contains("nobody has agreed to the script, so the model does it"), "{shown}");
    assert!(!shown.contains("(exit 0)") && scenario.server.requests().len() == 1, "{shown}");
    for line in ["/skill new x --description x", "/skill compile notes", "/skill-set create a notes"] {
        assert!(
            act(&mut session, line).await.expect_err(line).to_string().contains("only a person"),
            "{line}"
        );
    }
    let (host, mut questions) = (session.host().clone(), session.approvals().open());
    for (line, answer) in [("echo one", "yes"), ("echo two", "yes"), ("echo three", "no")] {
        write(line);
        let answer = async {
            let question = questions.recv().await.expect("a question");
            assert!(question.show(&host).expect("it can be shown").answered(Some(answer), &host).is_none());
        };
        let (done, ()) = tokio::join!(act(&mut session, "/skill run notes WHO=Ann hello"), answer);
        let (shown, word) = (scenario.shown.take(), line.trim_start_matches("echo "));
        assert_eq!(done.is_ok(), word != "three", "{shown}");
        assert_eq!(shown.contains(&format!("\n{word} hello Ann none\n(exit 0)")), word != "three", "{shown}");
    }
    drop(questions);
    write("echo two");
    act(&mut session, "/loop 1ms --count 1 /skill run notes WHO=Bob again").await.expect("a loop");
    assert!(scenario.shown.take().contains("two again Bob none"), "agreed before");
    act(&mut session, "/notes WHO=Eve again").await.expect("it has the name of no command");
    assert!(scenario.shown.take().contains("two again Eve none"));
    act(&mut session, "/skill withdraw notes").await.expect("it was agreed");
    assert_eq!(scenario.shown.take().matches("withdrawn: notes  .agents/skills").count(), 2);
    act(&mut session, "/skill agreed").await.expect("a list");
    assert_eq!(scenario.shown.take(), "you agreed to no script in this folder");
    act(&mut session, "/skill run notes WHO=Bob again").await.expect_err("the model has no answer");
    assert!(scenario.shown.take().contains("nobody has agreed"));
}
