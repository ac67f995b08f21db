use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

use super::*;

/// Reads it, and checks that no tool writes what a task file allows.
fn read(name: &str, text: &str) -> Result<TaskFile, TaskFileError> {
    let task = TaskFile::read(name, text.as_bytes().to_vec())?;
    if task.permissions != ToolPermissions::default() || task.model.is_some() || name.ends_with("toml") {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).expect("a workspace");
        workspace.check_write(name, text.as_bytes()).expect_err(text);
    }
    Ok(task)
}

fn wrong(name: &str, text: &str) -> TaskFileError {
    read(name, text).expect_err(text)
}

#[test]
fn a_chat_template_is_a_task_with_its_permissions() {
    let text = "model = \"openai:gpt-5\"\nchecks = ['make test']\n[tools]\nbash = ['rg', 'python3.8', 'g++']\n\
        [[chat.user]]\ncontent = '''\nWrite a \\poem.\n'''\n";
    let task = read("a.toml", text).expect("a task");
    assert_eq!(task.text, "Write a \\poem.\n");
    assert_eq!(task.model.as_deref(), Some("openai:gpt-5"));
    assert_eq!(task.permissions.bash, ["rg", "python3.8", "g++"].map(|entry| entry.parse().unwrap()));
    assert_eq!(task.permissions.checks, ["make test"]);
}

#[test]
fn an_object_is_no_list_of_its_values() {
    for text in [
        "chat = [[['do it']]]\nchecks = ['true']\n",
        "chat = [[{ content = 'do it' }]]\n",
        "tools = [['sh']]\n[[chat.user]]\ncontent = 'do it'\n",
        "chat.user = [['do it']]\n",
    ] {
        assert!(matches!(wrong("a.toml", text), TaskFileError::Toml(_)), "{text}");
    }
    for head in ["- {bash: [sh]}\n- m\n- [touch x]\n", "tools: [[sh]]\n", "[{bash: [sh]}, m, [touch x]]\n"] {
        let text = format!("---\n{head}---\nDo it.\n");
        assert!(matches!(wrong("a.md", &text), TaskFileError::Yaml(_)), "{text}");
    }
}

#[test]
fn a_chat_of_several_turns_says_whose_they_are() {
    let text = "[[chat.user]]\ncontent='a'\n[[chat.assistant]]\ncontent='b'\n[[chat.user]]\ncontent='c'\n";
    let told = read("a.toml", text).expect("a task").text;
    assert_eq!(told, "The user:\na\n\nThe assistant answered:\nb\n\nThe user:\nc");
}

#[test]
fn markdown_is_a_task_with_or_without_a_head() {
    assert_eq!(read("a.md", "# Do it\n\n---\nnow\n").expect("a task").text, "# Do it\n\n---\nnow\n");
    let text = "---\ntools:\n  bash: [rg]\nmodel: ollama:qwen3\nchecks:\n  - cargo test\n---\n# Do it\n";
    let task = read("a.md", text).expect("a task");
    assert_eq!(task.text, "# Do it\n");
    assert_eq!(
        (task.permissions.bash, task.permissions.checks),
        (vec!["rg".parse().unwrap()], vec!["cargo test".to_owned()])
    );
    assert_eq!(task.model.as_deref(), Some("ollama:qwen3"));
    assert_eq!(read("a.md", "---\n---\nx").expect("a task").text, "x");
    for (end, bom) in [("\r\n", ""), ("\r", ""), ("\n", "\u{feff}")] {
        let text = format!("{bom}---\nchecks: ['false']\n--- \nDo it.\n").replace('\n', end);
        let task = read("a.md", &text).expect("a task");
        assert_eq!(
            (task.text.as_str(), task.permissions.checks),
            ("Do it.\n", vec!["false".to_owned()]),
            "{end:?}"
        );
    }
    assert_eq!(read("a.md", "\n***\n\nDo it.\n").expect("a task").text, "\n***\n\nDo it.\n");
}

/// A person who writes a check must have it applied, or learn why it is not.
#[test]
fn a_head_that_is_none_is_no_text_of_the_task() {
    let head = "---\nchecks: ['false']\n";
    for (text, error) in [
        (format!("\n \n{head}---\nDo it.\n"), TaskFileError::LateHead(3)),
        (format!(" {head}---\nDo it.\n"), TaskFileError::LateHead(1)),
        (format!("{head}\nDo it.\n"), TaskFileError::OpenHead),
        (format!("{head}...\nDo it.\n"), TaskFileError::DottedHead(3)),
        (format!("{head}...\n---\nDo it.\n"), TaskFileError::DottedHead(3)),
        ("---".to_owned(), TaskFileError::OpenHead),
    ] {
        assert_eq!(wrong("a.md", &text), error, "{text:?}");
    }
    let prose = wrong("a.md", "---\n\nSome prose.\n\n---\nMore.\n").to_string();
    assert!(prose.contains("is not the YAML of a task"), "{prose}");
}

#[test]
fn a_task_that_would_be_cut_is_refused() {
    let most = format!("{}\n", "a".repeat(MAX_TASK_BYTES));
    assert!(read("a.md", &most).is_ok());
    let error = wrong("a.md", &format!("a{most}"));
    assert_eq!(error, TaskFileError::Long(MAX_TASK_BYTES + 1));
    assert!(error.to_string().contains("65537 bytes, but the limit is 65536"), "{error}");
}

#[test]
fn what_is_wrong_with_a_task_is_named() {
    let user = "[[chat.user]]\ncontent='x'\n";
    let assistant = "[[chat.assistant]]\ncontent='y'\n";
    assert_eq!(wrong("a.txt", "do it"), TaskFileError::Kind("a.txt".to_owned()));
    assert_eq!(wrong("a.toml", "checks=[]\n"), TaskFileError::NoChat);
    assert_eq!(wrong("a.toml", "[[chat.user]]\ncontent = \"\"\"x\"\"\"\n"), TaskFileError::Quotes);
    assert_eq!(wrong("a.toml", &format!("{assistant}{user}")), TaskFileError::BeginsWithAssistant);
    assert_eq!(wrong("a.toml", &format!("{user}{assistant}")), TaskFileError::EndsWithAssistant);
    assert_eq!(wrong("a.toml", &format!("{user}{user}")), TaskFileError::TwiceInARow(1, 2, "user"));
    assert_eq!(wrong("a.toml", "[[chat.user]]\ncontent = ' '\n"), TaskFileError::Empty);
    assert_eq!(wrong("a.md", " \n"), TaskFileError::Empty);
    for name in ["rm -rf", "./rm", "/bin/sh", "", "-x", "a\nb", ".hidden"] {
        let text = format!("[tools]\nbash=[{name:?}]\n{user}");
        assert_eq!(wrong("a.toml", &text), TaskFileError::NoProgram(name.to_owned()), "{name}");
    }
    assert!(matches!(TaskFile::read("a.md", vec![0xff]), Err(TaskFileError::NoText)));
    for (name, text, said) in [
        ("a.toml", "tool = 1\n", "unknown field `tool`"),
        ("a.toml", "[[chat.system]]\ncontent='x'\n", "unknown field `system`"),
        ("a.md", "---\ntool: 1\n---\nx", "tool"),
    ] {
        let error = wrong(name, text).to_string();
        assert!(error.contains(said) && !error.contains('\n'), "{error}");
    }
}
