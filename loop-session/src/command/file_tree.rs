//! `/file-tree`: a folder and the folders in it.

use async_trait::async_trait;
use serde_json::json;

use super::{
    About, Command, Takes,
    folder::{depth, or_here},
};
use crate::{InputError, Session};

pub(crate) struct FileTree;

const ABOUT: About = About {
    name: "file-tree",
    aliases: &[],
    arguments: "[PATH] [--depth N]",
    summary: "Show a folder and the folders in it",
    help: "Four levels deep, unless `--depth` says otherwise.",
    takes: Takes::Paths,
};

#[async_trait]
impl Command for FileTree {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let (path, depth) = depth(&ABOUT, arguments)?;
        let mut call = json!({ "path": path });
        if let Some(depth) = depth {
            call["depth"] = depth.get().into();
        }
        session.show_call("file_tree", &call, &format!("I listed {} with its folders", or_here(&path))).await
    }
}
