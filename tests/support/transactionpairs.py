"""The statements of which each two are tried in one transaction, as both engines write them.

Each pair has a table of its own, `{t}`, which is called `{n}` in its schema; `{c}` is the catalog
with a dot, nothing for DuckDB; `{f}` is a file that the statement may add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from support.lines import MADE_VIEWS, has

LIMIT = 5
"""Rows of one statement that are kept in the catalog."""

_COLUMNS = "id INT, label {text}, score DOUBLE, small SMALLINT, tiny SMALLINT, part INT"
SETUP = (
    f"CREATE TABLE {{t}} ({_COLUMNS.format(text='VARCHAR')})",
    "INSERT INTO {t} SELECT i, 'n' || i, i / 4, i, 0, i % 2 FROM range(20) r(i)",
    "INSERT INTO {t} SELECT i, 'm' || i, NULL, 1, 1, 1 FROM range(20, 30) r(i)",
    "INSERT INTO {t} SELECT i, 'k' || i, 5, NULL, 2, NULL FROM range(30, 34) r(i)",
    "DELETE FROM {t} WHERE id IN (3, 31)",
    "DELETE FROM {t} WHERE id BETWEEN 10 AND 16",
)
"""Two files, one with a delete file and deletes in the catalog; rows in the catalog, one ended."""

ADDED_IDS = (500, 7, 32)
"""Of the rows in a file that may be added; it has no other column."""

NEXT_ROW_ID = 34
"""After the set-up."""

DEFAULTS: dict[str, object] = {"more": 7, "yet": None}
"""Values that columns of the statements have in older rows."""

FORMER = {"title": "label", "heading": "label"}
"""What renamed columns were called."""


@dataclass(frozen=True)
class Kind:
    """A kind of statement.

    Attributes:
        spark: its text.
        duckdb: its text for DuckDB, when it is another one, of one statement or more.
        after: other texts after a statement of that name, again for both engines.
        takes_a_name: whether it makes a table, for which the name has to be free.
    """

    spark: str
    duckdb: tuple[str, ...] = ()
    after: Mapping[str, str] = field(default_factory=dict)
    takes_a_name: bool = False


KINDS: dict[str, Kind] = {
    "insert few": Kind(
        "INSERT INTO {t} (id) VALUES (100), (101), (102)",
        after={"insert few": "INSERT INTO {t} (id) VALUES (103), (104)"},
    ),
    "insert many": Kind(
        "INSERT INTO {t} (id, part) SELECT CAST(i AS INT), CAST(i % 2 AS INT) "
        "FROM range(200, 212) AS r(i)",
        after={
            "insert many": "INSERT INTO {t} SELECT * FROM {t}",
            "drop column": "INSERT INTO {t} SELECT * FROM {t} WHERE id > 5",
        },
    ),
    "overwrite": Kind(
        "INSERT OVERWRITE {t} (id) VALUES (300), (301), (7)",
        ("DELETE FROM {t}", "INSERT INTO {t} (id) VALUES (300), (301), (7)"),
    ),
    "delete": Kind("DELETE FROM {t} WHERE id % 3 = 1"),
    "delete few": Kind("DELETE FROM {t} WHERE id IN (4, 32, 101, 203, 301)"),
    "delete all": Kind("DELETE FROM {t} WHERE true"),
    "update": Kind(
        "UPDATE {t} SET small = id % 100 + 1 WHERE id % 2 = 0",
        after={
            "update": "UPDATE {t} SET small = 99 WHERE id % 4 <> 1",
            "add column": "UPDATE {t} SET more = id WHERE id % 2 = 0",
            "rename column": "UPDATE {t} SET title = 'u' WHERE id % 2 = 0",
            "widen": "UPDATE {t} SET small = 100000 + id WHERE id % 2 = 0",
        },
    ),
    "update few": Kind(
        "UPDATE {t} SET score = -1 WHERE id IN (5, 33, 100, 202, 300)",
        after={"update few": "UPDATE {t} SET score = -2 WHERE id IN (5, 6, 33)"},
    ),
    "merge": Kind(
        "MERGE INTO {t} AS t USING (SELECT CAST(i AS INT) AS id FROM range(5, 9) AS r(i) "
        "UNION ALL SELECT 100 UNION ALL SELECT 32 UNION ALL SELECT 900) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET score = 77 "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        after={
            "merge": "MERGE INTO {t} AS t USING (SELECT 5 AS id UNION ALL SELECT 900 "
            "UNION ALL SELECT 901) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET score = 78 "
            "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        },
    ),
    "truncate": Kind("TRUNCATE TABLE {t}"),
    "add column": Kind(
        "ALTER TABLE {t} ADD COLUMN more INT DEFAULT 7",
        after={"add column": "ALTER TABLE {t} ADD COLUMN yet INT"},
    ),
    "drop column": Kind(
        "ALTER TABLE {t} DROP COLUMN tiny",
        after={
            "drop column": "ALTER TABLE {t} DROP COLUMN small",
            "add column": "ALTER TABLE {t} DROP COLUMN more",
        },
    ),
    "rename column": Kind(
        "ALTER TABLE {t} RENAME COLUMN label TO title",
        after={"rename column": "ALTER TABLE {t} RENAME COLUMN title TO heading"},
    ),
    "widen": Kind(
        "ALTER TABLE {t} ALTER COLUMN small TYPE INT",
        after={"widen": "ALTER TABLE {t} ALTER COLUMN small TYPE BIGINT"},
    ),
    "rename table": Kind(
        "ALTER TABLE {t} RENAME TO {renamed}", ("ALTER TABLE {t} RENAME TO {renamed}",)
    ),
    "add files": Kind(
        "CALL {c}system.add_data_files('{n}', '{f}', allow_missing => true)",
        ("CALL ducklake_add_data_files('lake', '{n}', '{f}', allow_missing => true)",),
    ),
    "set option": Kind(
        "CALL {c}system.set_option('target_file_size', '1MB', table_name => '{n}')",
        ("CALL ducklake_set_option('lake', 'target_file_size', '1MB', table_name => '{n}')",),
    ),
    "create view": Kind(
        "CREATE VIEW {c}main.{n}_v AS SELECT id FROM {t}",
        after={
            "create view": "CREATE OR REPLACE VIEW {c}main.{n}_v AS SELECT id + 1 AS id FROM {t}"
        },
    ),
    "drop table": Kind("DROP TABLE {t}"),
    "replace table": Kind(
        "CREATE OR REPLACE TABLE {t} AS SELECT *, 1 AS extra FROM {c}source WHERE id < 9",
        after={"replace table": "CREATE OR REPLACE TABLE {t} AS SELECT id FROM {c}source"},
    ),
    "comment": Kind(
        "COMMENT ON TABLE {t} IS 'first'", after={"comment": "COMMENT ON TABLE {t} IS 'last'"}
    ),
    "sort order": Kind(
        "ALTER TABLE {t} SET SORTED BY (id DESC)",
        after={"sort order": "ALTER TABLE {t} SET SORTED BY (id)"},
    ),
    "partition keys": Kind(
        "ALTER TABLE {t} SET PARTITIONED BY (part)",
        after={"partition keys": "ALTER TABLE {t} RESET PARTITIONED BY"},
    ),
    "create table": Kind(
        f"CREATE TABLE {{t}} ({_COLUMNS.format(text='STRING')})",
        (f"CREATE TABLE {{t}} ({_COLUMNS.format(text='VARCHAR')})",),
        takes_a_name=True,
    ),
    "create from a query": Kind(
        "CREATE TABLE {t} AS SELECT * FROM {c}source WHERE id < 8",
        takes_a_name=True,
    ),
}


@dataclass(frozen=True)
class Pair:
    """Two kinds of statements, by name."""

    first: str
    second: str

    @property
    def has_table(self) -> bool:
        """Whether the table is there before."""
        return not KINDS[self.first].takes_a_name

    def __str__(self) -> str:
        """What a report shows."""
        return f"{self.first}, {self.second}"

    def texts(
        self, table: str, files: Sequence[str], catalog: str = "", *, are_duckdbs: bool
    ) -> list[list[str]]:
        """The statements of each of the two, of which DuckDB may need several.

        Args:
            table: the name of the table.
            files: for each of the two a file that it may add.
            catalog: in front of the table; empty for DuckDB.
            are_duckdbs: for which engine.
        """
        place = f"{catalog}." if catalog else ""
        first, second = KINDS[self.first], KINDS[self.second]
        later = table
        if self.first == "rename table" and not second.takes_a_name:
            later = renamed(table)
        own = second.after.get(self.first)
        chosen = [(first, None, table, files[0]), (second, own, later, files[1])]
        return [
            [
                text.format(t=place + name, n=name, c=place, f=file, renamed=place + renamed(name))
                for text in _texts(kind, instead, are_duckdbs=are_duckdbs)
            ]
            for kind, instead, name, file in chosen
        ]


def renamed(table: str) -> str:
    """What a table is called when its name has been changed."""
    return f"{table}_r"


def view_of(table: str) -> str:
    """What a view of a table is called."""
    return f"{table}_v"


def _texts(kind: Kind, instead: str | None, *, are_duckdbs: bool) -> tuple[str, ...]:
    if instead is not None:
        return (instead,)
    return kind.duckdb or (kind.spark,) if are_duckdbs else (kind.spark,)


def _is_possible(first: str, second: str) -> bool:
    """Whether the second statement finds its table, or the name for it.

    DuckDB adds no file to a table with partition keys when no folder tells their values. Older
    versions of Spark make no views.
    """
    if (first, second) == ("partition keys", "add files"):
        return False
    if "create view" in (first, second) and not has(MADE_VIEWS):
        return False
    if KINDS[second].takes_a_name:
        return first in ("rename table", "drop table")
    return first != "drop table"


PAIRS = [Pair(first, second) for first in KINDS for second in KINDS if _is_possible(first, second)]
