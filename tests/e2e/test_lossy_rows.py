"""UPDATE and MERGE refuse the rows that would lose something in Spark's types, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.lakes import Lake
from support.lines import VARIANT_WRITES, since
from support.peer import Peer

Register = Callable[..., str]

INLINED = ["DATA_INLINING_ROW_LIMIT 0", "DATA_INLINING_ROW_LIMIT 1000"]
WHOLE = "2024-01-01 12:00:00.123456"
FINE = "2024-01-01 12:00:00.123456789"
REFUSAL = r"DUCKLAKE_UNSUPPORTED.*`v`"


@pytest.fixture(params=INLINED, ids=["files", "inlined"])
def peer_options(request: pytest.FixtureRequest) -> str:
    """Whether DuckDB puts its rows into files or into the catalog."""
    return str(request.param)


def _fill(lake: Lake, options: str, kind: str, *values: str) -> int:
    """A table with `values` numbered from 1; the newest snapshot."""
    rows = ", ".join(f"({number}, 0, {value})" for number, value in enumerate(values, 1))
    with Peer(lake, options) as peer:
        peer.run(f"CREATE TABLE t (id INT, n INT, v {kind})", f"INSERT INTO t VALUES {rows}")
        return peer.head()


def _texts(lake: Lake) -> list[tuple[object, ...]]:
    with Peer(lake) as peer:
        return peer.rows("SELECT id, n, CAST(v AS VARCHAR) FROM t ORDER BY id")


def _assert_refused(spark: SparkSession, lake: Lake, head: int, *statements: str) -> None:
    before = _texts(lake)
    for statement in statements:
        with pytest.raises(PySparkException, match=REFUSAL):
            spark.sql(statement)
    with Peer(lake) as peer:
        assert peer.head() == head
    assert _texts(lake) == before


def test_an_update_of_other_rows(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    values = (f"'{WHOLE}'", f"'{FINE}'", "NULL", "'infinity'", "'-infinity'")
    head = _fill(lake, peer_options, "TIMESTAMP_NS", *values)
    catalog = register(lake)

    _assert_refused(
        spark,
        lake,
        head,
        f"UPDATE {catalog}.t SET n = 1",
        f"UPDATE {catalog}.t SET n = 1 WHERE id = 2",
        f"UPDATE {catalog}.t SET n = 1 WHERE v > TIMESTAMP_NTZ '2000-01-01 00:00:00'",
    )
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id <> 2")

    assert _texts(lake) == [
        (1, 1, WHOLE),
        (2, 0, FINE),
        (3, 1, None),
        (4, 1, "infinity"),
        (5, 1, "-infinity"),
    ]


def test_a_merge_of_other_rows(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    head = _fill(lake, peer_options, "TIMESTAMP_NS", f"'{WHOLE}'", f"'{FINE}'", f"'{FINE}'")
    catalog = register(lake)

    def merge(ids: str, action: str) -> str:
        return (
            f"MERGE INTO {catalog}.t USING (SELECT explode(array({ids})) AS k) ON id = k "
            f"WHEN MATCHED THEN {action} "
            f"WHEN NOT MATCHED THEN INSERT (id, n, v) VALUES (k, 9, TIMESTAMP_NTZ '{WHOLE}')"
        )

    _assert_refused(
        spark,
        lake,
        head,
        merge("1, 2", "UPDATE SET n = 1"),
        f"MERGE INTO {catalog}.t USING (SELECT 1 AS k) ON id = k "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = 2",
    )
    spark.sql(merge("1, 7", "UPDATE SET n = 1"))
    spark.sql(merge("2", "DELETE"))

    assert _texts(lake) == [(1, 1, WHOLE), (3, 0, FINE), (7, 9, WHOLE)]


def test_what_is_set_anew_is_not_lost(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    _fill(lake, peer_options, "TIMESTAMP_NS", f"'{FINE}'", f"'{FINE}'")
    catalog = register(lake)

    spark.sql(f"UPDATE {catalog}.t SET n = 1, v = NULL WHERE id = 1")
    spark.sql(f"DELETE FROM {catalog}.t WHERE v > TIMESTAMP_NTZ '2000-01-01 00:00:00'")

    assert _texts(lake) == [(1, 1, None)]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("TIMESTAMP_NS[]", "[TIMESTAMP_NS '{}', NULL]"),
        ("STRUCT(a INT, b STRUCT(c TIMESTAMP_NS))", "{{'a': 1, 'b': {{'c': TIMESTAMP_NS '{}'}}}}"),
        ("MAP(INT, TIMESTAMP_NS)", "MAP {{1: NULL, 2: TIMESTAMP_NS '{}'}}"),
        ("MAP(TIMESTAMP_NS, INT)", "MAP {{TIMESTAMP_NS '{}': 1}}"),
    ],
    ids=["list", "struct", "value", "key"],
)
@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_nested_values(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    column: str,
    value: str,
    peer_options: str,
) -> None:
    head = _fill(lake, peer_options, column, value.format(WHOLE), value.format(FINE), "NULL")
    before = _texts(lake)
    catalog = register(lake)

    _assert_refused(spark, lake, head, f"UPDATE {catalog}.t SET n = 1 WHERE id < 3")
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id <> 2")

    assert _texts(lake) == [(number, 1 if number != 2 else 0, text) for number, _, text in before]


def test_a_default_counts_as_a_value(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    with Peer(lake, peer_options) as peer:
        peer.run(
            "CREATE TABLE t (id INT, n INT)",
            "INSERT INTO t VALUES (1, 0)",
            f"ALTER TABLE t ADD COLUMN v TIMESTAMP_NS DEFAULT '{FINE}'",
            f"INSERT INTO t VALUES (2, 0, '{WHOLE}')",
        )
        head = peer.head()
    catalog = register(lake)

    _assert_refused(spark, lake, head, f"UPDATE {catalog}.t SET n = 1 WHERE id = 1")
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id = 2")

    assert _texts(lake) == [(1, 0, FINE), (2, 1, WHOLE)]


def test_integers_of_39_digits(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    head = _fill(lake, peer_options, "HUGEINT", "5", str(2**126 + 2**125), "6", "7")
    catalog = register(lake)

    with pytest.raises(PySparkException, match=r"DUCKLAKE_INVALID_VALUE.*`v`"):
        spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id = 2")
    with Peer(lake) as peer:
        assert peer.head() == head
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id = 1")
    spark.sql(
        f"MERGE INTO {catalog}.t USING (SELECT explode(array(2, 3)) AS k) ON id = k "
        "WHEN MATCHED AND id = 2 THEN UPDATE SET n = 2, v = 8 WHEN MATCHED THEN DELETE"
    )

    assert _texts(lake) == [(1, 1, "5"), (2, 2, "8"), (4, 0, "7")]


def test_offsets_of_times(spark: SparkSession, lake: Lake, register: Register) -> None:
    head = _fill(lake, INLINED[1], "TIMETZ", "'10:00:00+00'", "'10:00:00+05:30'")
    catalog = register(lake)

    _assert_refused(spark, lake, head, f"UPDATE {catalog}.t SET n = 1 WHERE id = 2")
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id = 1")

    assert _texts(lake) == [(1, 1, "10:00:00+00"), (2, 0, "10:00:00+05:30")]


@since(VARIANT_WRITES)
@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
@pytest.mark.parametrize(
    ("whole", "lossy"),
    [
        ("1::VARIANT", "TIME '10:00:00'::VARIANT"),
        (f"TIMESTAMP '{WHOLE}'::VARIANT", f"TIMESTAMP_NS '{FINE}'::VARIANT"),
        ("[1, 2]::VARIANT", "[TIME '10:00:00', NULL]::VARIANT"),
        ("{'a': 1, 'b': 'x'}::VARIANT", "{'a': 1, 'b': TIME '10:00:00'}::VARIANT"),
        ("{'a': [{'b': 1}]}::VARIANT", "{'a': [{'b': TIME '10:00:00'}]}::VARIANT"),
    ],
    ids=["time", "nanoseconds", "list", "struct", "deep"],
)
def test_variants(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    whole: str,
    lossy: str,
    peer_options: str,
) -> None:
    head = _fill(lake, peer_options, "VARIANT", whole, lossy, "NULL")
    before = _texts(lake)
    catalog = register(lake)

    _assert_refused(
        spark,
        lake,
        head,
        f"UPDATE {catalog}.t SET n = 1 WHERE id < 3",
        f"MERGE INTO {catalog}.t USING (SELECT 2 AS k) ON id = k "
        "WHEN MATCHED THEN UPDATE SET n = 1",
    )
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id <> 2")

    assert _texts(lake) == [(number, 1 if number != 2 else 0, text) for number, _, text in before]


@since(VARIANT_WRITES)
@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_variants_of_one_type(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    """DuckDB puts them into a column of their type."""
    head = _fill(lake, peer_options, "VARIANT", *["TIME '10:00:00'::VARIANT"] * 2)
    catalog = register(lake)

    _assert_refused(spark, lake, head, f"UPDATE {catalog}.t SET n = 1 WHERE id = 1")


@since(VARIANT_WRITES)
@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
def test_times_that_became_variants(
    spark: SparkSession, lake: Lake, register: Register, peer_options: str
) -> None:
    _fill(lake, peer_options, "TIME", "'10:00:00'", "NULL")
    with Peer(lake) as peer:
        peer.run("ALTER TABLE t ALTER COLUMN v SET DATA TYPE VARIANT")
        head = peer.head()
    catalog = register(lake)

    _assert_refused(spark, lake, head, f"UPDATE {catalog}.t SET n = 1 WHERE id = 1")
    spark.sql(f"UPDATE {catalog}.t SET n = 1 WHERE id = 2")

    assert _texts(lake) == [(1, 0, "10:00:00"), (2, 1, None)]
