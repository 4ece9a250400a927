"""MERGE into columns of every sort: defaults, structs, partitions, what was altered or added."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.lines import ONE_STATEMENT
from support.merging import NEW, Layout, MergeCase, Stage, in_duckdb, params, values

ON_ID = "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id "

DEFAULTS = (
    "CREATE TABLE t (id INT, name VARCHAR DEFAULT 'nobody', n INT DEFAULT 7, free INT)",
    "INSERT INTO t VALUES (1, 'one', 10, 0), (2, 'two', 20, 0)",
    "CREATE TABLE s AS SELECT * FROM (VALUES (2, 'deux'), (3, 'trois'), (4, NULL)) AS x(id, name)",
)
ALTERED = (
    "CREATE TABLE t (id INT, name VARCHAR, gone INT)",
    "INSERT INTO t VALUES (1, 'one', 8), (2, 'two', 8)",
    "ALTER TABLE t RENAME COLUMN name TO label",
    "ALTER TABLE t DROP COLUMN gone",
    "ALTER TABLE t ADD COLUMN extra INT DEFAULT 5",
    "INSERT INTO t VALUES (3, 'three', 6)",
    "ALTER TABLE t ADD COLUMN name VARCHAR",
    "INSERT INTO t VALUES (4, 'four', NULL, 'vier')",
    "CREATE TABLE s AS SELECT i AS id, 'n' || i AS name FROM range(2, 6) r(i)",
)
WIDENED = (
    "CREATE TABLE t (id INT, n INT, x FLOAT)",
    "INSERT INTO t VALUES (1, 10, 0.5), (2, 20, 0.5)",
    "ALTER TABLE t ALTER COLUMN n TYPE BIGINT",
    "ALTER TABLE t ALTER COLUMN x TYPE DOUBLE",
    "CREATE TABLE s AS SELECT 2 AS id, 5000000000 AS n",
)
STRUCTS = (
    "CREATE TABLE t (id INT, p STRUCT(a INT, b STRUCT(c VARCHAR, d INT)), l INT[],"
    " m MAP(VARCHAR, INT))",
    "INSERT INTO t VALUES"
    " (1, {'a': 1, 'b': {'c': 'x', 'd': 10}}, [1, 2], MAP {'k': 1}),"
    " (2, {'a': 2, 'b': NULL}, [], MAP {}), (3, NULL, NULL, NULL)",
    "CREATE TABLE s AS SELECT i AS id, i * 100 AS n FROM range(1, 5) r(i)",
)
OF_STRUCTS = "SELECT rowid, id, p.a, p.b.c, p.b.d FROM {t}"
PARTS = (
    "CREATE TABLE t (id INT, part VARCHAR, n INT)",
    "ALTER TABLE t SET PARTITIONED BY (part)",
    *(f"INSERT INTO t SELECT i, 'p{p}', i FROM range({3 * p}, {3 * p + 3}) r(i)" for p in range(3)),
    "CREATE TABLE s AS SELECT i AS id, 'p' || (i % 5) AS part, i * 10 AS n FROM range(6, 11) r(i)",
)
TRANSFORMED = (
    "CREATE TABLE t (id INT, day DATE)",
    "INSERT INTO t VALUES (1, '2020-01-01'), (2, '2021-06-01')",
    "ALTER TABLE t SET PARTITIONED BY (year(day), bucket(4, id))",
    "INSERT INTO t VALUES (3, '2021-07-01'), (4, NULL), (5, '2022-01-01')",
    "CREATE TABLE s AS SELECT i AS id FROM range(1, 8, 2) r(i)",
)
ODD = (
    'CREATE TABLE t (id INT, "a b" INT, "Ünï" VARCHAR, "select" INT, "x.y" INT, "a`b" INT)',
    "INSERT INTO t VALUES (1, 1, 'u', 1, 1, 1), (2, 2, 'v', 2, 2, 2)",
    'CREATE TABLE s AS SELECT id + 1 AS id, "a b", "Ünï", "select", "x.y", "a`b" FROM t',
)
RESERVED = (
    "CREATE TABLE t (id INT, filename VARCHAR, snapshot_id INT, n INT)",
    "INSERT INTO t VALUES (1, 'f', 1, 1), (2, 'g', 2, 2)",
    "CREATE TABLE s AS SELECT id + 1 AS id, filename, snapshot_id, n FROM t",
)

CASES = [
    MergeCase(
        "columns that an INSERT does not name take their defaults",
        ON_ID + "WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND s.name IS NULL THEN INSERT (id, name) VALUES (s.id, s.name) "
        "WHEN NOT MATCHED THEN INSERT (n, id) VALUES (length(s.name), s.id)",
        [
            (0, 1, "one", 10, 0),
            (1, 2, "deux", 20, 0),
            (NEW, 3, "nobody", 5, None),
            (NEW, 4, None, 7, None),
        ],
        setup=DEFAULTS,
    ),
    MergeCase(
        "DEFAULT as a value",
        ON_ID + "WHEN MATCHED THEN UPDATE SET name = DEFAULT, n = DEFAULT, free = DEFAULT "
        "WHEN NOT MATCHED AND s.id = 3 THEN INSERT (id, name, n) VALUES (s.id, DEFAULT, 1) "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = DEFAULT",
        [(0, 1, "one", 7, 0), (1, 2, "nobody", 7, None), (NEW, 3, "nobody", 1, None)],
        setup=DEFAULTS,
        oracle=False,
    ),
    MergeCase(
        "renamed, dropped, added and added again",
        ON_ID + "WHEN MATCHED AND t.extra = 5 THEN UPDATE SET name = s.name, extra = t.extra + 1 "
        "WHEN MATCHED THEN UPDATE SET label = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)",
        [
            (0, 1, "one", 5, None),
            (1, 2, "two", 6, "n2"),
            (2, 3, "n3", 6, None),
            (3, 4, "n4", None, "vier"),
            (NEW, 5, None, 5, "n5"),
        ],
        setup=ALTERED,
    ),
    MergeCase(
        "of a wider type than before",
        ON_ID + "WHEN MATCHED THEN UPDATE SET n = s.n + t.n, x = t.x + 1e300 "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = t.n - 5000000000",
        [(0, 1, -4999999990, 0.5), (1, 2, 5000000020, 1e300)],
        setup=WIDENED,
    ),
    MergeCase(
        "values are cast as an INSERT casts them",
        "MERGE INTO {t} AS t USING (SELECT 2 AS id, CAST(5 AS SMALLINT) AS n, 1.255 AS x) AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n, name = s.id, price = s.x, "
        "moment = DATE '2024-02-29'",
        [
            (0, 1, "one", 10, "1.50", "2024-01-01 00:00:00"),
            (1, 2, "2", 5, "1.26", "2024-02-29 00:00:00"),
        ],
        setup=(
            "CREATE TABLE t (id INT, name VARCHAR, n BIGINT, price DECIMAL(6, 2),"
            " moment TIMESTAMP)",
            "INSERT INTO t SELECT i, 'one', 10, 1.5, '2024-01-01' FROM range(1, 3) r(i)",
        ),
        query="SELECT rowid, id, name, n, CAST(price AS VARCHAR(9)), CAST(moment AS VARCHAR(30)) "
        "FROM {t}",
    ),
    MergeCase(
        "fields of a struct",
        ON_ID + "WHEN MATCHED AND t.id < 3 THEN UPDATE SET p.a = s.n, p.b.c = concat('c', s.id) "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        [(0, 1, 100, "c1", 10), (1, 2, 200, "c2", None), (2, 3, None, None, None)],
        setup=STRUCTS,
        query=OF_STRUCTS,
        oracle=False,
    ),
    MergeCase(
        "a field of a struct that is NULL",
        ON_ID + "WHEN MATCHED AND t.id = 3 THEN UPDATE SET p.a = s.n",
        [(0, 1, 1, "x", 10), (1, 2, 2, None, None), (2, 3, 300, None, None)],
        setup=STRUCTS,
        query=OF_STRUCTS,
        oracle=False,
    ),
    MergeCase(
        "a whole struct, by the names of its fields",
        ON_ID + "WHEN MATCHED AND t.id <> 2 THEN UPDATE SET "
        "p = named_struct('b', named_struct('d', s.n, 'c', 'new'), 'a', 5) "
        "WHEN MATCHED THEN UPDATE SET p = NULL WHEN NOT MATCHED THEN INSERT (id, p) "
        "VALUES (s.id, named_struct('b', NULL, 'a', s.n))",
        [
            (0, 1, 5, "new", 100),
            (1, 2, None, None, None),
            (2, 3, 5, "new", 300),
            (NEW, 4, 400, None, None),
        ],
        setup=STRUCTS,
        query=OF_STRUCTS,
        oracle=False,
    ),
    MergeCase(
        "lists and maps, and a key within a struct",
        "MERGE INTO {t} AS t USING {s} AS s ON t.p.a = s.id WHEN MATCHED THEN UPDATE SET "
        "l = array(s.n, NULL), m = map('a', s.n, 'b', NULL) "
        "WHEN NOT MATCHED AND s.id = 4 THEN INSERT (l, m) VALUES (array(), map())",
        [
            (0, 1, [100, None], {"a": 100, "b": None}),
            (1, 2, [200, None], {"a": 200, "b": None}),
            (2, 3, None, None),
            (NEW, None, [], {}),
        ],
        setup=STRUCTS,
        query="SELECT rowid, id, l, m FROM {t}",
        oracle=False,
    ),
    MergeCase(
        "rows change their partition",
        ON_ID + "WHEN MATCHED AND s.id = 7 THEN DELETE WHEN MATCHED THEN UPDATE SET part = s.part "
        "WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.part = 'p0' THEN UPDATE SET part = NULL",
        [(i, i, None if i < 3 else "p1", i) for i in range(6)]
        + [(6, 6, "p1", 6), (8, 8, "p3", 8), (NEW, 9, "p4", 90), (NEW, 10, "p0", 100)],
        setup=PARTS,
    ),
    MergeCase(
        "a partition goes whole",
        ON_ID + "AND t.part = 'p2' WHEN NOT MATCHED AND s.id = 10 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.part <> 'p1' THEN DELETE",
        [(i, i, f"p{i // 3}", i) for i in range(3, 9)] + [(NEW, 10, "p0", 100)],
        setup=PARTS,
    ),
    MergeCase(
        "rows change the year of their partition, and some had none",
        ON_ID + "WHEN MATCHED THEN UPDATE SET day = make_date(2023, t.id, 1) "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id) "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET id = t.id + 100",
        [
            (0, 1, "2023-01-01"),
            (1, 102, "2021-06-01"),
            (2, 3, "2023-03-01"),
            (3, 104, None),
            (4, 5, "2023-05-01"),
            (NEW, 7, None),
        ],
        setup=TRANSFORMED,
        query="SELECT rowid, id, CAST(day AS VARCHAR(10)) FROM {t}",
    ),
    MergeCase(
        "names that need quotes",
        ON_ID + "WHEN MATCHED THEN UPDATE SET `a b` = s.`a b`, `Ünï` = 'ü', `select` = s.`select`, "
        "`x.y` = t.`x.y` + s.`x.y`, `a``b` = s.`a``b` WHEN NOT MATCHED THEN INSERT *",
        [(0, 1, 1, "u", 1, 1, 1), (1, 2, 1, "ü", 1, 3, 1), (NEW, 3, 2, "v", 2, 2, 2)],
        setup=ODD,
        oracle=False,
    ),
    MergeCase(
        "names of metadata columns",
        ON_ID + "WHEN MATCHED THEN UPDATE SET filename = s.filename, snapshot_id = 9, "
        "n = t.n + 5 WHEN NOT MATCHED THEN INSERT *",
        [(0, 1, "f", 1, 1), (1, 2, "f", 9, 7), (NEW, 3, "g", 2, 2)],
        setup=RESERVED,
    ),
]

PLUS = (
    "CREATE TABLE t (id INT, name VARCHAR, n INT)",
    "INSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20)",
    "CREATE TABLE s (id INT, n BIGINT, name VARCHAR, more DOUBLE)",
    "INSERT INTO s VALUES (2, 200, 'deux', 0.5), (3, 300, 'trois', NULL)",
)
EVOLVING = "MERGE WITH SCHEMA EVOLUTION INTO {t} AS t USING {s} AS s ON t.id = s.id "
WIDER_STRUCT = "named_struct('z', 'new', 'a', id, 'b', named_struct('d', n, 'e', 2, 'c', 'y'))"
EVOLUTION = [
    MergeCase(
        "a column of the source comes with the stars",
        EVOLVING + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        [(0, 1, "one", 10, None), (1, 2, "deux", 200, 0.5), (NEW, 3, "trois", 300, None)],
        setup=PLUS,
    ),
    MergeCase(
        "a column of the source comes with an assignment, another does not come",
        EVOLVING + "WHEN MATCHED THEN UPDATE SET more = s.more",
        [(0, 1, "one", 10, None), (1, 2, "two", 20, 0.5)],
        setup=PLUS,
    ),
    MergeCase(
        "a wider type comes with an assignment",
        EVOLVING + "WHEN MATCHED THEN UPDATE SET n = s.n",
        [(0, 1, "one", 10), (1, 2, "two", 5000000000)],
        setup=(*PLUS, "UPDATE s SET n = 5000000000"),
    ),
    MergeCase(
        "a wider type comes with stars",
        EVOLVING.replace("{s}", "(SELECT id, name, n FROM {s})") + "WHEN MATCHED THEN UPDATE SET *",
        [(0, 1, "one", 10), (1, 2, "deux", 5000000000)],
        setup=(*PLUS, "UPDATE s SET n = 5000000000"),
    ),
    MergeCase(
        "stars with a column missing in the source",
        EVOLVING.replace("{s}", "(SELECT id, more FROM {s})")
        + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        [(0, 1, "one", 10, None), (1, 2, "two", 20, 0.5), (NEW, 3, None, None, None)],
        setup=PLUS,
    ),
    MergeCase(
        "nothing is new",
        EVOLVING + "WHEN MATCHED THEN UPDATE SET name = s.name",
        [(0, 1, "one", 10), (1, 2, "deux", 20)],
        setup=PLUS,
    ),
    MergeCase(
        "fields of a struct come",
        EVOLVING.replace("{s}", f"(SELECT id, {WIDER_STRUCT} AS p FROM {{s}})")
        + "WHEN MATCHED AND t.id < 3 THEN UPDATE SET p = s.p "
        "WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, s.p)",
        [
            (0, 1, 1, "y", 100, 2, "new"),
            (1, 2, 2, "y", 200, 2, "new"),
            (2, 3, None, None, None, None, None),
            (NEW, 4, 4, "y", 400, 2, "new"),
        ],
        setup=STRUCTS,
        query="SELECT rowid, id, p.a, p.b.c, p.b.d, p.b.e, p.z FROM {t}",
    ),
]
CASES += [replace(case, oracle=False, needs=ONE_STATEMENT) for case in EVOLUTION]


@pytest.mark.parametrize(("number", "layout"), **params(CASES))
def test_merge(stage: Stage, number: int, layout: Layout) -> None:
    stage.play(number, layout)


@pytest.mark.parametrize("case", [case for case in CASES if case.oracle], ids=lambda c: c.name)
def test_duckdb_means_the_same(case: MergeCase) -> None:
    assert in_duckdb(case) == values(case)
