//! The strict check of a skill, which agrees with the reference validator (`agentskills validate`).

use std::{fs::File, io::Read, path::Path};

use super::{
    front_matter::{FENCE, MAX_COMPATIBILITY, MAX_DESCRIPTION, MAX_NAME, is_of_name, normal_form},
    skill::MAX_FILE_BYTES,
    source::FILE_NAMES,
    yaml::{self, YamlSubset, YamlValue},
};

/// The fields that the format defines. Fields of our own, such as `trigger`, are not among them.
const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/// Checks the skill in this folder as strictly as the reference validator does. Returns all problems; a valid skill has
/// none. Reads at most 1 MiB. Blocks on the disk.
///
/// ```
/// use loop_agents::skills::check_strictly;
///
/// let folder = tempfile::tempdir()?;
/// let skill = folder.path().join("tidy");
/// std::fs::create_dir(&skill)?;
/// std::fs::write(skill.join("SKILL.md"), "---\nname: Tidy\ntrigger: tidy up\n---\n")?;
/// assert_eq!(check_strictly(&skill), [
///     "`trigger` is not a field of the format: move it to `metadata`",
///     "the name `Tidy` must be in lower case",
///     "the name `Tidy` must be that of the folder, `tidy`",
///     "`description` is missing",
/// ]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn check_strictly(folder: &Path) -> Vec<String> {
    let file = FILE_NAMES.map(|name| folder.join(name)).into_iter().find(|file| file.exists());
    let Some(file) = file else { return vec!["there is no SKILL.md".to_owned()] };
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match read(&file).and_then(|text| fields(&text)) {
        Ok(fields) => problems(&fields, &name),
        Err(problem) => vec![problem],
    }
}

fn read(file: &Path) -> Result<String, String> {
    if !file.is_file() {
        return Err("SKILL.md is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("SKILL.md cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("SKILL.md is larger than {} KiB", MAX_FILE_BYTES >> 10));
    }
    let text = String::from_utf8(bytes).map_err(|_| "SKILL.md is not UTF-8: save it as UTF-8".to_owned())?;
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Reads the fields. The reference ends the front matter at the next `---`, even in the middle of a line.
fn fields(text: &str) -> Result<YamlValue, String> {
    let Some(rest) = text.strip_prefix(FENCE) else {
        return Err("the file must begin with `---`".to_owned());
    };
    let Some((front, _)) = rest.split_once(FENCE) else {
        return Err("the front matter does not end: put a line `---` after it".to_owned());
    };
    let fields =
        yaml::parse(front, YamlSubset::Strict).map_err(|problem| format!("the front matter, {problem}"))?;
    match fields {
        YamlValue::Map(_) => Ok(fields),
        _ => Err("the front matter must be a map of fields".to_owned()),
    }
}

fn problems(fields: &YamlValue, folder: &str) -> Vec<String> {
    let unknown = fields.entries().iter().filter(|(name, _)| !FIELDS.contains(&name.as_str()));
    let mut problems: Vec<_> = unknown
        .map(|(name, _)| format!("`{name}` is not a field of the format: move it to `metadata`"))
        .collect();
    match fields.get("name") {
        None => problems.push("`name` is missing".to_owned()),
        Some(name) => problems.extend(problems_of_name(name, folder)),
    }
    match fields.get("description") {
        None => problems.push("`description` is missing".to_owned()),
        Some(description) => match description.text().filter(|text| !text.trim().is_empty()) {
            None => problems.push("`description` must be a text that is not empty".to_owned()),
            Some(text) => problems.extend(too_long("description", text, MAX_DESCRIPTION)),
        },
    }
    match fields.get("compatibility").map(YamlValue::text) {
        None => {}
        Some(None) => problems.push("`compatibility` must be a text".to_owned()),
        Some(Some(text)) => problems.extend(too_long("compatibility", text, MAX_COMPATIBILITY)),
    }
    problems
}

fn problems_of_name(name: &YamlValue, folder: &str) -> Vec<String> {
    let Some(name) = name.text().filter(|name| !name.trim().is_empty()) else {
        return vec!["`name` must be a text that is not empty".to_owned()];
    };
    let (name, folder) = (normal_form(name), normal_form(folder));
    let problems = [
        too_long("name", &name, MAX_NAME),
        (name != name.to_lowercase()).then(|| format!("the name `{name}` must be in lower case")),
        (name.starts_with('-') || name.ends_with('-'))
            .then(|| format!("the name `{name}` must not begin or end with `-`")),
        name.contains("--").then(|| format!("the name `{name}` must not contain `--`")),
        (!name.chars().all(is_of_name))
            .then(|| format!("the name `{name}` must consist of letters, digits and `-`")),
        (name != folder).then(|| format!("the name `{name}` must be that of the folder, `{folder}`")),
    ];
    problems.into_iter().flatten().collect()
}

fn too_long(field: &str, text: &str, most: usize) -> Option<String> {
    let length = text.chars().count();
    (length > most).then(|| format!("`{field}` has {length} characters; at most {most} are allowed"))
}
