//! The guide's page on the session, which is made of what the commands say of themselves.

use std::{env, fs};

use super::{About, Command, Commands, help::OTHERS};

const HEAD: &str = "\
# The chat session

<!-- Made of what the commands say of themselves: loop-session/src/command/page.rs. -->

`loop chat` at a terminal. What begins with none of these signs is said to the model.

| | |
| --- | --- |
";

fn page() -> String {
    let others = OTHERS.map(|(what, does)| format!("| {what} | {does} |\n")).concat();
    let all = Commands::standard();
    let commands = all.all().map(Command::about);
    let rows: String =
        commands.map(|about| format!("| [`/{0}`](#{0}) | {1} |\n", about.name, about.summary)).collect();
    let sections: String = all.all().map(|command| section(command.about())).collect();
    format!("{HEAD}{others}\n| command | |\n| --- | --- |\n{rows}{sections}")
}

fn section(about: &'static About) -> String {
    let synopsis = format!("```text\n{}\n```", about.synopsis());
    let also = about.also().map(|also| format!("{also}."));
    let help = Some(about.help.to_owned()).filter(|help| !help.is_empty());
    let parts = [Some(synopsis), Some(format!("{}.", about.summary)), also, help];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("\n## {}\n\n{}\n", about.name, parts.join("\n\n"))
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
