//! Presets of `CMake`: how the project itself wants to be configured, built and tested.
//!
//! A project with presets may not build without one, or may build something else than its authors test.

use std::path::Path;

use serde_json::Value;

use super::project_check::read;

pub(super) const PRESETS: &str = "CMakePresets.json";

/// Returns the command that configures, builds and tests with the project's presets: with the first test preset, or
/// else the first build preset, or else the first configure preset. Presets with a condition are left out: they may be
/// for another system. Returns `None` if there are none, or if the build folder of one is unknown.
pub(super) fn command(dir: &Path) -> Option<String> {
    let presets = Presets(serde_json::from_str(&read(dir, PRESETS)?).ok()?);
    let (test, build) = (presets.usable("testPresets").next(), presets.usable("buildPresets").next());
    let configure = [("testPresets", test), ("buildPresets", build)]
        .into_iter()
        .find_map(|(kind, preset)| presets.text(kind, preset?, "configurePreset"))
        .or_else(|| presets.usable("configurePresets").next())?;
    let built = presets.of_configure("buildPresets", configure);
    let tested = presets.of_configure("testPresets", configure);
    let folder = || presets.folder(configure);
    let build = match built {
        Some(name) => format!("--preset {}", quoted(name)?),
        None => quoted(&folder()?)?,
    };
    let test = match tested {
        Some(name) => format!("--preset {}", quoted(name)?),
        None => format!("--test-dir {}", quoted(&folder()?)?),
    };
    let configure = quoted(configure)?;
    Some(format!("cmake --preset {configure} && cmake --build {build} && ctest {test} --output-on-failure"))
}

fn quoted(name: &str) -> Option<String> {
    Some(shlex::try_quote(name).ok()?.into_owned())
}

struct Presets(Value);

impl Presets {
    fn all(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0[kind].as_array().into_iter().flatten()
    }

    /// Returns the names of presets that a person may choose on any system.
    fn usable(&self, kind: &'static str) -> impl Iterator<Item = &str> {
        let is_usable = move |preset: &&Value| {
            let name = preset["name"].as_str().unwrap_or_default();
            preset["hidden"] != true && self.value(kind, name, "condition", 0).is_none_or(Value::is_null)
        };
        self.all(kind).filter(is_usable).filter_map(|preset| preset["name"].as_str())
    }

    fn of_configure(&self, kind: &'static str, configure: &str) -> Option<&str> {
        self.usable(kind).find(|name| self.text(kind, name, "configurePreset") == Some(configure))
    }

    fn text(&self, kind: &str, name: &str, key: &str) -> Option<&str> {
        self.value(kind, name, key, 0)?.as_str()
    }

    /// Returns the value of a preset, or else of the first preset that it inherits and that has one.
    fn value(&self, kind: &str, name: &str, key: &str, depth: usize) -> Option<&Value> {
        // Presets that inherit each other would never end.
        const MAX_DEPTH: usize = 16;
        let preset = self.all(kind).find(|preset| preset["name"] == name).filter(|_| depth < MAX_DEPTH)?;
        let inherited = || match &preset["inherits"] {
            Value::String(parent) => self.value(kind, parent, key, depth + 1),
            Value::Array(parents) => parents
                .iter()
                .filter_map(Value::as_str)
                .find_map(|parent| self.value(kind, parent, key, depth + 1)),
            _ => None,
        };
        preset.get(key).or_else(inherited)
    }

    /// Returns the build folder of a configure preset, relative to the project.
    fn folder(&self, configure: &str) -> Option<String> {
        let folder = self.text("configurePresets", configure, "binaryDir")?;
        let folder = folder.replace("${presetName}", configure);
        let folder = folder.strip_prefix("${sourceDir}/").unwrap_or(&folder);
        (!folder.contains('$')).then(|| folder.trim_end_matches('/').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(presets: &str) -> Option<String> {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(PRESETS), presets).expect("written");
        command(dir.path())
    }

    #[test]
    fn the_preset_for_tests_comes_first() {
        let presets = r#"{"configurePresets": [
            {"name": "base", "hidden": true, "binaryDir": "${sourceDir}/out/${presetName}"},
            {"name": "win", "inherits": "base", "condition": {"type": "equals"}},
            {"name": "rel", "inherits": "base"},
            {"name": "my dev", "inherits": ["base"]}],
            "buildPresets": [{"name": "b", "configurePreset": "my dev"}],
            "testPresets": [{"name": "common", "hidden": true, "configurePreset": "my dev"},
                {"name": "t", "inherits": "common"}]}"#;
        assert_eq!(
            of(presets).as_deref(),
            Some(
                "cmake --preset 'my dev' && cmake --build --preset b && ctest --preset t --output-on-failure"
            )
        );
        let configured = presets.split_once("\"buildPresets\"").expect("presets").0;
        let only = format!("{}}}", configured.trim_end().trim_end_matches(','));
        assert_eq!(
            of(&only).as_deref(),
            Some(
                "cmake --preset rel && cmake --build out/rel && ctest --test-dir out/rel --output-on-failure"
            )
        );
    }

    #[test]
    fn presets_that_say_too_little_give_no_command() {
        for presets in [
            "{",
            "{}",
            r#"{"configurePresets": [{"name": "a"}]}"#,
            r#"{"configurePresets": [{"name": "a", "binaryDir": "$env{X}/b"}]}"#,
            r#"{"configurePresets": [{"name": "a", "inherits": "b"}, {"name": "b", "hidden": true, "inherits": "a"}]}"#,
        ] {
            assert_eq!(of(presets), None, "{presets}");
        }
    }
}
