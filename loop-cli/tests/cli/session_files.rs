//! Files in a session: read, written, exported, and allowed.

use std::fs;

use loop_testing::Answer;

use crate::{chat_harness::ChatHarness, model_server::ModelServer, screen::SIZES, support::Scenario};

fn chat(scenario: &Scenario, server: &ModelServer, size: (u16, u16)) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, &[], size);
    chat.wait_for_prompt_after("/help");
    chat
}

#[test]
fn a_file_that_is_there_is_not_replaced_without_a_word() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["# Hello\n\n</blockquote>"])]);
        let mut chat = chat(&scenario, &server, size);
        scenario.write("notes.md", "mine\n");
        chat.says("Hello <b>?", "scripted");
        chat.says("/session export notes.md", "notes.md already exists, with 5 B: --force replaces it");
        assert_eq!(scenario.read("notes.md"), "mine\n");
        chat.says("/session export notes.md --force", "; it replaced a file of 5 B");
        let page = scenario.read("notes.md");
        assert!(page.contains("\n```\nHello <b>?\n```\n\n---"), "{page}");
        assert!(page.contains("\n> # Hello\n>\n> \\</blockquote>\n"), "{page}");
        chat.says("/write new.md", "bytes to new.md");
        assert!(!chat.page().contains("new.md; it replaced"), "{}", chat.page());
        chat.says("/write new.md", "bytes to new.md; it replaced a file of 23 B");
        // A bare extension selects the format; it is not a file name.
        chat.says("/rename a plan", "a plan");
        chat.says("/session export md", "bytes to session-a-plan.md");
        chat.says("/session export fountain", "bytes to session-a-plan.fountain");
        assert!(scenario.read("session-a-plan.fountain").starts_with("Title:"));
        chat.says("/session export --froce x.md", "there is no option --froce");
        // The session suggests nothing that would not help.
        scenario.write("folder/a.txt", "hello\n");
        for (place, said) in [("folder", "folder` is"), ("../o.md", "outside of the workspace")] {
            chat.says(&format!("/session export {place}"), said);
            assert!(!chat.page().contains("--force writes it"), "{}", chat.page());
        }
        chat.leaves();
    }
}

#[test]
fn who_has_a_file_read_is_told_what_of_it_is_not_read() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        fs::write(scenario.path("latin.txt"), b"caf\xe9 \xff\n").expect("a file");
        scenario.write("long.txt", "a line\n".repeat(20_000));
        let mut chat = chat(&scenario, &server, size);
        chat.says("/read latin.txt", "; 2 bytes are not UTF-8, and show as U+FFFD");
        chat.says("/read long.txt", "; cut before line 9217");
        chat.says("/attach long.txt", "attached long.txt, 13");
        chat.says("/read-dir --depth 1 .", "latin.txt: 2 bytes are not UTF-8");
        chat.sees("long.txt: cut before line 9217");
        chat.says("/run cat latin.txt", "[... 2 bytes are not UTF-8, and show as U+FFFD ...]");
        chat.leaves();
    }
}

#[test]
fn what_may_be_done_where_is_set_for_the_session() {
    for size in SIZES {
        let scenario = Scenario::new();
        scenario.write("a.txt", "hello\n");
        scenario.write("src/b.txt", "hello\n");
        let server = ModelServer::new([]);
        let mut chat = chat(&scenario, &server, size);
        chat.says("/permissions", "no permissions are set");
        chat.says("/permissions set src none", "src: nothing");
        chat.sees(".: read, write, exec, delete  ");
        chat.says("/read src/b.txt", "src");
        chat.sees("`src` has no permissions");
        chat.says("/read a.txt", "read a.txt");
        chat.says("/permissions reset", "no permissions are set");
        chat.says("/read src/b.txt", "read src/b.txt");
        chat.says("/permissions set src reed", "`reed` is not a permission");
        chat.says("/permissions set src none", "src: nothing");
        // The rules hold for this session: the next one begins with the settings.
        chat.says("/rename first", "this session is now called first");
        chat.leaves();
        let mut chat = self::chat(&scenario, &server, size);
        chat.says("/permissions set src none", "src: nothing");
        scenario.write("dot.png", "no picture, and nobody looks");
        chat.says("/attach dot.png", "dot.png, 28 B, goes with the next prompt");
        // The prompt has changed then.
        chat.types("/safemode off\r");
        chat.sees("safe mode is off");
        chat.sees("[unsafe]");
        chat.says("/session continue first", "the permissions are those of the settings again");
        chat.sees("dot.png was not sent; attach it again");
        chat.says("/safemode", "safe mode is on");
        chat.says("/read src/b.txt", "read src/b.txt");
        chat.says("/context add Be brief.", "pinned");
        chat.says("/context add Be brief.", "it is already pinned");
        chat.says("/model list", "openai:scripted  (answers now)");
        chat.leaves();
    }
}

#[test]
fn a_permission_that_is_kept_holds_in_later_sessions_of_the_folder() {
    for size in SIZES {
        let scenario = Scenario::new();
        let settings = "# mine\n[chat]\n";
        scenario.write("../home/.config/loop/loop.toml", settings);
        scenario.write("src/b.txt", "hello\n");
        let server = ModelServer::new([]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/permissions set other none", "other: nothing");
        chat.says("/permissions set src none --keep", "set in this folder, now and later: `src`");
        chat.says("/permissions reset", "src: nothing");
        assert!(
            !chat.page().rsplit_once("reset").expect("the command").1.contains("other"),
            "{}",
            chat.page()
        );
        chat.leaves();
        let folder = fs::canonicalize(scenario.path("")).expect("a folder");
        let all = r#"["read", "write", "exec", "delete"]"#;
        let stored = format!(
            "{settings}\n[folders.\"{}\"]\npermissions = {{ \".\" = {all}, \"src\" = [] }}\n",
            folder.display()
        );
        assert_eq!(scenario.read("../home/.config/loop/loop.toml"), stored);

        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/read src/b.txt", "`src` has no permissions");
        chat.says("/permissions set src read --keep", "src: read");
        // Another session or a person may have stored something else meanwhile.
        let changed = stored.replace("\"src\" = []", "\"src\" = [\"write\"]");
        scenario.write("../home/.config/loop/loop.toml", &changed);
        chat.says("/permissions set src read --keep", "src: read");
        chat.leaves();
        let changed = stored.replace("\"src\" = []", "\"src\" = [\"read\"]");
        assert_eq!(scenario.read("../home/.config/loop/loop.toml"), changed);
    }
}
