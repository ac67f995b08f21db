//! Generates command lines from the manuals of the programs.

use proptest::{collection::vec, prelude::*, sample::select};

/// Attacks that once worked. `TOP` is the folder around the workspace, `BLOB` the hash of a secret, `OBJECT` the file
/// of that secret in a repository, `FIRST` the hash of a commit, `TREE` and `FOLDER` the hashes of folders with
/// secrets.
pub(super) const KNOWN: &[&str] = &[
    "git show --indexed-objects",
    "git show 'HEAD^{/.*|x:y}:.env'",
    "git show 'HEAD@{10:00}:top.txt'",
    "git show 'HEAD@{10:00}:.env'",
    "git show --tags",
    "git show --all",
    "git show blob note treetag",
    "git diff",
    "git diff HEAD~1",
    "git log -p --all",
    "git log -p -- private",
    "git show HEAD:private/notes.txt",
    "git blame private/notes.txt",
    "git log --follow -p -- renamed.txt",
    "git log -p -M --find-copies-harder",
    "git show BLOB",
    "git log --notes -p",
    "git diff stash@{0} stash@{0}^",
    "git show stash@{0}",
    "git diff merge^!",
    "git diff merge merge^1 merge^2",
    "git diff -M10% merge merge^@",
    "git diff v1 HEAD",
    "git diff --cached",
    "git show TREE:notes.txt",
    "git show FOLDER:config.json",
    "git show HEAD :0:./README.md",
    "git log hooks/x",
    "git log hooks/outside",
    "cat .git/OBJECT",
    "cat bare/OBJECT",
    "rg -a -uuu CAN.RY",
    "rg -a -uuu CAN.RY .git",
    "rg -a CAN.RY bare",
    "git status",
    "git status -v -v",
    "git diff --submodule=diff",
    "cat link",
    "cat secret",
    "cat elsewhere/outside",
    "diff -r . src",
    "diff . src",
    "grep -r CAN.RY .",
    "find . -newer link",
    "rg CAN.RY",
    "rg -uuu CAN.RY",
    "tar -cf - .env --force-local -t",
    "sed --sandbox -n 'r .env' README.md",
    "sort --files0-from=.env",
    "jq -R . .env",
    "gawk 'BEGIN { while ((getline x < \".env\") > 0) print x }' --sandbox",
    "gawk --sandbox 1 -v .env",
    "tar I ./evil.sh -t -f a.tar --force-local",
    "tar T .env -t --force-local",
    "rg CAN.RY here",
    "rg CAN.RY docs/../here",
    "find here/ -name notes.txt",
    "rg CAN .docker//",
    "rg CAN .docker/.",
    "rg CAN .docker/cache/..",
    "rg CAN ./.docker/./",
    "rg CAN .kube//",
    "rg CAN .kube/cache/..",
    "rg CAN .ssh/x/..",
    "rg CAN p/gh/./",
    "rg -a CAN g",
    "rg CAN aws",
    "rg CAN here/aws/.",
    "rg -g '*' CAN aws//",
    "git log -g --all",
    "git log --format=%+GG",
    "jq -n '$__prog_args' --rawfile x .env",
    "git show notes/commits",
    "git diff HEAD notes/commits",
    "git log -p --reflog",
    "rg -a CAN.RY bare/logs/..",
    "tree -Lo 2 AGENTS.md",
    "tree -aLl 2",
];

const GIT_OPTIONS: &str = r#"
    -p  -u  -s  --patch  --raw  --stat  --stat=200  --numstat  --name-only  --name-status  -M  -C  -C -C
    --find-copies-harder  -B  -D  -R  -a  --text  --binary  --full-index  -W  -U0  -U99999  --unified=5
    --word-diff  --color  --color-words  -w  -b  -z  --check  --exit-code  --ext-diff  --textconv  --no-textconv
    --submodule=diff  --submodule=log  --ignore-submodules=none  --relative  --relative=..  --relative=TOP
    --no-relative  -S CANA  -G 'CAN.RY'  --pickaxe-all  --pickaxe-regex  -O TOP/outside  -OTOP/outside  --output=x
    --output-indicator-new=x  --skip-to=.env  --rotate-to=.env  --diff-filter=AMD  --no-index  --cached  --staged
    --merge-base  --cc  -c  -m  --dd  --remerge-diff  --diff-merges=on  --combined-all-paths  --first-parent
    --full-diff  --follow  --all  --tags  --branches  --remotes  --glob=*  --glob=refs/*  --exclude=x  --reflog
    --indexed-objects  --alternate-refs  --single-worktree  --stdin  --objects  --no-walk  --do-walk
    --walk-reflogs  -g  --merges  --no-merges  --reverse  --not  --boundary  --simplify-by-decoration
    --full-history  --sparse  --dense  --ancestry-path  --bisect  --left-right  --cherry  --merge  --source
    --graph  --oneline  --pretty=raw  --pretty=fuller  --format=%H%n%B%N  --format='%(trailers)'  --format=%G?%GG
    --pretty=email  --notes  --notes=*  --show-notes  --no-notes  --standard-notes  --show-signature
    --use-mailmap  --mailmap  --no-mailmap  --decorate=full  -n 5  -3  --max-count=2  --skip=1  --since=2.years
    --author=kim  --grep=first  --grep .  -i  -E  --all-match  -L1,5:.env  -L1,+5  -L :main:src/main.rs  -L /fn/
    --reverse FIRST..HEAD  --contents .env  --contents=TOP/outside  -S .env  --ignore-revs-file .env
    --ignore-revs-file=TOP/outside  --ignore-rev HEAD  --porcelain  --line-porcelain  --incremental  -t  -e  -f
    -n  --show-stats  --root  -v  -vv  -sb  -uall  --ignored  --ignored=matching  --column  --untracked-files
    --show-stash  -h  --help  --git-dir=TOP/beside/.git  --encoding=UTF-16  --no-prefix  --src-prefix=x
    --ws-error-highlight=all  --find-object=BLOB  --anchored=x  --diff-algorithm=patience  --ita-visible-in-index
    --ita-invisible-in-index  --pathspec-from-file=.env  --no-ext-diff  --outp=x  --conten .env  --textcon  --  -
    --end-of-options  -c core.pager=cat
"#;

const BASES: &str = r#"
    HEAD  @  main  v1  blob  note  treetag  tree  refs/tags/blob  stash  stash@{0}  stash^3  refs/stash  HEAD@{1}
    HEAD@{10:00}  HEAD@{yesterday}  @{-1}  @{u}  @{0}  BLOB  FIRST  :/first  :/  EMPTY  :0  :1  HEAD^{/.*|x:y}
    HEAD^{/first}  TREE  FOLDER  merge  hooks/x  objects/pack  FETCH_HEAD  FOO_HEAD  config  ../outside  packed-refs  ^main  --not
    notes/commits  refs/notes/commits
"#;

const SUFFIXES: &str = r#"
    EMPTY  EMPTY  EMPTY  EMPTY  ^  ~1  ^2  ^0  ^{}  ^{commit}  ^{tree}  ^{blob}  ^{object}  ^{tag}  ^@  ^!  ^-
    ^-1  @{0}  @{1}  ^{/x}  ^{/}:x}  @{{0}}  ^{  }  ..  ...
"#;

const PATHS: &str = r#"
    src/main.rs  README.md  renamed.txt  docs  docs/a.txt  .  EMPTY  ..  /  *  .env  ./.env  src/../.env  .ENV
    .env*  .env.local  .env.old  keys/id_rsa  keys  keys/  private  private/notes.txt  private/
    ./private/../private  app/.env  app/../.env  ../top.txt  ../README.md  ../.env  TOP/outside  TOP/repo/.env
    TOP/beside/canary.txt  link  secret  elsewhere  elsewhere/outside  here  here/private/notes.txt  here/.env  elsewhere/repo/.env  up  sub  sub/README.md
    notes.txt  config.json  .docker/config.json  .docker  app/.docker  .git/OBJECT  .git/objects  bare/OBJECT
    outside-link  .git/config  .git/packed-refs  .git  gone  -  /dev/stdin  /proc/self/environ
    /proc/self/cwd/.env  /etc/passwd  ~/.netrc  dev/fd/3  /dev/fd/3
"#;

const MAGIC: &str = r#"
    EMPTY  EMPTY  EMPTY  EMPTY  :/  :(top)  :!  :^  :(exclude)  :(icase)  :(glob)  :(literal)  :(top,glob)**/
    :(attr:diff)  ./  ../repo/
"#;

const OTHERS: &[(&str, &str)] = &[
    ("cat", r#"-n  -A  -v  --help  --show-all  -"#),
    (
        "find",
        r#"-L  -H  -P  -name .env  -type f  -exec cat {} +  -execdir cat {} ;  -ok cat {} ;  -delete  -ls  -print0
        -printf %p%l  -fprint x  -fls x  -newer  -samefile  -files0-from  -maxdepth 1  -follow  -O1  -D tree
        -regex .*  -lname *  -xtype f  -newermt 2020-01-01  -anewer  -  !  -o  -prune"#,
    ),
    (
        "grep",
        r#"CAN.RY  -e CAN  -r  -R  -d recurse  --directories=recurse  -f  --file=.env  --file  -H  -n  -c  -l  -L  -v
        -o  -P  -E  -z  --include=*  --exclude-from=.env  --exclude-from  --label  -A 99  -5  -ie  -re
        --color=always  -D read  -s  --regexp=.  --fil=.env  --no-filename"#,
    ),
    (
        "rg",
        r#"CAN.RY  -e CAN  -u  -uu  -uuu  --hidden  --no-ignore  -L  --follow  --pre cat  --pre=cat  -z  --files
        -g '*'  -g '.env'  --iglob '.ENV'  -g '!x'  --glob-case-insensitive  -f  --file .env  --ignore-file .env
        --json  -a  -t all  --type-add x:.env  --passthru  --search-zip  --no-config  --debug  --hostname-bin cat
        -.  --sort path  --max-depth 5"#,
    ),
    (
        "jq",
        r#"-R .  -Rn inputs  -n  -s  -r  --slurpfile x .env  --rawfile x .env  --argfile x .env  --arg x .env  --args
        --jsonargs  -f  --from-file  -L  -L.  'import "a" as a; .'  'include "a"; .'  'input_filename'  'env'
        '$ENV'  'input'  -e  --stream  --seq  --indent 3  'get_search_list'  '"\(input)"'  --raw-input
        --rawf x .env"#,
    ),
    (
        "sort",
        r#"-u  -r  -k1  -t.  -o x  --output=x  --files0-from=.env  --files0-from  --compress-program=cat  -T TOP
        --random-source=.env  --random-source  -m  -c  -S 1b  --batch-size=2  --parallel=1  -R  --debug  --outp=x"#,
    ),
    (
        "diff",
        r#"-r  -u  -N  -y  -q  -s  --from-file=.env  --to-file=.env  --from-file  -x x  -X .env  --exclude-from=.env
        -S a  --label x  -U 999  --ifdef=X  -D X  --no-dereference  --brief  --recursive  --line-format=%L  -l
        -C3"#,
    ),
    (
        "tar",
        r#"-t  -tf  -tvf  --force-local  -x  -c  -cf -  -f  -T .env  --files-from=.env  -C TOP  --to-command=cat
        --checkpoint-action=exec=id  -I cat  --use-compress-program=cat  -O  --to-stdout  -v  -z
        --exclude-from=.env  -X .env  --get  --diff  -d  --owner-map=.env"#,
    ),
    (
        "sed",
        r#"--sandbox  -n  -e p  'r .env'  'R .env'  'w x'  's/x/y/e'  '1e cat .env'  -i  -f  -f .env  --file=.env  -s
        -E  --debug  F  =  -n '$='  --follow-symlinks  --expression=p  -z  '$r .env'  --posix"#,
    ),
    (
        "gawk",
        r#"--sandbox  1  -e 1  'BEGIN { while ((getline x < ".env") > 0) print x }'  'BEGIN { system("cat .env") }'
        -f .env  -i .env  -l x  -v x=1  '{ print FILENAME }'  'BEGIN { ARGV[1]=".env" }'  '@include ".env"'
        -E .env  --exec=.env  'BEGIN { print ENVIRON["HOME"] }'  FS=x  -d  -p"#,
    ),
    ("head", r#"-n 5  -c 99  -5  -q  -v  -n  -z"#),
    ("tail", r#"-n 5  -c 99  -5  -n +1  -q  -v  --pid=1"#),
    ("wc", r#"-l  -c  --files0-from=.env  -L"#),
    ("nl", r#"-b a  -p"#),
    ("cmp", r#"-l  -b  -i 0  -n 9"#),
    ("uniq", r#"-c  -d  -f 1"#),
    ("cut", r#"-c 1-  -d. -f1  --complement  -s"#),
    ("ls", r#"-la  -R  -L  -LR  -d  --dereference  -H  -1  --color"#),
    ("du", r#"-a  -L  -X .env  --exclude-from=.env  --files0-from=.env  -s  -D"#),
    ("stat", r#"-L  -f  -c %N  --printf=%n"#),
    ("file", r#"-f .env  -m .env  -z  -b  -i  -L  -k  --files-from=.env"#),
    ("date", r#"-r  -f .env  --file=.env  +%s  -d now  -s x"#),
    ("tree", r#"-a  -l  -L 2  -L2  -Lo 2  -aLo 2  -L2o  -Ll 2  --fromfile  -f  --gitfile=.env  -o x"#),
];

/// Generates one of the words of a text. Two blanks or a line feed separate words.
fn word(text: &'static str) -> impl Strategy<Value = &'static str> + Clone {
    let words: Vec<_> = text.lines().flat_map(|line| line.trim().split("  ")).collect();
    let words =
        words.into_iter().filter(|word| !word.is_empty()).map(|word| if word == "EMPTY" { "" } else { word });
    select(words.collect::<Vec<_>>())
}

/// Generates a word that is harmless half of the time, so that many lines run.
fn mostly(harmless: &'static str, all: &'static str) -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![word(harmless), word(all)]
}

/// Generates any line.
pub(super) fn any() -> impl Strategy<Value = String> {
    prop_oneof![3 => git(), 2 => other()]
}

fn git() -> impl Strategy<Value = String> {
    let subcommand = word("diff  log  show  diff  log  show  blame  status  grep  cat-file");
    let option = mostly(
        "-p  -U99999  --stat  -M  --find-copies-harder  --all  --cc  -S CANA  -g  -a  -m  -R",
        GIT_OPTIONS,
    );
    let base = mostly("HEAD  main  v1  stash  FIRST  blob  note  HEAD~1  merge  TREE", BASES);
    let revision = (base, mostly("EMPTY  EMPTY  EMPTY  ~1  ^  ^{}  ^!", SUFFIXES))
        .prop_map(|(base, suffix)| format!("{base}{suffix}"));
    let object = (revision.clone(), word(PATHS)).prop_map(|(revision, path)| format!("{revision}:{path}"));
    let range = (revision.clone(), word("..  ...  :"), revision.clone())
        .prop_map(|(from, dots, to)| format!("{from}{dots}{to}"));
    let operand =
        prop_oneof![4 => revision, 3 => object, 2 => range, 1 => word(PATHS).prop_map(str::to_owned)];
    let pathspec = (word(MAGIC), word(PATHS)).prop_map(|(magic, path)| format!("{magic}{path}"));
    let paths = prop_oneof![Just(Vec::new()), vec(pathspec, 1..3)];
    (subcommand, vec(option, 0..3), vec(operand, 0..4), paths).prop_map(
        |(subcommand, options, operands, paths)| {
            let dashes = if paths.is_empty() { "" } else { "--" };
            format!(
                "git {subcommand} {} {} {dashes} {}",
                options.join(" "),
                quoted(&operands),
                quoted(&paths)
            )
        },
    )
}

/// Folders with secrets, and links to such folders and to the folders above them.
const FOLDERS: &str = r#"
    .  .docker  .kube  .ssh  .aws  .git  p/gh  p  keys  private  app/.docker  aws  g  here  here/aws  here/.kube  kube
"#;

/// Returns another spelling of the same path.
fn spelled(path: &str, ways: &[usize]) -> String {
    ways.iter().fold(path.to_owned(), |path, way| match way {
        0 => format!("{path}/"),
        1 => format!("{path}//"),
        2 => format!("{path}/."),
        3 => format!("{path}/x/.."),
        4 => format!("./{path}"),
        5 => format!("docs/../{path}"),
        6 => path.replace('/', "//"),
        7 => path.replace('/', "/./"),
        8 => format!("TOP/repo/{path}"),
        _ => format!("{path}/cache/.."),
    })
}

/// Generates a search in a folder, with any spelling of its path.
fn search() -> impl Strategy<Value = String> {
    let program = word(
        "rg CAN  rg -a CAN  rg -g '*' CAN  rg --iglob '*' -e CAN  rg --files  rg -l CAN  rg CAN README.md  rg -m 5 CAN --
        grep CAN  grep -a CAN  cat  fd .  fdfind .  tree  ls -la  find  du -a  file  bat  wc  diff README.md",
    );
    (program, word(FOLDERS), vec(0usize..10, 0..4), word("EMPTY  EMPTY  config  config.json  *  hosts.yml"))
        .prop_map(|(program, folder, ways, file)| {
            let path = if file.is_empty() { folder.to_owned() } else { format!("{folder}/{file}") };
            format!("{program} '{}'", spelled(&path, &ways))
        })
}

fn other() -> impl Strategy<Value = String> {
    prop_oneof![2 => words(), 1 => search()]
}

fn words() -> impl Strategy<Value = String> {
    select(OTHERS).prop_flat_map(|(program, options)| {
        let path = word(PATHS).prop_map(|path| format!("'{path}'"));
        // A readable file appears more often, so that more lines run.
        let word =
            prop_oneof![3 => word(options).prop_map(str::to_owned), 2 => path, 2 => Just("README.md".to_owned())];
        vec(word, 0..5).prop_map(move |words| format!("{program} {}", words.join(" ")))
    })
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("'{word}' ")).collect()
}
