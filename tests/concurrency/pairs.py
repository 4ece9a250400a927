"""The pairs of the conflict matrix (format 4.6): what each side does, and which of them clash.

Every pair gets tables of its own in one lake, named by its number `{n}`. Table `t{n}` has two data
files (a from 0 and from 100) and inlined rows (a from 1000); `{c}` is the catalog. The number is
that of the snapshot before: the files are of snapshot `{n}` + 1, the inlined rows of `{n}` + 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SETUP = """BEGIN;
CREATE SCHEMA {c}.s{n};
CREATE TABLE {c}.main.t{n} (a INTEGER, b INTEGER);
INSERT INTO {c}.main.t{n} SELECT i, 0 FROM range(100) AS r(i);
INSERT INTO {c}.main.t{n} SELECT i, 0 FROM range(100, 200) AS r(i);
COMMIT;
INSERT INTO {c}.main.t{n} VALUES (1000, 0), (1001, 0)"""


Rows = list[tuple[int, int]]
"""The columns `a` and `b` of a table, sorted."""

Effect = Callable[[Rows], Rows]

AT_FIRST: Rows = [(a, 0) for a in (*range(200), 1000, 1001)]


def unchanged(rows: Rows) -> Rows:
    """What a statement that changes no row does."""
    return rows


def adds(*more: tuple[int, int]) -> Effect:
    """New rows."""
    return lambda rows: sorted([*rows, *more])


def deletes(*gone: int) -> Effect:
    """Rows go, by `a`."""
    return lambda rows: [row for row in rows if row[0] not in gone]


def updates(b: int, *chosen: int) -> Effect:
    """Rows get another `b`, by `a`."""
    return lambda rows: [(a, b if a in chosen else old) for a, old in rows]


def replaces(*gone: int) -> Effect:
    """One row takes the place of others."""
    return lambda rows: adds((5, 5))(deletes(*gone)(rows))


def nothing(_: Rows) -> Rows:
    """No row is left."""
    return []


@dataclass(frozen=True)
class Mine:
    """A statement of Spark, and the changes of others that it must not follow.

    Attributes:
        name: what it does.
        sql: the statement.
        clashes: kinds of `THEIRS` that end it.
        preparation: what DuckDB runs before, so that there is work.
        effect: what it does to the rows of the table; None when another test looks at that.
        prepared: what the preparation does to them.
    """

    name: str
    sql: str
    clashes: frozenset[str]
    preparation: str = ""
    effect: Effect | None = None
    prepared: Effect = unchanged


@dataclass(frozen=True)
class Theirs:
    """What another did in between: DuckDB's statement, and Spark's if it has one."""

    name: str
    duckdb: str
    spark: str | None = None
    effect: Effect = unchanged


def orders(mine: Mine, theirs: Theirs) -> list[Rows]:
    """The rows that are right when both have committed: those of the one and then the other."""
    effect, rows = mine.effect or unchanged, mine.prepared(AT_FIRST)
    return [effect(theirs.effect(rows)), theirs.effect(effect(rows))]


INSERTS = frozenset({"insert", "inlined insert"})
DELETES = frozenset({"delete, same file", "delete, other file", "rewrite"})
"""The rewrite deletes rows before."""
INLINED_DELETES = frozenset({"inlined delete of file rows", "inlined delete"})
DROP = frozenset({"drop"})
RESHAPED = DROP | {"alter"}
"""New rows would not fit. A comment changes no row."""
MERGED = frozenset({"merge"})
"""The merge replaces both files. The rewrite replaces the second one."""

THEIRS = (
    Theirs("drop", "DROP TABLE {c}.main.t{n}", "DROP TABLE {c}.main.t{n}", effect=nothing),
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
        effect=adds(*((a, 1) for a in range(2000, 2050))),
    ),
    Theirs(
        "inlined insert",
        "INSERT INTO {c}.main.t{n} VALUES (3000, 1)",
        "INSERT INTO {c}.main.t{n} VALUES (3000, 1)",
        effect=adds((3000, 1)),
    ),
    Theirs(
        "delete, same file",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 20 AND 60",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 20 AND 60",
        effect=deletes(*range(20, 61)),
    ),
    Theirs(
        "delete, other file",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 120 AND 160",
        "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 120 AND 160",
        effect=deletes(*range(120, 161)),
    ),
    Theirs(
        "inlined delete of file rows",
        "DELETE FROM {c}.main.t{n} WHERE a = 70",
        "DELETE FROM {c}.main.t{n} WHERE a = 70",
        effect=deletes(70),
    ),
    Theirs(
        "inlined delete",
        "DELETE FROM {c}.main.t{n} WHERE a = 1001",
        "DELETE FROM {c}.main.t{n} WHERE a = 1001",
        effect=deletes(1001),
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
        effect=deletes(*range(120, 181)),
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
    RESHAPED,
    effect=adds(*((a, 5) for a in range(5000, 5020))),
)
INLINED_INSERT = Mine(
    "inlined insert",
    "INSERT INTO {c}.main.t{n} VALUES (5000, 5)",
    RESHAPED,
    effect=adds((5000, 5)),
)
TRUNCATE = Mine("truncate", "TRUNCATE TABLE {c}.main.t{n}", DROP, effect=nothing)
DELETE = Mine(
    "delete",
    "DELETE FROM {c}.main.t{n} WHERE a < 15",
    DROP | MERGED,
    effect=deletes(*range(15)),
)
DELETE_OF_A_FILE = Mine(
    "delete of a file",
    "DELETE FROM {c}.main.t{n} WHERE a < 100",
    DROP | MERGED | {"delete, same file", "inlined delete of file rows"},
    effect=deletes(*range(100)),
)
INLINED_FILE_DELETE = Mine(
    "inlined delete of file rows",
    "DELETE FROM {c}.main.t{n} WHERE a < 10",
    DROP | MERGED,
    effect=deletes(*range(10)),
)
DELETE_OF_THE_SAME_ROW = Mine(
    "delete of the same row",
    "DELETE FROM {c}.main.t{n} WHERE a BETWEEN 60 AND 70",
    DROP | MERGED | {"delete, same file", "inlined delete of file rows"},
    effect=deletes(*range(60, 71)),
)
UPDATE_BESIDE_A_DELETE_FILE = Mine(
    "update of a file with deletes",
    "UPDATE {c}.main.t{n} SET b = 9 WHERE a BETWEEN 1 AND 19",
    RESHAPED | {"rewrite"},
    preparation="DELETE FROM {c}.main.t{n} WHERE a BETWEEN 80 AND 99",
    effect=updates(9, *range(1, 20)),
    prepared=deletes(*range(80, 100)),
)
"""DuckDB merges no file with deletes, and its rewrite takes this one, a fifth of which is deleted.

Its next delete file begins when the first one began.
"""
INLINED_DELETE = Mine(
    "inlined delete",
    "DELETE FROM {c}.main.t{n} WHERE a = 1000",
    DROP | {"flush"},
    effect=deletes(1000),
)
REPLACE = Mine(
    "replace",
    "INSERT INTO {c}.main.t{n} REPLACE WHERE a < 15 SELECT 5, 5",
    RESHAPED | MERGED,
    effect=replaces(*range(15)),
)
OVERWRITE = Mine(
    "overwrite",
    "INSERT OVERWRITE {c}.main.t{n} SELECT 5, 5",
    RESHAPED | INSERTS | DELETES | INLINED_DELETES,
    effect=lambda _: [(5, 5)],
)
UPDATE = Mine(
    "update",
    "UPDATE {c}.main.t{n} SET b = 9 WHERE a < 15",
    RESHAPED | MERGED,
    effect=updates(9, *range(15)),
)
INLINED_UPDATE = Mine(
    "inlined update",
    "UPDATE {c}.main.t{n} SET b = 9 WHERE a = 1000",
    RESHAPED | {"flush"},
    effect=updates(9, 1000),
)
MERGE = Mine(
    "merge",
    "MERGE INTO {c}.main.t{n} t USING (SELECT 5 AS a, 7 AS b) s ON t.a = s.a"
    " WHEN MATCHED THEN DELETE",
    DROP | MERGED,
    effect=deletes(5),
)
MERGE_THAT_INSERTS = Mine(
    "merge that inserts",
    "MERGE INTO {c}.main.t{n} t USING (SELECT CAST(id AS INT) AS a FROM range(90, 100)"
    " UNION ALL SELECT CAST(4000 + id AS INT) FROM range(20)) s ON t.a = s.a"
    " WHEN MATCHED THEN UPDATE SET b = 7 WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 8)",
    RESHAPED | MERGED,
    effect=lambda rows: adds(*((a, 8) for a in range(4000, 4020)))(
        updates(7, *range(90, 100))(rows)
    ),
)
FLUSH = Mine("flush", "CALL {c}.system.flush_inlined_data('t{n}')", DROP, effect=unchanged)
"""It begins anew when others delete inlined rows or flush."""
MERGE_FILES = Mine(
    "merge files", "CALL {c}.system.merge_adjacent_files('t{n}')", DROP, effect=unchanged
)
"""It is planned anew when others delete rows or compact."""
REWRITE_FILES = Mine(
    "rewrite files",
    "CALL {c}.system.rewrite_data_files('t{n}', delete_threshold => 0.1)",
    DROP,
    preparation="DELETE FROM {c}.main.t{n} WHERE a BETWEEN 30 AND 50",
)
"""It is planned anew, as a merge of files is."""

OF_THE_TABLE = RESHAPED | {"comment", "flush"} | INSERTS | DELETES | INLINED_DELETES | MERGED
ROLLBACK = Mine(
    "rollback",
    "CALL {c}.system.rollback_to_snapshot('t{n}', snapshot_version => {n} + 1)",
    OF_THE_TABLE,
)
UNDO = Mine("undo", "CALL {c}.system.undo_commit({n} + 2)", OF_THE_TABLE)
ALTER = Mine("alter", "ALTER TABLE {c}.main.t{n} ADD COLUMN mine INTEGER", RESHAPED | {"comment"})
COMMENT = Mine("comment", "COMMENT ON TABLE {c}.main.t{n} IS 'mine'", RESHAPED | {"comment"})
DROP_TABLE = Mine("drop", "DROP TABLE {c}.main.t{n}", DROP | {"rename"})
REPLACE_TABLE = Mine(
    "replace the table",
    "CREATE OR REPLACE TABLE {c}.main.t{n} AS SELECT 1 AS a",
    DROP | {"rename"},
)
REPLACE_BY_OWN_ROWS = Mine(
    "replace the table by its rows",
    "CREATE OR REPLACE TABLE {c}.main.t{n} AS SELECT a FROM {c}.main.t{n}",
    RESHAPED | {"comment", "rename"} | INSERTS | DELETES | INLINED_DELETES,
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
    DELETE_OF_THE_SAME_ROW,
    INLINED_FILE_DELETE,
    INLINED_DELETE,
    REPLACE,
    OVERWRITE,
    UPDATE,
    UPDATE_BESIDE_A_DELETE_FILE,
    INLINED_UPDATE,
    MERGE,
    MERGE_THAT_INSERTS,
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
