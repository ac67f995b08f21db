//! Which variables a child sees.
//!
//! A shell's environment is where people keep keys: of the cloud, of the package registry, of three
//! model vendors. A child inherits all of them unless somebody takes care, and an agent that prints its
//! environment, or is talked into sending it somewhere, gives them all away. Yet an agent without the
//! user's `PATH`, `HOME` and language settings does not even start. So a child sees what its user sees,
//! but for what looks like a secret; an agent sees the keys of its own vendor, since it is of no use
//! without; and what the user names is passed on, whatever it looks like.
//!
//! # What looks like a secret
//! A **name** does, in capitals or not, if it
//! - has `SECRET`, `PASSWORD`, `PASSPHRASE`, `CREDENTIAL`, `COOKIE`, `WEBHOOK`, `API_KEY`, `ACCESS_KEY`,
//!   `PRIVATE_KEY`, `CONNECTION_STRING` or the like in it;
//! - ends, a number or a word such as `_PROD` or `_BASE64` aside, in `TOKEN`, `KEY`, `PASS`, `PWD`, `PW`, `JWT`, `CRED` or
//!   `DSN`, or in one of the words `AUTH`, `PAT`, `SAS`, `SESSION` and `HEADERS`, each also in the plural;
//! - is one of a few that follow no rule, such as `DOCKERCONFIGJSON` and `DOCKER_AUTH_CONFIG`;
//! - is one of a database's address, such as `DATABASE_URL`, with somebody's name in its value.
//!
//! A **value** does if it is an address with a password or a key in it (`postgres://user:password@host`), or one at
//! which anybody may post (`https://hooks.slack.com/services/...`); a private key; a token that describes itself
//! (`eyJ...`); a text of fields with a password; or a key that begins as a well-known vendor's do (`sk-`, `ghp_`,
//! `AKIA`), with blanks or quotes around it, too. A field with a password or a token in a text (`?client_secret=x`,
//! `{"password": "x"}`) counts as well.
//!
//! These do not, on purpose:
//! - `MAX_TOKENS` and other numbers of tokens, `TOKENIZERS_PARALLELISM`, `TERM_SESSION_ID`, `AWS_REGION`, `AWS_PROFILE`,
//!   `KUBECONFIG`, `GPG_KEY` and other `_PUBLIC_KEY`s, `DESKTOP_SESSION`: settings and names, with which alone nobody
//!   gets in.
//! - `SSH_AUTH_SOCK`: the way to an agent that signs, and from which no key can be taken away. Without
//!   it, a fetch or a push that works for the user fails for the child.
//! - `HTTPS_PROXY` and its kin, even with a password in them: behind such a proxy, an agent without it
//!   does not reach its model.
//!
//! A command that a model asks for has no vendor, and less need: it sees a [short list](Inherit::Necessary), and what the
//! user names. A list of what is secret always lacks a name.
//!
//! This is a net for what lies about, and not a wall: a child can still read the user's files, and
//! with them whatever keys are there.

mod agents;
mod pattern;
mod secret;

use std::ffi::{OsStr, OsString};

pub use self::{
    pattern::{InvalidNamePattern, NamePattern},
    secret::looks_secret,
};

/// Where a child's environment begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Inherit {
    /// With everything that does not look like a secret.
    #[default]
    All,
    /// With what most programs need, unless it looks like a secret: `PATH`, `HOME`, `USER`, `USERNAME`, `SHELL`,
    /// `TERM`, `LANG`, `LC_*`, `PWD`, `TMPDIR`, `OLLAMA_*` and `LOOP_*`.
    Necessary,
    /// With nothing: not even `PATH` and `HOME`, unless they are passed.
    None,
}

/// What [`Inherit::Necessary`] begins with.
const NECESSARY: &[&str] = &[
    "PATH", "HOME", "USER", "USERNAME", "SHELL", "TERM", "LANG", "LC_*", "PWD", "TMPDIR", "OLLAMA_*",
    "LOOP_*",
];

/// Which variables of its parent a child sees.
///
/// # Default
/// Everything but what [looks like a secret](looks_secret).
///
/// ```
/// use loop_guardrails::policy::environment::EnvironmentPolicy;
///
/// let user = [("HOME", "/home/kim"), ("ANTHROPIC_API_KEY", "k1"), ("GITHUB_TOKEN", "k2"), ("NPM_TOKEN", "k3")];
/// let policy = EnvironmentPolicy::new().of_agent("claude -p").pass(["NPM_*".parse()?]);
/// let split = policy.split(user);
/// assert_eq!(split.withheld, ["GITHUB_TOKEN"]);
/// assert_eq!(split.seen.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentPolicy {
    inherit: Inherit,
    pass: Vec<NamePattern>,
    /// What the agents in a command get of their vendors.
    own: Vec<&'static str>,
}

/// An environment in two parts.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Split {
    /// What the child sees, in the order in which it was given.
    pub seen: Vec<(OsString, OsString)>,
    /// The names of what it does not see. Their values are secrets, and are not kept.
    pub withheld: Vec<OsString>,
}

impl EnvironmentPolicy {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the environment begins.
    #[must_use]
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        self.inherit = inherit;
        self
    }

    /// Passes on the variables of these names, whatever they look like and wherever the environment
    /// begins.
    #[must_use]
    pub fn pass(mut self, names: impl IntoIterator<Item = NamePattern>) -> Self {
        self.pass.extend(names);
        self
    }

    /// Lets the agents that this shell command starts have the keys of their own vendors.
    ///
    /// Known are `claude` (`ANTHROPIC_*`), `codex` (`OPENAI_*`), `gemini` (`GEMINI_API_KEY` and those of
    /// Google's models), and `opencode`, `pi` and `aider`, which speak to many vendors and get the keys of
    /// all of them. A command that starts two agents gets the keys of both: the shell between them cannot
    /// be asked to keep them apart. With [`Inherit::None`] there is nothing to have.
    #[must_use]
    pub fn of_agent(mut self, command: &str) -> Self {
        self.own.extend(agents::own_variables(command));
        self
    }

    /// The same for commands that a model asks for: they see [what is necessary](Inherit::Necessary) and what is
    /// passed, and no agent's keys.
    ///
    /// ```
    /// use loop_guardrails::policy::environment::EnvironmentPolicy;
    ///
    /// let user = [("PATH", "/bin"), ("CARGO_HOME", "/opt/cargo"), ("COLOUR", "red"), ("LOOP_TOKEN", "k1")];
    /// let policy = EnvironmentPolicy::new().pass(["CARGO_*".parse()?]).of_commands();
    /// assert_eq!(policy.split(user).withheld, ["COLOUR", "LOOP_TOKEN"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_commands(mut self) -> Self {
        if self.inherit == Inherit::All {
            self.inherit = Inherit::Necessary;
        }
        self.own.clear();
        self
    }

    /// Whether a child sees this variable.
    pub fn lets_see(&self, name: &OsStr, value: &OsStr) -> bool {
        if self.pass.iter().any(|pattern| pattern.matches(name)) {
            return true;
        }
        match self.inherit {
            Inherit::None => false,
            Inherit::Necessary => {
                NECESSARY.iter().any(|known| pattern::matches(known, name)) && !looks_secret(name, value)
            }
            Inherit::All => {
                self.own.iter().any(|own| pattern::matches(own, name)) || !looks_secret(name, value)
            }
        }
    }

    /// Parts `vars` into what a child sees and what it does not see.
    pub fn split<K: Into<OsString>, V: Into<OsString>>(
        &self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> Split {
        let mut split = Split::default();
        for (name, value) in vars {
            let (name, value) = (name.into(), value.into());
            if self.lets_see(&name, &value) {
                split.seen.push((name, value));
            } else {
                split.withheld.push(name);
            }
        }
        split
    }
}

impl std::fmt::Debug for Split {
    /// Names only: what is seen may have been passed although it is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seen: Vec<_> = self.seen.iter().map(|(name, _)| name).collect();
        f.debug_struct("Split").field("seen", &seen).field("withheld", &self.withheld).finish()
    }
}

#[cfg(test)]
mod tests;
