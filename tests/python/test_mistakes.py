"""Ordinary mistakes get answers: what is wrong, why, what to do, and our name of another's way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import ducklake_spark as dl
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from support.connect import connected
from support.lakes import Lake, LakeFactory
from support.peer import Peer
from support.sweep import FULL

Words = tuple[str, ...]

SETTINGS: Mapping[str, tuple[dict[str, object], Words]] = {
    "a key of Hadoop with underscores": (
        {"hadoop_fs_s3a_access_key": "k"},
        ("`hadoop_fs_s3a_access_key`", 'hadoop={"fs.s3a.access.key": …}'),
    ),
    "a key of another spelling": ({"readonly": True}, ("`readonly`", "nearest", "`read_only`")),
    "two words in one": ({"datapath": "x"}, ("`datapath`", "nearest", "`data_path`")),
    "a slip": ({"snapshot_vresion": 3}, ("nearest", "`snapshot_version`")),
    "None": ({"read_only": None}, ("`read_only` is None", "Leave it out")),
    "a name of two parts": ({"name": "my.lake"}, ("`my.lake`", "one part, without a dot")),
    "no name": ({"name": ""}, ("one part",)),
    "no address": ({"uri": ""}, ("no text", "ducklake:sqlite:/data/lake.sqlite")),
}

KEYS: Mapping[str, tuple[dict[str, str], Words]] = {
    "an underscore": ({"data_path": "x"}, ("`data_path`", "nearest", "`data-path`")),
    "yes": ({"read-only": "yes"}, ("`read-only` is `yes`", "true or false")),
    "a unit": ({"busy-timeout": "5s"}, ("`busy-timeout` is `5s`", "a whole number from 0")),
    "a number below 0": ({"retry.max-count": "-1"}, ("`-1`", "a whole number from 0")),
    "a version in words": ({"snapshot-version": "three"}, ("`three`", "a whole number from 0")),
    "both a version and a time": (
        {"snapshot-version": "3", "snapshot-time": "2026-01-01"},
        ("together with `snapshot-time`", "Give one"),
    ),
    "a version of DuckLake to come": ({"ducklake-version": "2.0"}, ("`2.0`", "1.0 or 1.1")),
    "no ducklake before it": (
        {"uri": "postgres:dbname=x"},
        ("no kind of catalog database", "ducklake:postgres:<connection>"),
    ),
    "only a path": ({"uri": "/data/l.sqlite"}, ("`/data/l.sqlite`", "ducklake:sqlite:<path>")),
    "no path": ({"uri": "ducklake:sqlite:"}, ("in memory", "Give the path of a file")),
    "MySQL": ({"uri": "ducklake:mysql:db=x"}, ("MySQL", "not supported yet", "Use SQLite")),
    "a password in the address": (
        {"uri": "ducklake:postgres:postgresql://u:secret@h/d"},
        ("u:***@h/d", "set `password-file`"),
    ),
    "a keyword of PostgreSQL misspelt": (
        {"uri": "ducklake:postgres:dbnme=x"},
        ("unknown keyword `dbnme`", "Known are", "dbname"),
    ),
}

SQL: Mapping[str, Words] = {
    # names
    "SELECT * FROM lake.evnts": ("`lake`.`evnts` cannot be found",),
    "SELECT nam FROM lake.events": ("`nam`", "Did you mean", "`name`"),
    "SELECT * FROM lake.v": ("a view's schema in its name", "Write `lake.main.v`"),
    "DROP SCHEMA lake.sales": ("`sales`", "contains objects", "CASCADE"),
    "CREATE TABLE lake.events (a INT)": ("already exists", "IF NOT EXISTS"),
    "CREATE TABLE lake.nope.t (a INT)": ("The schema `nope` cannot be found",),
    "ALTER TABLE lake.events DROP COLUMN nope": ("`nope`", "Did you mean", "`id`"),
    "UPDATE lake.events SET rowid = 1": ("hidden column `rowid`", "can only be read"),
    # types
    "CREATE TABLE lake.i (a VOID)": ("Column `a`", "VOID", "needs a type"),
    "CREATE TABLE lake.i (a INT) TBLPROPERTIES ('ducklake.type.a' = 'uid')": (
        "Column `a` cannot have type uid",
        "no such type",
    ),
    "CREATE TABLE lake.i (a STRING) TBLPROPERTIES ('ducklake.type.b' = 'uuid')": (
        "`ducklake.type.b`",
        "no such column",
    ),
    "INSERT INTO lake.events VALUES ('x', 'y')": ("Cannot safely cast `id`", '"STRING" to "INT"'),
    "INSERT INTO lake.events VALUES (1)": ("not enough data columns", "`id`, `name`"),
    "INSERT INTO lake.odd (small) VALUES (300)": ("`small` holds 300 as uint8", "outside"),
    "INSERT INTO lake.odd (u) VALUES ('none')": ("`u` holds `none` as uuid", "no value of the"),
    "INSERT INTO lake.odd (j) VALUES ('{')": ("`j` holds `{` as json", "no JSON"),
    "INSERT INTO lake.odd (t) VALUES ('25:00')": ("`t` holds `25:00` as time",),
    "ALTER TABLE lake.events ALTER COLUMN id TYPE SMALLINT": (
        '`id` of lake.main.events from "INT" to "SMALLINT"',
        "only become wider",
        "Add a column of the other type",
    ),
    "ALTER TABLE lake.events ALTER COLUMN name TYPE INT": ('from "STRING" to "INT"', "UPDATE"),
    "ALTER TABLE lake.events ADD COLUMN c INT NOT NULL": ("column `c`", "constant default"),
    "CREATE TABLE lake.i (a INT) PARTITIONED BY (truncate(2, a))": (
        "truncate(2, a) is not supported",
        "year, month, day, hour and bucket",
    ),
    "CREATE TABLE lake.i (a INT) PARTITIONED BY (year(a))": ("`year of a`", "no such key"),
    # time travel
    "SELECT * FROM lake.events VERSION AS OF 99": ("Snapshot 99", "oldest kept is 0", "newest is"),
    "SELECT * FROM lake.events TIMESTAMP AS OF '2001-01-01'": ("2001-01-01", "oldest kept is 0"),
    "SELECT * FROM lake.events VERSION AS OF 'x'": ("neither a snapshot's id nor its name: x",),
    # options
    "CALL lake.system.set_option('target_filesize', '1MB')": (
        "`target_filesize`",
        "no such option",
        "target_file_size",
    ),
    "CALL lake.system.set_option('target_file_size', 'big')": ("`big`", "such as `128MB`"),
    "CALL lake.system.set_option('parquet_compression', 'zip')": ("`zip`", "one of", "zstd"),
    "ALTER TABLE lake.events SET TBLPROPERTIES ('target_file_size' = 'big')": ("such as `128MB`",),
    # calls
    "CALL lake.system.merge_adjacent_file()": ("Did you mean `system.merge_adjacent_files`?",),
    "CALL lake.system.merge_adjacent_files(tabel_name => 'events')": (
        "`tabel_name`",
        "Did you mean",
        "`table_name`",
    ),
    "CALL lake.system.merge_adjacent_files('nope')": ("`lake`.`main`.`nope` cannot be found",),
    "CALL lake.system.merge_adjacent_files('events', max_compacted_files => 0)": (
        "`max_compacted_files` must be greater than zero",
    ),
    "CALL lake.system.rewrite_data_files('events', delete_threshold => 5)": (
        "`delete_threshold` must be between 0 and 1",
    ),
    "CALL lake.system.expire_snapshots(older_than => 'soon')": ("'soon'", "TIMESTAMP"),
    "CALL lake.system.list_files('events', snapshot_version => 1, snapshot_time => now())": (
        "together with `snapshot_time`",
    ),
    "CALL lake.system.add_data_files('events', '/nowhere/*.parquet')": (
        "matches no file",
        "No file was added",
        "Correct the path",
    ),
    "CALL lake.system.rollback_to_snapshot('events')": ("`snapshot_version`", "give one of them"),
    "CALL lake.system.rollback_to_snapshot('events', 99)": ("Snapshot 99", "newest is"),
    "CALL lake.system.undo_commit(99)": ("Snapshot 99", "newest is"),
    "CALL lake.system.set_partitioned_by('events', array('nope'))": ("`nope`", "no such column"),
    "CALL lake.system.set_sorted_by('events', array('lower(name)'))": (
        "`lower(name)` is not supported",
        "Sort by columns",
    ),
    "CALL lake.system.set_not_null('events', 'nope')": ("`nope`", "no such column"),
    # rights
    "INSERT INTO safe.events VALUES (1, 'x')": ("lake `safe`", "`read-only`", "Nothing was"),
    "CREATE TABLE safe.n (a INT)": ("lake `safe`", "`read-only`"),
    "DELETE FROM pinned.events": ("lake `pinned`", "pinned to a snapshot", "Nothing was"),
    "CALL safe.system.checkpoint()": ("lake `safe`", "`read-only`"),
    # habits of Delta
    "OPTIMIZE lake.nope": ("`lake`.`main`.`nope` cannot be found",),
    "OPTIMIZE lake.events ZORDER BY (id)": (
        "`ALTER TABLE lake.main.events SET SORTED BY (id)`",
        "`OPTIMIZE lake.main.events`",
    ),
    "VACUUM lake.events RETAIN 5 HOURS DRY RUN": (
        "VACUUM",
        "CALL lake.system.expire_snapshots(older_than => now() - INTERVAL 5 HOURS, dry_run =>",
        "CALL lake.system.cleanup_old_files(older_than => now() - INTERVAL 5 HOURS, dry_run =>",
    ),
    "DESCRIBE DETAIL lake.main.events": (
        "DETAIL",
        "DESCRIBE EXTENDED lake.main.events",
        "table_info",
    ),
    "CREATE TABLE lake.c SHALLOW CLONE lake.events": (
        "CLONE",
        "CREATE TABLE … AS SELECT * FROM lake.main.events",
    ),
    "RESTORE TABLE lake.sales.orders TO VERSION AS OF 3": (
        "CALL lake.system.rollback_to_snapshot('sales.orders', snapshot_version => 3)",
    ),
    "CONVERT TO DELTA lake.events": ("CONVERT TO DELTA", "write its rows"),
    "REORG TABLE lake.events APPLY (PURGE)": ("REORG", "merge_adjacent_files"),
    "COPY INTO lake.events FROM '/x'": ("COPY INTO", "INSERT INTO", "add_data_files"),
    "UNDROP TABLE lake.events": ("UNDROP", "rollback_to_snapshot"),
    "CREATE TABLE lake.i (a INT) USING delta": ("USING delta", "Leave USING out"),
    "ALTER TABLE lake.events ADD CONSTRAINT c CHECK (id > 0)": ("constraint", "NOT NULL"),
    "CREATE TABLE lake.i (a INT, b INT GENERATED ALWAYS AS (a + 1))": ("generated column `b`",),
    # habits of Iceberg
    "ALTER TABLE lake.events ADD PARTITION FIELD year(ts)": ("SET PARTITIONED BY",),
    "ALTER TABLE lake.events WRITE ORDERED BY id": ("SET SORTED BY",),
    "ALTER TABLE lake.events CREATE TAG x": ("branch or tag", "VERSION AS OF"),
    "ALTER TABLE lake.events SET IDENTIFIER FIELDS id": ("no keys of rows",),
    "CALL lake.system.compact('events')": ("`system.merge_adjacent_files`",),
    "CALL lake.system.bulldozer()": (
        "The procedures are add_data_files, begin_transaction, checkpoint",
    ),
    "CALL lake.system.rewrite_manifests('events')": ("no manifests", "catalog database"),
    "CALL lake.system.rollback_to_timestamp('t', TIMESTAMP '2026-01-01')": (
        "`system.rollback_to_snapshot` with snapshot_time",
    ),
    "CALL lake.system.set_current_snapshot('t', 3)": ("`system.rollback_to_snapshot`",),
    "CALL lake.system.add_files('t', 'x')": ("`system.add_data_files`",),
    "CALL lake.system.create_changelog_view('t')": ("`system.table_changes`",),
    "CALL lake.system.fast_forward('t', 'main', 'x')": ("no branches", "VERSION AS OF"),
    # habits of Hive, of databases, of DuckDB
    "ANALYZE TABLE lake.main.events COMPUTE STATISTICS": ("ANALYZE", "nothing to compute"),
    "MSCK REPAIR TABLE lake.main.events": ("REPAIR", "folders are never searched"),
    "SHOW PARTITIONS lake.main.events PARTITION (id = 1)": (
        "SELECT * FROM lake.main.events.partitions",
    ),
    "CREATE TABLE lake.i (a INT) LOCATION '/x'": ("lake chooses", "Leave LOCATION"),
    "CREATE TABLE lake.i (a INT PRIMARY KEY)": ("constraint", "NOT NULL"),
    "SELECT * FROM ducklake_snapshot('lake')": ("`ducklake_snapshot`", "ducklake_snapshots"),
    "SELECT * FROM ducklake_snapshots('nope')": ("no registered lake: nope",),
    "CALL lake.ducklake_expire_snapshots('lake')": ("Did you mean `system.expire_snapshots`?",),
}

PYTHON: Mapping[str, tuple[Callable[[dl.Lake], object], Words]] = {
    "a catalog that is no lake": (
        lambda lake: dl.Lake(lake.spark, "nope"),
        ("`nope` is no lake of this session", "`lake`", "Register it with `configure`"),
    ),
    "a number as a table": (lambda lake: lake.table(5), ("a table's name is text, not 5",)),  # type: ignore[arg-type]
    "a table as a name": (
        lambda lake: lake.merge_adjacent_files(lake.table("events")),  # type: ignore[arg-type]
        ("text of a name, not <Table lake.events: id int, name string>",),
    ),
    "a column that is not there": (
        lambda lake: lake.table("events").schema["nam"],
        ("no column 'nam'", "id, name"),
    ),
    "a list of rows": (
        lambda lake: lake.table("events").append([1, 2]),  # type: ignore[arg-type]
        ("rows are a DataFrame of Spark, pandas or Polars", "not a list", "spark.createDataFrame"),
    ),
    "rows with a column too many": (
        lambda lake: lake.table("events").append(lake.spark.sql("SELECT 1 AS id, 2 AS x")),
        ("extra columns `x`", "Leave the columns out", "schema_evolution=True"),
    ),
    "rows for a table that is not there": (
        lambda lake: lake.table("nope").append(lake.spark.range(1)),
        ("`nope` cannot be found",),
    ),
    "no moment": (lambda lake: lake.at(), ("give a version or a time",)),
    "two moments": (lambda lake: lake.at(1, version=2), ("give a version or a time",)),
    "a version in text": (lambda lake: lake.at(version="x"), ("number of a snapshot, not 'x'",)),  # type: ignore[arg-type]
    "a version with a fraction": (lambda lake: lake.at(2.5), ("datetime, a date or text", "2.5")),  # type: ignore[arg-type]
    "a snapshot to come": (
        lambda lake: lake.at(99).table("events").to_df(),
        ("Snapshot 99", "oldest kept is 0"),
    ),
    "a write into the past": (
        lambda lake: lake.table("events").at(2).append(lake.spark.range(1)),
        ("a table at a snapshot cannot be changed",),
    ),
    "a number of days": (
        lambda lake: lake.expire_snapshots(older_than=7),  # type: ignore[arg-type]
        ("a time is a datetime, a date or text, or an age: a timedelta, '7 days', not 7",),
    ),
    "an option of a read misspelt": (
        lambda lake: lake.spark.read.option("version", 2).table("lake.events").collect(),
        ("`version` is not known", "`versionAsOf`"),
    ),
    "a path instead of a catalog": (
        lambda lake: lake.spark.read.format("ducklake").load("/x").collect(),
        ("`path` is no name of a table", "lake.schema.table"),
    ),
    "an update in one text": (
        lambda lake: lake.table("events").update("name = 'x'"),  # type: ignore[arg-type]
        ("a mapping such as",),
    ),
    "an update of what is not there": (
        lambda lake: lake.table("events").update({"nam": "'x'"}),
        ("`nam`", "Did you mean", "`name`"),
    ),
    "a number as a condition": (
        lambda lake: lake.table("events").delete(5),  # type: ignore[arg-type]
        ("a condition is SQL text such as 'id = 1' or a Column, not 5",),
    ),
    "a number as a condition of an overwrite": (
        lambda lake: lake.table("events").overwrite(lake.spark.range(1), where=5),  # type: ignore[arg-type]
        ("a condition is SQL text such as 'id = 1' or a Column, not 5",),
    ),
    "a merge that does nothing": (
        lambda lake: lake.table("events").merge(lake.spark.range(1), on="id").execute(),
        ("a merge needs a clause", "when_matched_update()"),
    ),
    "columns in a number": (
        lambda lake: lake.create_table("z", 5),  # type: ignore[arg-type]
        ("columns are SQL text", "not a int"),
    ),
    "None as an option": (
        lambda lake: lake.set_option("target_file_size", None),  # type: ignore[arg-type]
        ("text or a number, not None",),
    ),
    "None as a property": (
        lambda lake: lake.create_table("n", "a INT", properties={"owner": None}),  # type: ignore[dict-item]
        ("text or a number, not None",),
    ),
    "the name before the session": (
        lambda lake: dl.Lake("lake", lake.spark),  # type: ignore[arg-type]
        ("the session first, then its name: Lake(spark, 'lake')",),
    ),
    "a session in place of a builder": (
        lambda lake: dl.configure(lake.spark, "more", "ducklake:sqlite:more.sqlite"),  # type: ignore[arg-type]
        ("a builder, SparkSession.builder, not a SparkSession", "getOrCreate()"),
    ),
    "columns in a list": (
        lambda lake: lake.create_table("z", [("id", "INT")]),  # type: ignore[arg-type]
        ("a mapping of names to types", "not a list"),
    ),
    "the arguments of Delta's update": (
        lambda lake: lake.table("events").update("id = 1", {"name": "'x'"}),  # type: ignore[arg-type]
        ("new values are a mapping such as", "not 'id = 1'"),
    ),
    "a list as the source of a merge": (
        lambda lake: lake.table("events").merge([(1, "x")], on="id"),  # type: ignore[arg-type]
        ("a source is a table", "a DataFrame of Spark", "not a list", "spark.createDataFrame"),
    ),
    "a column of other rows as a condition": (
        lambda lake: lake.table("events").delete(lake.spark.range(1).id == 1),
        ("A Column belongs to another DataFrame", 'F.col("id")'),
    ),
    "None as a table": (lambda lake: lake.table(None), ("a table's name is text, not None",)),  # type: ignore[arg-type]
    "a snapshot in place of a table": (
        lambda lake: lake.rollback_to_snapshot(3),  # type: ignore[arg-type]
        ("table_name is the text of a name, not 3",),
    ),
    "snapshots in text": (
        lambda lake: lake.expire_snapshots(versions="2"),  # type: ignore[arg-type]
        ("a version is the number of a snapshot, not '2'",),
    ),
    "a snapshot that is true": (
        lambda lake: lake.at(True),
        ("a version is the number of a snapshot, not True",),
    ),
    "tables of a schema that is not there": (
        lambda lake: lake.at(2).tables("nope"),
        ("schema `nope`", "lake `lake` has no such schema VERSION AS OF 2"),
    ),
    "a table without a place for its order": (
        lambda lake: lake.create_table("z", "a INT", sorted_by="nope"),
        ("Cannot sort main.z by `nope`", "no such column"),
    ),
    "a file of another format": (
        lambda lake: lake.add_data_files("events", __file__),
        ("no Parquet file", "No file was added", "Leave the file out"),
    ),
    "years of a number": (
        lambda lake: lake.set_partitioned_by("events", "years(id)"),
        ("`year of id`", "no such key"),
    ),
    "a size in other words": (
        lambda lake: lake.set_option("target_file_size", "64 potatoes"),
        ("`64 potatoes`", "such as `128MB`"),
    ),
    "an option that there is not": (
        lambda lake: lake.set_option("nope", 1),
        ("`nope`", "no such option", "target_file_size"),
    ),
}


CORE = list(SQL) if FULL else list(SQL)[::8]
"""What is asked over Spark Connect, too."""


@pytest.fixture(scope="module")
def made(lakes: LakeFactory) -> Lake:
    """The lake in which mistakes are made."""
    made = lakes.new("sqlite")
    with Peer(made) as peer:
        peer.run(
            "CREATE TABLE events (id INTEGER, name VARCHAR)",
            "INSERT INTO events VALUES (1, 'one')",
            "CREATE TABLE odd (u UUID, small UTINYINT, j JSON, t TIME)",
            "CREATE SCHEMA sales",
            "CREATE TABLE sales.orders (id INTEGER)",
            "CREATE VIEW v AS SELECT 1 AS a",
        )
    return made


@pytest.fixture(scope="module")
def mistaken(spark: SparkSession, made: Lake) -> dl.Lake:
    """The lake in a classic session."""
    lake = registered(spark.newSession(), made)
    return lake


@pytest.fixture(scope="module")
def remote(mistaken: dl.Lake, made: Lake, connect_address: str) -> Iterator[dl.Lake]:
    """The same over Spark Connect."""
    session = connected(connect_address)
    yield registered(session, made)
    session.stop()


def registered(session: SparkSession, made: Lake) -> dl.Lake:
    """A lake that is registered three times: as it is, read-only and pinned."""
    for name, options in (("lake", {}), ("safe", {"read_only": True})):
        for key, value in dl.settings(name, made.uri, **options).items():
            session.conf.set(key, value)
    for key, value in dl.settings("pinned", made.uri, snapshot_version=2).items():
        session.conf.set(key, value)
    return dl.Lake(session, "lake")


def refused(work: Callable[[], object], words: Words) -> None:
    expected = (PySparkException, TypeError, ValueError, KeyError)
    with pytest.raises(expected) as raised:
        work()
    message = str(raised.value)
    assert [each for each in words if each not in message] == [], message
    assert "INTERNAL_ERROR" not in message


def test_there_are_enough_mistakes() -> None:
    assert len(SETTINGS) + len(KEYS) + len(SQL) + len(PYTHON) >= 60


@pytest.mark.parametrize("mistake", SETTINGS)
def test_settings_of_python(mistake: str) -> None:
    given, words = SETTINGS[mistake]
    options = {"name": "lake", "uri": "ducklake:sqlite:l.sqlite", **given}

    refused(lambda: dl.settings(**options), words)  # type: ignore[arg-type]


@pytest.mark.parametrize("mistake", KEYS)
def test_keys_of_a_catalog(mistaken: dl.Lake, mistake: str) -> None:
    given, words = KEYS[mistake]
    session = mistaken.spark.newSession()
    uri = str(mistaken.spark.conf.get("spark.sql.catalog.lake.uri"))
    session.conf.set("spark.sql.catalog.typed", "ducklake.spark.DuckLakeCatalog")
    for key, value in {"uri": uri, **given}.items():
        session.conf.set(f"spark.sql.catalog.typed.{key}", value)

    refused(lambda: session.sql("SELECT * FROM typed.events"), words)


@pytest.mark.parametrize("statement", SQL)
def test_statements(mistaken: dl.Lake, statement: str) -> None:
    refused(lambda: mistaken.spark.sql(statement).collect(), SQL[statement])


@pytest.mark.parametrize("statement", CORE)
def test_statements_over_connect(remote: dl.Lake, statement: str) -> None:
    refused(lambda: remote.spark.sql(statement).collect(), SQL[statement])


@pytest.mark.parametrize("mistake", PYTHON)
@pytest.mark.parametrize("where", ["mistaken", "remote"])
def test_methods(request: pytest.FixtureRequest, where: str, mistake: str) -> None:
    lake: dl.Lake = request.getfixturevalue(where)
    work, words = PYTHON[mistake]

    refused(lambda: work(lake), words)
