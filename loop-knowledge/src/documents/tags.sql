-- The identifiers of works, people and organisations in a chunk.
CREATE TABLE tags (
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    identifier TEXT NOT NULL,
    PRIMARY KEY (identifier, chunk)
) STRICT, WITHOUT ROWID;

CREATE INDEX tags_of_chunk ON tags (chunk);
