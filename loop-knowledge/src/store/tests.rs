use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    thread,
};

use super::*;

const FIRST: Schema = Schema {
    mark: 0x6c6f_6f70,
    migrations: &[&["CREATE TABLE words (word TEXT NOT NULL) STRICT;"]],
    is_durable: false,
};

const SECOND: Schema = Schema {
    migrations: &[
        &["CREATE TABLE words (word TEXT NOT NULL) STRICT;"],
        &["ALTER TABLE words ADD COLUMN language TEXT NOT NULL DEFAULT 'en';"],
    ],
    ..FIRST
};

fn add(database: &mut Database, word: &str) -> Result<(), Error> {
    database.write(|change| change.execute("INSERT INTO words (word) VALUES (?1)", [word])).map(drop)
}

fn count(database: &mut Database) -> i64 {
    database.read(|read| read.query_row("SELECT count(*) FROM words", [], |row| row.get(0))).unwrap()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_owner_can_read_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/words.db");
    let mut database = Database::open(&path, &FIRST).unwrap();
    add(&mut database, "one").unwrap();
    for suffix in ["", "-wal", "-shm"] {
        assert_eq!(mode(&open::with_suffix(&path, suffix)), 0o600, "{suffix:?}");
    }
    assert_eq!(mode(&folder.path().join("a")), 0o700);
    drop(database);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    Database::open(&path, &FIRST).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn writers_wait_for_each_other_and_create_the_tables_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut database = Database::open(&path, &FIRST).unwrap();
                (0..25).for_each(|_| add(&mut database, "word").unwrap());
            });
        }
    });
    assert_eq!(count(&mut Database::open(&path, &FIRST).unwrap()), 100);
}

#[test]
fn a_failed_change_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Database::open(&folder.path().join("words.db"), &FIRST).unwrap();
    let failed = database.write(|change| {
        change.execute("INSERT INTO words (word) VALUES ('one')", [])?;
        change.execute("INSERT INTO words (word) VALUES (NULL)", [])
    });
    assert!(matches!(failed, Err(Error::Database { .. })), "{failed:?}");
    assert_eq!(count(&mut database), 0);
}

#[test]
fn a_full_disk_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = Database::open(&folder.path().join("words.db"), &FIRST).unwrap();
    add(&mut database, "one").unwrap();
    let pages = |read: &Transaction<'_>| read.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0));
    let pages = database.read(pages).unwrap();
    database.connection().execute_batch(&format!("PRAGMA max_page_count = {pages}")).unwrap();
    let error = add(&mut database, &"long ".repeat(10_000)).unwrap_err();
    assert!(matches!(error, Error::Database { .. }), "{error:?}");
    assert_eq!(count(&mut database), 1);
}

#[test]
fn an_earlier_format_is_migrated_after_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    add(&mut Database::open(&path, &FIRST).unwrap(), "one").unwrap();
    // A process died in an earlier attempt.
    fs::write(folder.path().join("words.db.format-1.partial"), "half").unwrap();
    let mut migrated = Database::open(&path, &SECOND).unwrap();
    let language = "SELECT language FROM words";
    let language = migrated.read(|read| read.query_row(language, [], |row| row.get::<_, String>(0))).unwrap();
    assert_eq!(language, "en");
    let copy = folder.path().join("words.db.format-1");
    assert_eq!(mode(&copy), 0o600);
    assert_eq!(check(&copy, &SECOND).unwrap().format, 1);
    assert_eq!(count(&mut Database::open(&copy, &FIRST).unwrap()), 1);
    migrated.erase_copies().unwrap();
    assert!(!copy.exists(), "what was deleted is in no copy");
    assert!(!folder.path().join("words.db.format-1.partial").exists());
}

#[test]
fn a_failed_migration_leaves_the_earlier_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    add(&mut Database::open(&path, &FIRST).unwrap(), "one").unwrap();
    let broken =
        Schema { migrations: &[&[], &["ALTER TABLE words ADD COLUMN a TEXT; CREATE NONSENSE"]], ..FIRST };
    assert!(matches!(Database::open(&path, &broken), Err(Error::Database { .. })));
    assert_eq!(count(&mut Database::open(&path, &FIRST).unwrap()), 1);
}

#[test]
fn a_later_format_is_refused_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    drop(Database::open(&path, &SECOND).unwrap());
    let before = fs::read(&path).unwrap();
    let error = Database::open(&path, &FIRST).unwrap_err();
    assert!(matches!(error, Error::LaterFormat { found: 2, known: 1, .. }), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_of_ours_is_refused_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.db");
    fs::write(&text, "no database, but a text that is longer than a header of SQLite".repeat(20)).unwrap();
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE words (word TEXT)").unwrap();
    let link = folder.path().join("link.db");
    symlink(&other, &link).unwrap();
    for path in [&text, &other, &link] {
        let before = fs::read(path).unwrap();
        let error = Database::open(path, &FIRST).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains("move the file away"), "{error}");
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    let mut database = Database::open(&path, &FIRST).unwrap();
    (0..500).for_each(|number| add(&mut database, &format!("word {number}")).unwrap());
    drop(database);
    assert_eq!(check(&path, &FIRST).unwrap().format, 1);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xA5);
    fs::write(&path, bytes).unwrap();
    let found = check(&path, &FIRST);
    assert!(matches!(found, Err(Error::Damaged { .. })), "{found:?}");
}

/// Nothing but damage makes a database empty, and a new one in its place would hide the loss.
#[test]
fn an_emptied_or_missing_database_is_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    let mut database = Database::open(&path, &FIRST).unwrap();
    add(&mut database, "one").unwrap();
    fs::copy(open::with_suffix(&path, "-wal"), folder.path().join("log")).unwrap();
    drop(database);
    fs::write(&path, "").unwrap();
    for refused in [Database::open(&path, &FIRST).map(drop), check(&path, &FIRST).map(drop)] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("it is empty") && error.contains("move the file away"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"");
    // Only the log has the last changes.
    fs::remove_file(&path).unwrap();
    fs::rename(folder.path().join("log"), open::with_suffix(&path, "-wal")).unwrap();
    let error = Database::open(&path, &FIRST).unwrap_err().to_string();
    assert!(error.contains("words.db-wal still has changes"), "{error}");
    assert!(!path.exists() && open::with_suffix(&path, "-wal").exists());
}

#[test]
fn a_killed_creation_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    for left in ["words.db.new", "words.db.new-wal", "words.db.new-journal"] {
        fs::write(folder.path().join(left), "half").unwrap();
    }
    assert_eq!(count(&mut Database::open(&path, &FIRST).unwrap()), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_check_finds_what_opening_refuses_and_what_others_can_use() {
    let dir = tempfile::tempdir().unwrap();
    let folder = KnowledgeFolder::at(dir.path().join("known"));
    assert!(folder.check().is_empty());
    let faults = || folder.check().into_iter().filter_map(Result::err).map(|error| error.to_string());
    drop(folder.open().unwrap());
    assert_eq!(faults().count(), 0);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(folder.database(), fs::Permissions::from_mode(0o606)).unwrap();
    let found: Vec<_> = faults().collect();
    assert!(
        found.len() == 2 && found[0].contains("(mode 606)") && found[1].contains("(mode 777)"),
        "{found:?}"
    );
    drop(folder.open().unwrap());
    assert_eq!(faults().count(), 0, "opening repairs the modes");
    let pragma = |pragma: &str| Connection::open(folder.database()).unwrap().execute_batch(pragma).unwrap();
    for (change, back, why) in [
        ("PRAGMA user_version = 99", "PRAGMA user_version = 2", "format 99"),
        ("PRAGMA application_id = 7", "PRAGMA application_id = 1818979951", "another program"),
    ] {
        pragma(change);
        let found = faults().next().unwrap();
        assert!(found.contains(why) && folder.open().is_err(), "{found}");
        pragma(back);
    }
    assert_eq!(faults().count(), 0);
    let other = dir.path().join("other.db");
    for target in [&other, &dir.path().join("nowhere")] {
        fs::rename(folder.database(), &other).unwrap_or_default();
        fs::remove_file(folder.database()).unwrap_or_default();
        symlink(target, folder.database()).unwrap();
        let found = faults().next().unwrap();
        assert!(found.contains("not a regular file"), "{found}");
    }
}

#[test]
fn deleted_texts_are_not_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("words.db");
    let mut database = Database::open(&path, &FIRST).unwrap();
    let texts = "CREATE VIRTUAL TABLE texts USING fts5 (text, content = '', contentless_delete = 1);
                 INSERT INTO texts (rowid, text) VALUES (1, 'plantedword kept'), (2, 'other');";
    database.connection().execute_batch(texts).unwrap();
    add(&mut database, "plantedword").unwrap();
    add(&mut database, "kept").unwrap();
    let delete = "DELETE FROM words WHERE word = 'plantedword'; DELETE FROM texts WHERE rowid = 1;";
    database.write(|change| change.execute_batch(delete)).unwrap();
    database.erase_deleted(&["texts"]).unwrap();
    for file in open::files_of(&path) {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(11).any(|part| part == b"plantedword"), "{}", file.display());
    }
    assert_eq!(count(&mut database), 1);
}
