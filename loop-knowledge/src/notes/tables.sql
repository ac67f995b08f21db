CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name in lower case, so that names are compared without regard to case in every script.
    key TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'concluded')),
    created TEXT NOT NULL,
    changed TEXT NOT NULL
) STRICT;

CREATE TABLE observations (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL DEFAULT 'note' CHECK (kind IN ('note', 'finding', 'decision', 'question', 'hypothesis')),
    text TEXT NOT NULL,
    created TEXT NOT NULL,
    doi TEXT
) STRICT;

CREATE INDEX observations_of_project ON observations (project);

CREATE TABLE concepts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL DEFAULT '',
    identifier_type TEXT,
    identifier TEXT
) STRICT;

CREATE TABLE project_concepts (
    project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    concept INTEGER NOT NULL REFERENCES concepts (id) ON DELETE CASCADE,
    PRIMARY KEY (project, concept)
) STRICT, WITHOUT ROWID;

CREATE TABLE observation_concepts (
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    concept INTEGER NOT NULL REFERENCES concepts (id) ON DELETE CASCADE,
    PRIMARY KEY (observation, concept)
) STRICT, WITHOUT ROWID;

-- The full text of the items below.
CREATE VIRTUAL TABLE note_texts USING fts5 (
    text, silo UNINDEXED, item UNINDEXED, tokenize = 'unicode61 remove_diacritics 2'
);

-- The project in use: one row at most.
CREATE TABLE project_in_use (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT;

CREATE VIEW note_items AS
SELECT 'project' AS silo, id AS item, name AS label, description AS text FROM projects
UNION ALL
SELECT 'concept', id, name, description FROM concepts
UNION ALL
SELECT 'observation', observations.id, observations.kind || ' in ' || projects.name, observations.text
FROM observations JOIN projects ON projects.id = observations.project;

CREATE VIEW project_summary AS
SELECT
    projects.id, projects.name, projects.description, projects.status, projects.created, projects.changed,
    (SELECT count(*) FROM observations WHERE observations.project = projects.id) AS observations,
    coalesce((
        SELECT group_concat(name, ', ') FROM (
            SELECT concepts.name FROM project_concepts JOIN concepts ON concepts.id = project_concepts.concept
            WHERE project_concepts.project = projects.id ORDER BY concepts.key
        )
    ), '') AS concepts
FROM projects;
