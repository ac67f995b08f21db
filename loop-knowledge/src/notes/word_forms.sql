-- The index keeps the stems of words.
ALTER TABLE note_texts RENAME TO old_note_texts;

CREATE VIRTUAL TABLE note_texts USING fts5 (
    text, silo UNINDEXED, item UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
);

INSERT INTO note_texts (rowid, text, silo, item) SELECT rowid, text, silo, item FROM old_note_texts ORDER BY rowid;
DROP TABLE old_note_texts;
