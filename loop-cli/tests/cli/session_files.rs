//! Files in a session: read, written, exported, and allowed.

use std::fs;

use loop_testing::Answer;

use crate::{model_server::Server, seat::Seat, support::World};

const SIZE: (u16, u16) = (100, 40);

fn seat(world: &World, server: &Server) -> Seat {
    let seat = Seat::chat(world, server, &[], SIZE);
    seat.is_asked_after("/help");
    seat
}

#[test]
fn a_file_that_is_there_is_not_replaced_without_a_word() {
    let world = World::new();
    let server = Server::new([Answer::deltas(["# Hello\n\n</blockquote>"])]);
    let mut seat = seat(&world, &server);
    world.write("notes.md", "mine\n");
    seat.says("Hello <b>?", "scripted");
    seat.says("/session export notes.md", "notes.md is there, with 5 B: --force replaces it");
    assert_eq!(world.read("notes.md"), "mine\n");
    seat.says("/session export notes.md --force", "; what was there had 5 B, and is gone");
    let page = world.read("notes.md");
    assert!(page.contains("\n```\nHello <b>?\n```\n\n---"), "{page}");
    assert!(page.contains("\n> # Hello\n>\n> \\</blockquote>\n"), "{page}");
    seat.says("/write new.md", "bytes to new.md");
    assert!(!seat.page().contains("new.md; what was there"), "{}", seat.page());
    seat.says("/write new.md", "bytes to new.md; what was there had 23 B, and is gone");
    // A kind alone is no file.
    seat.says("/rename a plan", "a plan");
    seat.says("/session export md", "bytes to session-a-plan.md");
    seat.says("/session export fountain", "bytes to session-a-plan.fountain");
    assert!(world.read("session-a-plan.fountain").starts_with("Title:"));
    seat.says("/session export --froce x.md", "there is no option --froce");
    // The session offers nothing that would not help.
    world.write("folder/a.txt", "hello\n");
    for (place, said) in [("folder", "folder` is"), ("../o.md", "outside of the workspace")] {
        seat.says(&format!("/session export {place}"), said);
        assert!(!seat.page().contains("--force writes it"), "{}", seat.page());
    }
    seat.leaves();
}

#[test]
fn who_has_a_file_read_is_told_what_of_it_is_not_read() {
    let world = World::new();
    let server = Server::new([]);
    fs::write(world.path("latin.txt"), b"caf\xe9 \xff\n").expect("a file");
    world.write("long.txt", "a line\n".repeat(20_000));
    let mut seat = seat(&world, &server);
    seat.says("/read latin.txt", "; 2 bytes are not UTF-8, and show as U+FFFD");
    seat.says("/read long.txt", "; cut before line 9217");
    seat.says("/attach long.txt", "attached long.txt, 63");
    seat.says("/read-dir --depth 1 .", "latin.txt: 2 bytes are not UTF-8");
    seat.sees("long.txt: cut before line 9217");
    seat.says("!cat latin.txt", "[... 2 bytes are not UTF-8, and show as U+FFFD ...]");
    seat.leaves();
}

#[test]
fn what_may_be_done_where_is_set_for_the_session() {
    let world = World::new();
    world.write("a.txt", "hello\n");
    world.write("src/b.txt", "hello\n");
    let server = Server::new([]);
    let mut seat = seat(&world, &server);
    seat.says("/permissions", "no permissions are set");
    seat.says("/permissions set src none", "src: nothing");
    seat.sees(".: read, write, exec, delete  ");
    seat.says("/read src/b.txt", "src");
    seat.sees("the permissions of `src` are []");
    seat.says("/read a.txt", "read a.txt");
    seat.says("/permissions reset", "no permissions are set");
    seat.says("/read src/b.txt", "read src/b.txt");
    seat.says("/permissions set src reed", "`reed` is no permission");
    seat.says("/permissions set src none", "src: nothing");
    // They are for this session: the next one begins with the settings.
    seat.says("/rename first", "this session is called first now");
    seat.leaves();
    let mut seat = self::seat(&world, &server);
    seat.says("/permissions set src none", "src: nothing");
    world.write("dot.png", "no picture, and nobody looks");
    seat.says("/attach dot.png", "dot.png, 28 B, goes with the next prompt");
    // The prompt is another one then.
    seat.types("/safemode off\r");
    seat.sees("safe mode is off");
    seat.sees("[unsafe]");
    seat.says("/session continue first", "what may be done is as the settings say");
    seat.sees("dot.png was not sent, and stays behind");
    seat.says("/safemode", "safe mode is on");
    seat.says("/read src/b.txt", "read src/b.txt");
    seat.says("/context add Be brief.", "pinned");
    seat.says("/context add Be brief.", "it is pinned already");
    seat.says("/model list", "openai:scripted  (answers now)");
    seat.leaves();
}
