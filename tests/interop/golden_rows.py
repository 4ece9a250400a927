"""Statements on rows: values of every type, partitions, overwriting."""

from __future__ import annotations

from interop.golden_case import (
    FILE_ID,
    LAYOUT_AT_ONCE,
    MISCOUNTED,
    NAN,
    ONE_FILE,
    UNKNOWN,
    WARNED,
    Case,
    Step,
)
from interop.golden_shapes import TYPES

OF_QUERIES = Case(
    "tables made of queries",
    (
        "CREATE TABLE {c}.main.t AS SELECT 1 AS a, 'x' AS b",
        "CREATE OR REPLACE TABLE {c}.main.t AS SELECT CAST(2 AS BIGINT) AS c",
        f"CREATE TABLE {{c}}.main.u AS SELECT {ONE_FILE} c, c + 1 AS d FROM {{c}}.main.t",
        "CREATE TABLE {c}.main.none AS SELECT 1 AS a WHERE false",
    ),
    has_rows=True,
)

INSERTS = Case(
    "inserts",
    (
        "CREATE TABLE {c}.main.t (a INT, b BIGINT, c INT)",
        "INSERT INTO {c}.main.t VALUES (1, 10, 5)",
        "INSERT INTO {c}.main.t VALUES (7, NULL, NULL)",
        "INSERT INTO {c}.main.t (a) VALUES (-3)",
        f"INSERT INTO {{c}}.main.t SELECT {ONE_FILE} a, b, c FROM {{c}}.main.t WHERE a > 0",
        "ALTER TABLE {c}.main.t ADD COLUMN d INT DEFAULT 9",
        "INSERT INTO {c}.main.t VALUES (1, 1, 1, 1)",
        "INSERT INTO {c}.main.t (b) VALUES (100)",
        "ALTER TABLE {c}.main.t DROP COLUMN a",
        "INSERT INTO {c}.main.t VALUES (2, 2, 2)",
        "INSERT INTO {c}.main.t SELECT b, c, d FROM {c}.main.t WHERE false",
    ),
    has_rows=True,
)

TEXTS = Case(
    "bounds of text and bytes",
    (
        (
            "CREATE TABLE {c}.main.t (s VARCHAR, b BLOB)",
            "CREATE TABLE {c}.main.t (s STRING, b BINARY)",
        ),
        "INSERT INTO {c}.main.t VALUES ('', unhex('00FF'))",
        "INSERT INTO {c}.main.t VALUES ('zebra', unhex(''))",
        "INSERT INTO {c}.main.t VALUES ('NULL', NULL)",
        "INSERT INTO {c}.main.t VALUES ('éß水', unhex('FFFE'))",
        "INSERT INTO {c}.main.t VALUES (NULL, NULL)",
        (
            "CREATE TABLE {c}.main.l (s VARCHAR, b BLOB)",
            "CREATE TABLE {c}.main.l (s STRING, b BINARY)",
        ),
        "INSERT INTO {c}.main.l VALUES (repeat('x', 256), unhex(repeat('0A', 256)))",
        "INSERT INTO {c}.main.l VALUES (repeat('x', 257), unhex(repeat('0A', 257)))",
        "INSERT INTO {c}.main.l VALUES (repeat('y', 1000), unhex(repeat('FF', 300)))",
    ),
    has_rows=True,
    allowed=(UNKNOWN,),
)

FLOATS = Case(
    "bounds of floats",
    (
        "CREATE TABLE {c}.main.t (f FLOAT, d DOUBLE)",
        "INSERT INTO {c}.main.t VALUES (1.5, 2.5)",
        "INSERT INTO {c}.main.t VALUES (CAST('NaN' AS FLOAT), CAST('NaN' AS DOUBLE))",
        "INSERT INTO {c}.main.t VALUES (CAST('-Infinity' AS FLOAT), CAST('Infinity' AS DOUBLE))",
        "INSERT INTO {c}.main.t VALUES (CAST('-0.0' AS FLOAT), CAST('-0.0' AS DOUBLE))",
        "INSERT INTO {c}.main.t VALUES (CAST(3.4e38 AS FLOAT), CAST(1e-300 AS DOUBLE))",
        "INSERT INTO {c}.main.t VALUES (CAST(16777216 AS FLOAT), CAST(1e16 AS DOUBLE))",
        "INSERT INTO {c}.main.t VALUES (CAST(0.1 AS FLOAT), CAST(123456789.125 AS DOUBLE))",
        f"""INSERT INTO {{c}}.main.t SELECT {ONE_FILE} CAST(s AS FLOAT), CAST(s AS DOUBLE)
            FROM (VALUES ('NaN'), ('1'), (NULL)) AS x(s)""",
        "CREATE TABLE {c}.main.n (f FLOAT)",
        "INSERT INTO {c}.main.n VALUES (CAST('NaN' AS FLOAT))",
        "INSERT INTO {c}.main.n VALUES (1)",
    ),
    has_rows=True,
    allowed=(
        NAN,
        UNKNOWN,
    ),
)

NUMBERS = Case(
    "bounds of numbers and times",
    (
        (
            """CREATE TABLE {c}.main.t (b BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT,
               d9 DECIMAL(9, 2), d18 DECIMAL(18, 4), d38 DECIMAL(38, 10), dt DATE, ts TIMESTAMP,
               tz TIMESTAMPTZ)""",
            """CREATE TABLE {c}.main.t (b BOOLEAN, i8 TINYINT, i16 SMALLINT, i64 BIGINT,
               d9 DECIMAL(9, 2), d18 DECIMAL(18, 4), d38 DECIMAL(38, 10), dt DATE,
               ts TIMESTAMP_NTZ, tz TIMESTAMP)""",
        ),
        *[
            (
                f"""INSERT INTO {{c}}.main.t VALUES ({values}, DATE '{date}', TIMESTAMP '{time}',
                    TIMESTAMPTZ '{time}+00')""",
                f"""INSERT INTO {{c}}.main.t VALUES ({values}, DATE '{date}',
                    TIMESTAMP_NTZ '{time}', TIMESTAMP '{time}+00:00')""",
            )
            for values, date, time in (
                ("true, 1, 1, 1, 1.5, 1.25, 0.1", "2024-02-29", "2024-02-29 12:30:00"),
                (
                    "false, -128, -32768, -9223372036854775808, -9999999.99,"
                    " -99999999999999.9999, -9999999999999999999999999999.0000000001",
                    "0001-01-01",
                    "0001-01-01 00:00:00",
                ),
                (
                    "true, 127, 32767, 9223372036854775807, 9999999.99, 99999999999999.9999,"
                    " 9999999999999999999999999999.9999999999",
                    "9999-12-31",
                    "9999-12-31 23:59:59.999999",
                ),
                ("NULL, 0, 0, 0, 0, 0, 0", "1969-12-31", "1969-12-31 23:59:59.5"),
            )
        ],
    ),
    has_rows=True,
)

NESTED = Case(
    "bounds of nested values",
    (
        (
            "CREATE TABLE {c}.main.t (l INT[], s STRUCT(a INT, b VARCHAR),"
            " m MAP(VARCHAR, DOUBLE), ls STRUCT(x INT)[])",
            "CREATE TABLE {c}.main.t (l ARRAY<INT>, s STRUCT<a: INT, b: STRING>,"
            " m MAP<STRING, DOUBLE>, ls ARRAY<STRUCT<x: INT>>)",
        ),
        (
            "INSERT INTO {c}.main.t VALUES ([1, NULL, 3], {'a': 1, 'b': 'x'}, MAP {'k': 1.5},"
            " [{'x': 1}, NULL])",
            "INSERT INTO {c}.main.t VALUES (array(1, NULL, 3), named_struct('a', 1, 'b', 'x'),"
            " map('k', 1.5D), array(named_struct('x', 1), NULL))",
        ),
        "INSERT INTO {c}.main.t VALUES (NULL, NULL, NULL, NULL)",
        (
            "INSERT INTO {c}.main.t VALUES ([], {'a': NULL, 'b': NULL}, MAP {}, [])",
            "INSERT INTO {c}.main.t VALUES (array(), named_struct('a', NULL, 'b', NULL), map(),"
            " array())",
        ),
        (
            "INSERT INTO {c}.main.t VALUES ([9], {'a': 9, 'b': 'z'}, MAP {'z': NULL},"
            " [{'x': NULL}])",
            "INSERT INTO {c}.main.t VALUES (array(9), named_struct('a', 9, 'b', 'z'),"
            " map('z', NULL), array(named_struct('x', NULL)))",
        ),
    ),
    has_rows=True,
    allowed=(MISCOUNTED,),
)

OTHER_TYPES = Case(
    "bounds of types that Spark lacks",
    (
        TYPES.steps[2],
        (
            """INSERT INTO {c}.main.others VALUES (255, 65535, 4294967295, 18446744073709551615,
               -5, '00000000-0000-0000-0000-0000000000ff', '{"a": 1}', TIME '12:34:56.5',
               TIMESTAMP_MS '2024-01-01 00:00:00.123',
               TIMESTAMP_NS '2024-01-01 00:00:00.123456')""",
            """INSERT INTO {c}.main.others VALUES (255, 65535, 4294967295, 18446744073709551615,
               -5, '00000000-0000-0000-0000-0000000000ff', '{"a": 1}', '12:34:56.5',
               TIMESTAMP_NTZ '2024-01-01 00:00:00.123',
               TIMESTAMP_NTZ '2024-01-01 00:00:00.123456')""",
        ),
        "INSERT INTO {c}.main.others (u8, u64) VALUES (0, 0)",
    ),
    has_rows=True,
)

PARTITIONS = Case(
    "partitioned inserts",
    (
        (
            "BEGIN;CREATE TABLE {c}.main.t (k VARCHAR, d DATE, n INT);"
            "ALTER TABLE {c}.main.t SET PARTITIONED BY (k, year(d));COMMIT",
            "CREATE TABLE {c}.main.t (k STRING, d DATE, n INT) PARTITIONED BY (k, year(d))",
        ),
        "INSERT INTO {c}.main.t VALUES ('a', DATE '2024-01-01', 1)",
        "INSERT INTO {c}.main.t VALUES ('x y/é%', DATE '2024-01-01', 2)",
        "INSERT INTO {c}.main.t VALUES (NULL, NULL, 3)",
        "INSERT INTO {c}.main.t VALUES ('', DATE '0001-01-01', 4)",
        f"""INSERT INTO {{c}}.main.t SELECT {ONE_FILE} k, d, n + 10 FROM {{c}}.main.t
            WHERE n IN (1, 2)""",
        "ALTER TABLE {c}.main.t SET PARTITIONED BY (month(d), day(d), n)",
        "INSERT INTO {c}.main.t VALUES ('a', DATE '2024-03-15', 7)",
        "ALTER TABLE {c}.main.t RESET PARTITIONED BY",
        "INSERT INTO {c}.main.t VALUES ('a', DATE '2024-03-15', 8)",
        *[
            step
            for key, value in (("INT", "34"), ("BIGINT", "-1"), ("DATE", "DATE '2017-11-16'"))
            for step in (
                f"CREATE TABLE {{c}}.main.b_{key} (k {key}, n INT)",
                f"ALTER TABLE {{c}}.main.b_{key} SET PARTITIONED BY (bucket(16, k))",
                f"INSERT INTO {{c}}.main.b_{key} VALUES ({value}, 1)",
            )
        ],
    ),
    has_rows=True,
    has_many_files=True,
    allowed=(LAYOUT_AT_ONCE,),
)

OVERWRITES = Case(
    "everything overwritten, everything deleted",
    (
        "CREATE TABLE {c}.main.t (a INT, b DOUBLE)",
        "INSERT INTO {c}.main.t VALUES (1, 1.5)",
        "INSERT INTO {c}.main.t VALUES (2, 2.5)",
        (
            "BEGIN;DELETE FROM {c}.main.t;INSERT INTO {c}.main.t VALUES (4, 4.5);COMMIT",
            "INSERT OVERWRITE {c}.main.t VALUES (4, 4.5)",
        ),
        ("DELETE FROM {c}.main.t", "TRUNCATE TABLE {c}.main.t"),
    ),
    has_rows=True,
    allowed=(FILE_ID, WARNED),
)


def _in_one_file(values: str) -> Step:
    """An insert of several rows that neither engine splits."""
    return (
        f"INSERT INTO {{c}}.main.t VALUES {values}",
        f"INSERT INTO {{c}}.main.t SELECT {ONE_FILE} * FROM VALUES {values}",
    )


DELETES = Case(
    "rows deleted",
    (
        "CREATE TABLE {c}.main.t (a INT, b DOUBLE)",
        _in_one_file("(1, 1.5), (2, 2.5), (3, 3.5), (4, 4.5)"),
        _in_one_file("(5, 5.5), (6, 6.5)"),
        "DELETE FROM {c}.main.t WHERE a IN (2, 3)",
        "DELETE FROM {c}.main.t WHERE a > 4",
    ),
    has_rows=True,
    allowed=(FILE_ID, WARNED),
)

DELETES_BY_PARTITION = Case(
    "partitions deleted",
    (
        "CREATE TABLE {c}.main.t (p INT, a INT, d DOUBLE)",
        "ALTER TABLE {c}.main.t SET PARTITIONED BY (p)",
        "INSERT INTO {c}.main.t VALUES (1, 10, 1.5), (1, 11, NULL)",
        "INSERT INTO {c}.main.t VALUES (2, 20, 2.5), (2, 21, NULL)",
        "INSERT INTO {c}.main.t VALUES (2, 22, 2.5)",
        "INSERT INTO {c}.main.t VALUES (NULL, 30, 3.5)",
        "DELETE FROM {c}.main.t WHERE p = 7",
        "DELETE FROM {c}.main.t WHERE a = 20",
        "DELETE FROM {c}.main.t WHERE p = 2 OR p IS NULL",
    ),
    has_rows=True,
    allowed=(FILE_ID, WARNED),
)

DELETES_BY_BOUNDS = Case(
    "files deleted by their bounds",
    (
        "CREATE TABLE {c}.main.t (a INT, d DOUBLE)",
        "INSERT INTO {c}.main.t VALUES (60, 6.5)",
        f"""INSERT INTO {{c}}.main.t SELECT {ONE_FILE} a, d
            FROM (VALUES (70, 7.5), (71, NULL)) AS x(a, d)""",
        "INSERT INTO {c}.main.t VALUES (80, 0.5)",
        "DELETE FROM {c}.main.t WHERE a BETWEEN 70 AND 75 OR d < 1",
    ),
    has_rows=True,
    allowed=(FILE_ID, WARNED),
)

CASES = (
    OF_QUERIES,
    INSERTS,
    TEXTS,
    FLOATS,
    NUMBERS,
    NESTED,
    OTHER_TYPES,
    PARTITIONS,
    OVERWRITES,
    DELETES,
    DELETES_BY_PARTITION,
    DELETES_BY_BOUNDS,
)
