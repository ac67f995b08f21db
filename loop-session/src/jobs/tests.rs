use std::time::Duration;

use jiff::Timestamp;
use loop_agents::tools::{ToolOutcome, Toolbox};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use loop_schedule::{ExactPeriod, Expiry, Horizon, Job, JobId, Jobs, ProjectJobs, ScheduleSettings, Trigger};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::host::tests::silent;

fn jobs() -> (TempDir, SessionJobs) {
    let folder = tempfile::tempdir().unwrap();
    let (schedules, dir) = (folder.path().join("schedule"), folder.path().join("work"));
    std::fs::create_dir(&dir).unwrap();
    let project = ProjectJobs::open(&schedules, dir, ScheduleSettings::default(), str::to_owned).unwrap();
    let project = project.on_warning(|warning| panic!("{warning}"));
    (folder, SessionJobs::new(project, silent()).unwrap())
}

/// Adds a job that is due in an hour.
fn hourly(jobs: &SessionJobs) -> JobId {
    let every = ExactPeriod::new(Duration::from_hours(1), Timestamp::now()).unwrap();
    jobs.add(Trigger::Every(every), "look", Expiry::Settings).unwrap().job.id
}

/// Lets the runner finish its pending work.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nothing_comes_into_the_middle_of_a_reply() {
    let (_folder, jobs) = jobs();
    let id = hourly(&jobs);
    let mut scheduler = SessionScheduler::start(&jobs);
    assert!(jobs.change(JobChange::Fire, id));
    settle().await;
    tokio::select! {
        biased;
        _ = scheduler.due() => panic!("somebody is busy"),
        () = settle() => {}
    }
    scheduler.set_free(true, true);
    let due = scheduler.due().await;
    scheduler.set_free(false, true);
    assert!(due.begins().await);
    assert_eq!((due.prompt(), due.heading()), ("look", format!("[{id}] look")));
    // A preempted due job is not lost.
    scheduler.defer(due);
    drop(scheduler.due().await);
}

#[tokio::test]
async fn a_deleted_job_does_not_fire_although_it_was_due() {
    let (_folder, jobs) = jobs();
    let id = hourly(&jobs);
    let mut scheduler = SessionScheduler::start(&jobs);
    scheduler.set_free(true, true);
    assert!(jobs.change(JobChange::Fire, id));
    let due = scheduler.due().await;
    assert!(jobs.delete(id).unwrap());
    assert!(!due.begins().await);
    assert!(!jobs.delete(id).unwrap() && !jobs.change(JobChange::Pause, id));
}

/// Stores a job that is due in an hour, and asks for its fire. Returns its id.
fn stored(jobs: &SessionJobs, prompt: &str) -> JobId {
    let every = ExactPeriod::new(Duration::from_hours(1), Timestamp::now()).unwrap();
    let id = jobs.add_durable(Trigger::Every(every), prompt).unwrap().job.id;
    assert!(jobs.project.change(|jobs| jobs.request_fire(id)).unwrap());
    id
}

/// Returns how many fires of a stored job have finished.
fn finished(jobs: &SessionJobs, id: JobId) -> bool {
    let stored = jobs.project.jobs().unwrap();
    stored.get(id).unwrap().state.last_fire.as_ref().is_some_and(|fire| fire.finished_at.is_some())
}

#[tokio::test]
async fn a_stored_job_fires_once_and_the_lock_is_given_back() {
    let (_folder, jobs) = jobs();
    let id = stored(&jobs, "look");
    let (mut one, mut other) = (SessionScheduler::start(&jobs), SessionScheduler::start(&jobs));
    one.set_free(true, true);
    other.set_free(true, true);
    let due = tokio::select! { due = one.due() => due, due = other.due() => due };
    assert!(jobs.project.store().is_firing().unwrap() && due.begins().await);
    assert_eq!(due.prompt(), "look");
    drop(due);
    while !finished(&jobs, id) || jobs.project.store().is_firing().unwrap() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::select! {
        biased;
        _ = one.due() => panic!("it fires once"),
        _ = other.due() => panic!("it fires once"),
        () = settle() => {}
    }
}

#[tokio::test]
async fn a_stored_job_waits_for_a_runner_a_model_and_a_free_session() {
    let (_folder, jobs) = jobs();
    stored(&jobs, "look");
    // A command could change the rules of the session.
    stored(&jobs, "/safemode off");
    let lock = jobs.project.store().try_lock_firing().unwrap().unwrap();
    let mut scheduler = SessionScheduler::start(&jobs);
    for (is_free, has_model) in [(true, true), (true, false), (false, true)] {
        scheduler.set_free(is_free, has_model);
        tokio::select! {
            biased;
            _ = scheduler.due() => panic!("it does not fire here"),
            () = settle() => {}
        }
    }
    drop(lock);
    scheduler.set_free(true, true);
    let due = scheduler.due().await;
    assert_eq!(due.prompt(), "look");
    scheduler.set_free(false, true);
    drop((due, scheduler));
    while jobs.project.store().is_firing().unwrap() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Parts of the confirmation of a daily job.
const DAILY: &[&str] =
    &["Every day at 9:00 AM (0 9 * * *, ", "it does not expire", "ends with it", "cancel  /schedule delete"];

fn assert_parts(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{text}"));
}

#[tokio::test]
async fn a_model_schedules_lists_and_deletes() {
    let (_folder, jobs) = jobs();
    let workspace = Workspace::open(jobs.project.dir(), ActionPolicy::default()).unwrap();
    let tools = with_tools(Toolbox::new(workspace), &jobs);
    let daily = json!({ "cron": "0 9 * * *", "prompt": "look" });
    let added = tools.call("CronCreate", &daily).await;
    assert_parts(&added.text, DAILY);
    let kept = json!({ "cron": "0 9 * * *", "prompt": "look twice", "durable": true, "recurring": false });
    let added = tools.call("CronCreate", &kept).await;
    assert_parts(&added.text, &["when    once, ", " 09:00", "`loop schedule run`"]);
    let listed = tools.call("CronList", &json!({})).await.text;
    assert!(listed.contains(": look\nstored in this folder") && listed.ends_with(": look twice"), "{listed}");
    for id in listed.lines().filter_map(|line| line.split(' ').next()).filter(|word| word.len() == 8) {
        assert_eq!(tools.call("CronDelete", &json!({ "id": id })).await.outcome, ToolOutcome::Done);
    }
    assert_eq!(tools.call("CronList", &json!({})).await.text, "nothing is scheduled in this session");
    let mine = Job::new(
        JobId::random(),
        Trigger::Every(ExactPeriod::new(Duration::from_hours(1), Timestamp::now()).unwrap()),
        "mine",
        Timestamp::now(),
    );
    let id = mine.id;
    jobs.project
        .change(|jobs| jobs.add(mine, &ScheduleSettings::default(), Horizon::Year, Timestamp::now()))
        .unwrap()
        .unwrap();
    let refused = tools.call("CronDelete", &json!({ "id": id.to_string() })).await;
    assert!(
        refused.text.contains("belongs to a person") && jobs.project.jobs().unwrap().get(id).is_some(),
        "{}",
        refused.text
    );
    for (tool, wrong, said) in [
        ("CronDelete", json!({ "id": "00000000" }), "there is no job"),
        ("CronDelete", json!({ "id": "nine" }), "nine"),
        ("CronCreate", json!({ "cron": "0 0 31 2 *", "prompt": "never" }), "never fires"),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "/loop 1s x" }), "only a person may type"),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "/safemode off" }), "only a person may type"),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "/permissions s\\et . all" }), "only a person"),
        (
            "CronCreate",
            json!({ "cron": "* * * * *", "prompt": "/session export x.md other" }),
            "only a person",
        ),
        (
            "CronCreate",
            json!({ "cron": "* * * * *", "prompt": "\n @openai:other hi" }),
            "only a person may type",
        ),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": "!touch x" }), "only a person may type"),
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": " " }), "prompt"),
        ("CronCreate", json!({ "cron": "@daily", "prompt": "look" }), "@daily"),
    ] {
        let report = tools.call(tool, &wrong).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{}", report.text);
        assert!(report.text.contains(said), "{}", report.text);
    }
}

#[tokio::test]
async fn an_expression_with_a_step_expires_like_an_interval_and_the_question_says_so() {
    let (_folder, jobs) = jobs();
    let workspace = Workspace::open(jobs.project.dir(), ActionPolicy::default()).unwrap();
    let tools = with_tools(Toolbox::new(workspace), &jobs);
    for (cron, is_durable, expires) in
        [("*/5 * * * *", false, true), ("0 */2 * * *", true, true), ("5 9 * * *", true, false)]
    {
        let job = json!({ "cron": cron, "prompt": "look", "durable": is_durable });
        let added = tools.call("CronCreate", &job).await.text;
        assert_eq!(added.contains("because it expires after 3 days"), expires, "{added}");
        let trigger = Trigger::Cron { expression: cron.parse().unwrap(), zone: jobs.zone().clone() };
        let planned = jobs.preview(trigger, "look").unwrap().join("\n");
        assert_eq!(planned.contains("because it expires after 3 days"), expires, "{planned}");
        assert_parts(&planned, &["when    Every", "next    "]);
    }
    // A person who writes an expression gets what they wrote.
    let trigger = Trigger::Cron { expression: "*/5 * * * *".parse().unwrap(), zone: jobs.zone().clone() };
    let added = jobs.add(trigger, "look", Expiry::Never).unwrap();
    assert_parts(&jobs.confirmation(&added), &["it does not expire"]);
}

#[tokio::test]
async fn a_one_shot_is_listed_with_a_time_for_people() {
    let (_folder, jobs) = jobs();
    let time: Timestamp = "2126-01-02T09:00:00.123456789Z".parse().unwrap();
    let job = Job::new(JobId::random(), Trigger::At { time }, "look", Timestamp::now());
    let far = |jobs: &mut Jobs| jobs.add(job, &ScheduleSettings::default(), Horizon::Far, Timestamp::now());
    jobs.store.update(far).unwrap();
    let page = jobs.page(Timestamp::now()).unwrap();
    assert!(page.contains("once, ") && page.contains("2126-01-0") && !page.contains(".123"), "{page}");
    let confirmed = next_fire(time, "2126-01-02T09:00:00Z".parse().unwrap(), jobs.zone(), Timestamp::now());
    assert!(!confirmed.contains("jitter"), "{confirmed}");
}

#[tokio::test]
async fn other_processes_see_an_open_session_that_has_a_model() {
    let (_folder, jobs) = jobs();
    let mut scheduler = SessionScheduler::start(&jobs);
    let is_open = || jobs.project.store().has_open_session().unwrap();
    scheduler.set_free(true, false);
    assert!(!is_open());
    scheduler.set_free(true, true);
    let mut other = SessionScheduler::start(&jobs);
    other.set_free(true, true);
    drop(scheduler);
    assert!(is_open());
    other.set_free(true, false);
    assert!(!is_open());
}

#[test]
fn where_all_jobs_are_off_none_is_added() {
    let (_folder, jobs) = jobs();
    jobs.project.off_switch().set(true).unwrap();
    let every = ExactPeriod::new(Duration::from_hours(1), Timestamp::now()).unwrap();
    let error = jobs.add(Trigger::Every(every), "look", Expiry::Settings).unwrap_err();
    assert!(error.to_string().contains("loop schedule on"), "{error}");
}
