//! A process that is killed at any step of an ingest leaves the old or the new document.

use std::{
    env,
    process::{Command, Stdio},
};

use super::*;

const STEP: &str = "LOOP_KNOWLEDGE_TEST_STEP";
const FOLDER: &str = "LOOP_KNOWLEDGE_TEST_FOLDER";

fn text(word: &str) -> String {
    format!("{word} sentence with more words. ").repeat(60)
}

fn expected(word: &str) -> Vec<String> {
    chunks(&text(word), CHUNK_CHARACTERS).into_iter().map(|chunk| chunk.text.to_owned()).collect()
}

/// The killed process: the test below starts it. SQLite calls the handler after each few of its steps.
#[tokio::test]
async fn child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let step: u64 = env::var(STEP).unwrap().parse().unwrap();
    let root = PathBuf::from(folder);
    let folder = KnowledgeFolder::at(root.join("knowledge"));
    let mut store = DocumentStore::open(&folder, "docs").unwrap();
    let mut steps = 0;
    let kill = move || {
        steps += 1;
        if steps == step {
            // As SIGKILL: no destructor runs.
            std::process::abort();
        }
        false
    };
    store.database.connection().progress_handler(40, Some(kill)).unwrap();
    let root = root.join("project");
    let paths = [root.clone()];
    let embedder: Option<&dyn Embedder> = Some(&HashedEmbedder);
    store.ingest(Ingest { embedder, ..request(&root, &paths) }).await.unwrap();
}

#[tokio::test]
async fn two_processes_leave_each_document_once() {
    let fixture = Fixture::new();
    let mut store = fixture.store(Some(&HashedEmbedder));
    let names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    for word in ["old", "new"] {
        names.iter().for_each(|name| drop(fixture.write(name, text(word))));
        let start = |_| {
            let mut child = Command::new(env::current_exe().unwrap());
            child.args(["--exact", "documents::tests::kill::child"]).env(STEP, u64::MAX.to_string());
            child.env(FOLDER, fixture.dir.path()).stdout(Stdio::null()).spawn().unwrap()
        };
        for mut child in [(), (), ()].map(start) {
            assert!(child.wait().unwrap().success());
        }
        for name in names {
            assert_eq!(contents(&mut store, name), expected(word));
        }
        check_index(&mut store);
    }
}

#[tokio::test]
async fn a_killed_ingest_leaves_the_old_or_the_new_document() {
    let fixture = Fixture::new();
    fixture.write("a.txt", text("old"));
    let mut store = fixture.store(Some(&HashedEmbedder));
    fixture.ingest(&mut store, Some(&HashedEmbedder), false).await.unwrap();
    assert_eq!(contents(&mut store, "a.txt"), expected("old"));
    fixture.write("a.txt", text("new"));
    let mut kills = 0;
    for step in 1.. {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", "documents::tests::kill::child"]);
        let output = child.env(STEP, step.to_string()).env(FOLDER, fixture.dir.path()).output().unwrap();
        check_index(&mut store);
        if output.status.success() {
            break;
        }
        kills += 1;
        let found = contents(&mut store, "a.txt");
        assert!(found == expected("old") || found == expected("new"), "step {step}: {found:?}");
    }
    assert!(kills > 10, "{kills}");
    assert_eq!(contents(&mut store, "a.txt"), expected("new"));
    assert!(fixture.folder.check().iter().all(Result::is_ok));
}
