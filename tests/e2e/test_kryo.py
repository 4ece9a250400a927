"""A cluster whose Spark serializes with Kryo: everything that tasks get and give arrives whole."""

from __future__ import annotations

from pathlib import Path

from support.invariants import Scope, check
from support.lakes import LakeFactory
from support.othersession import ask_other_session
from support.peer import Peer, committed_by_peers, made
from support.session import SESSION_SETTINGS, jars

SETTINGS = {
    "spark.master": "local-cluster[2,1,1024]",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.sql.adaptive.enabled": "false",
}
STATEMENTS = (
    "INSERT INTO lake.t SELECT id, id % 3, named_struct('x', CAST(id AS STRING)) "
    "FROM range(1000, 3000, 1, 4)",
    "UPDATE lake.t SET part = 7 WHERE id % 10 = 1",
    "DELETE FROM lake.t WHERE id % 10 = 2",
    "MERGE INTO lake.t USING (SELECT id FROM range(0, 4000, 5, 4)) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET part = 8 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
    "CALL lake.system.flush_inlined_data('t')",
    "CALL lake.system.rewrite_data_files('t', delete_threshold => 0.0)",
    "CALL lake.system.merge_adjacent_files('t')",
    "CALL lake.system.delete_orphaned_files(dry_run => true)",
    "SELECT part, count(*), sum(id) FROM lake.t GROUP BY part ORDER BY part",
)


def test_reads_writes_and_upkeep_work_with_kryo(lakes: LakeFactory, tmp_path: Path) -> None:
    lake = lakes.new("sqlite")
    made(
        lake,
        "CREATE TABLE t (id BIGINT, part INT, s STRUCT(x VARCHAR))",
        "INSERT INTO t SELECT i, i % 3, {'x': i::VARCHAR} FROM range(1000) r(i)",
        "INSERT INTO t SELECT i, i % 3, NULL FROM range(3000, 3003) r(i)",
        limit=10,
    )
    settings = {**SESSION_SETTINGS, **SETTINGS, **lake.spark_settings("lake"), "spark.jars": jars()}

    answers = ask_other_session(settings, [{"sql": text} for text in STATEMENTS], tmp_path)

    assert [answer for answer in answers if isinstance(answer, dict)] == []
    with Peer(lake) as peer:
        expected = peer.rows("SELECT part, count(*), sum(id) FROM t GROUP BY part ORDER BY part")
        assert peer.value("SELECT count(*) FROM t WHERE part = 8") > 500
    nulls_first = sorted(expected, key=lambda row: (row[0] is not None, row[0] or 0))
    assert answers[-1] == [[str(value) for value in row] for row in nulls_first]
    own = frozenset(committed_by_peers[lake.uri])
    assert check(lake, Scope(own, is_free_of_orphans=True)) == []
