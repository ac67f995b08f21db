//! The variables that a child sees.

use std::{
    collections::BTreeMap,
    ffi::{CString, OsStr, OsString},
    fmt,
    os::unix::ffi::OsStrExt,
};

use super::ProcessError;

/// The complete environment of a child. It starts empty.
///
/// A library that passed on its own environment by default would hand every key of its host to every agent. A program
/// that wants this has to ask for it:
///
/// ```
/// use loop_agents::process::Environment;
///
/// let env = Environment::new().inherit(std::env::vars_os()).with("LC_ALL", "C").without("API_KEY");
/// assert_eq!(env.get("LC_ALL"), Some("C".as_ref()));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Creates an empty environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds all of `vars`. If a name appears twice, the later value wins.
    #[must_use]
    pub fn inherit<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.0.extend(vars.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Sets one variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.set(name, value);
        self
    }

    /// Removes one variable, if it is set.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.remove(name.as_ref());
        self
    }

    /// Removes the variables whose names begin with `beginning`.
    pub(super) fn without_beginning(mut self, beginning: &str) -> Self {
        self.0.retain(|name, _| !name.as_bytes().starts_with(beginning.as_bytes()));
        self
    }

    /// Sets one variable in place.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Returns a variable's value.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns the `NAME=value` strings that the system expects.
    pub(super) fn block(&self) -> Result<Vec<CString>, ProcessError> {
        self.0.iter().map(|(name, value)| entry(name, value)).collect()
    }
}

fn entry(name: &OsStr, value: &OsStr) -> Result<CString, ProcessError> {
    let shown = || name.to_string_lossy().into_owned();
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        return Err(ProcessError::VariableName { name: shown() });
    }
    let mut bytes = Vec::with_capacity(name.len() + value.len() + 2);
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_bytes());
    CString::new(bytes)
        .map_err(|_| ProcessError::Nul { what: format!("the environment variable `{}`", shown()) })
}

impl fmt::Debug for Environment {
    /// Shows names only, because values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_could_not_take_is_refused_by_name() {
        let refused = |name: &str, value: &str| Environment::new().with(name, value).block().unwrap_err();
        assert!(refused("KEY", "a\0b").to_string().contains("`KEY` contains a NUL"));
        assert!(matches!(refused("A=B", ""), ProcessError::VariableName { .. }));
        assert!(matches!(refused("", "x"), ProcessError::VariableName { .. }));
    }

    #[test]
    fn values_do_not_show_in_debug_output() {
        let shown = format!("{:?}", Environment::new().with("API_KEY", "hunter2"));
        assert!(shown.contains("API_KEY") && !shown.contains("hunter2"));
    }
}
