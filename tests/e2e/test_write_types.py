"""Values of every type that Spark writes, as DuckDB reads, prunes and describes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from support.golden import metadata_differences
from support.lakes import IN_FILES, CatalogKind, Lake, LakeFactory
from support.lines import VARIANT_WRITES, since
from support.peer import Peer

Register = Callable[..., str]


@dataclass(frozen=True)
class Case:
    """A DuckDB type, values as Spark writes them and as DuckDB writes them, least first."""

    kind: str
    spark: tuple[str, ...]
    duckdb: tuple[str, ...]

    @classmethod
    def same(cls, kind: str, *values: str) -> Case:
        """Values that both engines write alike."""
        return cls(kind, values, values)


CASES = (
    Case.same("BOOLEAN", "false", "true"),
    Case.same("TINYINT", "-128", "0", "127"),
    Case.same("SMALLINT", "-32768", "32767"),
    Case.same("INTEGER", "-2147483648", "9", "10", "2147483647"),
    Case.same("BIGINT", "-9223372036854775808", "9", "10", "9223372036854775807"),
    Case.same("UTINYINT", "0", "9", "255"),
    Case.same("USMALLINT", "0", "65535"),
    Case.same("UINTEGER", "0", "2147483648", "4294967295"),
    Case.same("UBIGINT", "0", "9223372036854775808", "18446744073709551615"),
    Case.same("HUGEINT", "-99999999999999999999999999999999999999", "5"),
    Case.same("UHUGEINT", "0", "99999999999999999999999999999999999999"),
    Case.same("FLOAT", "CAST('-inf' AS FLOAT)", "1.5", "CAST('inf' AS FLOAT)"),
    Case.same("DOUBLE", "-1e300", "0.1", "1e300"),
    Case.same("DECIMAL(9, 2)", "-1.50", "0.01", "9999999.99"),
    Case.same("DECIMAL(18, 6)", "-1.5", "123456789012.123456"),
    Case.same("DECIMAL(38, 10)", "-1.5", "1234567890123456789012345678.0123456789"),
    Case.same("VARCHAR", "''", "'NULL'", "'a'", "'é'", "'日本'", "'🦆'"),
    Case("BLOB", ("X''", "X'00FF'", "X'61'"), ("''::BLOB", "'\\x00\\xFF'::BLOB", "'a'::BLOB")),
    Case.same("DATE", "DATE '0001-01-01'", "DATE '1582-10-14'", "DATE '2024-02-29'"),
    Case.same("TIME", "'00:00:00'", "'12:34:56.789'", "'23:59:59.999999'"),
    Case.same("TIMETZ", "'10:00:00+00'", "'12:00:00+00'"),
    Case(
        "TIMESTAMP",
        ("TIMESTAMP_NTZ '1500-01-01 00:00:00'", "TIMESTAMP_NTZ '2024-01-01 12:00:00.000001'"),
        ("TIMESTAMP '1500-01-01 00:00:00'", "TIMESTAMP '2024-01-01 12:00:00.000001'"),
    ),
    Case(
        "TIMESTAMP_S",
        ("TIMESTAMP_NTZ '1500-01-01 00:00:00'", "TIMESTAMP_NTZ '2024-01-01 12:00:01'"),
        ("TIMESTAMP '1500-01-01 00:00:00'", "TIMESTAMP '2024-01-01 12:00:01'"),
    ),
    Case(
        "TIMESTAMP_MS",
        ("TIMESTAMP_NTZ '1500-01-01 00:00:00'", "TIMESTAMP_NTZ '2024-01-01 12:00:01.123'"),
        ("TIMESTAMP '1500-01-01 00:00:00'", "TIMESTAMP '2024-01-01 12:00:01.123'"),
    ),
    Case(
        "TIMESTAMP_NS",
        ("TIMESTAMP_NTZ '1900-01-01 00:00:00'", "TIMESTAMP_NTZ '2024-01-01 12:00:01.123456'"),
        ("TIMESTAMP '1900-01-01 00:00:00'", "TIMESTAMP '2024-01-01 12:00:01.123456'"),
    ),
    Case(
        "TIMESTAMPTZ",
        ("TIMESTAMP '1500-01-01 00:00:00Z'", "TIMESTAMP '2024-01-01 12:00:00.5+02:00'"),
        ("TIMESTAMPTZ '1500-01-01 00:00:00Z'", "TIMESTAMPTZ '2024-01-01 12:00:00.5+02:00'"),
    ),
    Case.same("INTERVAL", "'1 year 2 months 3 days 04:05:06.789'", "'1 day'"),
    Case.same(
        "UUID", "'00000000-0000-0000-0000-000000000001'", "'f0000000-0000-4000-8000-0a0b0c0d0e0f'"
    ),
    Case.same("JSON", """'"a"'""", """'[1, null]'""", """'{"a": 1}'"""),
    Case(
        "INTEGER[]",
        ("array(1, NULL)", "CAST(array() AS ARRAY<INT>)"),
        ("[1, NULL]", "[]"),
    ),
    Case(
        "STRUCT(a INTEGER, b VARCHAR, u UUID)",
        ("named_struct('a', 1, 'b', 'x', 'u', '00000000-0000-0000-0000-000000000001')",),
        ("{'a': 1, 'b': 'x', 'u': '00000000-0000-0000-0000-000000000001'}",),
    ),
    Case(
        "MAP(VARCHAR, UTINYINT[])",
        ("map('k', array(1S, NULL), 'n', NULL)",),
        ("MAP {'k': [1, NULL], 'n': NULL}",),
    ),
    Case("TIME[]", ("array('12:00:00', NULL)",), ("[TIME '12:00:00', NULL]",)),
)


def _table() -> str:
    """One column for each case, and a number for each row."""
    columns = "".join(f", c{at} {case.kind}" for at, case in enumerate(CASES))
    return f"CREATE TABLE t (n INT{columns})"


def _rows(values: Callable[[Case], tuple[str, ...]]) -> str:
    """The n-th row has the n-th value of each case, or NULL."""
    most = max(len(values(case)) for case in CASES) + 1
    rows = (
        ", ".join([str(n), *((*values(case), *["NULL"] * most)[n] for case in CASES)])
        for n in range(most)
    )
    return ", ".join(f"({row})" for row in rows)


def _spark_rows(spark: SparkSession) -> DataFrame:
    rows = _rows(lambda case: case.spark)
    return spark.sql(f"SELECT * FROM VALUES {rows}")


def _plain(rows: DataFrame) -> DataFrame:
    """Columns by number and as text, so that only the values count."""
    texts = [f"CAST(`{name}` AS STRING) AS v{at}" for at, name in enumerate(rows.columns)]
    return rows.selectExpr(*texts)


def _texts(peer: Peer, at: int) -> list[str]:
    query = f"SELECT CAST(c{at} AS VARCHAR) FROM t WHERE c{at} IS NOT NULL ORDER BY n"
    return [text for (text,) in peer.rows(query)]


def test_duckdb_reads_equal_values(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(_table())
    catalog = register(lake, IN_FILES)

    source = _spark_rows(spark)
    # Each row in a file of its own: whoever prunes wrongly misses some.
    source.repartitionByRange(source.count(), source[0]).write.insertInto(f"{catalog}.t")

    table = spark.table(f"{catalog}.t")
    with Peer(lake) as peer:
        assert peer.value("SELECT file_count FROM ducklake_table_info('lake')") > 3
        for at, case in enumerate(CASES):
            values = [f"CAST({value} AS {case.kind})" for value in case.duckdb]
            assert _texts(peer, at) == [
                peer.value(f"SELECT CAST({value} AS VARCHAR)") for value in values
            ]
            for value in values:
                matches = peer.value(f"SELECT count(*) FROM t WHERE c{at} = {value}")
                assert (case.kind, value, matches) == (case.kind, value, 1)
    read, written = (sorted(map(str, rows.collect())) for rows in (_plain(table), _plain(source)))
    assert read == written

    with Peer(lake) as peer:
        lasting = [at for at, case in enumerate(CASES) if case.kind not in ("HUGEINT", "UHUGEINT")]
        before = {at: _texts(peer, at) for at in lasting}
        peer.run("CALL ducklake_merge_adjacent_files('lake')")
        assert peer.value("SELECT file_count FROM ducklake_table_info('lake')") == 1
        assert {at: _texts(peer, at) for at in lasting} == before


# Values that Spark gives in another type than the column's, so that their texts differ.
CHANGED_BY_THE_CAST = ("DOUBLE", "FLOAT", "DECIMAL(9, 2)", "DECIMAL(18, 6)", "DECIMAL(38, 10)")

# What DuckDB could not read back of these in the catalog goes to files.
IN_FILES_ANYWAY = ("TIME[]", "STRUCT(a INTEGER, b VARCHAR, u UUID)", "MAP(VARCHAR, UTINYINT[])")


@pytest.mark.every_database
def test_duckdb_reads_equal_values_in_the_catalog(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    kept = [at for at, case in enumerate(CASES) if case.kind not in IN_FILES_ANYWAY]
    others = [at for at in range(len(CASES)) if at not in kept]
    with Peer(lake) as peer:
        peer.run(f"CREATE TABLE t (n INT{''.join(f', c{at} {CASES[at].kind}' for at in kept)})")
        peer.run(*(f"CREATE TABLE t{at} (n INT, c{at} {CASES[at].kind})" for at in others))
    catalog = register(lake)

    source = _spark_rows(spark).toDF("n", *(f"c{at}" for at in range(len(CASES))))
    tables = {"t": kept} | {f"t{at}": [at] for at in others}
    for table, columns in tables.items():
        names = [f"c{at}" for at in columns]
        source.select("n", *names).coalesce(1).write.insertInto(f"{catalog}.{table}")

    with Peer(lake) as peer:
        for table, columns in tables.items():
            for at in columns:
                case = CASES[at]
                values = [f"CAST({value} AS {case.kind})" for value in case.duckdb]
                answer = [peer.value(f"SELECT CAST({value} AS VARCHAR)") for value in values]
                read = peer.rows(f"SELECT CAST(c{at} AS VARCHAR) FROM {table} ORDER BY rowid")
                nulls = [None] * (len(read) - len(answer))
                assert (case.kind, [text for (text,) in read]) == (case.kind, [*answer, *nulls])
                for value in values:
                    matches = peer.value(f"SELECT count(*) FROM {table} WHERE c{at} = {value}")
                    assert (case.kind, value, matches) == (case.kind, value, 1)
        in_files = {
            name
            for (name,) in peer.rows(
                "SELECT table_name FROM ducklake_table_info('lake') WHERE file_count > 0"
            )
        }
    assert in_files <= {f"t{at}" for at in others}
    for table, columns in tables.items():
        compared = [at for at in columns if CASES[at].kind not in CHANGED_BY_THE_CAST]
        texts = [f"CAST(c{at} AS STRING)" for at in compared]
        rows = [
            frame.selectExpr("n", *texts).orderBy("n").collect()
            for frame in (spark.table(f"{catalog}.{table}"), source)
        ]
        assert rows[0] == rows[1]


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"], indirect=True)
def test_metadata_is_what_duckdb_writes(
    spark: SparkSession, lakes: LakeFactory, kind: CatalogKind, register: Register
) -> None:
    def insert(lake: Lake) -> None:
        _spark_rows(spark).coalesce(1).write.insertInto(f"{register(lake, IN_FILES)}.t")

    differences = metadata_differences(
        lakes,
        kind,
        [_table()],
        insert,
        [f"INSERT INTO t VALUES {_rows(lambda case: case.duckdb)}"],
    )

    assert differences == ""


@pytest.mark.parametrize(
    ("kind_of_column", "value"),
    [
        ("UTINYINT", "256"),
        ("USMALLINT", "-1"),
        ("UINTEGER", "4294967296"),
        ("UBIGINT", "18446744073709551616"),
        ("UUID", "'x'"),
        ("JSON", "'{'"),
        ("TIME", "'25:00:00'"),
        ("INTERVAL", "'soon'"),
        ("INTERVAL", "'-1 day'"),
        ("TIMESTAMP_NS", "TIMESTAMP_NTZ '3000-01-01 00:00:00'"),
    ],
)
@pytest.mark.parametrize("options", [IN_FILES, {}], ids=["files", "inlined"])
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_a_type_cannot_hold_is_refused(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    kind_of_column: str,
    value: str,
    options: dict[str, str],
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(f"CREATE TABLE t (v {kind_of_column})")
    catalog = register(lake, options)

    with pytest.raises(PySparkException, match=r"DUCKLAKE_INVALID_VALUE.*`v`"):
        spark.sql(f"INSERT INTO {catalog}.t VALUES ({value})")

    with Peer(lake) as peer:
        assert peer.head() == 1
    assert not list(lake.data_path.rglob("*.parquet"))


def test_infinite_dates_and_timestamps_go_back_as_they_came(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run(
            "CREATE TABLE t "
            "(d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, ms TIMESTAMP_MS, ns TIMESTAMP_NS)",
            "INSERT INTO t VALUES ('infinity', 'infinity', 'infinity', 'infinity', 'infinity'), "
            "('-infinity', '-infinity', '-infinity', '-infinity', '-infinity')",
            "CREATE TABLE copy AS FROM t WITH NO DATA",
        )
    catalog = register(lake)

    spark.sql(f"INSERT INTO {catalog}.copy TABLE {catalog}.t")

    with Peer(lake) as peer:
        assert peer.rows("SELECT COLUMNS(*)::VARCHAR FROM copy ORDER BY d") == [
            ("-infinity",) * 5,
            ("infinity",) * 5,
        ]
        assert peer.value("SELECT count(*) FROM copy WHERE ts > '2020-01-01'") == 1


@since(VARIANT_WRITES)
def test_variants(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (n INT, v VARIANT)")
    catalog = register(lake)

    spark.sql(
        f'INSERT INTO {catalog}.t VALUES (1, parse_json(\'{{"a": [1, 2.5, null, "x"]}}\')), '
        "(2, parse_json('5')), (3, NULL)"
    )

    with Peer(lake) as peer:
        found = peer.rows("SELECT n, CAST(v AS VARCHAR) FROM t ORDER BY n")
        assert found == [(1, "{'a': [1, 2.5, NULL, x]}"), (2, "5"), (3, None)]
        assert peer.value("SELECT count(*) FROM t WHERE v IS NULL") == 1
    rows = spark.sql(f"SELECT to_json(v) FROM {catalog}.t ORDER BY n").collect()
    assert [row[0] for row in rows] == ['{"a":[1,2.5,null,"x"]}', "5", None]


def test_nan_hides_nothing_from_duckdb(spark: SparkSession, lake: Lake, register: Register) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (v DOUBLE, w FLOAT)", "INSERT INTO t VALUES (1, 1)")
    catalog = register(lake)

    spark.sql(
        f"INSERT INTO {catalog}.t VALUES (5, CAST('nan' AS FLOAT)), (CAST('nan' AS DOUBLE), 5), "
        "(CAST('nan' AS DOUBLE), CAST('nan' AS FLOAT))"
    )

    with Peer(lake) as peer:
        peer.run("INSERT INTO t VALUES (2, 2)")
        for column in ("v", "w"):
            count = f"SELECT count(*) FROM t WHERE {column}"
            assert peer.value(f"{count} > 4") == 3
            assert peer.value(f"{count} = 'nan'") == 2
            assert peer.value(f"{count} <> 5") == 4
            assert peer.value(f"{count} < 2") == 1
        assert str(peer.value("SELECT max(v) FROM t")) == "nan"


def test_long_texts_hide_nothing_from_duckdb(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (v VARCHAR)", "INSERT INTO t VALUES ('m')")
    catalog = register(lake)
    values = ["a" * 300, "é" * 200, "z" * 256 + "é", "x\x00y", "~" * 5000]

    for value in values:
        spark.createDataFrame([(value,)], "v STRING").writeTo(f"{catalog}.t").append()

    with Peer(lake, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("INSERT INTO t VALUES ('n')")
        for value in [*values, "m", "n"]:
            if "\0" in value:  # DuckDB cannot ask its catalog for such a text
                continue
            assert peer.value("SELECT count(*) FROM t WHERE v = ?", [value]) == 1
        assert peer.value("SELECT count(*) FROM t WHERE v >= 'm'") == 6


def test_times_in_nanoseconds_are_read_and_not_written(
    spark: SparkSession, lakes: LakeFactory, register: Register
) -> None:
    lake = lakes.new("sqlite")
    with Peer(lake) as peer:
        peer.run(
            "CREATE TABLE t (a INT, n TIME_NS)",
            "INSERT INTO t VALUES (1, '12:00:00.123456789'), (2, NULL)",
        )
    catalog = register(lake)

    read = spark.sql(f"SELECT a, n FROM {catalog}.t ORDER BY a").collect()
    assert [tuple(row) for row in read] == [(1, "12:00:00.123456789"), (2, None)]
    for statement in (
        f"INSERT INTO {catalog}.t VALUES (3, '01:00:00')",
        f"INSERT INTO {catalog}.t SELECT id, '01:00:00' FROM range(100)",
    ):
        with pytest.raises(PySparkException, match="time_ns: values of the type cannot be written"):
            spark.sql(statement).collect()
    assert spark.table(f"{catalog}.t").count() == 2
