-- The index keeps the stems of words. It is made again from the files.
DELETE FROM memory_vectors;
DELETE FROM memories;
DELETE FROM memory_files;
DROP TABLE memory_texts;

CREATE VIRTUAL TABLE memory_texts USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
