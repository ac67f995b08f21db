//! One SQLite file: who may read it, which format it has, and who writes.

mod knowledge;
mod open;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

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
    fn format(&self) -> i64 {
        self.migrations.len() as i64
    }
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
}

impl Database {
    #[cfg(test)]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

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

/// The result of [`check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The format number of the database.
    pub format: i64,
    /// Its size in bytes, without its write-ahead log.
    pub bytes: u64,
}

/// Reads a whole database and checks that it is undamaged. Changes nothing.
///
/// # Errors
///
/// Fails with [`Error::Damaged`] if it is damaged, and with other errors if it cannot be read.
pub fn check(path: &Path) -> Result<Health, Error> {
    let bytes = path.metadata().map_err(Error::file(path))?.len();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(Error::database(path))?;
    connection.busy_timeout(open::BUSY_TIMEOUT).map_err(Error::database(path))?;
    let query = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0));
    let found: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(Error::database(path))?;
    if found != "ok" {
        return Err(Error::Damaged { path: path.to_owned(), why: found });
    }
    Ok(Health { format: query("user_version").map_err(Error::database(path))?, bytes })
}
