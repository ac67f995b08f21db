//! One SQLite file: who may read it, which format it has, and who writes.

mod knowledge;
mod open;
#[cfg(test)]
mod tests;

use std::{
    io::ErrorKind,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use self::knowledge::KnowledgeFolder;
use crate::Error;

/// The kind of a database: its mark, and the statements that make each format from the one before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schema {
    /// The mark in the file (`application_id`), so that no other database is taken for this one.
    pub(crate) mark: i32,
    /// One list of statements for each format. The first one makes format 1 from an empty file.
    pub(crate) migrations: &'static [&'static [&'static str]],
    /// Whether each change is on the disk before it counts as done. A change that can be repeated from files needs not.
    pub(crate) is_durable: bool,
}

impl Schema {
    pub(crate) fn format(&self) -> i64 {
        self.migrations.len() as i64
    }
}

/// Returns what follows the name of a database in the name of the copy that was made of this format.
pub(crate) fn copy_suffix(format: i64) -> String {
    format!(".format-{format}")
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Reads with one consistent view, while others may write.
    pub(crate) fn read<T>(
        &mut self,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.transaction(TransactionBehavior::Deferred, read)
    }

    /// Changes the database in one transaction: all of it or, if `change` fails, nothing. Waits up to 5 seconds for
    /// another writer.
    pub(crate) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.transaction(TransactionBehavior::Immediate, change)
    }

    /// Removes what was deleted from the disk as well: from these full-text tables, and from the write-ahead log. While
    /// another process reads, the log keeps its bytes until the last process closes the database.
    pub(crate) fn erase_deleted(&mut self, texts: &[&str]) -> Result<(), Error> {
        let erase = || {
            for table in texts {
                // A table without its texts only marks what is deleted, until its parts are merged.
                self.connection.execute(&format!("INSERT INTO {table} ({table}) VALUES ('optimize')"), [])?;
            }
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        erase().map_err(Error::database(&self.path))
    }

    /// Removes the copies that were made before migrations, since they have what a person deleted later.
    pub(crate) fn erase_copies(&self) -> Result<(), Error> {
        let format = self.connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
        let format = format.map_err(Error::database(&self.path))?;
        for copy in (1..format).map(|format| open::with_suffix(&self.path, &copy_suffix(format))) {
            match std::fs::remove_file(&copy) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(Error::file(copy)(error)),
                _ => {}
            }
        }
        Ok(())
    }

    fn transaction<T>(
        &mut self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let transaction = self.connection.transaction_with_behavior(behavior);
        let done = transaction.and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        done.map_err(Error::database(&self.path))
    }

    #[cfg(test)]
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// A database that was checked and is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The format number of the database.
    pub format: i64,
    /// Its size in bytes, without its write-ahead log.
    pub bytes: u64,
}

/// Reads a whole database and checks that it is undamaged, of a known format, and only for its owner. Changes nothing.
pub(crate) fn check(path: &Path, schema: &Schema) -> Result<Health, Error> {
    open::expect_file(path)?;
    open::files_of(path).iter().try_for_each(|file| expect_private(file))?;
    let bytes = path.metadata().map_err(Error::file(path))?.len();
    let database = Database { connection: open::connect(path)?, path: path.to_owned() };
    let format = database.format(schema)?;
    let integrity = database.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    let found: String = integrity.map_err(Error::database(path))?;
    if found == "ok" {
        Ok(Health { format, bytes })
    } else {
        Err(Error::Damaged { path: path.to_owned(), why: found })
    }
}

/// Refuses a file or folder that others than its owner can use. It may be missing.
fn expect_private(path: &Path) -> Result<(), Error> {
    let mode = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        facts => facts.map_err(Error::file(path))?.permissions().mode() & 0o777,
    };
    if mode & open::OTHERS == 0 { Ok(()) } else { Err(Error::Exposed { path: path.to_owned(), mode }) }
}
