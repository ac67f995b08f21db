//! Prompts whose words look like a time.

use super::holds;

#[test]
fn the_prompt_begins_beside_the_schedule() {
    holds(&[
        ("every 10m and if it is red fix it", "every 10m | and if it is red fix it"),
        ("every hour at the office check the mail", "every 1h | at the office check the mail"),
        ("every day at 9 in the repo run tests", "0 9 * * * | in the repo run tests"),
        ("hourly for each service check health", "every 1h | for each service check health"),
        ("every hour then commit", "every 1h | then commit"),
        ("every hour and report", "every 1h | and report"),
        ("every hour from the repo root run tests", "every 1h | from the repo root run tests"),
        ("every 10m on main run tests", "every 10m | on main run tests"),
        ("every hour in Slack post the numbers", "every 1h | in Slack post the numbers"),
        ("every hour to keep it warm ping the server", "every 1h | to keep it warm ping the server"),
        ("every day at 9 before the standup sum up", "0 9 * * * | before the standup sum up"),
        ("every hour between deployments check it", "every 1h | between deployments check it"),
        ("every 20m for 2 repos run tests", "every 20m | for 2 repos run tests"),
        ("every hour or when CI fails look", "every 1h | or when CI fails look"),
        ("every hour once the build is green tag it", "every 1h | once the build is green tag it"),
        ("every day at 9 check time drift", "0 9 * * * | check time drift"),
        ("every hour not only look but fix", "every 1h | not only look but fix"),
        ("every hour only if red fix it", "every 1h | only if red fix it"),
        ("every monday at 9 daily standup notes", "0 9 * * 1 | daily standup notes"),
        ("every day at 8 morning briefing", "0 8 * * * | morning briefing"),
        ("every hour by hand check", "every 1h | by hand check"),
        ("every hour around the cluster look", "every 1h | around the cluster look"),
        ("every hour after a failure fix it", "every 1h | after a failure fix it"),
        ("every 5m during the release watch CI", "every 5m | during the release watch CI"),
        ("every hour over ssh check disk", "every 1h | over ssh check disk"),
        ("every hour next steps: plan", "every 1h | next steps: plan"),
        ("every hour this repo: run tests", "every 1h | this repo: run tests"),
        ("every hour limit memory", "every 1h | limit memory"),
        ("every hour one test fix", "every 1h | one test fix"),
        ("every hour but quietly look", "every 1h | but quietly look"),
        ("every 10m: until it is green x", "every 10m | until it is green x"),
        ("every 2 hours start the server", "every 2h | start the server"),
        ("at 18:00 and then commit", "once 2026-03-02T18:00:00Z | and then commit"),
        ("in 20 minutes at the latest look", "once 2026-03-02T12:20:00Z | at the latest look"),
        ("tomorrow at 8 on the server restart", "once 2026-03-03T08:00:00Z | on the server restart"),
        ("30m look at noon, as on fridays", "every 30m | look at noon, as on fridays"),
        ("30m starting tomorrow", "every 30m | starting tomorrow"),
        ("run the load test for 2 hours every day", "every 1d | run the load test for 2 hours"),
        (
            "summarise what happened this week every friday at 9",
            "0 9 * * 5 | summarise what happened this week",
        ),
        ("list PRs opened since Monday every friday at 4pm", "0 16 * * 5 | list PRs opened since Monday"),
        ("check the deploy at staging every 20m", "every 20m | check the deploy at staging"),
    ]);
}

#[test]
fn ordinary_prompts_keep_the_default() {
    holds(&[
        ("fix lines from 3 to 9", "default | fix lines from 3 to 9"),
        ("fix lines between 10 and 20", "default | fix lines between 10 and 20"),
        ("compute 5 * 3", "default | compute 5 * 3"),
        (
            "check that the job runs once a day and report",
            "default | check that the job runs once a day and report",
        ),
        ("summarise the commits of this week", "default | summarise the commits of this week"),
        ("summarise what happened today", "default | summarise what happened today"),
        ("read section 3 and fix it", "default | read section 3 and fix it"),
        ("upgrade to 2.0.1", "default | upgrade to 2.0.1"),
        ("2.0.1 is out: upgrade", "default | 2.0.1 is out: upgrade"),
        ("look after the server", "default | look after the server"),
        ("from the repo root run tests", "default | from the repo root run tests"),
        ("before you commit run the tests", "default | before you commit run the tests"),
        ("at the office check the mail", "default | at the office check the mail"),
        ("until it is green fix tests", "default | until it is green fix tests"),
        ("this repo needs tests", "default | this repo needs tests"),
        ("next steps for the project", "default | next steps for the project"),
        ("the first test fails", "default | the first test fails"),
        ("end of file is missing", "default | end of file is missing"),
        ("start of the line is wrong", "default | start of the line is wrong"),
        ("* item one", "default | * item one"),
        ("run 10 tests", "default | run 10 tests"),
        ("watch the night build", "default | watch the night build"),
        ("only fix warnings", "default | only fix warnings"),
        ("starting the server fails, fix it", "default | starting the server fails, fix it"),
        ("make it 2x faster", "default | make it 2x faster"),
        ("check disk usage in the Riga office", "default | check disk usage in the Riga office"),
    ]);
}

#[test]
fn a_named_moment_is_a_time() {
    holds(&[
        ("at teatime x", "refused at teatime -> none"),
        ("at tea time x", "refused at tea time -> none"),
        ("at breakfast", "refused at breakfast -> none"),
        ("at kickoff x", "refused at kickoff -> none"),
        ("at the hour x", "refused at the hour -> none"),
        ("at the half hour x", "refused at the half hour -> none"),
        ("every teatime x", "refused every teatime -> none"),
        ("at work x", "refused at work -> none"),
        ("at once x", "refused at once -> none"),
        ("at the crack of dawn x", "refused at the crack of dawn -> none"),
        ("x at closing time", "refused at closing time -> none"),
        ("by friday x", "refused by friday -> none"),
        ("until friday x every hour", "refused until friday x every hour -> none"),
        ("every other morning x", "refused every other morning -> none"),
        ("every morning x", "refused every morning -> every day at 9:00"),
        ("in due course x", "refused in due course -> none"),
        ("in spring x", "refused in spring -> none"),
        ("x at teatime", "refused at teatime -> none"),
        ("x before dinner", "refused before dinner -> none"),
        ("x on the hour", "refused on the hour -> none"),
        ("x at the weekend", "refused at the weekend -> weekends at 9:00"),
        ("x at easter", "refused at easter -> none"),
        ("document the beans in Spring", "default | document the beans in Spring"),
        ("find what fails at runtime", "default | find what fails at runtime"),
        ("check the deploy at staging", "default | check the deploy at staging"),
        ("at src/main.rs look for x", "default | at src/main.rs look for x"),
        ("in short, x", "default | in short, x"),
        ("after the tests pass, x", "default | after the tests pass, x"),
        ("order dinner before the demo", "default | order dinner before the demo"),
    ]);
}

#[test]
fn a_prompt_may_begin_like_a_continuation() {
    holds(&[
        ("every 20m until it works, rerun x", "every 20m | until it works, rerun x"),
        ("every 20m at the end of the log look for x", "every 20m | at the end of the log look for x"),
        ("every 20m 5 minutes of fuzzing x", "every 20m | 5 minutes of fuzzing x"),
        ("every day at 9 UTC offsets in tests: check them", "0 9 * * * | UTC offsets in tests: check them"),
        ("hourly and daily reports: regenerate both", "every 1h | and daily reports: regenerate both"),
        ("check every x86 target", "default | check every x86 target"),
        ("every user may edit: test it", "default | every user may edit: test it"),
        ("half-done work: finish it", "default | half-done work: finish it"),
    ]);
}

#[test]
fn brackets_quotes_and_dashes_around_a_schedule_are_no_part_of_it() {
    holds(&[
        ("[every 5 minutes] x", "every 5m | x"),
        ("`5m` x", "every 5m | x"),
        ("x “every 5 minutes”", "every 5m | x"),
        ("every hour - x", "every 1h | x"),
        ("every hour — x", "every 1h | x"),
    ]);
}

#[test]
fn a_label_before_a_schedule_is_no_part_of_the_prompt() {
    holds(&[
        ("cron=0 9 * * * check it", "0 9 * * * | check it"),
        ("cron =0 9 * * * check it", "0 9 * * * | check it"),
        ("CRON=\"0 9 * * *\" check it", "0 9 * * * | check it"),
        ("crontab: 0 9 * * * check it", "0 9 * * * | check it"),
        ("cron=*/5 * * * * check it", "*/5 * * * * | check it"),
        ("--cron 0 9 * * * check it", "0 9 * * * | check it"),
        ("check it cron=0 9 * * *", "0 9 * * * | check it"),
        ("check it --cron \"0 9 * * *\"", "0 9 * * * | check it"),
        ("schedule: every day at 9:00 check it", "0 9 * * * | check it"),
        ("--every 5m check it", "every 5m | check it"),
        ("interval=5m check it", "every 5m | check it"),
        ("at=18:00 check it", "once 2026-03-02T18:00:00Z | check it"),
        ("when: it is red, fix it every 5m", "every 5m | when: it is red, fix it"),
        ("schedule: write it down", "default | schedule: write it down"),
    ]);
}
