CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    -- NULL if the store has no vectors.
    embedder TEXT,
    length INTEGER NOT NULL,
    created TEXT NOT NULL
) STRICT;

CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    language TEXT NOT NULL,
    ingested TEXT NOT NULL
) STRICT;

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    label TEXT
) STRICT;

CREATE INDEX chunks_of_source ON chunks (source);

-- Apart from the texts, so that comparing all vectors reads nothing else.
CREATE TABLE vectors (
    chunk INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE chunk_texts USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- The bytes of the index that are collected before they are written, so that few parts have to be merged.
INSERT INTO chunk_texts (chunk_texts, rank) VALUES ('hashsize', 8388608);

CREATE TRIGGER chunk_is_gone AFTER DELETE ON chunks BEGIN
    DELETE FROM chunk_texts WHERE rowid = old.id;
END;
