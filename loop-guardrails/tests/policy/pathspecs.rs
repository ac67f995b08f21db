//! We pass the rules about secrets to git unchanged, so they must mean the same to git as to us.

use std::{fs, path::Path, process::Command};

use loop_guardrails::policy::{LocalPath, SecretFiles};

/// Returns names that match each rule, names that nearly match, and both in folders.
fn paths() -> Vec<String> {
    let mut paths = Vec::new();
    for (rule, _) in SecretFiles::new().rules() {
        let rule = rule.strip_prefix("**/").unwrap_or(rule);
        for stars in ["", "x", "-a.b"] {
            let name = rule.replace("**/", "").replace('*', stars);
            let capitals = name.to_uppercase();
            paths.extend([
                name.clone(),
                format!("a/b/{name}"),
                format!("{name}/in/side"),
                format!("a/{capitals}"),
                format!("x{name}"),
                format!("{name}x"),
                format!("{name}.rs"),
            ]);
        }
        paths.push(rule.replace("**/", "p/q/").replace('*', "s"));
    }
    // Git stores no file with this name.
    paths.retain(|path| !path.split('/').any(|name| name.is_empty() || name.eq_ignore_ascii_case(".git")));
    paths.sort();
    paths.dedup();
    paths
}

fn git(folder: &Path, arguments: &[String], input: &str) -> String {
    fs::write(folder.join("input"), input).unwrap();
    let mut git = Command::new("git");
    git.current_dir(folder).args(arguments).stdin(fs::File::open(folder.join("input")).unwrap());
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn git_leaves_out_what_the_rules_refuse_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    git(folder.path(), &words("init -q"), "");
    let blob = git(folder.path(), &words("hash-object -w --stdin"), "x");
    let secrets = SecretFiles::new();
    // An index holds either a file or a folder of one name, so we need two indexes for all paths.
    let paths = paths();
    let (below, plain): (Vec<_>, Vec<_>) = paths.iter().partition(|path| path.ends_with("/in/side"));
    let mut shown = Vec::new();
    for half in [below, plain] {
        git(folder.path(), &words("read-tree --empty"), "");
        let entries: String = half.iter().map(|path| format!("100644 {}\t{path}\0", blob.trim())).collect();
        git(folder.path(), &words("update-index -z --index-info"), &entries);
        let kept = git(folder.path(), &words("ls-files -z"), "");
        let excluded = secrets
            .rules()
            .flat_map(|(rule, _)| ["", "/**"].map(|below| format!(":(exclude,glob,icase)**/{rule}{below}")));
        let arguments: Vec<_> = words("ls-files -z -- .").into_iter().chain(excluded).collect();
        let seen = git(folder.path(), &arguments, "");
        for path in kept.split_terminator('\0') {
            shown.push((path.to_owned(), seen.split_terminator('\0').any(|seen| seen == path)));
        }
    }
    assert!(shown.len() > 1000 && shown.iter().any(|(_, is_shown)| *is_shown), "{}", shown.len());
    for (path, is_shown) in shown {
        let is_secret = secrets.rule_on(&LocalPath::new(&path).unwrap()).is_some();
        // Git does not show the public half of a key, because it does not know the exceptions.
        let is_public = path.to_lowercase().ends_with(".pub");
        assert!(is_secret != is_shown || is_public, "{path}: secret {is_secret}, shown {is_shown}");
    }
}
