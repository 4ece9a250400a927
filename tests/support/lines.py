"""What only newer versions of Spark can do with a lake: the marks of tests, and the list of it.

`python/test_lines.py` makes the end of `jvm/docs/versions.md` from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyspark
import pytest


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


SPARK = _number(pyspark.__version__)
"""The minor version of Spark with which the tests run."""

VERSIONS = ("4.0", "4.1", "4.2", "4.3")
"""The versions that are served."""


@dataclass(frozen=True)
class Feature:
    """Something that a lake does only from a version of Spark on.

    Attributes:
        what: the statements, methods or effects.
        since: the minor version of Spark.
        rows: the features of README's table, and of `TOOLS`, that lack it before.
        before: what happens before, and what to do instead.
    """

    what: str
    since: str
    rows: tuple[str, ...]
    before: str

    def is_in(self, version: str) -> bool:
        """Whether the version has it."""
        return _number(version) >= _number(self.since)


def has(feature: Feature) -> bool:
    """Whether the Spark of the tests has it."""
    return SPARK >= _number(feature.since)


def since(feature: Feature) -> pytest.MarkDecorator:
    """The mark of a test, a parameter or a module that needs a version of Spark."""
    return pytest.mark.skipif(
        not has(feature), reason=f"needs Spark {feature.since}: {feature.what}"
    )


def before(feature: Feature) -> pytest.MarkDecorator:
    """The mark of a test that shows what older versions of Spark do instead."""
    return pytest.mark.skipif(
        has(feature), reason=f"only before Spark {feature.since}: {feature.what}"
    )


TABLES = "tables with all types of DuckLake, nested ones too"
DDL = "schemas, tables and views: create, alter, rename, drop"
FOREIGN_VIEWS = "views and defaults made by DuckDB"
NESTED_SCHEMAS = "schemas in schemas, comments on columns of views"
WRITES = "INSERT, overwrites, schema evolution, DataFrame writers"
ROW_LEVEL = "DELETE, UPDATE, MERGE, TRUNCATE"
FEED = "change feed, Spark's CHANGES"
STORES = "files in an object store"
MAINTENANCE = "flush, merge, rewrite, expiry, cleanup, `checkpoint`"
DELTA = "tables of Delta, mostly without copying (`migrate_from_delta`)"
ICEBERG = "tables of Iceberg, mostly without copying (`migrate_from_iceberg`)"
MOVED_HISTORIES = "their history as snapshots of a new lake (`history => true`)"
DBT = "dbt, by the adapter `dbt-ducklake-spark`"
TABLES_OF_PIPELINES = "declarative pipelines"

TOOLS = (DBT, TABLES_OF_PIPELINES)
"""Rows that README's table does not have."""

MADE_VIEWS = Feature(
    "CREATE, ALTER, DROP and SHOW VIEW(S)",
    "4.2",
    (DDL, NESTED_SCHEMAS, DBT),
    "refused with the extension, by Spark itself without it; make views with DuckDB",
)
METRIC_VIEWS = Feature(
    "metric views in Spark's own catalog that read a lake's tables",
    "4.2",
    (DDL,),
    "Spark does not know the words WITH METRICS",
)
PLAIN_VIEWS = Feature(
    "views without the extension",
    "4.2",
    (DDL, FOREIGN_VIEWS),
    "refused; SELECT and DESCRIBE read views in sessions with the extension",
)
LIKE = Feature(
    "CREATE TABLE … LIKE",
    "4.2",
    (DDL,),
    "refused with the extension; without it Spark looks for the tables in its own catalog",
)
CHANGES = Feature(
    "the clause CHANGES, the option `readChangeFeed`",
    "4.2",
    (FEED,),
    "refused; read the table's own table `changes`, or call `table_changes`",
)
EVOLVING_INSERT = Feature(
    "INSERT WITH SCHEMA EVOLUTION, the option `mergeSchema`",
    "4.2",
    (WRITES,),
    "refused; add the columns by ALTER TABLE",
)
EVOLVING_MERGE = Feature(
    "MERGE WITH SCHEMA EVOLUTION",
    "4.1",
    (ROW_LEVEL,),
    "refused with the extension; **without it Spark 4.0 ignores the words, and values of new "
    "columns are lost**",
)
ONE_STATEMENT = Feature(
    "MERGE WITH SCHEMA EVOLUTION as one snapshot",
    "4.2",
    (ROW_LEVEL,),
    "Spark 4.1 makes two: the columns come first, and stay when the MERGE fails",
)
NARROWER_SOURCES = Feature(
    "MERGE WITH SCHEMA EVOLUTION from a source whose columns have narrower types than the table's",
    "4.2",
    (ROW_LEVEL,),
    "Spark 4.1 asks for columns of the source's types, which is refused; cast the source's columns "
    "to the types of the table",
)
COLUMN_IDS = Feature(
    "a DataFrame that notices that a column was dropped and added again",
    "4.2",
    (TABLES,),
    "Spark 4.1 reads the new column of the old name, Spark 4.0 the snapshot at which the "
    "DataFrame was made, and without the extension an overwrite by such a DataFrame of its own "
    "table replaces rows that others have added since; make it again",
)
VARIANT_WRITES = Feature(
    "writing tables that have VARIANT columns",
    "4.1",
    (TABLES, WRITES, MAINTENANCE),
    "refused, because the Parquet library of Spark 4.0 does not have the type; reading works",
)
TIME = Feature(
    "Spark's type TIME",
    "4.1",
    (TABLES,),
    "the type is refused; times are read as texts, as in newer versions unless Spark's flag for "
    "the type is set",
)
GEOMETRY = Feature(
    "GEOMETRY in CREATE TABLE and ALTER TABLE",
    "4.2",
    (TABLES,),
    "refused: Spark 4.0 has no such type, and Spark 4.1 hides it; geometries are read as WKB",
)
GEOMETRY_WRITES = Feature(
    "writing tables that have GEOMETRY columns",
    "4.1",
    (TABLES, WRITES),
    "refused, because the Parquet library of Spark 4.0 does not have the type",
)
PARTIAL_INSERT = Feature(
    "INSERT and frames that leave out columns, without the extension",
    "4.1",
    (WRITES,),
    "refused; write `DEFAULT` for the columns, or use the extension",
)
ROW_GROUPS = Feature(
    "row groups with the number of rows of `parquet_row_group_size`",
    "4.1",
    (WRITES,),
    "refused as an option of a write, because the Parquet library of Spark 4.0 ends a row group by "
    "its bytes alone; a warning where the lake has the option",
)
FEWEST_REQUESTS = Feature(
    "as few requests to an object store as possible",
    "4.1",
    (STORES,),
    "columns that are near to each other are requested one by one, and a filter or a DELETE may "
    "take a request more for a file",
)
CAST_DEFAULTS = Feature(
    "DEFAULT of another type, which is cast: `INT DEFAULT 5 / 2`",
    "4.1",
    (DDL,),
    "Spark 4.0 refuses it; write the CAST",
)
CACHE = Feature(
    "a result in Spark's cache that follows the tables that it read",
    "4.1",
    (TABLES,),
    "Spark 4.0 leaves the cache after a change of a table, and reads the rows again",
)
ONE_READ = Feature(
    "one read for aggregates of one table that stand in joins",
    "4.2",
    (),
    "only subqueries that are one value share a read",
)
FRAMES_FOLLOW = Feature(
    "a DataFrame that follows the end of the transaction in which it was made",
    "4.1",
    (),
    "it still shows the rows of the transaction, or fails when their files are gone; make it anew",
)
STREAM_APART = Feature(
    "a stream into a table beside an open transaction of the session that has started it",
    "4.2",
    (),
    "its first epoch is refused; end the transaction first, or start the query in another session",
)
CONSTRAINTS = Feature(
    "a clear error for CHECK, PRIMARY KEY and other constraints",
    "4.1",
    (DDL,),
    "Spark 4.0 reports a syntax error",
)

READ_SOURCES = Feature(
    "moves for which Delta's Kernel or Iceberg's reader opens Parquet files: checkpoints of Delta, "
    "rows that are compared (`checksum`), written again or deleted later",
    "4.1",
    (ICEBERG, DELTA, MOVED_HISTORIES),
    "refused, because these libraries need classes that the Parquet library of Spark 4.0 does not "
    "have; other tables move",
)
PIPELINES = Feature(
    "the program `spark-pipelines`",
    "4.1",
    (TABLES_OF_PIPELINES,),
    "Spark 4.0 does not have it",
)
AUTO_CDC = Feature(
    "AUTO CDC in pipelines",
    "4.2",
    (TABLES_OF_PIPELINES,),
    "Spark does not have it",
)
AUTO_CDC_HISTORY = Feature(
    "AUTO CDC of type 2, which keeps the rows that were",
    "4.3",
    (TABLES_OF_PIPELINES,),
    "Spark refuses it",
)

FEATURES = {name: found for name, found in list(globals().items()) if isinstance(found, Feature)}
"""All of them, by the names that tests use."""
