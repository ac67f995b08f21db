//! What is said of a command.

use anyhow::anyhow;

use crate::view::{BOLD, paint, text};

/// What is said of a command, once for all who say it.
#[derive(Debug)]
pub(crate) struct About {
    /// Its name, without the `/`.
    pub(crate) name: &'static str,
    /// Other names.
    pub(crate) aliases: &'static [&'static str],
    /// What stands behind it, as in a synopsis; empty if nothing does.
    pub(crate) arguments: &'static str,
    /// What it does, on a line.
    pub(crate) summary: &'static str,
    /// The rest that there is to say, in Markdown.
    pub(crate) help: &'static str,
    /// What Tab completes behind it.
    pub(crate) takes: Takes,
}

/// What stands behind a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// What Tab knows nothing of.
    Other,
    /// One of these words.
    Words(&'static [&'static str]),
    Commands,
    Models,
    /// Files and folders, or words that can name them.
    Paths,
}

impl About {
    /// Its name and its other names.
    pub(crate) fn names(&'static self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// `/name ARGUMENTS`
    pub(crate) fn synopsis(&self) -> String {
        format!("/{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    /// The other names, in words.
    pub(crate) fn also(&self) -> Option<String> {
        let names: Vec<_> = self.aliases.iter().map(|name| format!("/{name}")).collect();
        (!names.is_empty()).then(|| format!("Also: {}", names.join(", ")))
    }

    /// All that is said of it.
    pub(crate) fn text(&self) -> String {
        let parts = [
            Some(paint(BOLD, self.synopsis())),
            Some(format!("  {}", self.summary)),
            self.also(),
            Some(self.help.to_owned()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    /// The words of its arguments, as a shell parts them.
    ///
    /// # Errors
    /// A quote that nothing ends.
    pub(crate) fn words(&self, arguments: &str) -> anyhow::Result<Vec<String>> {
        shlex::split(arguments).ok_or_else(|| self.misused("a quote is not closed"))
    }

    /// Looks at what stands behind it.
    ///
    /// # Errors
    /// It takes nothing, and something is there: who wrote it meant more than would be done.
    pub(super) fn accepts(&self, arguments: &str) -> anyhow::Result<()> {
        if self.takes == Takes::Nothing && !arguments.is_empty() {
            let what = text::one_line(arguments);
            return Err(self.misused(format!("/{} takes nothing, and here is `{what}`", self.name)));
        }
        Ok(())
    }

    /// What is wrong with its arguments, and how they are written.
    pub(crate) fn misused(&self, what: impl std::fmt::Display) -> anyhow::Error {
        anyhow!("{what}\n  usage: {}", self.synopsis())
    }
}
