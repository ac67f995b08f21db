//! Decides which variables a child process sees.
//!
//! People keep keys in their shell's environment: for the cloud, for the package registry, for three model vendors. A
//! child inherits all of them by default, and an agent that prints its environment, or that a prompt injection tricks
//! into sending it somewhere, gives them all away. Yet an agent does not even start without the user's `PATH`, `HOME`
//! and language settings. So a child sees the user's variables, except those that look like a secret. An agent also
//! sees the keys of its own vendor, because it cannot work without them. Variables that the user names always pass.
//!
//! # Names and values that look like secrets
//! A **name** looks like a secret, in capitals or not, if it
//! - has `SECRET`, `PASSWORD`, `PASSPHRASE`, `CREDENTIAL`, `COOKIE`, `WEBHOOK`, `API_KEY`, `ACCESS_KEY`,
//!   `PRIVATE_KEY`, `CONNECTION_STRING`, `SEED_PHRASE` or the like in it;
//! - has a word that ends in `TOKEN`, `KEY`, `PASS`, `PWD`, `PW`, `JWT`, `CRED` or `DSN`, or one of the words `PAT`,
//!   `PEM`, `P12`, `KEYSTORE`, `SERVICE_ACCOUNT` and the like, also in the plural, whatever follows it:
//!   `NPM_TOKEN_PUBLISH`, `DEPLOY_KEY_EU`. It does not if its last word says that the value only describes a secret
//!   (`TOKEN_FILE`, `JWT_ISSUER`), or if the value only switches something on or off;
//! - ends, a number, a version or a word such as `_PROD` or `_BASE64` aside, in one of the words `AUTH`, `SAS`,
//!   `SESSION`, `HEADERS`, `PRIVATE` and `SALT`, each also in the plural;
//! - is that of a file of secrets with a word for its content: `KUBECONFIG_BASE64`;
//! - is one of a few that follow no rule, such as `DOCKERCONFIGJSON` and `DOCKER_AUTH_CONFIG`;
//! - is one of a database's address, such as `DATABASE_URL`, with somebody's name in its value.
//!
//! A **value** does if it is an address with a password or a key in it (`postgres://user:password@host`), or one at
//! which anybody may post (`https://hooks.slack.com/services/...`); a private key; a token that describes itself
//! (`eyJ...`); a text of fields with a password; or a key that begins as a well-known vendor's do (`sk-`, `ghp_`,
//! `AKIA`), with blanks or quotes around it, too. A field with a password or a token in a text (`?client_secret=x`,
//! `{"password": "x"}`) counts as well.
//!
//! These do not look like a secret, on purpose:
//! - `MAX_TOKENS` and other numbers of tokens, `TOKENIZERS_PARALLELISM`, `TERM_SESSION_ID`, `AWS_REGION`,
//!   `AWS_PROFILE`, `KUBECONFIG`, `GPG_KEY` and other `_PUBLIC_KEY`s, `DESKTOP_SESSION`: settings and names, with which
//!   alone nobody gets in.
//! - `SSH_AUTH_SOCK`: it leads to an agent that signs, and that never hands out a key. Without it, a fetch or a push
//!   that works for the user fails for the child.
//! - `HTTPS_PROXY` and similar variables, even with a password: behind such a proxy, an agent without it does not reach
//!   its model.
//!
//! A command that a model requests has no vendor and fewer needs: it sees a [short list](Inheritance::Necessary), and
//! the variables that the user names. A list of secrets would always be incomplete.
//!
//! This protects against accidents and is not a security boundary: a child can still read the user's files, and every
//! key in them.

mod agents;
mod pattern;
mod secret;

use std::ffi::{OsStr, OsString};

pub use self::{
    agents::known_agents,
    pattern::{InvalidNamePattern, NamePattern},
    secret::looks_secret,
};

/// The variables that a child's environment starts with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Inheritance {
    /// All variables that do not look like a secret.
    #[default]
    All,
    /// The variables that most programs need, unless they look like a secret: `PATH`, `HOME`, `USER`, `USERNAME`,
    /// `SHELL`, `TERM`, `LANG`, `LC_*`, `PWD`, `TMPDIR`, `OLLAMA_*` and `LOOP_*`.
    Necessary,
    /// No variables: not even `PATH` and `HOME`, unless you pass them.
    None,
}

/// The variables of [`Inheritance::Necessary`].
const NECESSARY: &[&str] = &[
    "PATH", "HOME", "USER", "USERNAME", "SHELL", "TERM", "LANG", "LC_*", "PWD", "TMPDIR", "OLLAMA_*",
    "LOOP_*",
];

/// Decides which variables of its parent a child sees.
///
/// # Default
/// All variables except those that [look like a secret](looks_secret).
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
    inherit: Inheritance,
    pass: Vec<NamePattern>,
    /// The vendor variables for the agents in a command.
    own: Vec<&'static str>,
}

/// An environment, split into two parts.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvironmentSplit {
    /// The variables that the child sees, in their original order.
    pub seen: Vec<(OsString, OsString)>,
    /// The names of the withheld variables. Their values are secrets, so this does not store them.
    pub withheld: Vec<OsString>,
}

impl EnvironmentPolicy {
    /// Creates a policy with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the variables that the environment starts with.
    #[must_use]
    pub fn inherit(mut self, inherit: Inheritance) -> Self {
        self.inherit = inherit;
        self
    }

    /// Passes the variables of these names, even if they look like secrets, and for every setting of [`Inheritance`].
    #[must_use]
    pub fn pass(mut self, names: impl IntoIterator<Item = NamePattern>) -> Self {
        self.pass.extend(names);
        self
    }

    /// Gives the agents that this shell command starts the keys of their own vendors.
    ///
    /// The known agents are `claude` (`ANTHROPIC_*`), `codex` (`OPENAI_*`), `gemini` (`GEMINI_API_KEY` and the
    /// variables of Google's models), and `opencode`, `pi` and `aider`, which support many vendors and get the keys of
    /// all of them. A command that starts two agents gets the keys of both, because the shell between them cannot keep
    /// them apart. With [`Inheritance::None`] this has no effect.
    #[must_use]
    pub fn of_agent(mut self, command: &str) -> Self {
        self.own.extend(agents::own_variables(command));
        self
    }

    /// Returns the policy for commands that a model requests: they see the [necessary](Inheritance::Necessary)
    /// variables and those you passed, and no agent's keys.
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
        if self.inherit == Inheritance::All {
            self.inherit = Inheritance::Necessary;
        }
        self.own.clear();
        self
    }

    /// Returns whether a child sees this variable.
    pub fn lets_see(&self, name: &OsStr, value: &OsStr) -> bool {
        if self.pass.iter().any(|pattern| pattern.matches(name)) {
            return true;
        }
        match self.inherit {
            Inheritance::None => false,
            Inheritance::Necessary => {
                NECESSARY.iter().any(|known| pattern::matches(known, name)) && !looks_secret(name, value)
            }
            Inheritance::All => {
                self.own.iter().any(|own| pattern::matches(own, name)) || !looks_secret(name, value)
            }
        }
    }

    /// Splits `vars` into the variables that a child sees and those that it does not.
    pub fn split<K: Into<OsString>, V: Into<OsString>>(
        &self,
        vars: impl IntoIterator<Item = (K, V)>,
    ) -> EnvironmentSplit {
        let mut split = EnvironmentSplit::default();
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

impl std::fmt::Debug for EnvironmentSplit {
    /// Prints only names, because the values may be secrets that the user passed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seen: Vec<_> = self.seen.iter().map(|(name, _)| name).collect();
        f.debug_struct("Split").field("seen", &seen).field("withheld", &self.withheld).finish()
    }
}

#[cfg(test)]
mod tests;
