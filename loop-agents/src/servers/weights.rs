//! The models that lie as files in a folder.

use std::{fs, io, path::Path};

use super::command::{GGUF, LLAMAFILE};

/// A file with a model: a llamafile, or weights for `llama-server`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelFile {
    /// The name of the file without folder and extension.
    pub name: String,
    /// The name of the file, which can be a [`ServerCommand`](super::ServerCommand).
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Returns the files of a folder that are models, by name. A folder that does not exist has none.
///
/// # Errors
/// The folder cannot be read.
pub fn model_files(folder: &Path) -> io::Result<Vec<ModelFile>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let name = file.strip_suffix(LLAMAFILE).or_else(|| file.strip_suffix(GGUF));
        // A link may lead to nothing.
        if let (Some(name), Ok(data)) = (name, path.metadata())
            && data.is_file()
        {
            files.push(ModelFile { name: name.to_owned(), file: file.to_owned(), bytes: data.len() });
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_two_kinds_are_models() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["b.gguf", "a.llamafile", "notes.txt"] {
            fs::write(folder.path().join(file), "xy").expect("a file");
        }
        fs::create_dir(folder.path().join("c.gguf")).expect("a folder");
        let model = |name: &str, file: &str| ModelFile { name: name.into(), file: file.into(), bytes: 2 };
        let models = model_files(folder.path()).expect("a list");
        assert_eq!(models, [model("a", "a.llamafile"), model("b", "b.gguf")]);
        assert_eq!(model_files(&folder.path().join("none")).expect("no folder"), []);
    }
}
