//! Opening a database. A new file gets its tables, an earlier format is migrated after a copy was made, and everything
//! else that is not of the present format is refused unchanged.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::ErrorKind,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::{Database, Schema, copy_suffix};
use crate::Error;

/// The bits of a mode that let others than the owner use a file.
pub(super) const OTHERS: u32 = 0o077;

/// How long a statement waits for another writer.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Database {
    /// Opens the database, and creates it with its folder if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged, has a later format, is not a regular file, or cannot be used.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<Self, Error> {
        let path = place(path)?;
        if is_missing(&path)? {
            create(&path, schema)?;
        }
        make_private(&path)?;
        let mut database = Self { connection: connect(&path)?, path };
        if database.lacks_shared_memory() {
            database.connection = connect_without_shared_memory(&database.path)?;
        }
        if database.format(schema)? < schema.format() {
            // Only one process migrates. SQLite's own lock does not cover the change to a write-ahead log.
            let _lock = lock(&database.path)?;
            let format = database.format(schema)?;
            if format < schema.format() {
                database.copy_before_migration(format)?;
                database.migrate(schema, format)?;
            }
        }
        database.configure(schema).map_err(Error::database(&database.path))?;
        Ok(database)
    }

    /// Returns whether the file beside the database that all its processes share cannot grow, as on a full disk.
    fn lacks_shared_memory(&self) -> bool {
        let read = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        let code = read.err().and_then(|error| Some(error.sqlite_error()?.extended_code));
        code.is_some_and(|code| [ffi::SQLITE_IOERR_SHMSIZE, ffi::SQLITE_IOERR_SHMMAP].contains(&code))
    }

    /// Returns the format of the file. A database has its tables before it gets its name, so an empty file is damaged.
    pub(super) fn format(&self, schema: &Schema) -> Result<i64, Error> {
        // One statement, and so one view: another process may be creating the tables.
        let statement = "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
                         FROM pragma_user_version, pragma_application_id";
        let row = self.connection.query_row(statement, [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let (format, mark, tables) = row.map_err(Error::database(&self.path))?;
        if mark != i64::from(schema.mark) || format <= 0 {
            let is_empty = (format, tables) == (0, 0);
            let why = if is_empty { "it is empty" } else { "it is a database of another program" };
            return Err(Error::Damaged { path: self.path.clone(), why: why.to_owned() });
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
        let copy = with_suffix(&self.path, &copy_suffix(format));
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
            "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
             PRAGMA secure_delete = ON; PRAGMA cache_size = -32768;"
        ))
    }
}

/// Creates the folder of a database if it is missing, and lets only the owner use it. Returns the path of the database
/// without links.
fn place(path: &Path) -> Result<PathBuf, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::file(folder))?;
    let folder = folder.canonicalize().map_err(Error::file(folder))?;
    let mode = folder.metadata().map_err(Error::file(&folder))?.permissions().mode();
    if mode & OTHERS != 0 {
        let private = Permissions::from_mode(mode & 0o7777 & !OTHERS);
        fs::set_permissions(&folder, private).map_err(Error::file(&folder))?;
    }
    Ok(folder.join(path.file_name().unwrap_or_default()))
}

fn is_missing(path: &Path) -> Result<bool, Error> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        facts => facts.map(|_| false).map_err(Error::file(path)),
    }
}

/// Creates the database under another name, and gives it its own name once it has its tables. Another process may do
/// the same.
fn create(path: &Path, schema: &Schema) -> Result<(), Error> {
    let lock = lock(path)?;
    if !is_missing(path)? {
        return Ok(());
    }
    let log = with_suffix(path, "-wal");
    if log.symlink_metadata().is_ok_and(|facts| facts.len() > 0) {
        let why = format!("it is missing, but {} still has changes of it", log.display());
        return Err(Error::Damaged { path: path.to_owned(), why });
    }
    let new = with_suffix(path, ".new");
    for left in ["", "-wal", "-shm", "-journal"].map(|suffix| with_suffix(&new, suffix)) {
        match fs::remove_file(&left) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file(&left)(error)),
            _ => {}
        }
    }
    create_file(&new)?;
    let mut database = Database { connection: connect(&new)?, path: new.clone() };
    database.migrate(schema, 0)?;
    // The write-ahead log becomes part of the file, since nobody else knows the file.
    database.connection.close().map_err(|(_, error)| Error::database(&new)(error))?;
    File::open(&new).and_then(|file| file.sync_all()).map_err(Error::file(&new))?;
    fs::rename(&new, path).and_then(|()| lock.sync_all()).map_err(Error::file(path))
}

/// Waits until no other process creates or migrates a database of this folder. Returns the folder.
fn lock(path: &Path) -> Result<File, Error> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let lock = File::open(folder).map_err(Error::file(folder))?;
    lock.lock().map_err(Error::file(folder))?;
    Ok(lock)
}

/// Lets only the owner use the file of a database and those beside it.
fn make_private(path: &Path) -> Result<(), Error> {
    expect_file(path)?;
    // SQLite gives new files beside the database its mode, but keeps the mode of those that are there.
    for file in files_of(path) {
        match file.symlink_metadata() {
            Ok(facts) if facts.is_file() && facts.permissions().mode() & 0o777 != 0o600 => {
                fs::set_permissions(&file, Permissions::from_mode(0o600)).map_err(Error::file(&file))?;
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file(&file)(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a link, a pipe, or anything else in the place of a database.
pub(super) fn expect_file(path: &Path) -> Result<(), Error> {
    if path.symlink_metadata().map_err(Error::file(path))?.is_file() {
        return Ok(());
    }
    Err(Error::Damaged { path: path.to_owned(), why: "it is not a regular file".to_owned() })
}

/// Returns the paths of a database, its write-ahead log and its shared memory.
pub(super) fn files_of(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| with_suffix(path, suffix))
}

/// Creates an empty file that only its owner can read. Another process may have done the same.
fn create_file(path: &Path) -> Result<(), Error> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(Error::file(path)(error)),
        _ => Ok(()),
    }
}

pub(super) fn connect(path: &Path) -> Result<Connection, Error> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags).map_err(Error::database(path))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(Error::database(path))?;
    Ok(connection)
}

/// Opens a database for a reader on a full disk. Without a write-ahead log, the file itself has everything. With one, only
/// a connection that is alone can read it.
fn connect_without_shared_memory(path: &Path) -> Result<Connection, Error> {
    if with_suffix(path, "-wal").symlink_metadata().is_ok_and(|log| log.len() > 0) {
        let connection = connect(path)?;
        let alone = connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE");
        return alone.map(|()| connection).map_err(Error::database(path));
    }
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let letter = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let address: String = path.as_os_str().as_bytes().iter().copied().map(letter).collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(format!("file:{address}?immutable=1"), flags).map_err(Error::database(path))
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
