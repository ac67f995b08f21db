-- An index of the files below `memories/`. It is made again from them.
CREATE TABLE memory_files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    -- Empty if the file was too young to tell its next change by its times.
    stamp TEXT NOT NULL,
    digest BLOB NOT NULL,
    -- NULL if the file is a memory.
    fault TEXT
) STRICT;

CREATE TABLE memories (
    file INTEGER PRIMARY KEY REFERENCES memory_files (id) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    type TEXT NOT NULL,
    confidence INTEGER NOT NULL,
    -- The whole memory, redacted.
    json TEXT NOT NULL
) STRICT;

CREATE TABLE memory_vectors (
    file INTEGER PRIMARY KEY REFERENCES memory_files (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

CREATE TABLE memory_uses (
    id TEXT PRIMARY KEY,
    used TEXT NOT NULL
) STRICT;

CREATE TABLE memory_receipts (
    run TEXT NOT NULL,
    id TEXT NOT NULL,
    is_rewarded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, id)
) STRICT;

CREATE VIRTUAL TABLE memory_texts USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER memory_is_gone AFTER DELETE ON memories BEGIN
    DELETE FROM memory_texts WHERE rowid = old.file;
END;
