//! Commands for files and folders.

mod attach;
mod diff;
mod file_tree;
mod files;
mod folder_arguments;
mod format;
mod read;
mod read_chunks;
mod read_dir;
mod read_pdf;
mod search;
mod undo;
mod write;

pub(super) use self::{
    attach::AttachCommand,
    diff::DiffCommand,
    file_tree::FileTreeCommand,
    files::FilesCommand,
    format::FormatCommand,
    read::ReadCommand,
    read_chunks::ReadChunksCommand,
    read_dir::ReadDirCommand,
    read_pdf::ReadPdfCommand,
    search::SearchCommand,
    undo::{RedoCommand, RewindCommand, UndoCommand},
    write::WriteCommand,
};
