"""Dynamic overwrite of partitions with odd values, and of tables that had other layouts before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from support.lakes import IN_FILES, Lake
from support.peer import Peer, made

Register = Callable[..., str]
MODE = "spark.sql.sources.partitionOverwriteMode"


@dataclass(frozen=True)
class Case:
    """A table with a key, rows of DuckDB's, and the ids of those whose partitions are replaced.

    `p` is the key's column. `same` is when two rows lie in one partition; `later` are statements
    after the rows came, each of them followed by an INSERT of the rows with ids 100 higher.
    """

    type_name: str
    values: list[str]
    chosen: list[int]
    layout: str = "p"
    same: str = "old.p IS NOT DISTINCT FROM new.p"
    later: tuple[str, ...] = ()


def parts(*names: str) -> str:
    return " AND ".join(f"{n}(old.p) IS NOT DISTINCT FROM {n}(new.p)" for n in names)


TEXTS = ["NULL", "''", "'__HIVE_DEFAULT_PARTITION__'", "'NULL'", "'null'", "'x'", "'X'", "' x'"]
MORE_TEXTS = ["'é'", "'e' || chr(769)", "'a/b=c%20'", "'😀'", "'1'", "'01'", "'1.0'", "'true'"]
DATES = ["NULL", "'2020-01-31'", "'2020-02-01'", "'2021-01-31'", "'0001-01-01'", "'infinity'"]
CASES = {
    "null and markers": Case("VARCHAR", TEXTS + MORE_TEXTS, [1, 3, 6, 9]),
    "empty and other texts": Case("VARCHAR", TEXTS + MORE_TEXTS, [2, 4, 8, 11, 12, 13]),
    "doubles": Case(
        "DOUBLE",
        ["NULL", "0.0", "1.5", "'nan'", "'inf'", "'-inf'", "0.1", "1e300"],
        [1, 2, 4, 5, 7],
    ),
    "floats": Case("FLOAT", ["NULL", "0.0", "0.1", "'nan'", "16777216", "1e30"], [3, 4, 5]),
    "decimals that grew": Case(
        "DECIMAL(5, 2)",
        ["NULL", "1.5", "-0.5", "0", "1.55"],
        [2, 4],
        later=("ALTER TABLE t ALTER p TYPE DECIMAL(10, 4)",),
    ),
    "integers that were booleans": Case(
        "BOOLEAN", ["NULL", "true", "false"], [2], later=("ALTER TABLE t ALTER p TYPE INTEGER",)
    ),
    "timestamps that were dates": Case(
        "DATE", DATES, [2, 6], later=("ALTER TABLE t ALTER p TYPE TIMESTAMP",)
    ),
    "doubles that were integers": Case(
        "INTEGER", ["NULL", "1", "-1", "0"], [2, 4], later=("ALTER TABLE t ALTER p TYPE DOUBLE",)
    ),
    "fine timestamps": Case(
        "TIMESTAMP",
        ["NULL", "'2020-01-01'", "'2020-01-01 00:00:00.000001'", "'infinity'", "'-infinity'"],
        [2, 4],
    ),
    "instants": Case(
        "TIMESTAMPTZ",
        [
            "NULL",
            "'2020-01-01 00:00:00+00'",
            "'2020-01-01 00:00:00+05'",
            "'1969-12-31 23:59:59+00'",
        ],
        [1, 2],
    ),
    "months": Case("DATE", DATES, [2, 5], "year(p), month(p)", parts("year", "month")),
    "months of none": Case("DATE", DATES, [1], "year(p), month(p)", parts("year", "month")),
    "a layout that came and went": Case(
        "VARCHAR",
        ["NULL", "''", "'x'", "'y'"],
        [1, 3],
        later=(
            "ALTER TABLE t SET PARTITIONED BY (id)",
            "ALTER TABLE t RESET PARTITIONED BY",
            "ALTER TABLE t SET PARTITIONED BY (p)",
        ),
    ),
    "a column with another name": Case(
        "VARCHAR",
        ["NULL", "''", "'x'", "'y'"],
        [2, 4],
        later=(
            "ALTER TABLE t RENAME p TO q",
            "ALTER TABLE t RENAME q TO p",
        ),
    ),
}


@pytest.fixture(autouse=True)
def dynamic(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(MODE, "dynamic")
    yield
    spark.conf.unset(MODE)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_partitions_of_the_new_rows_go_and_no_others(
    spark: SparkSession, lake: Lake, register: Register, name: str
) -> None:
    case = CASES[name]
    rows = ", ".join(f"({at}, {value})" for at, value in enumerate(case.values, start=1))
    again = [
        text
        for round, statement in enumerate(case.later, start=1)
        for text in (
            statement,
            f"INSERT INTO t SELECT id + {100 * round}, * EXCLUDE id FROM t WHERE id < 100",
        )
    ]
    made(
        lake,
        f"CREATE TABLE t (id INT, p {case.type_name})",
        f"INSERT INTO t VALUES {rows}",
        f"ALTER TABLE t SET PARTITIONED BY ({case.layout})",
        "INSERT INTO t SELECT id + 1000, p FROM t",
        *again,
    )
    chosen = ", ".join(map(str, case.chosen))
    with Peer(lake) as peer:
        kept = peer.rows(
            "SELECT id FROM t AS old WHERE NOT EXISTS"
            f" (FROM t AS new WHERE new.id IN ({chosen}) AND {case.same}) ORDER BY id"
        )
    table = f"{register(lake, IN_FILES)}.t"

    spark.sql(f"INSERT OVERWRITE {table} SELECT -id AS id, p FROM {table} WHERE id IN ({chosen})")

    new = sorted((-at,) for at in case.chosen)
    with Peer(lake) as peer:
        assert peer.rows("SELECT id FROM t ORDER BY id") == [*new, *kept]
    assert 0 < len(kept)
