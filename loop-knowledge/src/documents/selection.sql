-- The store in use, and whether its hits are added to prompts: one row at most.
CREATE TABLE retrieval (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    store TEXT,
    is_on INTEGER NOT NULL
) STRICT;
