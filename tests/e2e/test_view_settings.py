"""Views of a lake mean what their text means to whoever reads them: a lake stores no settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from support.asking import refused, rows
from support.lakes import Lake
from support.lines import MADE_VIEWS, since
from support.peer import Peer, made

Register = Callable[..., str]

pytestmark = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)

BASE = (
    "CREATE TABLE t (i INT, s VARCHAR, seen_at TIMESTAMPTZ)",
    "INSERT INTO t VALUES (1, 'abc', TIMESTAMPTZ '2025-12-31 22:30:00+00')",
)
OF_THE_ZONE = "SELECT hour(seen_at) AS h, date(seen_at) AS d, seen_at || '' AS s FROM main.t"
OF_ANSI = ("SELECT i + 2147483647 AS x FROM main.t", "SELECT CAST(s AS INT) AS x FROM main.t")
ZONES = ("Pacific/Auckland", "America/New_York", "UTC")


def reader(spark: SparkSession, lake: Lake, register: Register, **settings: str) -> SparkSession:
    """A session with settings whose current schema is that of the views."""
    session = spark.newSession()
    for name, value in settings.items():
        session.conf.set(f"spark.sql.{name.replace('__', '.')}", value)
    session.sql(f"USE {register(lake, session=session)}.main")
    return session


def answer(session: SparkSession, query: str) -> list[Row] | str:
    """Rows, or the condition of the error."""
    try:
        return session.sql(query).collect()
    except PySparkException as failure:
        return failure.getCondition() or "an error without condition"


@since(MADE_VIEWS)
def test_a_view_equals_its_text_in_every_session(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    texts = dict(enumerate((OF_THE_ZONE, *OF_ANSI)))
    maker = reader(spark, lake, register, session__timeZone="Asia/Tokyo")
    for number, text in texts.items():
        maker.sql(f"CREATE VIEW v{number} AS {text}")
        maker.sql(f"CREATE VIEW w{number} AS SELECT * FROM main.v{number}")

    seen = set()
    for zone in ZONES:
        for ansi in ("true", "false"):
            session = reader(spark, lake, register, session__timeZone=zone, ansi__enabled=ansi)
            for number, text in texts.items():
                expected = answer(session, text)
                assert answer(session, f"SELECT * FROM v{number}") == expected, (zone, ansi, text)
                assert answer(session, f"SELECT * FROM w{number}") == expected, (zone, ansi, text)
                seen.add(str(expected))
    assert len(seen) == len(ZONES) + 2 * len(OF_ANSI)


@since(MADE_VIEWS)
@pytest.mark.parametrize(
    ("setting", "text", "why"),
    [
        (
            {"timestampType": "TIMESTAMP_NTZ"},
            "SELECT CAST(s AS TIMESTAMP) AS x FROM main.t",
            "zone",
        ),
        ({"timestampType": "TIMESTAMP_NTZ"}, "SELECT to_timestamp(s) AS x FROM main.t", "zone"),
        ({"parser__escapedStringLiterals": "true"}, r"SELECT '\d' AS x FROM main.t", "backslash"),
    ],
)
def test_a_text_that_means_something_by_a_setting_is_refused(
    spark: SparkSession,
    lake: Lake,
    register: Register,
    setting: dict[str, str],
    text: str,
    why: str,
) -> None:
    made(lake, *BASE)
    session = reader(spark, lake, register, **setting)
    refused(session, f"CREATE VIEW v AS {text}", "DUCKLAKE_UNUSABLE_VIEW", "main.v", why)
    session.sql("CREATE VIEW v AS SELECT i, seen_at FROM main.t")
    assert rows(session, "SELECT i FROM v") == [(1,)]


@since(MADE_VIEWS)
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM main.t",
        "SELECT i, * EXCEPT (i) FROM main.t",
        "TABLE main.t",
        "SELECT * FROM (SELECT i, s, seen_at FROM main.t) LIMIT 5",
        "SELECT i, s, seen_at FROM main.t UNION ALL SELECT * FROM main.t",
    ],
)
def test_names_by_the_places_in_a_table_are_refused(
    spark: SparkSession, lake: Lake, register: Register, text: str
) -> None:
    made(lake, *BASE)
    session = reader(spark, lake, register)
    create = f"CREATE VIEW v (x, y, z) AS {text}"
    refused(session, create, "DUCKLAKE_UNUSABLE_VIEW", "main.v", "places in a table", "`*`")
    assert rows(session, "SHOW VIEWS") == []


@since(MADE_VIEWS)
def test_other_views_follow_their_tables_by_name(
    spark: SparkSession, lake: Lake, register: Register
) -> None:
    made(lake, *BASE)
    session = reader(spark, lake, register)
    session.sql("CREATE VIEW named (x, y) AS SELECT i, count(*) AS n FROM main.t GROUP BY i")
    session.sql("CREATE VIEW all_of_it AS SELECT * FROM main.t")
    session.sql("ALTER TABLE main.t ALTER COLUMN s FIRST")
    session.sql("ALTER TABLE main.t ADD COLUMN new INT")

    assert session.table("named").columns == ["x", "y"]
    assert rows(session, "SELECT * FROM named") == [(1, 1)]
    assert session.table("all_of_it").columns == ["s", "i", "seen_at", "new"]
    assert rows(session, "SELECT s, i, new FROM all_of_it") == [("abc", 1, None)]


@since(MADE_VIEWS)
@pytest.mark.parametrize("mode", ["BINDING", "TYPE EVOLUTION", "EVOLUTION"])
def test_a_schema_mode_that_is_not_stored_is_refused(
    spark: SparkSession, lake: Lake, register: Register, mode: str
) -> None:
    made(lake, *BASE)
    session = reader(spark, lake, register)
    text = "AS SELECT i FROM main.t"
    refused(
        session, f"CREATE VIEW v WITH SCHEMA {mode} {text}", "DUCKLAKE_UNSUPPORTED", mode, "main.v"
    )
    session.sql(f"CREATE VIEW v WITH SCHEMA COMPENSATION {text}")
    with Peer(lake) as peer:
        head = peer.head()
    refused(session, f"ALTER VIEW v WITH SCHEMA {mode}", "DUCKLAKE_UNSUPPORTED", mode, "main.v")
    with Peer(lake) as peer:
        assert peer.head() == head
