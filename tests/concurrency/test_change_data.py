"""Changes of a database come into a lake and into sums, once each, over kills of every program.

What is run are the blocks of `change-data.md`, with a real PostgreSQL, Debezium and Kafka.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from pyspark.sql import SparkSession

from concurrency.victims import victim
from support.changedata import Broker, Debezium, change_data_jars
from support.lakes import Lake, LakeFactory
from support.pages import DOCS, Block, blocks, of_properties
from support.peer import Peer
from support.postgres import PostgresServer
from support.session import jars
from support.sweep import only_in_the_full_sweep

pytestmark = only_in_the_full_sweep("a database, Debezium, Kafka and several Sparks")

Register = Callable[..., str]

IDS = 40
CHANGES = 60
"""How many statements each round runs."""
WAIT_SECONDS = 180


def of(language: str) -> list[Block]:
    """The blocks of the page in a language, in their order."""
    return [block for block in blocks(DOCS / "change-data.md") if block.language == language]


class Shop:
    """The database that changes."""

    def __init__(self, server: PostgresServer, database: str) -> None:
        """The table of the page is made."""
        self._server, self.database = server, database
        self.chance = random.Random(7)
        self._has_note = False
        table, *_ = of("sql")
        server.run_sql(database, table.text)

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._server.keywords(self.database), autocommit=True)

    def _change(self) -> str:
        """A random statement: few keys, so that they come, change, go and come back."""
        key, amount = self.chance.randrange(IDS), self.chance.randrange(100)
        region = self.chance.choice(["north", "it's", ""])
        quoted = region.replace("'", "''")
        note = f", note = 'n{amount}'" if self._has_note else ""
        return self.chance.choice(
            [
                f"INSERT INTO orders VALUES ({key}, '{quoted}', {amount}, now()) ON CONFLICT (id) "
                f"DO UPDATE SET amount = orders.amount + {amount}, changed = now(){note}",
                f"UPDATE orders SET region = '{quoted}', changed = now(){note} WHERE id = {key}",
                f"UPDATE orders SET amount = amount + 1{note} WHERE id % 7 = {key % 7}",
                f"DELETE FROM orders WHERE id = {key}",
                f"BEGIN; DELETE FROM orders WHERE id = {key}; "
                f"INSERT INTO orders VALUES ({key}, 'again', {amount}, now()); COMMIT",
            ]
        )

    def change(self) -> None:
        """Run one more round of statements."""
        with self._connect() as connection:
            for _ in range(CHANGES):
                connection.execute(self._change())

    def add_note(self) -> None:
        """A column more."""
        with self._connect() as connection:
            connection.execute("ALTER TABLE orders ADD COLUMN note TEXT")
        self._has_note = True

    @property
    def columns(self) -> str:
        """The columns, as both databases are asked for them."""
        return "id, region, amount, changed AT TIME ZONE 'UTC'" + ", note" * self._has_note

    def rows(self) -> list[tuple[Any, ...]]:
        """All rows."""
        with self._connect() as connection:
            return connection.execute(f"SELECT {self.columns} FROM orders ORDER BY id").fetchall()


class Following:
    """The Spark of the page, started again whenever it is killed."""

    def __init__(self, lake: Lake, broker: Broker, folder: Path) -> None:
        """Nothing runs yet."""
        checkpoints = {"/checkpoints/": f"{folder}/checkpoints/"}
        first, second = of("python")
        self._code = first.replaced({"localhost:9092": broker.address, **checkpoints})
        self._code += second.replaced(checkpoints)
        self._lake, self._folder = lake, folder
        needed = [jars(), *map(str, (change_data_jars() / "spark").glob("*.jar"))]
        self._settings = {"spark.jars": ",".join(needed)}
        self._running = contextlib.ExitStack()

    def start(self) -> None:
        """Start it."""
        program = victim(
            "concurrency.pagerunner",
            {"code": self._code},
            self._lake,
            self._folder,
            own_settings=self._settings,
        )
        self._process = self._running.enter_context(program)

    def kill(self) -> None:
        """End it at once."""
        self._running.close()

    def keep_going(self) -> None:
        """Start it again if it has ended because of what else was killed."""
        if self._process.poll() is not None:
            self.kill()
            self.start()


def wait_until_equal(lake: Lake, shop: Shop, following: Following) -> None:
    """Until the lake has the rows of the database, and their sums, as DuckDB reads them."""
    expected, columns = shop.rows(), shop.columns
    sums = "SELECT region, count(*), sum(amount)::BIGINT FROM shop.orders GROUP BY ALL ORDER BY ALL"
    kept = "SELECT region, orders, amount FROM shop.totals WHERE orders <> 0 ORDER BY ALL"
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        with Peer(lake) as peer:
            found = peer.rows(f"SELECT {columns} FROM shop.orders ORDER BY id")
            if found == expected and peer.rows(sums) == peer.rows(kept):
                return
            assert time.monotonic() < deadline, (found, expected, peer.rows(kept))
        following.keep_going()
        time.sleep(1)


def new_lake(spark: SparkSession, lakes: LakeFactory, register: Register) -> Lake:
    """A lake with the tables of the page."""
    lake = lakes.new("postgres")
    with Peer(lake):
        pass
    catalog = register(lake)
    _, tables, *_ = of("sql")
    for statement in tables.replaced({"lake.": f"{catalog}."}).split(";")[:-1]:
        spark.sql(statement)
    return lake


def test_changes_of_a_database_come_once_over_kills(
    spark: SparkSession, lakes: LakeFactory, register: Register, tmp_path: Path
) -> None:
    lake = new_lake(spark, lakes, register)
    with (
        PostgresServer(settings={"wal_level": "logical"}) as server,
        Broker(tmp_path) as broker,
    ):
        shop = Shop(server, server.create_database())
        connector = dict(map(of_properties, of("ini")[0].text.splitlines()))
        more = {"retriable.restart.connector.wait.ms": "1000"}
        database = shop.database
        with Debezium(tmp_path, broker, server, database, {**connector, **more}) as debezium:
            following = Following(lake, broker, tmp_path)
            following.start()
            programs: list[tuple[Callable[[], None], Callable[[], None]]] = [
                (following.kill, following.start),
                (debezium.kill, debezium.start),
                (broker.kill, broker.start),
                (server.stop, server.start),
            ]
            try:
                shop.change()
                wait_until_equal(lake, shop, following)
                for kill, start in programs:
                    shop.change()
                    time.sleep(shop.chance.uniform(0, 3))
                    kill()
                    start()
                    shop.change()
                    wait_until_equal(lake, shop, following)
                following.kill()
                with Peer(lake) as peer:
                    peer.run("ALTER TABLE shop.orders ADD COLUMN note VARCHAR")
                following.start()
                shop.add_note()
                shop.change()
                wait_until_equal(lake, shop, following)
            finally:
                following.kill()
