//! Folders with canaries, and repositories that try to expose them.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use loop_agents::tools::Toolbox;
use loop_guardrails::policy::{
    ActionPolicy, LocalPath, Origin, Permissions, PolicySettings, Verb, WithOrigin,
    environment::EnvironmentPolicy, workspace::Workspace,
};
use tempfile::TempDir;

/// Every file that tools must not read contains this text.
pub(super) const CANARY: &str = "CANARY";

/// A workspace and its surroundings.
pub(super) struct Folder {
    pub(super) name: &'static str,
    /// Whether git refuses to run in it.
    pub(super) is_refused: bool,
    pub(super) tools: Toolbox,
    /// Placeholders for values of this folder in a line, such as `TOP`.
    words: Vec<(&'static str, String)>,
    files: HashSet<(PathBuf, u64, SystemTime)>,
    top: TempDir,
}

/// Returns all files below a folder, with their sizes and times.
fn files(top: &Path) -> HashSet<(PathBuf, u64, SystemTime)> {
    let (mut folders, mut files) = (vec![top.to_owned()], HashSet::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                files.insert((entry.path(), metadata.len(), metadata.modified().unwrap()));
            }
        }
    }
    files
}

impl Folder {
    /// Replaces the placeholders in a line by the folder's own paths and hashes.
    pub(super) fn fill(&self, line: &str) -> String {
        let top = self.top.path().to_str().unwrap();
        self.words.iter().fold(line.replace("TOP", top), |line, (word, value)| line.replace(word, value))
    }

    /// Returns the files of the workspace and around it that were written since the folder was prepared.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        let files = files(self.top.path());
        files.into_iter().filter(|file| !self.files.contains(file)).map(|(path, ..)| path).collect()
    }
}

/// A repository that an attacker has prepared.
struct Trap {
    name: &'static str,
    is_refused: bool,
    /// The folder of the workspace within the repository.
    below: &'static str,
    /// A shell script that runs in the repository.
    script: &'static str,
}

const fn trap(name: &'static str, script: &'static str) -> Trap {
    Trap { name, is_refused: false, below: "", script }
}

const fn refused(name: &'static str, script: &'static str) -> Trap {
    Trap { name, is_refused: true, below: "", script }
}

/// `$TOP` contains the file `outside`, and another repository, `beside`.
const TRAPS: &[Trap] = &[
    trap("plain", ""),
    Trap { name: "below", is_refused: false, below: "app", script: "" },
    Trap { name: "relative names", is_refused: false, below: "app", script: "git config diff.relative true" },
    trap("packs", "git gc -q --prune=now; cp -r .git bare"),
    trap("hooks that are links", "mkdir -p .git/hooks; ln -s $TOP/outside .git/hooks/x"),
    trap("core.worktree", "git config core.worktree $TOP/beside"),
    trap(
        "configured files",
        "for key in core.attributesFile core.excludesFile blame.ignoreRevsFile mailmap.file diff.orderFile; do
             git config $key $TOP/outside; done; git config mailmap.blob HEAD:.env; git config log.follow true
         ln -s .env .ignore; ln -s $TOP/outside .rgignore",
    ),
    trap(
        "configured programs",
        "for key in core.fsmonitor core.pager diff.external diff.t.textconv diff.t.command filter.t.clean \
             filter.t.process filter.t.smudge gpg.program gpg.openpgp.program gpg.ssh.program core.alternateRefsCommand \
             core.editor core.sshCommand core.askPass pager.log alias.log; do git config $key 'cat outside-link; cat #'; done
         echo '* diff=t filter=t' > .gitattributes; cp .gitattributes .git/info/attributes; git config log.showSignature true
         ln -s $TOP/outside outside-link",
    ),
    trap(
        "replaced objects",
        "git replace $(git rev-parse HEAD:src/main.rs) $(git rev-parse HEAD:.env)
         git replace $(git rev-parse HEAD:README.md) $(git rev-parse HEAD:keys/id_rsa)",
    ),
    trap("notes of a secret", "git notes add -C $(git rev-parse HEAD:.env) HEAD; git config notes.displayRef 'refs/*'"),
    trap(
        "submodule",
        "git init -q sub; cp README.md sub; git -C sub add .; git -C sub commit -qm sub; git add sub; git commit -qm with
         ln -sf $TOP/outside sub/.git/packed-refs; ln -sf $TOP/outside sub/.git/shallow
         git -C sub config core.fsmonitor 'cat ../outside-link #'",
    ),
    refused("gitdir", "mv .git $TOP/moved; echo gitdir: $TOP/beside/.git > .git"),
    refused("gitdir of its own", "mv .git $TOP/moved; echo gitdir: $TOP/moved > .git"),
    refused("linked .git", "mv .git $TOP/moved; ln -s $TOP/moved .git"),
    refused("commondir", "echo $TOP/beside/.git > .git/commondir"),
    refused(
        "commondir with a blank",
        "mv .git store; mkdir -p store/worktrees/w 'store/worktrees/.. /objects/info'; cp store/HEAD store/index store/worktrees/w
         cp -r store/refs store/config 'store/worktrees/.. '; echo gitdir: store/worktrees/w > .git
         echo ../../../.git > store/worktrees/w/gitdir; echo '../.. ' > store/worktrees/w/commondir
         echo $TOP/beside/.git/objects > 'store/worktrees/.. /objects/info/alternates'",
    ),
    refused("alternates", "echo $TOP/beside/.git/objects > .git/objects/info/alternates"),
    refused("linked alternates", "ln -s $TOP/outside .git/objects/info/alternates"),
    refused("linked packed-refs", "rm -f .git/packed-refs; ln -s $TOP/outside .git/packed-refs"),
    refused("linked shallow", "ln -s $TOP/outside .git/shallow"),
    refused("linked grafts", "ln -s $TOP/outside .git/info/grafts"),
    refused("linked attributes", "ln -sf $TOP/outside .git/info/attributes"),
    refused("linked exclude", "ln -sf $TOP/outside .git/info/exclude"),
    refused("linked config", "mv .git/config $TOP/c; ln -s $TOP/c .git/config"),
    refused("linked HEAD", "mv .git/HEAD $TOP/h; ln -s $TOP/h .git/HEAD"),
    refused("linked ref", "ln -s $TOP/outside .git/refs/heads/x"),
    refused("linked pseudo ref", "ln -s $TOP/outside .git/FOO_HEAD"),
    refused("linked log", "mkdir -p .git/logs/refs/heads; ln -sf $TOP/outside .git/logs/refs/heads/x"),
    refused("linked index", "mv .git/index $TOP/i; ln -s $TOP/i .git/index"),
    refused("linked objects", "mv .git/objects $TOP/o; ln -s $TOP/o .git/objects"),
    refused("linked pack", "ln -s $TOP/beside/.git/objects/ab .git/objects/ab"),
    refused("linked rebase", "mkdir .git/rebase-merge; ln -s $TOP/outside .git/rebase-merge/git-rebase-todo"),
    refused("linked bisect", "ln -s $TOP/outside .git/BISECT_START"),
    refused("linked merge message", "ln -s $TOP/outside .git/MERGE_MSG"),
    refused("linked log of a work tree", "mkdir -p .git/worktrees/w/logs; ln -s $TOP/outside .git/worktrees/w/logs/HEAD"),
    refused("refs of another folder", "mkdir .git/reftable; echo ../../../beside/x.ref > .git/reftable/tables.list"),
    refused("linked hooks", "rm -rf .git/hooks; ln -s $TOP .git/hooks"),
    refused("large ref", "truncate -s 1G .git/refs/heads/large"),
    refused(
        "folder in the index that is a link",
        "mkdir dir; echo xxxxxx > dir/outside; touch -r $TOP/outside dir/outside; git config core.checkStat minimal
         git config core.trustctime false; git add dir; rm -r dir; ln -s $TOP dir",
    ),
    // Git does not check the names in the index, and no longer its checksum.
    refused("index that leads out", "echo x > xx_outside; git add xx_outside; sed -i 's#xx_outside#../outside#' .git/index"),
    refused("index with a second name", "echo x > ab; mkdir y; cp ab y/z; git add y; sed -i 's#y/z#./z#' .git/index"),
    refused("pipe", "mkfifo .git/shallow"),
    refused("include", "git config include.path $TOP/outside.cfg"),
    refused("conditional include", "git config includeIf.gitdir:/.path $TOP/outside.cfg"),
];

/// The common beginning of every repository. It contains a secret that was renamed (once by a merge), tagged, stashed
/// and left in the index. Compression is off, so that a canary in an object is visible.
const HISTORY: &str = "
git init -q -b main; git config user.name kim; git config user.email kim@example.org; git config core.compression 0
seq 100 > .env.old; echo CANARY >> .env.old
mkdir -p src keys private docs app/src .docker app/.docker
echo CANARY > .docker/config.json; cp .docker/config.json app/.docker
echo 'fn main() {}' > src/main.rs; cp src/main.rs app/src/main.rs; echo docs > docs/a.txt; echo read > README.md
echo 'key=CANARY' > .env; echo CANARY > keys/id_rsa; echo CANARY > private/notes.txt; echo CANARY > app/.env
git add .; git commit -qm first; git tag v1
seq 100 > renamed.txt; git rm -q --cached .env.old; rm .env.old; git rm -rqf app/.docker; git add renamed.txt; git commit -qm second
git checkout -qb side; echo other > settings.txt; git add settings.txt; git commit -qm side; git checkout -q main
seq 50 > .env.merge; echo CANARY >> .env.merge; git add .env.merge; git commit -qm env; git merge -q --no-commit side
git rm -qf .env.merge; seq 50 > settings.txt; echo other >> settings.txt; git add settings.txt; git commit -qm merge
git tag merge
git tag blob $(git rev-parse HEAD:.env); git tag -a -m annotated note $(git rev-parse HEAD:.env)
git update-ref refs/heads/tree $(git rev-parse HEAD) ; git tag treetag $(git rev-parse HEAD^{tree})
echo 'key=CANARY more' > .env; echo 'fn main() { work() }' > src/main.rs; git stash -q; git stash apply -q
echo 'key=CANARY again' >> .env.local; cp src/main.rs app/src/main.rs; echo CANARY >> private/notes.txt
mkdir -p .kube/cache .kube/x .ssh/x .aws/x p/gh/x .docker/cache .docker/x .git/x .git/cache
echo 'x: CANARY' > .kube/config; echo CANARY > .ssh/work; echo 'k = CANARY' > .aws/config; echo 't: CANARY' > p/gh/hosts.yml
git config remote.origin.url https://kim:CANARY@example.org/a; ln -s .git g; ln -s .aws aws; ln -s .kube kube
git add -N .env.local; ln -s . here; ln -s $TOP/outside link; ln -s .env secret; ln -s $TOP elsewhere
";

pub(super) fn all() -> Vec<Folder> {
    let base = TempDir::new().unwrap();
    let beside = "mkdir beside; cd beside; git init -q -b main; git config user.name kim
        git config user.email kim@example.org; echo CANARY > canary.txt; git add .; git commit -qm CANARY; cd ..
        echo CANARY > outside; printf '[x]\\n\\ty = CANARY\\n' > outside.cfg; mkdir repo";
    shell(base.path(), base.path(), beside);
    shell(&base.path().join("repo"), base.path(), HISTORY);
    TRAPS.iter().map(|trap| sprung(base.path(), trap)).collect()
}

fn sprung(base: &Path, trap: &Trap) -> Folder {
    let top = TempDir::new().unwrap();
    let copied = Command::new("cp").arg("-a").arg(base.join(".")).arg(top.path()).status().unwrap();
    assert!(copied.success());
    let repo = top.path().join("repo");
    // Links to the first copy would lead elsewhere.
    shell(&repo, top.path(), "ln -sfn $TOP/outside link; ln -sfn $TOP elsewhere");
    if !trap.below.is_empty() {
        // In such a trap everything above is outside, even files that would be harmless in the workspace.
        shell(
            &repo,
            top.path(),
            "echo CANARY > top.txt; echo CANARY >> README.md; git add .; git commit -qm above",
        );
        shell(&repo.join(trap.below), top.path(), "echo 'more();' >> src/main.rs; ln -s ../top.txt up");
    }
    let hash = |of: &str| {
        let output = Command::new("git").args(["rev-parse", of]).current_dir(&repo).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let blob = hash("HEAD:.env");
    let object = format!("objects/{}/{}", &blob[..2], &blob[2..]);
    let words = vec![
        ("BLOB", blob),
        ("OBJECT", object),
        ("FIRST", hash("v1")),
        ("TREE", hash("HEAD:private")),
        ("FOLDER", hash("HEAD:.docker")),
    ];
    shell(&repo, top.path(), trap.script);
    let (tools, files) = (tools(&repo.join(trap.below)), files(top.path()));
    Folder { name: trap.name, is_refused: trap.is_refused, tools, words, files, top }
}

fn tools(workspace: &PathBuf) -> Toolbox {
    let mut settings = PolicySettings::default();
    let allowed = ["diff", "fd", "fdfind", "gawk", "rg", "sed", "tar", "tree"];
    settings.allow = allowed.map(|name: &str| WithOrigin::new(name.parse().unwrap(), Origin::BuiltIn)).into();
    settings.permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
        "private".parse().unwrap(),
        [],
        Origin::BuiltIn,
    );
    let workspace =
        Workspace::open(workspace, ActionPolicy::new(settings, PolicySettings::default())).unwrap();
    let vars = [("PATH", std::env::var("PATH").unwrap()), ("LC_ALL", "C".into())];
    Toolbox::standard(workspace).environment(vars, &EnvironmentPolicy::new())
}

/// Runs a script as the folder's owner, each line separately.
fn shell(folder: &Path, top: &Path, script: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).env("TOP", top).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
}
