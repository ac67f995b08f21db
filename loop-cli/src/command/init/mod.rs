//! `loop init`: writes a manifest for the project in this folder.

mod harvey;
mod seal;

use std::{
    env,
    ffi::OsStr,
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::Path,
    process::ExitCode,
};

use loop_agents::shell::CommandLine;

use super::{Failure, OrFail, usage};
use crate::{args::InitArgs, exit, view};
use loop_manifest::{
    Format, default_manifest,
    init::{
        AgentChoice, CheckChoice, Draft, ProjectCheck, SCHEMA_FILE, STARTER_SKILL, STARTER_SKILL_FILE,
        agents_on_path, checks, report, unreadable,
    },
};

/// The `--out` value that prints the manifest instead of writing a file.
const STDOUT: &str = "-";

pub(crate) fn exec(args: &InitArgs) -> Result<ExitCode, Failure> {
    let dir = env::current_dir().or_setup(|| "cannot use the current folder")?;
    if args.skill {
        let out = Path::new(STARTER_SKILL_FILE);
        let folder = out.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder).or_setup(|| format!("cannot create {}", folder.display()))?;
        write(out, STARTER_SKILL, args.force)?;
        view::say(&format!("{} {STARTER_SKILL_FILE}", view::paint(view::GOOD, "wrote")));
        return Ok(ExitCode::from(exit::OK));
    }
    if let Some(from) = &args.from {
        return harvey::convert(from, args);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let checks = checks(&dir, args.template.purpose());
    if let Some(why) = unreadable(&dir) {
        view::warning(&why);
    }
    if args.list {
        view::print_or_warn(&report::list(agents_on_path(&path), &checks));
        return Ok(ExitCode::from(exit::OK));
    }
    let format = format(&args.out)?;
    let agent = agent(args.agent.as_deref(), &path)?;
    let check = check(args.check.as_deref(), &checks)?;
    // The draft writes the name in another form, in which nobody would find a secret.
    let folder = dir.file_name().unwrap_or_default().to_string_lossy();
    let folder = view::secrets().redact(&folder);
    let mut draft = Draft {
        template: args.template,
        folder: &folder,
        agent,
        check,
        has_schema: args.out.with_file_name(SCHEMA_FILE).is_file(),
        is_sealed: args.sealed,
    };
    if args.sealed {
        match seal::objection(&draft, dir.clone())? {
            Ok(objection) => draft.is_sealed = objection.is_none(),
            // The user ended it.
            Err(code) => return Ok(code),
        }
    }
    let text = draft.render(format);
    if args.out.as_os_str() == STDOUT {
        view::print_or_warn(&text);
        view::say(&report::found(agent, check, &checks));
    } else {
        write(&args.out, &text, args.force)?;
        view::say(&format!("{} {}", view::paint(view::GOOD, "wrote"), args.out.display()));
        view::say(&report::found(agent, check, &checks));
        let is_default =
            default_manifest(Path::new(""), "loop run", &[]).is_ok_and(|found| found == args.out);
        view::say(&report::next(&args.out, is_default, draft.is_complete()));
        if format == Format::Json && !draft.has_schema {
            view::say(&report::schema_hint(&args.out));
        }
    }
    Ok(ExitCode::from(exit::OK))
}

fn format(out: &Path) -> Result<Format, Failure> {
    if out.as_os_str() == STDOUT {
        return Ok(Format::Yaml);
    }
    Format::of(out)
        .or_usage(|| format!("--out {}: the name has to end in .yaml, .yml, .toml or .json", out.display()))
}

fn agent<'a>(given: Option<&'a str>, path: &OsStr) -> Result<AgentChoice<'a>, Failure> {
    let Some(command) = given else { return Ok(AgentChoice::on_path(path)) };
    let agent = AgentChoice::named(command);
    if let AgentChoice::Given(command) = agent {
        CommandLine::parse(command).or_usage(|| "--agent")?;
    }
    Ok(agent)
}

fn check<'a>(given: Option<&'a str>, found: &'a [ProjectCheck]) -> Result<Option<CheckChoice<'a>>, Failure> {
    let Some(command) = given else { return Ok(found.first().map(CheckChoice::Found)) };
    CommandLine::parse(command).or_usage(|| "--check")?;
    Ok(Some(CheckChoice::Given(command)))
}

/// Writes a new file. Unless `replaces` is true, it leaves an existing one alone, which may hold a day's work.
fn write(out: &Path, text: &str, replaces: bool) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(replaces).truncate(replaces).create_new(!replaces).open(out);
    if file.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
        return Err(usage!(
            "{} already exists, and was not changed\n  name another file with --out, or replace it with --force",
            out.display()
        ));
    }
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.or_setup(|| format!("cannot write {}", out.display()))
}
