"""A lake in a bucket, and executors in other processes: the catalog's keys reach them unseen."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.lakes import IN_FILES, LakeFactory
from support.objectstore import Bucket, secret_of
from support.othersession import ask_other_session
from support.peer import Peer
from support.session import SESSION_SETTINGS, jars, store_jars
from support.sweep import only_in_the_full_sweep

pytestmark = only_in_the_full_sweep("a Spark with executors of its own")
LOG = """
rootLogger.level = debug
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {folder}/log-${{sys:user.name}}-${{date:HHmmssSSS}}.txt
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %p %c %m%n%throwable
logger.ours.name = ducklake
logger.ours.level = debug
logger.http.name = software.amazon.awssdk
logger.http.level = info
logger.s3a.name = org.apache.hadoop
logger.s3a.level = info
logger.spark.name = org.apache.spark
logger.spark.level = info
"""
STATEMENTS = (
    "CREATE TABLE lake.t (a BIGINT, b STRING)",
    "INSERT INTO lake.t SELECT id, concat('x', id) FROM range(0, 1000, 1, 4)",
    "DELETE FROM lake.t WHERE a % 2 = 0",
    "UPDATE lake.t SET b = 'changed' WHERE a < 100",
    "CALL lake.system.merge_adjacent_files('t')",
    "CALL lake.system.rewrite_data_files('t', delete_threshold => 0)",
    "SELECT count(*), sum(a), count(DISTINCT b) FROM lake.t",
    "EXPLAIN EXTENDED SELECT * FROM lake.t WHERE a = 1",
)


def keys(database: str) -> list[str]:
    """The keys of all files that the catalog has."""
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute(
            "SELECT encryption_key FROM ducklake_data_file "
            "UNION ALL SELECT encryption_key FROM ducklake_delete_file"
        )
        return [key for (key,) in found.fetchall() if key]


@pytest.mark.parametrize("encrypted", ["false", "true"])
def test_keys_reach_executors_and_show_nowhere(
    lakes: LakeFactory, bucket: Bucket, tmp_path: Path, encrypted: str
) -> None:
    lake = lakes.new("sqlite", bucket)
    logs, events = tmp_path / "logs", tmp_path / "events"
    logs.mkdir()
    events.mkdir()
    configuration = tmp_path / "log4j2.properties"
    configuration.write_text(LOG.format(folder=logs))
    logging = f"-Dlog4j2.configurationFile=file:{configuration}"
    options = {"data-path": lake.data_address, "encrypted": encrypted, **IN_FILES}
    settings = {
        **SESSION_SETTINGS,
        **lake.spark_settings("lake", options),
        "spark.master": "local-cluster[2,1,1024]",
        "spark.executor.memory": "1g",
        "spark.jars": f"{jars()},{store_jars()}",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(events),
        "spark.eventLog.compress": "false",
        "spark.driver.extraJavaOptions": logging,
        "spark.executor.extraJavaOptions": logging,
    }

    answers = ask_other_session(settings, [{"sql": each} for each in STATEMENTS], tmp_path)

    assert not [answer for answer in answers if isinstance(answer, dict)], answers
    assert answers[6] == [["500", "250000", "451"]]
    places = [*logs.rglob("*"), *events.rglob("*")]
    texts = [place.read_text(errors="replace") for place in places if place.is_file()]
    assert any("SparkListenerTaskEnd" in text for text in texts)
    assert sum("Executor Finished task" in text for text in texts) == 2
    kept = keys(lake.database)
    assert bool(kept) == (encrypted == "true")
    secrets = [secret_of(bucket.key), *kept]
    assert not [secret for secret in secrets for text in [*texts, str(answers)] if secret in text]
    with Peer(lake, extensions=("httpfs",)) as peer:
        assert peer.rows("SELECT count(*), sum(a), count(DISTINCT b) FROM t") == [
            (500, 250000, 451)
        ]
