"""The pairs of the conflict matrix (format 4.6): what each side does, and which of them clash.

Every pair gets tables of its own in one lake, named by its number `{n}`. Table `t{n}` has two data
files (a from 0 and from 100) and inlined rows (a from 1000); `{c}` is the catalog. The number is
that of the snapshot before: the files are of snapshot `{n}` + 1, the inlined rows of `{n}` + 2.
"""

from __future__ import annotations

from dataclasses import dataclass

SETUP = """BEGIN;
CREATE SCHEMA {c}.s{n};
CREATE TABLE {c}.main.t{n} (a INTEGER, b INTEGER);
INSERT INTO {c}.main.t{n} SELECT i, 0 FROM range(100) AS r(i);
INSERT INTO {c}.main.t{n} SELECT i, 0 FROM range(100, 200) AS r(i);
COMMIT;
INSERT INTO {c}.main.t{n} VALUES (1000, 0), (1001, 0)"""


@dataclass(frozen=True)
class Mine:
    """A statement of Spark, and the changes of others that it must not follow.

    Attributes:
        name: what it does.
        sql: the statement.
        clashes: kinds of `THEIRS` that end it.
        preparation: what DuckDB runs before, so that there is work.
    """

    name: str
    sql: str
    clashes: frozenset[str]
    preparation: str = ""


@dataclass(frozen=True)
class Theirs:
    """What another did in between: DuckDB's statement, and Spark's if it has one."""

    name: str
    duckdb: str
    spark: str | None = None


OF_SHAPE = frozenset({"alter", "comment"})
INSERTS = frozenset({"insert", "inlined insert"})
DELETES = frozenset({"delete, same file", "delete, other file"})
INLINED_DELETES = frozenset({"inlined delete of file rows", "inlined delete"})
COMPACTIONS = frozenset({"merge", "rewrite"})
"""The merge replaces both files. The rewrite replaces the second one, and deletes rows before."""
DROP = frozenset({"drop"})
OF_ROWS = DROP | OF_SHAPE | INSERTS

THEIRS = (
    Theirs("drop", "DROP TABLE {c}.main.t{n}", "DROP TABLE {c}.main.t{n}"),
    Theirs(
        "alter",
        "ALTER TABLE {c}.main.t{n} ADD COLUMN z INTEGER",
        "ALTER TABLE {c}.main.t{n} ADD COLUMN z INTEGER",
    ),
    Theirs(
        "comment",
        "COMMENT ON TABLE {c}.main.t{n} IS 'x'",
        "COMMENT ON TABLE {c}.main.t{n} IS 'x'",
    ),
    Theirs(
        "insert",
        "INSERT INTO {c}.main.t{n} SELECT i, 1 FROM range(2000, 2050) AS r(i)",
        "INSERT INTO {c}.main.t{n} SELECT CAST(id AS INT), 1 FROM range(2000, 2050)",
    ),
    Theirs(
        "inlined insert",
        "INSERT INTO {c}.main.t{n} VALUES (3000, 1)",
        "INSERT INTO {c}.main.t{n} VALUES (3000, 1)",
    ),
    Theirs(
        "delete, same file",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 20 AND 60",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 20 AND 60",
    ),
    Theirs(
        "delete, other file",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 120 AND 160",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 120 AND 160",
    ),
    Theirs(
        "inlined delete of file rows",
        "DELETE FROM {c}.main.t{n} WHERE a = 70",
        "DELETE FROM {c}.main.t{n} WHERE a = 70",
    ),
    Theirs(
        "inlined delete",
        "DELETE FROM {c}.main.t{n} WHERE a = 1001",
        "DELETE FROM {c}.main.t{n} WHERE a = 1001",
    ),
    Theirs(
        "flush",
        "CALL ducklake_flush_inlined_data('{c}', table_name => 't{n}')",
        "CALL {c}.system.flush_inlined_data('t{n}')",
    ),
    Theirs(
        "merge",
        "CALL ducklake_merge_adjacent_files('{c}', 't{n}')",
        "CALL {c}.system.merge_adjacent_files('t{n}')",
    ),
    Theirs(
        "rewrite",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 120 AND 180;"
        "CALL ducklake_rewrite_data_files('{c}', 't{n}', delete_threshold => 0.1)",
    ),
    Theirs(
        "rename",
        "ALTER TABLE {c}.main.t{n} RENAME TO r{n}",
        "ALTER TABLE {c}.main.t{n} RENAME TO main.r{n}",
    ),
    Theirs(
        "same name",
        "CREATE TABLE {c}.main.New{n} (a INTEGER)",
        "CREATE TABLE {c}.main.New{n} (a INTEGER)",
    ),
    Theirs("drop of the schema", "DROP SCHEMA {c}.s{n}", "DROP SCHEMA {c}.s{n}"),
    Theirs(
        "table in the schema",
        "CREATE TABLE {c}.s{n}.x (a INTEGER)",
        "CREATE TABLE {c}.s{n}.x (a INTEGER)",
    ),
)

INSERT = Mine(
    "insert",
    "INSERT INTO {c}.main.t{n} SELECT CAST(id AS INT), 5 FROM range(5000, 5020)",
    DROP | OF_SHAPE | DELETES | INLINED_DELETES | {"rewrite"},
)
INLINED_INSERT = Mine(
    "inlined insert",
    "INSERT INTO {c}.main.t{n} VALUES (5000, 5)",
    DROP | OF_SHAPE | DELETES | INLINED_DELETES | {"rewrite"},
)
TRUNCATE = Mine(
    "truncate",
    "TRUNCATE TABLE {c}.main.t{n}",
    OF_ROWS | DELETES | INLINED_DELETES | {"rewrite"},
)
DELETE = Mine(
    "delete",
    "DELETE FROM {c}.main.t{n} WHERE a < 15",
    OF_ROWS | INLINED_DELETES | {"merge", "delete, same file"},
)
DELETE_OF_A_FILE = Mine(
    "delete of a file",
    "DELETE FROM {c}.main.t{n} WHERE a < 100",
    OF_ROWS | INLINED_DELETES | {"merge", "delete, same file"},
)
INLINED_FILE_DELETE = Mine(
    "inlined delete of file rows",
    "DELETE FROM {c}.main.t{n} WHERE a < 10",
    OF_ROWS | DELETES | INLINED_DELETES | COMPACTIONS | {"flush"},
)
INLINED_DELETE = Mine(
    "inlined delete",
    "DELETE FROM {c}.main.t{n} WHERE a = 1000",
    OF_ROWS | DELETES | INLINED_DELETES | {"rewrite", "flush"},
)
REPLACE = Mine(
    "replace",
    "INSERT INTO {c}.main.t{n} REPLACE WHERE a < 15 SELECT 5, 5",
    OF_ROWS | DELETES | INLINED_DELETES | COMPACTIONS,
)
UPDATE = Mine(
    "update",
    "UPDATE {c}.main.t{n} SET b = 9 WHERE a < 15",
    OF_ROWS | DELETES | INLINED_DELETES | COMPACTIONS,
)
INLINED_UPDATE = Mine(
    "inlined update",
    "UPDATE {c}.main.t{n} SET b = 9 WHERE a = 1000",
    OF_ROWS | DELETES | INLINED_DELETES | {"rewrite", "flush"},
)
MERGE = Mine(
    "merge",
    "MERGE INTO {c}.main.t{n} t USING (SELECT 5 AS a, 7 AS b) s ON t.a = s.a"
    " WHEN MATCHED THEN DELETE",
    OF_ROWS | DELETES | INLINED_DELETES | COMPACTIONS | {"flush"},
)
FLUSH = Mine("flush", "CALL {c}.system.flush_inlined_data('t{n}')", DROP)
"""It begins anew when others delete inlined rows or flush."""
MERGE_FILES = Mine("merge files", "CALL {c}.system.merge_adjacent_files('t{n}')", DROP)
"""It is planned anew when others delete rows or compact."""
REWRITE_FILES = Mine(
    "rewrite files",
    "CALL {c}.system.rewrite_data_files('t{n}', delete_threshold => 0.1)",
    DROP,
    preparation="DELETE FROM {c}.main.t{n} WHERE a BETWEEN 30 AND 50",
)
"""It is planned anew, as a merge of files is."""

OF_THE_TABLE = OF_ROWS | DELETES | INLINED_DELETES | COMPACTIONS | {"flush"}
ROLLBACK = Mine(
    "rollback",
    "CALL {c}.system.rollback_to_snapshot('t{n}', snapshot_version => {n} + 1)",
    OF_THE_TABLE,
)
UNDO = Mine("undo", "CALL {c}.system.undo_commit({n} + 2)", OF_THE_TABLE)
ALTER = Mine("alter", "ALTER TABLE {c}.main.t{n} ADD COLUMN mine INTEGER", DROP | OF_SHAPE)
COMMENT = Mine("comment", "COMMENT ON TABLE {c}.main.t{n} IS 'mine'", DROP | OF_SHAPE)
DROP_TABLE = Mine("drop", "DROP TABLE {c}.main.t{n}", DROP | {"rename"})
REPLACE_TABLE = Mine(
    "replace the table",
    "CREATE OR REPLACE TABLE {c}.main.t{n} AS SELECT 1 AS a",
    DROP | {"rename"},
)
REPLACE_BY_OWN_ROWS = Mine(
    "replace the table by its rows",
    "CREATE OR REPLACE TABLE {c}.main.t{n} AS SELECT a FROM {c}.main.t{n}",
    OF_ROWS | DELETES | INLINED_DELETES | {"rewrite", "rename"},
)
RENAME = Mine(
    "rename",
    "ALTER TABLE {c}.main.t{n} RENAME TO main.new{n}",
    DROP | {"rename", "same name", "alter"},
)
CREATE = Mine("create", "CREATE TABLE {c}.main.new{n} (b INTEGER)", frozenset({"same name"}))
CREATE_VIEW = Mine(
    "create a view",
    "CREATE VIEW {c}.main.new{n} AS SELECT 1 AS a",
    frozenset({"same name"}),
)
CREATE_IN_SCHEMA = Mine(
    "create in a schema",
    "CREATE TABLE {c}.s{n}.y (b INTEGER)",
    frozenset({"drop of the schema"}),
)
DROP_SCHEMA = Mine(
    "drop the schema",
    "DROP SCHEMA {c}.s{n}",
    frozenset({"drop of the schema", "table in the schema"}),
)

MINE = (
    INSERT,
    INLINED_INSERT,
    TRUNCATE,
    DELETE,
    DELETE_OF_A_FILE,
    INLINED_FILE_DELETE,
    INLINED_DELETE,
    REPLACE,
    UPDATE,
    INLINED_UPDATE,
    MERGE,
    ALTER,
    COMMENT,
    DROP_TABLE,
    REPLACE_TABLE,
    RENAME,
    CREATE,
    CREATE_VIEW,
    CREATE_IN_SCHEMA,
    DROP_SCHEMA,
    FLUSH,
    ROLLBACK,
    UNDO,
    MERGE_FILES,
    REWRITE_FILES,
    REPLACE_BY_OWN_ROWS,
)
