//! Projects whose tests are in a part of them: a test project of .NET, a subfolder of `CMake`.

use std::{borrow::Cow, path::Path};

use super::{
    super::template::Purpose,
    cmake_presets,
    project_check::{CheckOrigin, ProjectCheck, names_in, read},
};

const CMAKE: &str = "CMakeLists.txt";

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    match purpose {
        Purpose::Test => cmake(dir).into_iter().chain(dotnet(dir)).collect(),
        Purpose::Lint => Vec::new(),
    }
}

/// The tests of `CMake`. `ctest` finds them in the build of the folder that enables them.
fn cmake(dir: &Path) -> Option<ProjectCheck> {
    let text = read(dir, CMAKE)?.to_lowercase();
    let enables_tests =
        |text: &str| ["enable_testing", "include(ctest)", "add_test("].iter().any(|word| text.contains(word));
    // A folder that another one adds is no project of its own.
    let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    let above = dir.parent().and_then(|parent| read(parent, CMAKE)).unwrap_or_default().to_lowercase();
    if adds(&above, &name) {
        return None;
    }
    let below = || {
        let enables = |name: &String| {
            adds(&text, &name.to_lowercase())
                && read(&dir.join(name), CMAKE).is_some_and(|text| enables_tests(&text.to_lowercase()))
        };
        names_in(dir).into_iter().find(enables)
    };
    let folder = if enables_tests(&text) {
        "build".to_owned()
    } else {
        shlex::try_quote(&format!("build/{}", below()?)).ok()?.into_owned()
    };
    if let Some(command) = cmake_presets::command(dir) {
        return Some(ProjectCheck::new(CheckOrigin::Tool, cmake_presets::PRESETS, command));
    }
    let command = format!(
        "cmake -S . -B build && cmake --build build && ctest --test-dir {folder} --output-on-failure"
    );
    Some(ProjectCheck::new(CheckOrigin::Language, CMAKE, command))
}

/// Returns whether a CMakeLists.txt, in lower case, adds a folder.
fn adds(text: &str, name: &str) -> bool {
    let arguments = text.split("add_subdirectory(").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    !name.is_empty() && arguments.into_iter().any(|folder| folder.trim_matches('"') == name)
}

/// A test project of .NET without a solution. `dotnet test` passes for a project without tests.
fn dotnet(dir: &Path) -> Option<ProjectCheck> {
    const ENDS: [&str; 3] = [".csproj", ".fsproj", ".vbproj"];
    const PACKAGES: [&str; 7] =
        ["microsoft.net.test.sdk", "mstest", "xunit", "nunit", "tunit", "expecto", "<istestproject>true"];
    let names = names_in(dir);
    if names.iter().any(|name| name.ends_with(".sln") || name.ends_with(".slnx")) {
        return None;
    }
    let has_tests = |name: &&String| {
        let stem = ENDS.iter().find_map(|end| name.strip_suffix(end));
        let text = || read(dir, name).unwrap_or_default().to_lowercase();
        stem.is_some_and(|stem| {
            stem.to_lowercase().contains("test") || {
                let text = text();
                PACKAGES.iter().any(|package| text.contains(package))
            }
        })
    };
    let file = names.iter().find(has_tests)?;
    let check = ProjectCheck::new(CheckOrigin::Language, "", "dotnet test");
    Some(ProjectCheck { file: Cow::Owned(file.clone()), ..check })
}
