"""Statements on shapes: schemas, tables, columns, layouts, views."""

from __future__ import annotations

from interop.golden_case import (
    FILE_ID,
    FILE_ID_AGAIN,
    LAYOUT_AT_ONCE,
    NESTED_NULLS,
    VIEW_TEXT,
    Case,
)

SCHEMAS = Case(
    "schemas",
    (
        "CREATE SCHEMA {c}.plain_name",
        ('CREATE SCHEMA {c}."odd näme"', "CREATE SCHEMA {c}.`odd näme`"),
        "CREATE TABLE {c}.plain_name.t (a INT)",
        ('CREATE TABLE {c}.plain_name."a b" (a INT)', "CREATE TABLE {c}.plain_name.`a b` (a INT)"),
        ('DROP SCHEMA {c}."odd näme"', "DROP SCHEMA {c}.`odd näme`"),
        "DROP TABLE {c}.plain_name.t",
        "DROP SCHEMA {c}.plain_name CASCADE",
        "CREATE SCHEMA {c}.plain_name",
    ),
)

TYPES = Case(
    "columns of every type",
    (
        (
            """CREATE TABLE {c}.main.scalars (b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT,
               i64 BIGINT, f32 FLOAT, f64 DOUBLE, d9 DECIMAL(9, 2), d38 DECIMAL(38, 10), s VARCHAR,
               bin BLOB, dt DATE, ts TIMESTAMP, tz TIMESTAMPTZ)""",
            """CREATE TABLE {c}.main.scalars (b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT,
               i64 BIGINT, f32 FLOAT, f64 DOUBLE, d9 DECIMAL(9, 2), d38 DECIMAL(38, 10), s STRING,
               bin BINARY, dt DATE, ts TIMESTAMP_NTZ, tz TIMESTAMP)""",
        ),
        (
            """CREATE TABLE {c}.main.nested (l INT[],
               s STRUCT(a INT, b STRUCT(c BIGINT, d VARCHAR)),
               m MAP(VARCHAR, STRUCT(y DATE)), ll DOUBLE[][], ls STRUCT(x INT, z INT[])[])""",
            """CREATE TABLE {c}.main.nested (l ARRAY<INT>,
               s STRUCT<a: INT, b: STRUCT<c: BIGINT, d: STRING>>, m MAP<STRING, STRUCT<y: DATE>>,
               ll ARRAY<ARRAY<DOUBLE>>, ls ARRAY<STRUCT<x: INT, z: ARRAY<INT>>>)""",
        ),
        (
            """CREATE TABLE {c}.main.others (u8 UTINYINT, u16 USMALLINT, u32 UINTEGER, u64 UBIGINT,
               h HUGEINT, u UUID, j JSON, t TIME, tms TIMESTAMP_MS, tns TIMESTAMP_NS)""",
            """CREATE TABLE {c}.main.others (u8 SMALLINT, u16 INT, u32 BIGINT, u64 DECIMAL(20, 0),
               h DECIMAL(38, 0), u STRING, j STRING, t STRING, tms TIMESTAMP_NTZ,
               tns TIMESTAMP_NTZ)
               TBLPROPERTIES ('ducklake.type.u8' = 'uint8', 'ducklake.type.u16' = 'uint16',
               'ducklake.type.u32' = 'uint32', 'ducklake.type.u64' = 'uint64',
               'ducklake.type.h' = 'int128', 'ducklake.type.u' = 'uuid', 'ducklake.type.j' = 'json',
               'ducklake.type.t' = 'time', 'ducklake.type.tms' = 'timestamp_ms',
               'ducklake.type.tns' = 'timestamp_ns')""",
        ),
        (
            "CREATE TABLE {c}.main.v (v VARIANT, n STRUCT(a VARIANT))",
            "CREATE TABLE {c}.main.v (v VARIANT, n STRUCT<a: VARIANT>)",
        ),
        (
            'CREATE TABLE {c}.main.odd ("x y" INT, "É" INT, "SELECT" INT)',
            "CREATE TABLE {c}.main.odd (`x y` INT, `É` INT, `SELECT` INT)",
        ),
    ),
)

DEFAULTS = Case(
    "defaults, NOT NULL and comments",
    (
        (
            """CREATE TABLE {c}.main.t (a INT NOT NULL, b INT DEFAULT 5, s VARCHAR DEFAULT 'it''s',
               d DATE DEFAULT DATE '2024-02-29', n DECIMAL(5, 2) DEFAULT 1.5, f DOUBLE DEFAULT 2.5,
               y BOOLEAN DEFAULT true)""",
            """CREATE TABLE {c}.main.t (a INT NOT NULL, b INT DEFAULT 5, s STRING DEFAULT 'it\\'s',
               d DATE DEFAULT DATE '2024-02-29', n DECIMAL(5, 2) DEFAULT 1.5, f DOUBLE DEFAULT 2.5,
               y BOOLEAN DEFAULT true)""",
        ),
        "ALTER TABLE {c}.main.t ALTER COLUMN b SET DEFAULT 6",
        "ALTER TABLE {c}.main.t ALTER COLUMN b DROP DEFAULT",
        "ALTER TABLE {c}.main.t ALTER COLUMN a DROP NOT NULL",
        "ALTER TABLE {c}.main.t ADD COLUMN z INT DEFAULT 7",
        "COMMENT ON TABLE {c}.main.t IS 'about t'",
        "COMMENT ON TABLE {c}.main.t IS 'more about t'",
        "COMMENT ON TABLE {c}.main.t IS NULL",
        (
            "COMMENT ON COLUMN {c}.main.t.a IS 'about a'",
            "ALTER TABLE {c}.main.t ALTER COLUMN a COMMENT 'about a'",
        ),
        (
            "COMMENT ON COLUMN {c}.main.t.a IS 'more'",
            "ALTER TABLE {c}.main.t ALTER COLUMN a COMMENT 'more'",
        ),
    ),
)

COLUMNS = Case(
    "columns added, dropped, renamed and widened",
    (
        "CREATE TABLE {c}.main.t (a SMALLINT, b INT, c FLOAT, d DECIMAL(5, 2))",
        "ALTER TABLE {c}.main.t ADD COLUMN e BIGINT",
        "ALTER TABLE {c}.main.t RENAME COLUMN e TO f",
        (
            "ALTER TABLE {c}.main.t ALTER COLUMN a SET DATA TYPE INT",
            "ALTER TABLE {c}.main.t ALTER COLUMN a TYPE INT",
        ),
        (
            "ALTER TABLE {c}.main.t ALTER COLUMN c SET DATA TYPE DOUBLE",
            "ALTER TABLE {c}.main.t ALTER COLUMN c TYPE DOUBLE",
        ),
        (
            "ALTER TABLE {c}.main.t ALTER COLUMN d SET DATA TYPE DECIMAL(10, 2)",
            "ALTER TABLE {c}.main.t ALTER COLUMN d TYPE DECIMAL(10, 2)",
        ),
        "ALTER TABLE {c}.main.t DROP COLUMN b",
        "ALTER TABLE {c}.main.t ADD COLUMN b INT",
        (
            "ALTER TABLE {c}.main.t ADD COLUMN s STRUCT(x INT, l INT[])",
            "ALTER TABLE {c}.main.t ADD COLUMN s STRUCT<x: INT, l: ARRAY<INT>>",
        ),
        "ALTER TABLE {c}.main.t DROP COLUMN s",
    ),
    allowed=(FILE_ID, FILE_ID_AGAIN),
)

FIELDS = Case(
    "fields of nested columns",
    (
        (
            "CREATE TABLE {c}.main.t (s STRUCT(a INT, b STRUCT(c INT)), l STRUCT(x INT)[],"
            " m MAP(VARCHAR, STRUCT(y INT)))",
            "CREATE TABLE {c}.main.t (s STRUCT<a: INT, b: STRUCT<c: INT>>,"
            " l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<y: INT>>)",
        ),
        "ALTER TABLE {c}.main.t ADD COLUMN s.d BIGINT",
        "ALTER TABLE {c}.main.t ADD COLUMN s.b.e DATE",
        "ALTER TABLE {c}.main.t ADD COLUMN l.element.z INT",
        "ALTER TABLE {c}.main.t ADD COLUMN m.value.w INT",
        "ALTER TABLE {c}.main.t DROP COLUMN s.a",
        "ALTER TABLE {c}.main.t RENAME COLUMN s.b.c TO k",
    ),
    allowed=(NESTED_NULLS,),
)

TABLES = Case(
    "tables renamed, replaced and dropped",
    (
        "CREATE TABLE {c}.main.t (a INT)",
        (
            "ALTER TABLE {c}.main.t RENAME TO u",
            "ALTER TABLE {c}.main.t RENAME TO main.u",
        ),
        "CREATE TABLE {c}.main.t (b INT)",
        "CREATE OR REPLACE TABLE {c}.main.t (c BIGINT, d INT)",
        "DROP TABLE {c}.main.u",
        "CREATE TABLE IF NOT EXISTS {c}.main.t (e INT)",
        "DROP TABLE IF EXISTS {c}.main.never",
    ),
)

LAYOUTS = Case(
    "layouts and sort orders",
    (
        (
            "BEGIN;CREATE TABLE {c}.main.p (k INT, ts TIMESTAMP);"
            "ALTER TABLE {c}.main.p SET PARTITIONED BY (k, year(ts), bucket(4, k));COMMIT",
            "CREATE TABLE {c}.main.p (k INT, ts TIMESTAMP_NTZ)"
            " PARTITIONED BY (k, year(ts), bucket(4, k))",
        ),
        "CREATE TABLE {c}.main.t (k INT, d DATE, v INT)",
        "ALTER TABLE {c}.main.t SET PARTITIONED BY (k)",
        "ALTER TABLE {c}.main.t SET PARTITIONED BY (k, month(d))",
        "ALTER TABLE {c}.main.t SET SORTED BY (v DESC NULLS FIRST, k)",
        "ALTER TABLE {c}.main.t SET SORTED BY (k ASC NULLS LAST)",
        "ALTER TABLE {c}.main.t RESET SORTED BY",
        "ALTER TABLE {c}.main.t RESET PARTITIONED BY",
        "ALTER TABLE {c}.main.t RENAME COLUMN k TO kk",
    ),
    allowed=(LAYOUT_AT_ONCE,),
)

VIEWS = Case(
    "views",
    (
        "CREATE TABLE {c}.main.t (a INT, b INT)",
        "CREATE VIEW {c}.main.v AS SELECT a FROM {c}.main.t",
        "CREATE OR REPLACE VIEW {c}.main.v AS SELECT b FROM {c}.main.t",
        "CREATE VIEW {c}.main.w (x, y) AS SELECT a, b FROM {c}.main.t",
        ("ALTER VIEW {c}.main.w RENAME TO z", "ALTER VIEW {c}.main.w RENAME TO main.z"),
        "DROP VIEW {c}.main.v",
    ),
    allowed=(VIEW_TEXT,),
)

CASES = (SCHEMAS, TYPES, DEFAULTS, COLUMNS, FIELDS, TABLES, LAYOUTS, VIEWS)
