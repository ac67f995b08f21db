//! The guide's page on the session, made from the descriptions of the commands.

use std::{env, fs};

use super::{Command, CommandInfo, Commands, session_commands::PREFIXES_AND_KEYS};

const HEAD: &str = "\
# The chat session

<!-- Generated from the descriptions of the commands: loop-session/src/command/guide_page.rs. -->

You type lines at `loop chat`. A line without one of these signs goes to the model.

| | |
| --- | --- |
";

fn page() -> String {
    let others = PREFIXES_AND_KEYS.map(|(what, does)| format!("| {what} | {does} |\n")).concat();
    let all = Commands::standard();
    let row = |info: &CommandInfo| format!("| [`/{0}`](#{0}) | {1} |\n", info.name, info.summary);
    let tables: String = all
        .groups()
        .map(|(group, commands)| {
            let rows: String = commands.iter().map(|command| row(command.info())).collect();
            format!("\n| {} | |\n| --- | --- |\n{rows}", group.title())
        })
        .collect();
    let sections: String = all.all().map(Command::info).map(section).collect();
    format!("{HEAD}{others}{tables}{sections}")
}

fn section(info: &'static CommandInfo) -> String {
    let synopsis = format!("```text\n{}\n```", info.synopsis());
    let also = info.also().map(|also| format!("{also}."));
    let help = Some(info.help.to_owned()).filter(|help| !help.is_empty());
    let parts = [Some(synopsis), Some(format!("{}.", info.summary)), also, help];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("\n## {}\n\n{}\n", info.name, parts.join("\n\n"))
}

#[test]
fn the_page_in_the_repository_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/SESSION.md");
    let is_current = fs::read_to_string(path).unwrap_or_default() == page();
    if !is_current {
        let renewed = env::temp_dir().join("SESSION.md");
        fs::write(&renewed, page()).unwrap();
        panic!("renew it: cp {} {path}", renewed.display());
    }
}
