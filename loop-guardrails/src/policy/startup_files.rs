//! Files that a shell, an editor, a hook or another program executes by itself, without being asked to.
//!
//! A model that can write `.bashrc` decides what the next terminal of the user executes. Files that a person starts by
//! name, such as a `Makefile`, are a project's own work and no part of this.

/// Names without a dot at their beginning, in lower case. Folders of these names count too. Editors execute the settings of
/// linters, and hooks those of `lint-staged`.
const NAMES: &[&str] = &[
    "$irbrc",
    "_exrc",
    "_gvimrc",
    "_irbrc",
    "_vimrc",
    "captainhook.json",
    "commitlint.config.cjs",
    "commitlint.config.cts",
    "commitlint.config.js",
    "commitlint.config.mjs",
    "commitlint.config.mts",
    "commitlint.config.ts",
    "default.nix",
    "devbox.json",
    "devcontainer.json",
    "devenv.local.nix",
    "devenv.nix",
    "devenv.yaml",
    "eslint.config.cjs",
    "eslint.config.cts",
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.mts",
    "eslint.config.ts",
    "flake.nix",
    "grumphp.dist.yml",
    "grumphp.yaml",
    "grumphp.yaml.dist",
    "grumphp.yml",
    "grumphp.yml.dist",
    "hk.pkl",
    "husky.config.cjs",
    "husky.config.js",
    "irb.rc",
    "lefthook-local.json",
    "lefthook-local.toml",
    "lefthook-local.yaml",
    "lefthook-local.yml",
    "lefthook.json",
    "lefthook.toml",
    "lefthook.yaml",
    "lefthook.yml",
    "lint-staged.config.cjs",
    "lint-staged.config.cts",
    "lint-staged.config.js",
    "lint-staged.config.mjs",
    "lint-staged.config.mts",
    "lint-staged.config.ts",
    "microsoft.powershell_profile.ps1",
    "pixi.toml",
    "prek.toml",
    "prettier.config.cjs",
    "prettier.config.cts",
    "prettier.config.js",
    "prettier.config.mjs",
    "prettier.config.mts",
    "prettier.config.ts",
    "replit.nix",
    "shell.nix",
    "simple-git-hooks.cjs",
    "simple-git-hooks.js",
    "simple-git-hooks.json",
    "sitecustomize.py",
    "stylelint.config.cjs",
    "stylelint.config.cts",
    "stylelint.config.js",
    "stylelint.config.mjs",
    "stylelint.config.mts",
    "stylelint.config.ts",
    "usercustomize.py",
    "venv",
];

/// Hooks of git: `core.hooksPath` can name any folder of a project.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
];

/// Hidden folders whose files are executed, also if the workspace is one of them.
const FOLDERS: &[&str] = &[
    ".autoenv",
    ".bashrc.d",
    ".captain_hook",
    ".codesandbox",
    ".devcontainer",
    ".doom.d",
    ".elvish",
    ".emacs.d",
    ".fleet",
    ".git-hooks",
    ".git_template",
    ".githooks",
    ".gitpod",
    ".guile",
    ".hammerspoon",
    ".helix",
    ".hg",
    ".husky",
    ".idea",
    ".ipython",
    ".julia",
    ".jupyter",
    ".lefthook",
    ".mise",
    ".nvim",
    ".oh-my-bash",
    ".oh-my-zsh",
    ".ona",
    ".profile.d",
    ".replit",
    ".spacemacs.d",
    ".theia",
    ".tmux",
    ".vim",
    ".vs",
    ".vscode",
    ".xmonad",
    ".yorkie",
    ".zed",
    ".zsh",
    ".zshrc.d",
];

/// Hidden files that no program executes unless a person starts a tool of the project or pushes it, and hidden folders
/// with such files. All other hidden names count as executed, except lists of ignored files (`.gitignore`): no list of
/// the programs that read one would be complete.
const HARMLESS_HIDDEN: &str = "\
    .allowed_signers .angular .appveyor.yml .astro .azure-pipelines .azure-pipelines.yml .babelrc.json .bandit \
    .browserslistrc .build .buildkite .bundle .c8rc.json .cache .cargo .changeset .chglog .circleci .cirrus.yml \
    .clang-format .clang-tidy .clippy.toml .coverage .coveragerc .cspell.json .cz.toml .czrc .dart_tool \
    .deepsource.toml .docusaurus .drone.yml .editorconfig .eggs .eslintcache .eslintrc .eslintrc.json .eslintrc.yaml \
    .eslintrc.yml .expo .flake8 .flowconfig .forgejo .formatter.exs .git .gitattributes .gitea .github .gitkeep \
    .gitlab .gitlab-ci.yml .gitlint .gitmodules .gitsigners .golangci.json .golangci.toml .golangci.yaml \
    .golangci.yml .goreleaser.yaml .goreleaser.yml .gradle .hadolint.yaml .hadolint.yml .htmlhintrc \
    .htmlvalidate.json .hypothesis .ipynb_checkpoints .isort.cfg .jscsrc .jsdoc.json .jshintrc .keep .licenserc \
    .licenserc.json .loop .luacheckrc .luarc.json .mailmap .markdownlint.json .markdownlint.jsonc .markdownlint.yaml \
    .markdownlint.yml .mdlrc .meta .mocharc.json .mocharc.yaml .mocharc.yml .mvn .mypy.ini .mypy_cache .next \
    .node-version .nojekyll .nuget .nuxt .nvmrc .nx .nyc_output .nycrc .nycrc.json .ocamlformat .output \
    .parcel-cache .php-version .phpcs.xml .postcssrc .postcssrc.json .prettierrc .prettierrc.json .prettierrc.json5 \
    .prettierrc.toml .prettierrc.yaml .prettierrc.yml .pytest_cache .python-version .readthedocs.yaml \
    .readthedocs.yml .rspec .rubocop.yml .rubocop_todo.yml .ruby-gemset .ruby-version .ruff.toml .ruff_cache \
    .rustfmt.toml .scalafix.conf .scalafmt.conf .semaphore .shellcheckrc .size-limit.json .solhint.json .sqlfluff \
    .stack-work .standard.yml .storybook .stylelintcache .stylelintrc .stylelintrc.json .stylelintrc.yaml \
    .stylelintrc.yml .stylua.toml .svelte-kit .swcrc .swift-version .swiftformat .swiftlint.yml .taplo.toml .temp \
    .terraform .terraform.lock.hcl .tflint.hcl .tmp .trash .travis.yml .tsbuildinfo .turbo .typos.toml .versionrc \
    .versionrc.json .vitepress .vuepress .well-known .woodpecker .woodpecker.yml .yamllint .yamllint.yaml \
    .yamllint.yml .yardopts";

/// Python executes lines of such a file at every start.
const PATHS_OF_PYTHON: &str = ".pth";

/// Files and folders below `.config` that only a tool of the project reads, when a person starts it. In a home folder,
/// all others there may be executed.
const HARMLESS_CONFIG: &[&str] = &[
    ".gitkeep",
    "dotnet-tools.json",
    "hakari.toml",
    "nextest.toml",
    "taplo.toml",
    "tsaoptions.json",
    "typos.toml",
];

/// Names below a folder, for which neither name alone is enough.
const PLACES: &[(&str, &[&str])] = &[
    (".cargo", &["config", "config.toml"]),
    ("agents", &["skill-sets", "skills"]),
    ("bin", &["activate", "activate.csh", "activate.fish", "activate.ps1", "activate_this.py"]),
    ("library", &["launchagents", "launchdaemons"]),
    ("mise", &["conf.d", "config.toml"]),
    ("renv", &["activate.r"]),
];

/// Returns whether programs execute a file of this name by themselves, or the files of a folder with this name.
pub(super) fn is_started(name: &str) -> bool {
    NAMES.contains(&name)
        || HOOKS.contains(&name)
        || FOLDERS.contains(&name)
        || name.ends_with(PATHS_OF_PYTHON)
        // `mise.toml`, and one for each environment: `mise.production.toml`.
        || (name.starts_with("mise.") && name.ends_with(".toml"))
}

/// Returns whether a name is hidden and not known to be harmless, so that a program may execute the file by itself.
pub(super) fn is_unknown(name: &str) -> bool {
    let is_hidden = name.starts_with('.') && !matches!(name, "." | "..");
    // What lies below `.config` decides.
    let is_harmless = name.ends_with("ignore") || name == ".config";
    is_hidden && !is_harmless && HARMLESS_HIDDEN.split(' ').all(|known| known != name)
}

/// Returns whether these names, in a row, lead to such a file or folder.
pub(super) fn is_place(names: &[String]) -> bool {
    names.windows(2).any(|pair| {
        let (folder, name) = (pair[0].as_str(), pair[1].as_str());
        (folder == ".config" && !HARMLESS_CONFIG.contains(&name))
            || PLACES.iter().any(|(place, below)| folder == *place && below.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_lower_case_and_once_each() {
        let harmless: Vec<_> = HARMLESS_HIDDEN.split(' ').collect();
        for names in [NAMES, HOOKS, FOLDERS, HARMLESS_CONFIG, &harmless] {
            assert!(
                names.is_sorted_by(|a, b| a < b) && names.iter().all(|name| *name == name.to_lowercase())
            );
        }
        assert!(harmless.iter().all(|name| name.starts_with('.')));
    }
}
