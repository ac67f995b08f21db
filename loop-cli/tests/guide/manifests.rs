//! Reads every manifest and every settings table of the guide with the command.

use std::fs;

use book_tests::{Block, Page, pages};

use crate::shell::GuideReader;

/// Returns the arguments with which the command reads such a block, and the file that it reads.
fn reading(block: &Block<'_>) -> Option<(String, &'static [&'static str])> {
    match (block.language(), block.is("settings")) {
        // Not `loop.toml`, because these would be the project's settings, which may not contain all of it.
        ("toml", true) => Some(("settings.toml".to_owned(), &["policy", "show"])),
        (format @ ("yaml" | "toml" | "json"), _) if !block.is("output") => {
            Some((format!("checked.{format}"), &["check"]))
        }
        _ => None,
    }
}

fn refused(page: &Page, block: &Block<'_>) -> Option<String> {
    let (file, args) = reading(block)?;
    let reader = GuideReader::new(&[]);
    let mut command = reader.command("loop");
    let folder = command.get_current_dir().expect("a folder").to_owned();
    fs::write(folder.join(&file), block.text).expect("a file");
    command.args(args);
    match block.is("settings") {
        true => command.env("LOOP_CONFIG", folder.join(&file)),
        false => command.arg(&file),
    };
    let ran = command.output().expect("the command runs");
    let said = || String::from_utf8_lossy(&ran.stderr).into_owned();
    (!ran.status.success()).then(|| format!("{}: {}", page.place(block.line), said()))
}

#[test]
fn every_manifest_of_the_guide_is_one_that_the_command_takes() {
    let pages = pages();
    let blocks = pages.iter().flat_map(|page| page.blocks().into_iter().map(move |block| (page, block)));
    let wrong: Vec<String> = blocks.filter_map(|(page, block)| refused(page, &block)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
