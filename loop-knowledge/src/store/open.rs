//! Opening a database. A new file gets its tables, an earlier format is migrated after a copy was made, and everything
//! else that is not of the present format is refused unchanged.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{Database, Schema};
use crate::Error;

/// How long a statement waits for another writer.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Database {
    /// Opens the database, and creates it with its folder if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged, has a later format, is not a regular file, or cannot be used.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Self, Error> {
        let path = create(path)?;
        let mut database = Self { connection: connect(&path)?, path };
        let mut format = database.format(schema)?;
        if format < schema.format() {
            // Only one process creates or migrates. SQLite's own lock does not cover the change to a write-ahead log.
            let folder = database.path.parent().unwrap_or(Path::new("/"));
            let lock = File::open(folder).map_err(Error::file(folder))?;
            lock.lock().map_err(Error::file(folder))?;
            format = database.format(schema)?;
            if format < schema.format() {
                database.migrate(schema, format)?;
            }
        }
        database.configure(schema).map_err(Error::database(&database.path))?;
        Ok(database)
    }

    /// Returns the format of the file: 0 for an empty one.
    fn format(&self, schema: &Schema) -> Result<i64, Error> {
        // One statement, and so one view: another process may be creating the tables.
        let statement = "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
                         FROM pragma_user_version, pragma_application_id";
        let row = self.connection.query_row(statement, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let (format, mark, tables) = row.map_err(Error::database(&self.path))?;
        if (format, tables) == (0, 0) {
            return Ok(0);
        }
        if mark != i64::from(schema.mark) || format <= 0 {
            let why = "it is a database of another program".to_owned();
            return Err(Error::Damaged { path: self.path.clone(), why });
        }
        if format > schema.format() {
            return Err(Error::LaterFormat {
                path: self.path.clone(),
                found: format,
                known: schema.format(),
            });
        }
        Ok(format)
    }

    fn migrate(&mut self, schema: &Schema, from: i64) -> Result<(), Error> {
        if from > 0 {
            self.copy_before_migration(from)?;
        }
        let mut migrate = || {
            self.connection.execute_batch("PRAGMA journal_mode = WAL")?;
            let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for statements in &schema.migrations[from as usize..] {
                statements.iter().try_for_each(|statements| change.execute_batch(statements))?;
            }
            change.pragma_update(None, "application_id", schema.mark)?;
            change.pragma_update(None, "user_version", schema.format())?;
            change.commit()
        };
        migrate().map_err(Error::database(&self.path))
    }

    /// Copies the database to `NAME.format-N`. The copy has that name only once it is whole.
    fn copy_before_migration(&self, format: i64) -> Result<(), Error> {
        let copy = with_suffix(&self.path, &format!(".format-{format}"));
        let partial = with_suffix(&copy, ".partial");
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file(&partial)(error)),
            _ => {}
        }
        // SQLite keeps the mode of an empty file.
        create_file(&partial)?;
        let statement = self.connection.execute("VACUUM INTO ?1", [partial.to_string_lossy()]);
        statement.map_err(Error::database(&partial))?;
        File::open(&partial).and_then(|file| file.sync_all()).map_err(Error::file(&partial))?;
        fs::rename(&partial, &copy).map_err(Error::file(&copy))
    }

    fn configure(&self, schema: &Schema) -> rusqlite::Result<()> {
        let synchronous = if schema.is_durable { "FULL" } else { "NORMAL" };
        self.connection.execute_batch(&format!(
            "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"
        ))
    }
}

/// Creates the folder and an empty file if they are missing, and lets only the owner read the file. Returns its path
/// without links.
fn create(path: &Path) -> Result<PathBuf, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::file(folder))?;
    let folder = folder.canonicalize().map_err(Error::file(folder))?;
    let path = folder.join(path.file_name().unwrap_or_default());
    let facts = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_file(&path)?;
            path.symlink_metadata()
        }
        facts => facts,
    };
    if !facts.map_err(Error::file(&path))?.is_file() {
        let why = "it is not a regular file".to_owned();
        return Err(Error::Damaged { path, why });
    }
    // SQLite gives new files beside the database its mode, but keeps the mode of those that are there.
    for file in ["", "-wal", "-shm"].map(|suffix| with_suffix(&path, suffix)) {
        match file.symlink_metadata() {
            Ok(facts) if facts.is_file() && facts.permissions().mode() & 0o777 != 0o600 => {
                fs::set_permissions(&file, Permissions::from_mode(0o600)).map_err(Error::file(&file))?;
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file(&file)(error)),
            _ => {}
        }
    }
    Ok(path)
}

/// Creates an empty file that only its owner can read. Another process may have done the same.
fn create_file(path: &Path) -> Result<(), Error> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(Error::file(path)(error)),
        _ => Ok(()),
    }
}

fn connect(path: &Path) -> Result<Connection, Error> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags).map_err(Error::database(path))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(Error::database(path))?;
    Ok(connection)
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
