//! `!COMMAND`: a person's own commands.

use loop_testing::Answer;

use crate::{
    chat_harness::{CTRL_C, ChatHarness},
    child_processes::children,
    model_server::ModelServer,
    screen::SIZES,
    support::{Scenario, wait_until},
};

#[test]
fn an_own_command_has_a_shell_and_a_terminal_and_the_model_reads_its_output() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([Answer::deltas(["I see."])]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("!printf 'x\\033[1mone\\033[0m' | tr x y > out; cat out", "yone");
        let tty_size = format!("{} {}", size.1, size.0);
        chat.says("!test -t 0 && test -t 1 && stty size < /dev/tty", &tty_size);
        chat.says("!exit 3", "the command exited with 3");
        chat.says("What?", "I see.");
        let told = server.requests()[0].body["messages"].to_string();
        assert!(told.contains("[I ran: printf") && told.contains("\\nyone\\n(exit 0)"), "{told}");
        assert!(told.contains(&format!("{tty_size}\\n(exit 0)")) && told.contains("(exit 3)"), "{told}");
        chat.leaves();
    }
}

#[test]
fn keys_reach_an_own_command_and_ctrl_c_ends_only_it() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("!printf 'wai%s\\n' ting; read x; echo \"got <$x>\"\r");
        chat.sees("waiting");
        chat.types("a key\r");
        chat.wait_for_prompt_after("got <a key>");
        // A shell that is about to execute another program can lose the signal, so it waits by itself.
        chat.types("!printf 'be%s\\n' gun; read x; sleep 1000\r");
        chat.sees("begun");
        chat.types(CTRL_C);
        chat.wait_for_prompt_after("the command exited with 130");
        chat.says("!echo still here", "still here");
        chat.leaves();
    }
}

#[test]
fn what_a_loop_repeats_runs_under_the_policy() {
    for size in SIZES {
        let scenario = Scenario::new();
        let server = ModelServer::new([]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.says("/loop 1ms --count 1 !touch there", "loop finished after 1/1 iterations");
        assert!(!scenario.has("there"), "{}", chat.page());
        chat.says("!touch there", "touch");
        assert!(scenario.has("there"), "{}", chat.page());
        chat.leaves();
    }
}

/// Returns whether this process has a watchdog.
fn is_watched(pid: u32) -> bool {
    let named = |child: &str| std::fs::read_to_string(format!("/proc/{child}/comm"));
    children(pid).iter().any(|child| named(child).is_ok_and(|name| name.trim() == "guardian"))
}

/// The watchdog looks four times a second, which would keep the machine awake all night.
#[test]
fn a_session_has_a_watchdog_while_a_command_runs() {
    let scenario = Scenario::new();
    let server = ModelServer::new([]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    let pid = chat.started().pid();
    assert!(!is_watched(pid));
    for word in ["one", "two"] {
        chat.types(&format!("!read x; echo \"got <$x>\"; : {word}\r"));
        wait_until("a watchdog", || is_watched(pid));
        chat.types(&format!("{word}\r"));
        chat.wait_for_prompt_after(&format!("got <{word}>"));
        wait_until("none", || !is_watched(pid));
    }
    chat.leaves();
}
