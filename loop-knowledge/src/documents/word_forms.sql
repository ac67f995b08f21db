-- The index keeps the stems of words. Its texts are not stored, so they come from the words of the old index: those have
-- no secret in them, and no letters that would have to be separated.
CREATE VIRTUAL TABLE temp.old_words USING fts5vocab('main', 'chunk_texts', 'instance');

CREATE TABLE moved_texts AS
SELECT doc AS chunk, group_concat(term, ' ' ORDER BY offset) AS text FROM temp.old_words
WHERE doc IN (SELECT id FROM chunks) GROUP BY doc;

DROP TABLE temp.old_words;
DROP TABLE chunk_texts;

CREATE VIRTUAL TABLE chunk_texts USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- The bytes of the index that are collected before they are written, so that few parts have to be merged.
INSERT INTO chunk_texts (chunk_texts, rank) VALUES ('hashsize', 8388608);

INSERT INTO chunk_texts (rowid, text) SELECT chunk, text FROM moved_texts;
DROP TABLE moved_texts;
