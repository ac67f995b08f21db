//! The file of a plan while somebody else edits it.

use super::*;

const BEFORE: &str = "# Plan: X\n\n- [x] One\n- [ ] Two\n- [ ] Three\n";

fn restored(after: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = PlanFile::at(folder.path().join(".loop/plan.md"));
    let before = PlanDocument::parse(BEFORE, "").unwrap();
    file.write(&before).unwrap();
    fs::write(file.path(), after).unwrap();
    let note = file.restore(&before, 1, Timestamp::UNIX_EPOCH).unwrap();
    (fs::read_to_string(file.path()).unwrap(), note.is_some())
}

#[test]
fn an_edit_that_leaves_no_place_for_the_step_stays_and_is_an_error() {
    for (after, message) in [
        (Some("- [x] One\n- [ ] Two\n"), "lost steps during a step"),
        (Some("- [ ] A\n- [ ] B\n- [ ] C\n"), "was replaced by another plan"),
        (Some("# Plan: X\n\n<!-- created: 2026-01-01T00:00:00Z -->\n- [ ] One\n"), "was replaced"),
        (Some(""), "was edited so that it cannot be performed"),
        (Some("- [ ] One [validate: hope]\n"), "was edited so that it cannot be performed"),
        (None, "was removed during a step"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = PlanFile::at(folder.path().join("plan.md"));
        let before = PlanDocument::parse(BEFORE, "").unwrap();
        file.write(&before).unwrap();
        match after {
            Some(text) => fs::write(file.path(), text).unwrap(),
            None => file.remove().unwrap(),
        }
        let error = file.restore(&before, 1, Timestamp::UNIX_EPOCH).unwrap_err().to_string();
        assert!(error.contains(message), "{after:?}: {error}");
        assert_eq!(fs::read_to_string(file.path()).ok().as_deref(), after);
        assert_eq!(fs::read_to_string(folder.path().join("plan.md.before")).unwrap(), BEFORE);
    }
}

#[test]
fn an_update_keeps_an_edit_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = PlanFile::at(folder.path().join("plan.md"));
    file.write(&PlanDocument::parse("- [ ] One\n", "").unwrap()).unwrap();
    let mut reads = 0;
    let update = file.update(|plan| {
        reads += 1;
        if reads == 1 {
            fs::write(file.path(), "- [ ] One\n- [ ] Two\n").unwrap();
        }
        plan.mark(0, StepState::Done, Timestamp::UNIX_EPOCH);
        true
    });
    assert_eq!((update.unwrap().text(), reads), ("- [x] One\n- [ ] Two\n", 2));
    let update = file.update(|plan| {
        fs::write(file.path(), format!("{}- [ ] More\n", plan.text())).unwrap();
        true
    });
    assert!(update.unwrap_err().to_string().contains("cannot write"));
}

#[test]
fn states_return_and_texts_stay() {
    for (after, expected, is_noted) in [
        (BEFORE, BEFORE, false),
        ("# Plan: X\n\n- [x] One\n- [x] Two\n- [!] Three\n", BEFORE, true),
        (
            "- [x] One\n- [ ] Two\n- [ ] Three and a half\n",
            "- [x] One\n- [ ] Two\n- [ ] Three and a half\n",
            false,
        ),
        ("- [x] One\n- [ ] Two\n- [x] Three!\n", "- [x] One\n- [ ] Two\n- [ ] Three!\n", true),
        // The performed step keeps its title.
        ("- [x] One\n- [x] Two!\n- [ ] Three\n", "- [x] One\n- [ ] Two\n- [ ] Three\n", true),
        ("- [x] One\n- [ ] 2\n- [ ] New\n- [ ] Three", "- [x] One\n- [ ] Two\n- [ ] New\n- [ ] Three", true),
        (
            "- [x] One\n- [ ] Two\n- [x] New\n- [ ] Three\n",
            "- [x] One\n- [ ] Two\n- [ ] New\n- [ ] Three\n",
            true,
        ),
    ] {
        assert_eq!(restored(after), (expected.to_owned(), is_noted), "{after}");
    }
}

#[test]
fn a_link_is_not_read_and_writing_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    let (other, file) = (folder.path().join("other"), PlanFile::at(folder.path().join("plan.md")));
    assert_eq!(
        file.read().unwrap_err().to_string(),
        format!("there is no plan in {}", file.path().display())
    );
    fs::write(&other, BEFORE).unwrap();
    std::os::unix::fs::symlink(&other, file.path()).unwrap();
    assert!(matches!(file.read(), Err(PlanFileError::Read { .. })));
    let plan = PlanDocument::parse("- [ ] Mine\n", "").unwrap();
    file.write(&plan).unwrap();
    assert_eq!(file.read().unwrap().text(), "- [ ] Mine\n");
    assert_eq!(fs::read_to_string(other).unwrap(), BEFORE);
}
