"""A lake, Iceberg's tables and Delta's in one session of Spark 4.1, and Comet switched on.

The interpreter that runs this file decides the Spark: only 4.1 has all of these neighbours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyspark
import pytest

from support.lakes import Lake, LakeFactory
from support.othersession import ask_other_session
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars
from support.sweep import only_in_the_full_sweep
from support.tools import tool

pytestmark = [
    only_in_the_full_sweep("a Spark of its own for each"),
    pytest.mark.skipif(
        not pyspark.__version__.startswith("4.1."), reason="the neighbours' jars are for Spark 4.1"
    ),
]

EXTENSIONS = (
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "io.delta.sql.DeltaSparkSessionExtension",
    "ducklake.spark.DuckLakeExtensions",
)
WRITES = (
    "CREATE TABLE ice.db.t (id BIGINT, name STRING) USING iceberg",
    "CREATE TABLE default.d (id BIGINT, name STRING) USING delta",
    "INSERT INTO ice.db.t SELECT * FROM lake.main.t",
    "INSERT INTO default.d SELECT id + 1, name FROM ice.db.t",
    "MERGE INTO lake.main.t AS t USING default.d AS s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT *",
    "UPDATE lake.main.t SET name = 'x' WHERE id IN (SELECT id + 2 FROM ice.db.t WHERE id = 1)",
    "UPDATE ice.db.t SET name = 'u' WHERE id = 1",
    "UPDATE default.d SET name = 'v' WHERE id = 3",
    "DELETE FROM lake.main.t WHERE id IN (SELECT id FROM ice.db.t WHERE name = 'u')",
    "CALL ice.system.rewrite_data_files('db.t')",
    "CALL lake.system.flush_inlined_data('t')",
    "ALTER TABLE ice.db.t ADD PARTITION FIELD bucket(4, id)",
    "ALTER TABLE lake.main.t SET PARTITIONED BY (id)",
    "OPTIMIZE default.d",
    "CREATE TABLE lake.main.copy AS SELECT * FROM ice.db.t UNION ALL SELECT * FROM default.d",
)
READS = (
    "SELECT * FROM lake.main.t ORDER BY id",
    "SELECT * FROM ice.db.t ORDER BY id",
    "SELECT * FROM default.d ORDER BY id",
    "SELECT id, l.name, i.name FROM lake.main.t AS l JOIN ice.db.t AS i USING (id)",
    "SELECT * FROM lake.main.t AT (VERSION => 2) ORDER BY id",
)


@pytest.fixture
def lake(lakes: LakeFactory) -> Lake:
    """A lake with a table of two rows, which DuckDB wrote, and one of many."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(
            "CREATE TABLE t (id BIGINT, name VARCHAR)",
            "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
            "CREATE TABLE many AS SELECT i AS id, i % 7 AS k, (i % 100)::DOUBLE AS v "
            "FROM range(100000) AS r(i)",
        )
    return made


def settings(lake: Lake, folder: Path, extensions: tuple[str, ...]) -> dict[str, str]:
    """A session with all three formats."""
    names = ("iceberg-spark-runtime", "delta-spark", "delta-storage")
    return {
        **SESSION_SETTINGS,
        **lake.spark_settings("lake"),
        "spark.jars": ",".join([jars(), *map(tool, names)]),
        "spark.sql.extensions": ",".join(extensions),
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "hadoop",
        "spark.sql.catalog.ice.warehouse": f"{folder}/ice",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.databricks.delta.snapshotPartitions": "2",
    }


def failures(answers: list[Any]) -> list[Any]:
    """The answers that are errors."""
    return [answer for answer in answers if isinstance(answer, dict)]


@pytest.mark.parametrize("extensions", [EXTENSIONS, EXTENSIONS[::-1]], ids=["last", "first"])
def test_statements_cross_the_formats(
    lake: Lake, tmp_path: Path, extensions: tuple[str, ...]
) -> None:
    questions = [{"sql": text} for text in (*WRITES, *READS)]

    answers = ask_other_session(settings(lake, tmp_path, extensions), questions, tmp_path)

    assert failures(answers) == []
    assert answers[len(WRITES) :] == [
        [["2", "one"], ["3", "x"]],
        [["1", "u"], ["2", "two"]],
        [["2", "one"], ["3", "v"]],
        [["2", "one", "two"]],
        [["1", "one"], ["2", "two"]],
    ]
    with Peer(lake) as peer:
        assert peer.rows("FROM t ORDER BY id") == [(2, "one"), (3, "x")]
        assert peer.rows("FROM copy ORDER BY ALL") == [(1, "u"), (2, "one"), (2, "two"), (3, "v")]


def test_a_table_of_a_catalog_moves_by_its_name(lake: Lake, tmp_path: Path) -> None:
    """Iceberg's own connector writes it, and the lake follows."""
    properties = "('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
    move = "CALL lake.system.migrate_from_iceberg('ice.db.t', 'moved')"
    statements = (
        "CREATE TABLE ice.db.t (id BIGINT, name STRING) USING iceberg "
        f"PARTITIONED BY (bucket(4, id)) TBLPROPERTIES {properties}",
        "INSERT INTO ice.db.t SELECT id, 'n' || id FROM range(20)",
        "DELETE FROM ice.db.t WHERE id % 3 = 0",
        move,
        "INSERT INTO ice.db.t VALUES (100, 'late')",
        "ALTER TABLE ice.db.t RENAME COLUMN name TO title",
        "DELETE FROM ice.db.t WHERE id = 1",
        move,
        "SELECT id, title FROM ice.db.t ORDER BY id",
        "SELECT id, title FROM lake.main.moved ORDER BY id",
        "SELECT title FROM lake.main.moved WHERE id = 100",
        "CALL lake.system.migrate_from_iceberg('default.d', 'other')",
        "CALL lake.system.migrate_from_iceberg('spark_catalog.default.d', 'other')",
    )
    chosen = settings(lake, tmp_path, EXTENSIONS)

    made = [{"sql": "CREATE TABLE default.d (id BIGINT) USING delta"}]
    answers = ask_other_session(chosen, made + [{"sql": text} for text in statements], tmp_path)

    *rest, path, other = answers
    assert failures(rest) == []
    theirs, mine, late = rest[-3:]
    assert theirs == mine
    assert len(mine) == 13
    assert late == [["late"]]
    assert ["partition key", "bucket(4, id)", "1", "None"] in rest[4]
    with Peer(lake) as peer:
        rows = peer.rows("SELECT id, title FROM moved ORDER BY id")
        assert peer.rows("SELECT title FROM moved WHERE id = 100") == [("late",)]
    assert [[str(value) for value in row] for row in rows] == mine
    assert "no metadata file" in str(path)
    assert "no table of Iceberg" in str(other)


def test_comet_gives_the_right_rows_and_leaves_our_scan(lake: Lake, tmp_path: Path) -> None:
    comet = {
        **settings(lake, tmp_path, EXTENSIONS),
        "spark.plugins": "org.apache.spark.CometPlugin",
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "1g",
        "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
    }
    comet["spark.jars"] += f",{tool('comet-spark')}"
    query = "SELECT k, sum(v), count(*) FROM lake.main.many WHERE id > 1000 GROUP BY k ORDER BY k"
    delete = "DELETE FROM lake.main.many WHERE k = 3"

    answers = ask_other_session(
        comet, [{"sql": text} for text in (query, f"EXPLAIN {query}", delete, query)], tmp_path
    )

    assert failures(answers) == []
    first, ((plan,),), _, last = answers
    with Peer(lake) as peer:
        rows = peer.rows(query.replace("lake.main.", ""))
    assert [row for row in first if row[0] != "3"] == last
    assert [[str(value) for value in row] for row in rows] == last
    assert "BatchScan lake.main.many" in plan
    assert "CometSort" in plan
