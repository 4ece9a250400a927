"""A new table of two rows in each library, to run the cells of the comparison on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ducklake_spark as dl
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from comparison.tasks import DEUX, ONE, THREE, TWO, Row
from support.lakes import LakeFactory
from support.peer import Peer

_SCHEMA = pa.schema([("id", pa.int32()), ("name", pa.string())])


@dataclass(frozen=True)
class Bench:
    """A table to try code on.

    Attributes:
        names: what the code may name.
        reads: code for the rows of the table.
        things: what the library has of names that one would look for.
    """

    names: dict[str, Any]
    reads: str
    things: Iterable[object]

    def run(self, code: str) -> Any:  # noqa: ANN401
        """The value of an expression; None of a `with` block."""
        if code.startswith("with "):
            exec(code, self.names)
            return None
        return eval(code, self.names)

    def rows(self) -> list[Row]:
        """The rows of the table."""
        return as_rows(self.run(self.reads))

    def has(self, name: str) -> bool:
        """Whether the library has something of a name."""
        return any(
            name in thing if isinstance(thing, set) else hasattr(thing, name)
            for thing in self.things
        )


def as_rows(found: Any) -> list[Row]:  # noqa: ANN401
    """Ids and names of what a library gives, in order."""
    if isinstance(found, DataFrame):
        pairs = [(row["id"], row["name"]) for row in found.collect()]
    elif hasattr(found, "fetchall"):
        pairs = found.fetchall()
    else:
        pairs = [(row["id"], row["name"]) for row in found.to_arrow().to_pylist()]
    return sorted((row[0], row[1]) for row in pairs)


def arrow(*rows: Row) -> pa.Table:
    """Rows as a table of Arrow."""
    return pa.Table.from_pylist([{"id": number, "name": name} for number, name in rows], _SCHEMA)


def _file(folder: Path) -> str:
    pq.write_table(arrow(THREE), folder / "three.parquet")
    return str(folder / "three.parquet")


def _frames(spark: SparkSession) -> Mapping[str, DataFrame]:
    columns = "id INT, name STRING"
    return {
        "rows": spark.createDataFrame([THREE], columns),
        "news": spark.createDataFrame([DEUX, THREE], columns),
    }


@contextmanager
def ours(session: SparkSession, lakes: LakeFactory, folder: Path) -> Iterator[Bench]:
    """A table of a lake, in Spark."""
    made = lakes.new("sqlite")
    with Peer(made, "DATA_INLINING_ROW_LIMIT 0") as peer:
        peer.run("CREATE TABLE t (id INTEGER, name VARCHAR)")
        peer.run(*(f"INSERT INTO t VALUES {row}" for row in (ONE, TWO)))
    spark = session.newSession()
    for key, value in dl.settings("lake", made.uri).items():
        spark.conf.set(key, value)
    lake = dl.Lake(spark, "lake")
    table = lake.table("t")
    names = {"spark": spark, "lake": lake, "table": table, "first": 2, "second": 3}
    yield Bench({**names, **_frames(spark), "file": _file(folder)}, "table.to_df()", (lake, table))


@contextmanager
def duckdb(lakes: LakeFactory, folder: Path) -> Iterator[Bench]:
    """A table of a lake, in DuckDB."""
    with Peer(lakes.new("sqlite"), "DATA_INLINING_ROW_LIMIT 0") as peer:
        duck = peer.connection
        peer.run("CREATE TABLE t (id INTEGER, name VARCHAR)")
        peer.run(*(f"INSERT INTO t VALUES {row}" for row in (ONE, TWO)))
        query = "SELECT DISTINCT function_name FROM duckdb_functions()"
        functions = {name for (name,) in peer.rows(query)}
        for name, table in (("rows", arrow(THREE)), ("news", arrow(DEUX, THREE))):
            duck.register(name, table)
        names = {"duck": duck, "first": 2, "second": 3, "file": _file(folder)}
        yield Bench(names, 'duck.sql("SELECT id, name FROM t")', (functions,))


@contextmanager
def iceberg(folder: Path) -> Iterator[Bench]:
    """A table of Iceberg, in PyIceberg with a catalog in SQLite."""
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.table import Transaction
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import IntegerType

    places = {"uri": f"sqlite:///{folder}/catalog.sqlite", "warehouse": f"file://{folder}"}
    catalog = SqlCatalog("lake", **places)
    catalog.create_namespace("main")
    table = catalog.create_table("main.t", _SCHEMA)
    for row in (ONE, TWO):
        table.append(arrow(row))
    first, second = (each.snapshot_id for each in table.snapshots())
    yield Bench(
        {
            **{"table": table, "first": first, "second": second, "file": _file(folder)},
            **{"rows": arrow(THREE), "news": arrow(DEUX, THREE)},
            **{"IdentityTransform": IdentityTransform, "IntegerType": IntegerType},
        },
        "table.scan()",
        (table, catalog, table.maintenance, Transaction),
    )
    catalog.close()


def delta_session() -> SparkSession:
    """A session with Delta's jars, in a process of its own.

    DELTA_JARS names the jars of `io.delta:delta-spark_4.2_2.13:4.4.0` and what it depends on.
    """
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", os.environ["DELTA_JARS"])
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    return builder.getOrCreate()


@contextmanager
def delta(spark: SparkSession, folder: Path) -> Iterator[Bench]:
    """A table of Delta, in delta-spark."""
    from delta.tables import DeltaTable

    spark.sql("DROP TABLE IF EXISTS t")
    spark.sql(
        f"CREATE TABLE t (id INT, name STRING) USING delta LOCATION '{folder}/t' "
        "TBLPROPERTIES ('delta.enableChangeDataFeed' = true)"
    )
    for row in (ONE, TWO):
        spark.sql(f"INSERT INTO t VALUES {row}")
    table = DeltaTable.forName(spark, "t")
    names = {"spark": spark, "table": table, "first": 1, "second": 2}
    yield Bench({**names, **_frames(spark)}, "table.toDF()", (table, spark))
