"""Read a whole lake through Spark at one snapshot and name every difference to the record."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow.compute as pc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

from support.canonical import Value
from support.compare import (
    ROW_ID,
    arrow_table,
    column_differences,
    has_long_integer,
    quoted,
    table_differences,
    unordered_differences,
)
from support.expected import Relation, Snapshot
from support.instants import micros
from support.lines import MADE_VIEWS, has

CATALOG = "lake"
_VERSION = "_test_version"


def listing_differences(spark: SparkSession, snapshot: Snapshot) -> list[str]:
    """SHOW SCHEMAS, SHOW TABLES and SHOW VIEWS against the record."""
    schemas = {_bare(row["namespace"]) for row in spark.sql(f"SHOW SCHEMAS IN {CATALOG}").collect()}
    if schemas != set(snapshot.schemas):
        return [f"schemas are {sorted(schemas)}, not {sorted(snapshot.schemas)}"]
    found = []
    for schema in snapshot.schemas:
        place = f"{CATALOG}.{quoted(schema)}"
        tables = {row["tableName"] for row in spark.sql(f"SHOW TABLES IN {place}").collect()}
        views = _views(spark, place, schema)
        wanted = {
            "tables": {name for home, name in snapshot.tables if home == schema},
            "views": {name for home, name in snapshot.views if home == schema},
        }
        for what, actual in (("tables", tables - wanted["views"]), ("views", views)):
            if actual != wanted[what]:
                found.append(f"{what} of {schema}: {sorted(actual)}, not {sorted(wanted[what])}")
    return found


def _views(spark: SparkSession, place: str, schema: str) -> set[str]:
    """The names of the views of a schema, by SHOW VIEWS where Spark has it."""
    if has(MADE_VIEWS):
        return {row["viewName"] for row in spark.sql(f"SHOW VIEWS IN {place}").collect()}
    listed = spark.table(f"{CATALOG}.system.views").where(col("schema_name") == schema)
    return {row["view_name"] for row in listed.collect()}


def _bare(namespace: str) -> str:
    """A schema's name; SHOW SCHEMAS quotes those that need it."""
    is_quoted = namespace.startswith("`") and namespace.endswith("`")
    return namespace[1:-1].replace("``", "`") if is_quoted else namespace


def snapshot_differences(spark: SparkSession, snapshots: list[Snapshot]) -> list[str]:
    """The rows of `system.snapshots` against the record."""
    table = arrow_table(spark.sql(f"SELECT * FROM {CATALOG}.system.snapshots"))
    actual = {row["snapshot_id"]: row for row in _snapshot_rows(table.to_pylist())}
    found = []
    for snapshot in snapshots:
        wanted = {
            "snapshot_id": snapshot.id,
            "snapshot_time": micros(snapshot.time),
            "schema_version": snapshot.schema_version,
            "changes": snapshot.changes,
            "author": snapshot.author,
            "commit_message": snapshot.message,
            "commit_extra_info": snapshot.extra,
        }
        if actual.pop(snapshot.id, None) != wanted:
            found.append(f"snapshot {snapshot.id} is not {wanted}")
    return found + [f"snapshot {number} was never recorded" for number in actual]


def _snapshot_rows(rows: list[dict[str, Value]]) -> list[dict[str, Value]]:
    """Rows with the time in microseconds and the changes in DuckDB's text."""
    with duckdb.connect() as connection:
        for row in rows:
            row["snapshot_time"] = round(row["snapshot_time"].timestamp() * 1_000_000)
            keys = [key for key, _ in row["changes"]]
            values = [value for _, value in row["changes"]]
            (row["changes"],) = connection.execute(
                "SELECT CAST(map(?::VARCHAR[], ?::VARCHAR[][]) AS VARCHAR)", [keys, values]
            ).fetchall()[0]
    return rows


def comment_differences(spark: SparkSession, relation: Relation) -> list[str]:
    """The comment that DESCRIBE EXTENDED shows of a table or view against the record."""
    source = f"{CATALOG}.{quoted(relation.schema)}.{quoted(relation.name)}"
    if relation.kind == "view" and relation.error:
        return []
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {source}").collect()
    names = [row["col_name"] for row in rows]
    details = (
        rows[names.index("# Detailed Table Information") :] if relation.kind == "table" else rows
    )
    comment = next((row["data_type"] for row in details if row["col_name"] == "Comment"), None)
    return [] if comment == relation.comment else [f"comment of {relation.name} is {comment!r}"]


def relation_differences(spark: SparkSession, relation: Relation, version: str) -> list[str]:
    """Columns, comment, values and row ids of one table or view.

    Args:
        spark: a session in which the lake is the catalog CATALOG.
        relation: the record.
        version: the text that follows the table's name, for instance ` VERSION AS OF 3`.
    """
    source = f"{CATALOG}.{quoted(relation.schema)}.{quoted(relation.name)}{version}"
    if relation.kind == "view":
        return _view_differences(spark, relation, source)
    frame = spark.sql(f"SELECT *, rowid AS {ROW_ID} FROM {source}")
    found = column_differences(spark, relation.columns, frame.schema.fields[:-1])
    if found:
        return found
    long = [n for n in range(len(relation.columns)) if has_long_integer(relation, n)]
    readable = [column for n, column in enumerate(relation.columns) if n not in long]
    if long:
        names = ", ".join(quoted(column.name) for column in readable)
        frame = spark.sql(f"SELECT {names}, rowid AS {ROW_ID} FROM {source}")
    return table_differences(relation, arrow_table(frame), readable)


def history_differences(spark: SparkSession, states: Sequence[tuple[int, Relation]]) -> list[str]:
    """Columns, values and row ids of one table at several snapshots, read by one query.

    Args:
        spark: a session in which the lake is the catalog CATALOG.
        states: snapshot ids and the record there; the columns are the same in all of them.
    """
    _, first = states[0]
    source = f"{CATALOG}.{quoted(first.schema)}.{quoted(first.name)}"
    frame = spark.sql(
        " UNION ALL ".join(
            f"SELECT {version} AS {_VERSION}, *, rowid AS {ROW_ID}"
            f" FROM {source} VERSION AS OF {version}"
            for version, _ in states
        )
    )
    found = column_differences(spark, first.columns, frame.schema.fields[1:-1])
    if found:
        return [f"{_place(*states[0])}: {text}" for text in found]
    rows = arrow_table(frame)
    for version, relation in states:
        own = rows.filter(pc.field(_VERSION) == version).drop_columns([_VERSION])
        found += [
            f"{_place(version, relation)}: {text}"
            for text in table_differences(relation, own, relation.columns)
        ]
    return found


def _place(version: int, relation: Relation) -> str:
    return f"snapshot {version}, {relation.schema}.{relation.name}"


def long_integer_columns(relation: Relation) -> list[str]:
    """Columns that must be refused because of a value of 39 digits."""
    return [
        column.name
        for number, column in enumerate(relation.columns)
        if has_long_integer(relation, number)
    ]


def _view_differences(spark: SparkSession, relation: Relation, source: str) -> list[str]:
    frame = spark.sql(f"SELECT * FROM {source}")
    names = [column.name for column in relation.columns]
    if frame.columns != names:
        return [f"columns are {frame.columns}, not {names}"]
    return unordered_differences(relation.columns, relation.rows, arrow_table(frame))


def condition_of(spark: SparkSession, query: str) -> str:
    """The error condition of a query that must fail; a text that says so when it does not."""
    try:
        rows = arrow_table(spark.sql(query))
    except PySparkException as error:
        return error.getCondition() or _condition_in(str(error))
    return f"no error, {rows.num_rows} rows"


def _condition_in(message: str) -> str:
    """The first condition named in square brackets."""
    for part in message.split("[")[1:]:
        name = part.partition("]")[0]
        if name.startswith("DUCKLAKE_"):
            return name
    return message[:300]
