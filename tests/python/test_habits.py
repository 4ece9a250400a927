"""What people type by habit, in a classic session and over Spark Connect."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import ducklake_spark as dl
import pytest
from ducklake_spark import _sql
from pyspark.errors import PySparkException
from pyspark.sql.types import LongType, StringType, StructField, StructType

from support.doctests import run_examples
from support.lines import COLUMN_IDS, MADE_VIEWS, since


def test_examples_hold() -> None:
    assert run_examples(_sql).failed == 0


def test_everything_imported_is_public() -> None:
    found: dict[str, object] = {"lake": "mine", "annotations": "mine"}
    exec("from ducklake_spark import *", found)

    assert (found.pop("lake"), found.pop("annotations")) == ("mine", "mine")
    del found["__builtins__"]
    functions = {"configure", "jars", "settings", "translated_errors"}
    assert {name for name, each in found.items() if not isinstance(each, type)} == functions
    assert {"Lake", "LakeAt", "Table", "Merge", "CommitConflictError"} <= set(found)
    assert dl.lake.Lake is dl.Lake
    with pytest.raises(AttributeError, match="'nope'"):
        _ = dl.nope  # type: ignore[attr-defined]


def test_a_schema_equals_what_a_user_writes(example_lake: dl.Lake) -> None:
    spark = example_lake.spark
    table = example_lake.create_table("t", "id BIGINT NOT NULL, s STRUCT<x: STRING>")
    expected = StructType(
        [
            StructField("id", LongType(), nullable=False),
            StructField("s", StructType([StructField("x", StringType())])),
        ]
    )

    assert table.to_df().schema == expected
    assert spark.table("lake.main.t").schema == expected
    assert spark.sql("SELECT s AS renamed FROM lake.t").schema["renamed"].metadata == {}
    assert spark.readStream.table("lake.main.t").schema == expected
    assert table.to_df().union(table.to_df()).select("id").schema["id"].metadata == {}
    assert [each.id for each in table.schema] == [1, 2]
    assert [tuple(row) for row in table.columns().collect()] == [
        (1, "id", "int64", False, None),
        (2, "s", "struct", True, None),
        (3, "x", "varchar", True, 2),
    ]


@since(COLUMN_IDS)
def test_another_column_of_the_same_name_is_noticed(example_lake: dl.Lake) -> None:
    if "connect" in type(example_lake.spark).__module__:
        # A client sends its plan anew with each call.
        return
    table = example_lake.create_table("t", "id BIGINT, c INT")
    rows = table.to_df()
    table.spark.sql("ALTER TABLE lake.main.t DROP COLUMN c")
    table.spark.sql("ALTER TABLE lake.main.t ADD COLUMN c INT")

    with pytest.raises(PySparkException, match="c"):
        rows.collect()


@since(MADE_VIEWS)
def test_ids_of_the_past_are_told(example_lake: dl.Lake) -> None:
    table = example_lake.create_table("t", "id BIGINT, c INT")
    (before,) = example_lake.current_snapshot().collect()
    table.spark.sql("ALTER TABLE lake.main.t DROP COLUMN c")
    table.spark.sql("ALTER TABLE lake.main.t ADD COLUMN c INT")
    table.spark.sql("CREATE VIEW lake.main.v AS SELECT id FROM lake.main.t")

    assert table.schema["c"].id == 3
    assert table.at(before.id).schema["c"].id == 2
    assert example_lake.table("v").schema["id"].id is None


@pytest.mark.parametrize("age", [timedelta(0), "0 seconds", timedelta(microseconds=1)])
def test_snapshots_expire_by_age(example_lake: dl.Lake, age: timedelta | str) -> None:
    assert example_lake.expire_snapshots(older_than="1 Month", dry_run=True).count() == 0
    assert example_lake.expire_snapshots(older_than=timedelta(days=2), dry_run=True).count() == 0
    assert example_lake.cleanup_old_files(older_than="7 days", dry_run=True).count() == 0
    assert example_lake.delete_orphaned_files(older_than="7 days", dry_run=True).count() == 0
    noon = datetime(2020, 1, 1, 12, tzinfo=timezone.utc)
    assert example_lake.expire_snapshots(older_than=noon, dry_run=True).count() == 0

    expired = example_lake.expire_snapshots(older_than=age).collect()

    assert [row.snapshot_id for row in expired] == [0, 1, 2]
    with pytest.raises(ValueError, match="not negative"):
        example_lake.expire_snapshots(older_than=timedelta(days=-1))


def test_a_snapshot_is_named_by_its_number_in_text(example_lake: dl.Lake) -> None:
    events = example_lake.table("events")

    assert example_lake.at("2").table("events").to_df().count() == 1
    assert events.at("2").to_df().count() == 1
    assert events.changes("3", "3").count() == 1
    with pytest.raises(dl.NoSuchSnapshotError, match="Snapshot 2024"):
        example_lake.at("2024").table("events").to_df()


def test_a_column_is_named_as_in_sql(example_lake: dl.Lake) -> None:
    table = example_lake.create_table("t", 'a INT, `b c` INT, `"d"` INT')

    table.set_not_null("`a`")
    table.set_not_null('"b c"')
    table.set_not_null('"d"')

    assert [each.nullable for each in table.schema] == [False] * 3
    with pytest.raises(dl.InvalidChangeError, match="nope"):
        table.set_not_null("`nope`")


def test_histories_have_names(example_lake: dl.Lake) -> None:
    example_lake.create_schema("s")
    table = example_lake.create_table("s.t", "id BIGINT")
    table.append(example_lake.spark.range(1))
    example_lake.drop_table("events")

    newest = example_lake.history(4).collect()

    assert [row.changes for row in newest][1:] == [
        {"inlined_insert": ["s.t"]},
        {"tables_created": ["s.t"]},
        {"schemas_created": ["s"]},
    ]
    assert list(newest[0].changes) == ["tables_dropped"]
    assert newest[0].changes["tables_dropped"][0].isdigit()
    assert [row.changes for row in table.history().collect()] == [
        row.changes for row in newest[1:3]
    ]
