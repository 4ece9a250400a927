"""Writes that an application has numbered: a table takes each once, however often it comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import ducklake_spark as dl
import pytest
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit

from support.connect import connected, serving
from support.lakes import IN_FILES, Lake
from support.peer import Peer

Register = Callable[..., str]


@pytest.fixture(params=[{}, IN_FILES], ids=["default", "files"])
def catalog(request: pytest.FixtureRequest, lake: Lake, register: Register) -> str:
    """A lake with a table of two rows."""
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, n INT); INSERT INTO t VALUES (1, 10), (2, 20)")
    return register(lake, request.param)


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    """One more row."""
    return spark.createDataFrame([(3, 30)], "id INT, n INT")


def content(lake: Lake, table: str = "t") -> list[tuple[object, ...]]:
    with Peer(lake) as peer:
        return peer.rows(f"SELECT * FROM {table} ORDER BY ALL")


def head(lake: Lake) -> int:
    with Peer(lake) as peer:
        return peer.head()


def files_of(lake: Lake) -> int:
    return len(list(Path(lake.data_path).rglob("*.parquet")))


FIRST = [(1, 10), (2, 20)]
WRITERS: dict[str, Callable[[DataFrame, str, dict[str, str]], None]] = {
    "writeTo": lambda rows, t, o: rows.writeTo(t).options(**o).append(),
    "insertInto": lambda rows, t, o: rows.write.options(**o).insertInto(t),
    "saveAsTable": lambda rows, t, o: rows.write.mode("append").options(**o).saveAsTable(t),
    "format": lambda rows, t, o: rows.write.mode("append").format("ducklake").options(**o).save(t),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("words", [("txn-app-id", "txn-version"), ("txnAppId", "txnVersion")])
def test_a_write_that_is_repeated_is_made_once(
    lake: Lake, catalog: str, rows: DataFrame, writer: str, words: tuple[str, str]
) -> None:
    write, target = WRITERS[writer], f"{catalog}.main.t"

    def numbered(version: int, app: str = "job") -> None:
        write(rows, target, {words[0]: app, words[1]: str(version)})

    numbered(4)
    first, files = head(lake), files_of(lake)
    numbered(4)
    numbered(3)

    assert content(lake) == [*FIRST, (3, 30)]
    assert (head(lake), files_of(lake)) == (first, files)
    numbered(5)
    numbered(4, app="other")
    assert content(lake) == [*FIRST, *[(3, 30)] * 3]


REPLACING: dict[str, Callable[[DataFrame, str, dict[str, str]], None]] = {
    "overwrite": lambda rows, t, o: rows.writeTo(t).options(**o).overwrite(lit(True)),
    "partitions": lambda rows, t, o: rows.writeTo(t).options(**o).overwritePartitions(),
    "insertInto": lambda rows, t, o: rows.write.options(**o).insertInto(t, overwrite=True),
    "saveAsTable": lambda rows, t, o: rows.write.mode("overwrite").options(**o).saveAsTable(t),
    "format": lambda rows, t, o: (
        rows.write.mode("overwrite").format("ducklake").options(**o).save(t)
    ),
}


@pytest.mark.parametrize("writer", REPLACING)
def test_a_frame_that_replaces_rows_again_replaces_them_once(
    lake: Lake, catalog: str, rows: DataFrame, writer: str
) -> None:
    write, target = REPLACING[writer], f"{catalog}.main.t"
    number = {"txn-app-id": "job", "txn-version": "4"}

    write(rows, target, number)
    first, files = head(lake), files_of(lake)
    write(rows.selectExpr("id + 1 AS id", "n"), target, number)

    assert content(lake) == [(3, 30)]
    assert (head(lake), files_of(lake)) == (first, files)


def test_sql_and_overwrites(spark: SparkSession, lake: Lake, catalog: str) -> None:
    def run(start: str, version: int, value: int) -> None:
        number = f"WITH ('txn-app-id' = 'sql', 'txn-version' = '{version}')"
        spark.sql(f"INSERT {start} {catalog}.t {number} VALUES (9, {value})")

    run("INTO", 1, 1)
    run("INTO", 1, 2)
    assert content(lake) == [*FIRST, (9, 1)]
    run("OVERWRITE", 2, 3)
    run("OVERWRITE", 2, 4)
    assert content(lake) == [(9, 3)]


def test_python_numbers_every_kind_of_change(
    spark: SparkSession, lake: Lake, catalog: str, rows: DataFrame
) -> None:
    table = dl.Lake(spark, catalog).table("t")

    def twice(version: int, write: Callable[[dict[str, object]], bool | None]) -> None:
        number: dict[str, object] = {"app_id": "äpp, 'x'", "version": version}
        assert write(number) is True
        snapshot = head(lake)
        assert write(number) is False
        assert head(lake) == snapshot

    twice(1, lambda n: table.append(rows, **n))  # type: ignore[arg-type]
    twice(2, lambda n: table.update({"n": "n + 1"}, "id = 3", **n))  # type: ignore[arg-type]
    assert content(lake) == [*FIRST, (3, 31)]
    twice(
        3,
        lambda n: (
            table.merge(rows, on="id", **n)  # type: ignore[arg-type]
            .when_matched_update({"n": "t.n + s.n"})
            .execute()
        ),
    )
    assert content(lake) == [*FIRST, (3, 61)]
    twice(4, lambda n: table.delete("id = 1", **n))  # type: ignore[arg-type]
    twice(5, lambda n: table.overwrite(rows, where="id > 1", **n))  # type: ignore[arg-type]
    assert content(lake) == [(3, 30)]
    spelled = dl.Lake(spark, catalog).table("T")
    assert spelled.append(rows, app_id="äpp, 'x'", version=5) is False
    assert table.append(rows) is None
    assert content(lake) == [(3, 30), (3, 30)]


@pytest.fixture
def remote(spark: SparkSession) -> Iterator[SparkSession]:
    """A client of Spark Connect."""
    with serving(spark) as address:
        session = connected(address)
        yield session
        session.stop()


def test_over_connect(remote: SparkSession, lake: Lake, catalog: str) -> None:
    for key, value in lake.spark_settings(catalog).items():
        remote.conf.set(key, value)
    table = dl.Lake(remote, catalog).table("t")

    def add(version: int) -> bool | None:
        return table.update({"n": "n + 1"}, "id = 1", app_id="far", version=version)

    assert [add(1), add(1), add(2)] == [True, False, True]
    assert content(lake) == [(1, 12), (2, 20)]


def test_a_number_belongs_to_its_thread(
    spark: SparkSession, lake: Lake, catalog: str, rows: DataFrame
) -> None:
    """A statement beside a numbered one, in the same session, is made as often as it is asked."""
    from threading import Barrier

    from pyspark import InheritableThread

    table, together = dl.Lake(spark, catalog).table("t"), Barrier(2, timeout=120)

    def numbered() -> None:
        for _ in range(4):
            together.wait()
            table.append(rows, app_id="job", version=1)

    def plain() -> None:
        for _ in range(4):
            together.wait()
            table.append(rows.selectExpr("id + 1", "n").toDF("id", "n"))

    threads = [InheritableThread(target=work) for work in (numbered, plain)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert content(lake) == [*FIRST, (3, 30), *[(4, 30)] * 4]


def test_a_table_that_a_write_makes_or_replaces_has_the_number(
    lake: Lake, catalog: str, rows: DataFrame
) -> None:
    def write(mode: str, version: int) -> None:
        writer = rows.write.mode(mode).option("txn-app-id", "job").option("txn-version", version)
        writer.saveAsTable(f"{catalog}.main.made")

    write("append", 1)
    write("append", 1)
    assert content(lake, "made") == [(3, 30)]
    write("append", 2)
    assert content(lake, "made") == [(3, 30), (3, 30)]
    write("overwrite", 2)
    assert content(lake, "made") == [(3, 30), (3, 30)]
    write("overwrite", 3)
    write("append", 3)
    assert content(lake, "made") == [(3, 30)]


class BrokenOffError(Exception):
    """What stands for the end of a process between two steps of a batch."""


@pytest.mark.every_database
def test_a_batch_of_several_tables_is_exactly_once_wherever_it_breaks_off(
    spark: SparkSession, lake: Lake, register: Register, tmp_path: Path
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE t (id INT, n INT); CREATE TABLE log (id INT, n INT)")
        peer.run("CREATE TABLE sums (id INT, n BIGINT)")
    catalog = register(lake)
    (tmp_path / "in").mkdir()
    for number in range(2):
        lines = [json.dumps({"id": i, "n": number + 1}) for i in range(3)]
        (tmp_path / f"in/{number}.json").write_text("\n".join(lines))
    left = [None, 1, 2, 3, 1, 3]

    def write(batch: DataFrame, number: int) -> None:
        def step(done: int) -> None:
            if left and left[-1] == done:
                left.pop()
                raise BrokenOffError

        here = dl.Lake(batch.sparkSession, catalog)
        here.table("t").append(batch, app_id="q", version=number)
        step(1)
        merge = here.table("sums").merge(batch, on="id", app_id="q", version=number)
        merge.when_matched_update({"n": "t.n + s.n"}).when_not_matched_insert().execute()
        step(2)
        options = {"txn-app-id": "q", "txn-version": str(number)}
        batch.writeTo(f"{catalog}.log").options(**options).append()
        step(3)

    def run() -> None:
        source = spark.readStream.schema("id INT, n INT").option("maxFilesPerTrigger", 1)
        writer = source.json(str(tmp_path / "in")).writeStream.foreachBatch(write)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    for _ in range(len(left) - 1):
        with pytest.raises(StreamingQueryException, match="BrokenOffError"):
            run()
    run()

    assert left == [None]
    every = [(i, n) for i in range(3) for n in (1, 2)]
    assert content(lake) == every
    assert content(lake, "log") == every
    assert content(lake, "sums") == [(i, 3) for i in range(3)]
    assert head(lake) == 3 + 2 * 3


def test_a_transaction_that_is_repeated_is_made_once(
    spark: SparkSession, lake: Lake, catalog: str, rows: DataFrame
) -> None:
    with Peer(lake) as peer:
        peer.run("CREATE TABLE u (id INT, n INT)")
    here, files = dl.Lake(spark, catalog), files_of(lake)

    def run(version: int) -> int | None:
        with here.transaction(app_id="job", version=version) as tx:
            here.table("u").append(rows)
            here.table("t").update({"n": "n + 1"}, "id = 1")
        return tx.snapshot

    made = run(1)
    written = files_of(lake)
    assert run(1) is None
    assert made == head(lake)
    assert files_of(lake) == written >= files
    assert (content(lake), content(lake, "u")) == ([(1, 11), (2, 20)], [(3, 30)])
    assert run(2) == head(lake)
    assert content(lake, "u") == [(3, 30), (3, 30)]


@pytest.mark.parametrize("half", [{"app_id": "job"}, {"version": 1}])
def test_half_a_number_of_a_transaction_is_refused(
    spark: SparkSession, catalog: str, half: dict[str, object]
) -> None:
    here = dl.Lake(spark, catalog)

    with pytest.raises(dl.InvalidSettingError, match="belong together"):
        here.begin(**half)  # type: ignore[arg-type]

    with here.transaction() as tx:
        assert tx.is_open


def test_a_statement_of_a_transaction_has_no_number(
    spark: SparkSession, lake: Lake, catalog: str, rows: DataFrame
) -> None:
    here = dl.Lake(spark, catalog)

    with here.transaction(), pytest.raises(PySparkException, match="inside a transaction"):
        here.table("t").append(rows, app_id="job", version=1)

    assert content(lake) == FIRST


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"txn-app-id": "job"}, "without `txn-version`"),
        ({"txn-version": "1"}, "without `txn-app-id`"),
        ({"txn-app-id": " ", "txn-version": "1"}, "blank"),
        ({"txn-app-id": "job", "txn-version": "-1"}, "whole number"),
        ({"txn-app-id": "job", "txn-version": "one"}, "whole number"),
        ({"txn-app-id": "job", "txnAppId": "job", "txn-version": "1"}, "together"),
    ],
)
def test_half_a_number_is_refused(
    lake: Lake, catalog: str, rows: DataFrame, options: dict[str, str], word: str
) -> None:
    with pytest.raises(PySparkException, match=word) as caught:
        rows.writeTo(f"{catalog}.t").options(**options).append()

    assert caught.value.getCondition() == "DUCKLAKE_INVALID_SETTING"
    assert content(lake) == FIRST


def test_python_refuses_half_a_number(
    spark: SparkSession, lake: Lake, catalog: str, rows: DataFrame
) -> None:
    table = dl.Lake(spark, catalog).table("t")

    for wrong in ({"app_id": "a"}, {"version": 1}, {"app_id": "", "version": 1}):
        with pytest.raises(ValueError, match=r"together|blank"):
            table.append(rows, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="from 0 on"):
        table.append(rows, app_id="a", version=-1)
    assert content(lake) == FIRST
