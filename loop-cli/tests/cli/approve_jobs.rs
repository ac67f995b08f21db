//! Questions about jobs of a model, and questions that a person could not read.

use serde_json::json;

use crate::{
    approve_commands::{call, done, runs, with_program, writes},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
};

#[test]
fn a_job_of_the_model_is_asked_about_while_writes_are() {
    for size in SIZES {
        let scenario = Scenario::new();
        let schedules = |prompt: &str| call("CronCreate", &json!({ "cron": "* * * * *", "prompt": prompt }));
        let durable = json!({ "cron": "* * * * *", "prompt": "Later.", "durable": true });
        let server = ModelServer::new([
            schedules("Tidy.\nWrite deploy.sh."),
            done(),
            schedules("Sweep."),
            done(),
            writes("a.txt"),
            call("CronCreate", &durable),
            done(),
        ]);
        let mut chat = ChatHarness::chat(&scenario, &server, &[], size);
        chat.wait_for_prompt_after("/help");
        chat.types("Schedule.\r");
        chat.sees("A tool asks to schedule a job, which changes files without a question:");
        chat.sees("+  when    Every minute (* * * * *");
        chat.sees("it expires after 3 days");
        chat.sees("+ `* * * * *`, each time:\n+ Tidy.\n+ Write deploy.sh.\n");
        assert_eq!(chat.called_back(), 1);
        chat.types("n\r");
        chat.wait_for_prompt_after("refused");
        chat.says("/schedule", "nothing is scheduled in this session");
        chat.types("Schedule.\r");
        chat.sees("+ Sweep.\n[y]es");
        chat.types("y\r");
        chat.wait_for_prompt_after("allowed, this once");
        // The person reads the same confirmation as the model.
        let rows = chat.page().split_once("→ job ").expect("a row").1.to_owned();
        for part in ["  when    Every minute", "  next    ", "  until   ", "  cancel  /schedule delete "] {
            assert!(rows.contains(part), "{part}: {rows}");
        }
        chat.says("/schedule", "Every minute");
        // A yes to all writes of the session does not cover a job, which can outlive the session.
        chat.types("Write.\r");
        chat.sees("A tool asks to write `a.txt`:");
        chat.types("s\r");
        chat.sees("each time, also after this session:\n+ Later.\n[y]es · [n]o");
        chat.types("n\r");
        chat.wait_for_prompt_after("refused\nCronCreate");
        chat.types("/exit\r");
        chat.sees("ended with this session: 1 job.");
        chat.finish().exits(0);
    }
}

#[test]
fn a_job_that_is_too_long_to_read_is_refused() {
    let scenario = Scenario::new();
    let prompt = "Delete it.\n".to_owned() + &"\n".repeat(200);
    let schedules = call("CronCreate", &json!({ "cron": "* * * * *", "prompt": prompt }));
    let server = ModelServer::new([schedules, done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.types("Schedule.\r");
    chat.wait_for_prompt_after("too long to show to the user");
    chat.says("/schedule", "nothing is scheduled in this session");
    chat.leaves();
}

#[test]
fn what_an_answer_allows_has_no_invisible_characters() {
    let scenario = with_program();
    let server = ModelServer::new([runs("./check.sh a\u{200b}b"), done()]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.types("Check.\r");
    chat.sees(r"a\u{200b}b");
    chat.sees("[y]es once");
    chat.types("s\r");
    chat.wait_for_prompt_after("allowed in this session");
    assert!(!chat.page().contains('\u{200b}'), "{}", chat.page());
    chat.leaves();
}
