//! `/attach`: sends an image or a file with the next prompt.

use std::io::Read;

use async_trait::async_trait;
use loop_agents::chat::Attachment;

use loop_telemetry::words;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The largest image, in bytes. Vendors reject larger ones.
const MOST_BYTES: u64 = 5 << 20;

/// The image formats, by file extension.
const IMAGES: [(&str, &str); 5] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];

pub(in crate::command) struct AttachCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "attach",
    aliases: &[],
    arguments: "FILE",
    summary: "Send a text or an image along with the next prompt",
    help: "Images are PNG, JPEG, GIF or WebP, of at most 5 MiB. Not every model can read them.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for AttachCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let [path] = &words[..] else { return Err(INFO.misused("one file at a time")) };
        let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        let Some((_, media)) = IMAGES.into_iter().find(|(image, _)| *image == ending) else {
            let read = session.read_for_model(path).await?;
            session.say(&format!("attached {read}"));
            return Ok(());
        };
        let image = session.tools.workspace.read(path)?;
        if image.bytes > MOST_BYTES {
            let size = words::bytes(image.bytes);
            return Err(InputError::refused(format!("{path} has {size}, and the limit for images is 5 MiB")));
        }
        let mut bytes = Vec::new();
        image.file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        session.attach(Attachment::new(media, &bytes).named(path));
        session.say(&format!("{path}, {}, goes with the next prompt", words::bytes(bytes.len() as u64)));
        Ok(())
    }
}
