"""MERGE as its users know it: what matches, which clause applies, what may be a source."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.merging import (
    NEW,
    NONE,
    ONE,
    PLAIN,
    THREE,
    TWO,
    Layout,
    MergeCase,
    Stage,
    in_duckdb,
    params,
    values,
)

Register = Callable[..., str]

ON_ID = "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id "
DEUX, TROIS = (1, 2, "deux", 200), (2, 3, "trois", 300)
QUATRE, NUL = (NEW, 4, "quatre", 400), (NEW, None, "nul", 0)
QUATRE_1 = (NEW, 4, "quatre", 401)
TWICE = (*PLAIN, "INSERT INTO s VALUES (2, 'zwei', 201), (4, 'vier', 401)")
"""Two rows of the source for the ids 2 and 4."""

NO_SOURCE = (*PLAIN, "DELETE FROM s")
NO_TARGET = (*PLAIN, "DELETE FROM t")

MATCHING = [
    MergeCase(
        "update and insert; NULL keys match nothing",
        ON_ID + "WHEN MATCHED THEN UPDATE SET name = s.name, n = s.n "
        "WHEN NOT MATCHED THEN INSERT (id, name, n) VALUES (s.id, s.name, s.n)",
        [ONE, DEUX, TROIS, NONE, QUATRE, NUL],
    ),
    MergeCase(
        "<=> matches NULL keys",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id <=> s.id "
        "WHEN MATCHED AND s.n < 300 THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT *",
        [ONE, (1, 2, "deux", 20), THREE, (3, None, "nul", 0), QUATRE],
        oracle=False,
    ),
    MergeCase(
        "IS NOT DISTINCT FROM matches NULL keys",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id IS NOT DISTINCT FROM s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        [ONE, QUATRE],
    ),
    MergeCase(
        "a NULL key of the target is not matched by the source",
        ON_ID + "WHEN NOT MATCHED BY SOURCE AND t.id IS NULL THEN UPDATE SET n = -1",
        [ONE, TWO, THREE, (3, None, "none", -1)],
    ),
    MergeCase(
        "a condition that is never true",
        "MERGE INTO {t} AS t USING {s} AS s ON 1 = 0 "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id > 2 THEN INSERT *",
        [ONE, TWO, THREE, NONE, (NEW, 3, "trois", 300), QUATRE],
    ),
    MergeCase(
        "a condition that is NULL, to replace all rows",
        "MERGE INTO {t} AS t USING {s} AS s ON CAST(NULL AS BOOLEAN) "
        "WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE",
        [(NEW, *DEUX[1:]), (NEW, *TROIS[1:]), QUATRE, NUL],
    ),
    MergeCase(
        "a condition that is always true",
        "MERGE INTO {t} AS t USING (SELECT 7 AS n) AS s ON TRUE "
        "WHEN MATCHED THEN UPDATE SET n = t.n + s.n",
        [(0, 1, "one", 17), (1, 2, "two", 27), (2, 3, "three", 37), (3, None, "none", 7)],
    ),
    MergeCase(
        "a condition on the target besides the key",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id AND t.n > 20 "
        "WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND s.id < 4 THEN INSERT (id) VALUES (s.id)",
        [ONE, TWO, (2, 3, "trois", 30), NONE, (NEW, 2, None, None)],
    ),
    MergeCase(
        "a condition on the source besides the key",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id AND s.n > 200 "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN UPDATE SET n = 0",
        [(0, 1, "one", 0), (1, 2, "two", 0), NONE],
    ),
    MergeCase(
        "no equality: a range",
        "MERGE INTO {t} AS t USING (SELECT 15 AS low, 25 AS high) AS s "
        "ON t.n BETWEEN s.low AND s.high WHEN MATCHED THEN UPDATE SET n = s.high "
        "WHEN NOT MATCHED BY SOURCE AND t.n > 25 THEN DELETE",
        [ONE, (1, 2, "two", 25), NONE],
    ),
    MergeCase(
        "subqueries in assignments and sources",
        "MERGE INTO {t} AS t USING (SELECT * FROM {s} WHERE id IN (SELECT id FROM {t})) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n + (SELECT max(n) FROM {t})",
        [ONE, (1, 2, "two", 230), (2, 3, "three", 330), NONE],
    ),
    MergeCase(
        "expressions of both sides",
        "MERGE INTO {t} AS t USING {s} AS s "
        "ON t.id + 1 = s.id AND length(t.name) < length(s.name) + 2 "
        "WHEN MATCHED THEN UPDATE SET name = concat(t.name, '-', s.name)",
        [(0, 1, "one-deux", 10), (1, 2, "two-trois", 20), (2, 3, "three-quatre", 30), NONE],
    ),
    MergeCase(
        "keys of two types",
        "MERGE INTO {t} AS t USING (SELECT CAST(2 AS BIGINT) AS id) AS s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE",
        [ONE, THREE, NONE],
    ),
    MergeCase(
        "duplicates in the source that match nothing are both inserted",
        ON_ID + "WHEN NOT MATCHED AND s.id IS NOT NULL THEN INSERT *",
        [ONE, TWO, THREE, NONE, QUATRE, (NEW, 4, "vier", 401)],
        setup=TWICE,
    ),
    MergeCase(
        "duplicates in the source may match where no clause is for matches",
        ON_ID + "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        [TWO, THREE],
        setup=TWICE,
    ),
    MergeCase(
        "duplicates in the source may match where all that match go",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.n = 401 THEN INSERT *",
        [ONE, NONE, (NEW, 4, "vier", 401)],
        setup=TWICE,
    ),
    MergeCase(
        "a row of the source may match two of the target",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id < s.id AND s.id = 3 "
        "WHEN MATCHED THEN UPDATE SET n = s.n + t.id",
        [(0, 1, "one", 301), (1, 2, "two", 302), THREE, NONE],
    ),
    MergeCase(
        "a source without rows",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        [ONE, TWO, THREE, NONE],
        setup=NO_SOURCE,
        snapshots=0,
    ),
    MergeCase(
        "a source without rows matches no row of the target",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.n > 0 THEN DELETE",
        [NONE],
        setup=NO_SOURCE,
    ),
    MergeCase(
        "a target without rows",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id > 3 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        [QUATRE],
        setup=NO_TARGET,
    ),
]

CLAUSES = [
    MergeCase(
        "the first clause that applies wins",
        ON_ID + "WHEN MATCHED AND s.n >= 300 THEN DELETE "
        "WHEN MATCHED AND s.n >= 200 THEN UPDATE SET name = 'second' "
        "WHEN MATCHED THEN UPDATE SET name = 'third'",
        [ONE, (1, 2, "second", 20), NONE],
    ),
    MergeCase(
        "a condition that is NULL does not apply",
        ON_ID + "WHEN MATCHED AND t.n > CAST(NULL AS INT) THEN DELETE "
        "WHEN MATCHED AND NULLIF(t.id, 2) = 3 THEN UPDATE SET name = 'kept' "
        "WHEN NOT MATCHED AND s.id > 0 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id > 0 THEN DELETE",
        [TWO, (2, 3, "kept", 30), NONE, QUATRE],
    ),
    MergeCase(
        "no clause applies",
        ON_ID + "WHEN MATCHED AND s.n > 999 THEN DELETE WHEN NOT MATCHED AND s.n > 999 THEN "
        "INSERT * WHEN NOT MATCHED BY SOURCE AND t.n > 999 THEN UPDATE SET n = 0",
        [ONE, TWO, THREE, NONE],
        snapshots=0,
    ),
    MergeCase(
        "several clauses for rows not matched",
        ON_ID + "WHEN NOT MATCHED AND s.id IS NULL THEN INSERT (name, n) VALUES ('nobody', -1) "
        "WHEN NOT MATCHED AND s.n > 999 THEN INSERT * "
        "WHEN NOT MATCHED THEN INSERT (n, id) VALUES (s.id, s.n)",
        [ONE, TWO, THREE, NONE, (NEW, None, "nobody", -1), (NEW, 400, None, 4)],
    ),
    MergeCase(
        "several clauses for rows not matched by the source",
        ON_ID + "WHEN NOT MATCHED BY SOURCE AND t.id IS NULL THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = upper(t.name), n = t.n * 2",
        [(0, 1, "ONE", 20), TWO, THREE],
    ),
    MergeCase(
        "all clauses at once",
        ON_ID + "WHEN MATCHED AND s.n = 200 THEN UPDATE SET n = t.n + s.n "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id IS NULL THEN INSERT (n) VALUES (99) "
        "WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.n = 0 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = NULL",
        [(0, 1, None, 10), (1, 2, "two", 220), QUATRE, (NEW, None, None, 99)],
    ),
    MergeCase(
        "assignments see the row as it was",
        ON_ID + "WHEN MATCHED THEN UPDATE SET id = t.n, n = t.id",
        [ONE, (1, 20, "two", 2), (2, 30, "three", 3), NONE],
    ),
    MergeCase(
        "assignment to a column of the target's name",
        ON_ID + "WHEN MATCHED THEN UPDATE SET t.n = s.n + t.n",
        [ONE, (1, 2, "two", 220), (2, 3, "three", 330), NONE],
        oracle=False,
    ),
    MergeCase(
        "stars take columns by name, in any order and case",
        "MERGE INTO {t} AS t USING (SELECT n + 1 AS N, id AS Id, name AS NAME FROM {s}) AS s "
        "ON t.ID = s.iD WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        [ONE, (1, 2, "deux", 201), (2, 3, "trois", 301), NONE, QUATRE_1, (NEW, None, "nul", 1)],
        oracle=False,
    ),
    MergeCase(
        "stars leave out what only the source has",
        "MERGE INTO {t} AS t USING (SELECT 'x' AS extra, * FROM {s}) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND extra = 'x' THEN INSERT *",
        [ONE, DEUX, TROIS, NONE, QUATRE, NUL],
        oracle=False,
    ),
]

SOURCES = [
    MergeCase(
        "VALUES",
        "MERGE INTO {t} AS t USING (SELECT * FROM (VALUES (2, 'v'), (9, 'w')) AS "
        "x(id, name)) AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)",
        [ONE, (1, 2, "v", 20), THREE, NONE, (NEW, 9, "w", None)],
    ),
    MergeCase(
        "a query with a window that keeps the last of each key",
        "MERGE INTO {t} AS t USING (SELECT id, name, n FROM (SELECT *, row_number() OVER "
        "(PARTITION BY id ORDER BY n DESC) AS place FROM {s}) WHERE place = 1) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name, n = s.n "
        "WHEN NOT MATCHED AND s.id IS NOT NULL THEN INSERT *",
        [ONE, (1, 2, "zwei", 201), TROIS, NONE, (NEW, 4, "vier", 401)],
        setup=TWICE,
    ),
    MergeCase(
        "a union, ordered, and cut",
        "MERGE INTO {t} AS t USING (SELECT id FROM {s} UNION ALL SELECT n FROM {t} "
        "ORDER BY id DESC NULLS LAST LIMIT 2) AS s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 1)",
        [ONE, TWO, THREE, NONE, (NEW, 30, None, 1), (NEW, 20, None, 1)],
    ),
    MergeCase(
        "a common table expression",
        "WITH named AS (SELECT id, name FROM {s} WHERE n < 300) MERGE INTO {t} AS t "
        "USING named AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name",
        [ONE, (1, 2, "deux", 20), THREE, NONE],
    ),
    MergeCase(
        "a view in the lake",
        "MERGE INTO {t} AS t USING {case}.v AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = s.m WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        [ONE, (1, 2, "two", 201), (2, 3, "three", 301), NONE, (NEW, 4, None, None)],
        setup=(*PLAIN, "CREATE VIEW v AS SELECT id, n + 1 AS m FROM s WHERE id > 1"),
    ),
    MergeCase(
        "the target itself",
        "MERGE INTO {t} AS t USING {t} AS s ON t.id = s.id "
        "WHEN MATCHED AND s.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n + t.n "
        "WHEN NOT MATCHED THEN INSERT (name) VALUES (concat(s.name, '!'))",
        [(1, 2, "two", 40), (2, 3, "three", 60), NONE, (NEW, None, "none!", None)],
    ),
    MergeCase(
        "the target itself, moved by one",
        "MERGE INTO {t} AS t USING (SELECT id + 1 AS id, name FROM {t} WHERE id > 0) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)",
        [ONE, (1, 2, "one", 20), (2, 3, "two", 30), NONE, (NEW, 4, "three", None)],
    ),
    MergeCase(
        "an older snapshot of the target",
        "MERGE INTO {t} AS t USING (SELECT * FROM {t} VERSION AS OF {filled}) AS s "
        "ON t.id <=> s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        [(NEW, *ONE[1:]), TWO, THREE, NONE],
        setup=(*PLAIN, "DELETE FROM t WHERE id = 1", "UPDATE t SET n = 0"),
        oracle=False,
    ),
    MergeCase(
        "a join with the target, counted",
        "MERGE INTO {t} AS t USING (SELECT t.id, count(*) AS times FROM {t} AS t JOIN {s} AS s "
        "ON t.id <= s.id GROUP BY t.id) AS s ON t.id = s.id "
        "WHEN MATCHED AND times = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.times",
        [(0, 1, "one", 3), (1, 2, "two", 3), NONE],
    ),
]

MANY = (
    "CREATE TABLE t (id INT, n BIGINT)",
    "INSERT INTO t SELECT i, i FROM range(40) r(i)",
    "INSERT INTO t VALUES (100, 100), (101, 101), (102, 102)",
    "DELETE FROM t WHERE id IN (3, 101)",
    "CREATE TABLE s AS SELECT i * 2 AS id, 1000 + i AS n FROM range(60) r(i)",
)
"""Rows in files, and by default in the catalog too, some of them deleted."""

SEVERAL = [
    MergeCase(
        "rows of several places, with holes",
        ON_ID + "WHEN MATCHED AND t.id % 4 = 0 THEN UPDATE SET n = s.n "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND s.id > 110 THEN INSERT *",
        [(i, i, 1000 + i // 2 if i % 4 == 0 else i) for i in range(40) if i % 4 != 2 and i != 3]
        + [(40, 100, 1050)]
        + [(NEW, i, 1000 + i // 2) for i in range(112, 120, 2)],
        setup=MANY,
    ),
    MergeCase(
        "every row is replaced",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id AND FALSE "
        "WHEN NOT MATCHED AND s.id < 26 THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE",
        [(NEW, 2 * i, 1000 + i) for i in range(13)],
        setup=MANY,
    ),
]

CASES = [*MATCHING, *CLAUSES, *SOURCES, *SEVERAL]


@pytest.mark.parametrize(("number", "layout"), **params(CASES))
def test_merge(stage: Stage, number: int, layout: Layout) -> None:
    stage.play(number, layout)


@pytest.mark.parametrize("case", [case for case in CASES if case.oracle], ids=lambda c: c.name)
def test_duckdb_means_the_same(case: MergeCase) -> None:
    assert in_duckdb(case) == values(case)
