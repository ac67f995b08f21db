//! `/attach`: sends an image or a file with the next prompt.

use std::io::Read;

use async_trait::async_trait;
use loop_agents::{
    chat::Attachment,
    remote::{RemoteContent, is_address},
};
use loop_telemetry::words;

use super::read_pdf;
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session};

/// The largest image or PDF, in bytes. Vendors reject larger ones.
const MOST_BYTES: u64 = 5 << 20;

/// The media type of a PDF.
const PDF: &str = "application/pdf";

/// The formats that go to a model as they are, by file extension.
const FILES: [(&str, &str); 6] = [
    ("pdf", PDF),
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
    arguments: "FILE|ADDRESS",
    summary: "Send a text or an image along with the next prompt",
    help: "Images are PNG, JPEG, GIF or WebP, of at most 5 MiB. Not every model can read them. A PDF goes as it is to a model \
           that accepts it, and as text to others. Other files are text, of at most 256 KiB.",
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
        if is_address(path) {
            return attach_address(path, session).await;
        }
        let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
        let Some((_, media)) = FILES.into_iter().find(|(file, _)| *file == ending) else {
            let read = session.attach_text(path).await?;
            session.say(&format!("attached {read}"));
            return Ok(());
        };
        if media == PDF && !accepts_pdf(session) {
            let read = read_pdf::show(path, None, session).await?;
            session.say(&format!("attached {read}"));
            return Ok(());
        }
        let image = session.tools.workspace.read(path)?;
        if image.bytes > MOST_BYTES {
            return Err(too_large(path, &words::bytes(image.bytes)));
        }
        let mut bytes = Vec::new();
        image.file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        attach_image(path, media, &bytes, session);
        Ok(())
    }
}

/// Attaches an image or a PDF of a server, or shows its text.
async fn attach_address(address: &str, session: &mut Session) -> Result<(), InputError> {
    let content = session.fetch(address, MOST_BYTES.max(RemoteContent::CONVERSATION_BYTES)).await?;
    let is_file = FILES.iter().any(|(_, media)| *media == content.media_type);
    if !is_file || (content.media_type == PDF && !accepts_pdf(session)) {
        let read = session.show_content(&content)?;
        session.say(&format!("attached {read}"));
        return Ok(());
    }
    if content.bytes.len() as u64 > MOST_BYTES {
        return Err(too_large(&content.address, "more"));
    }
    attach_image(&content.address, &content.media_type, &content.bytes, session);
    Ok(())
}

fn attach_image(name: &str, media_type: &str, bytes: &[u8], session: &mut Session) {
    session.attach(Attachment::new(media_type, bytes).named(name));
    session.say(&format!("{name}, {}, goes with the next prompt", words::bytes(bytes.len() as u64)));
}

/// Returns whether the model is known to accept PDF files.
fn accepts_pdf(session: &Session) -> bool {
    let model = session.dialogue.model.as_ref();
    model.and_then(|model| model.facts().pdf.as_ref()).is_some_and(|pdf| pdf.value)
}

fn too_large(name: &str, size: &str) -> InputError {
    InputError::refused(format!("{name} has {size}, and the limit is 5 MiB"))
}
