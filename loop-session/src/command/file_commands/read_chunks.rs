//! `/read-chunks`: shows a summary of a large file to the model.

use async_trait::async_trait;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, Session, session::ChunkOptions};

pub(in crate::command) struct ReadChunksCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Files,
    name: "read-chunks",
    aliases: &[],
    arguments: "FILE [--chunk-size BYTES] [--max-chunks N] [INSTRUCTION]",
    summary: "Show a summary of a large file to the model",
    help: "The model summarises each part alone, and then all parts together. A part has 6,000 bytes, and there are at most \
           20 parts, unless you or `[reading]` in your settings say otherwise. `/read` does the same with a file that would fill most of the window.",
    argument_kind: ArgumentKind::Paths,
};

#[async_trait]
impl Command for ReadChunksCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let usual = session.chunk_options();
        let (path, options) = options(&words, usual).map_err(|problem| INFO.misused(problem))?;
        let read = session.read_in_chunks(&path, &options).await?;
        session.say(&format!("read {read}"));
        Ok(())
    }
}

/// Returns the file, and the options with the changes of the line.
fn options(words: &[String], mut options: ChunkOptions) -> Result<(String, ChunkOptions), String> {
    let (mut path, mut instruction) = (None, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || match words.next().map(|number| number.parse::<u32>()) {
            Some(Ok(number @ 1..)) => Ok(number as usize),
            _ => Err(format!("`{word}` needs a number from 1 on")),
        };
        match word.as_str() {
            "--chunk-size" => options.chunk_bytes = number()?,
            "--max-chunks" => options.max_chunks = number()?,
            _ if path.is_none() => path = Some(word.clone()),
            _ => instruction.push(word.as_str()),
        }
    }
    options.instruction = instruction.join(" ");
    path.map(|path| (path, options)).ok_or_else(|| "the file is missing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_may_be_anywhere() {
        let usual = ChunkOptions { chunk_bytes: 700, max_chunks: 2, instruction: String::new() };
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let parse = |line: &str| options(&words(line), usual.clone());
        let (path, read) = parse("--max-chunks 3 a.md Which dates?").expect("options");
        assert_eq!(path, "a.md");
        let expected =
            ChunkOptions { chunk_bytes: 700, max_chunks: 3, instruction: "Which dates?".to_owned() };
        assert_eq!(read, expected);
        for wrong in ["a.md --chunk-size 0", "a.md --max-chunks", "--max-chunks x a.md", "--max-chunks 1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
