"""A session of the load: a customer who orders, changes, deletes and asks, beside many others.

Nobody else changes the rows of a customer. So each knows what the lake must hold of it.
"""

from __future__ import annotations

import contextlib
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from load.tally import Tally
from support.peer import Peer

FIRST_ORDERS = 200
"""Of each customer, when a run begins."""
IN_A_FILE = 500
"""So many orders come at once, and go to a file."""
EXPECTED = {"DUCKLAKE_COMMIT_CONFLICT"}
"""Why an operation may fail: a compaction has rewritten the files whose rows it changes."""
RETRIES = {"spark.sql.catalog.lake.retry.statement-count": "3"}
_CODE = re.compile(r"DUCKLAKE_[A-Z_]+")


@contextlib.contextmanager
def expecting(codes: set[str], tally: Tally) -> Iterator[None]:
    """What fails with one of these codes is counted as refused. Other errors are raised."""
    try:
        yield
    except PySparkException as error:
        code = _CODE.search(str(error))
        if code is None or code.group() not in codes:
            raise
        tally.refuse(code.group())


@dataclass
class Account:
    """What the lake must hold of a customer.

    Attributes:
        orders: the amount of each, by its id.
        total: the number that its row in `totals` has.
        events: how many rows it has in `events`.
    """

    orders: dict[int, int]
    total: int = 0
    events: int = 0

    def row(self) -> tuple[int, int, int, int]:
        """Its figures, as `HELD` gives them."""
        return len(self.orders), sum(self.orders.values()), self.total, self.events


def make(peer: Peer, customers: int) -> dict[int, Account]:
    """The tables of a run, by DuckDB, with the first orders of each customer."""
    peer.run(
        "CREATE TABLE orders (customer INTEGER, id BIGINT, amount BIGINT, note VARCHAR)",
        "CREATE TABLE totals (customer INTEGER, v BIGINT)",
        "CREATE TABLE events (customer INTEGER, n BIGINT, note VARCHAR)",
        f"INSERT INTO totals SELECT c, 0 FROM range({customers}) r(c)",
        "INSERT INTO orders SELECT c, c * 1000000 + i, i, 'first' "
        f"FROM range({customers}) r(c), range({FIRST_ORDERS}) s(i)",
    )
    return {
        customer: Account({customer * 1_000_000 + i: i for i in range(FIRST_ORDERS)})
        for customer in range(customers)
    }


HELD = """
SELECT t.customer, coalesce(o.count, 0), coalesce(o.sum, 0), t.v, coalesce(e.count, 0)
FROM {0}totals t
LEFT JOIN (
  SELECT customer, count(*) AS count, sum(amount) AS sum FROM {0}orders GROUP BY customer
) o ON o.customer = t.customer
LEFT JOIN (SELECT customer, count(*) AS count FROM {0}events GROUP BY customer) e
  ON e.customer = t.customer
"""
"""What a lake holds of each customer, in words of both engines; {0} is the schema's prefix."""


@dataclass
class Customer:
    """One session, which does one operation after the other."""

    session: SparkSession
    number: int
    account: Account
    tally: Tally
    chance: random.Random
    _next: int = field(init=False)

    def __post_init__(self) -> None:
        """Numbers of new orders follow those of the first ones."""
        self._next = self.number * 1_000_000 + FIRST_ORDERS
        self._kinds: dict[Callable[[], str], int] = {
            self._look_up: 30,
            self._sum_up: 10,
            self._count: 5,
            self._note: 25,
            self._order_many: 5,
            self._change: 10,
            self._merge: 5,
            self._delete: 5,
            self._order_with_total: 5,
        }

    def work(self, is_over: threading.Event) -> None:
        """Do one operation after the other, at least one. Errors: what nobody would expect."""
        while not is_over.is_set() or self.number not in self.tally.by_session:
            (operation,) = self.chance.choices([*self._kinds], [*self._kinds.values()])
            begun = time.monotonic()
            with expecting(EXPECTED, self.tally):
                kind = operation()
                self.tally.done(self.number, kind, time.monotonic() - begun)

    def _rows(self, sql: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self.session.sql(sql).collect()]

    def _order(self) -> int:
        return self.chance.choice([*self.account.orders])

    def _look_up(self) -> str:
        id = self._order()
        found = self._rows(f"SELECT amount FROM lake.main.orders WHERE id = {id}")
        assert found == [(self.account.orders[id],)], (id, found)
        return "point look-up"

    def _sum_up(self) -> str:
        where = f"customer = {self.number}"
        found = self._rows(f"SELECT count(*), sum(amount) FROM lake.main.orders WHERE {where}")
        assert found == [self.account.row()[:2]], found
        return "aggregate of own rows"

    def _count(self) -> str:
        ((count,),) = self._rows("SELECT count(*) FROM lake.main.events")
        assert isinstance(count, int) and count >= self.account.events, count
        return "count of all rows"

    def _note(self) -> str:
        n = self.account.events
        self._rows(f"INSERT INTO lake.main.events VALUES ({self.number}, {n}, 'a note')")
        self.account.events += 1
        return "INSERT of one row"

    def _order_many(self) -> str:
        ids = range(self._next, self._next + IN_A_FILE)
        self._rows(
            f"INSERT INTO lake.main.orders SELECT {self.number}, id, id % 1000, 'many' "
            f"FROM range({ids.start}, {ids.stop}, 1, 1)"
        )
        self._next = ids.stop
        self.account.orders |= {id: id % 1000 for id in ids}
        return "INSERT of a file"

    def _change(self) -> str:
        id, amount = self._order(), self.chance.randrange(1000)
        self._rows(f"UPDATE lake.main.orders SET amount = {amount} WHERE id = {id}")
        self.account.orders[id] = amount
        return "UPDATE of one row"

    def _merge(self) -> str:
        moved = self.chance.randrange(1, 10)
        self._rows(
            f"MERGE INTO lake.main.totals t USING (SELECT {self.number} AS c, {moved} AS v) s "
            "ON t.customer = s.c WHEN MATCHED THEN UPDATE SET v = t.v + s.v"
        )
        self.account.total += moved
        return "MERGE of one row"

    def _delete(self) -> str:
        """One that has few orders left makes some instead."""
        if len(self.account.orders) <= 20:
            return self._order_many()
        ids = self.chance.sample([*self.account.orders], 20)
        where = ", ".join(map(str, ids))
        self._rows(f"DELETE FROM lake.main.orders WHERE id IN ({where})")
        for id in ids:
            del self.account.orders[id]
        return "DELETE of 20 rows"

    def _order_with_total(self) -> str:
        id, amount = self._next, self.chance.randrange(1000)
        self._rows("CALL lake.system.begin_transaction()")
        try:
            row = f"({self.number}, {id}, {amount}, 'one')"
            self._rows(f"INSERT INTO lake.main.orders VALUES {row}")
            where = f"customer = {self.number}"
            self._rows(f"UPDATE lake.main.totals SET v = v + {amount} WHERE {where}")
        except PySparkException:
            self._rows("CALL lake.system.rollback_transaction()")
            raise
        self._rows("CALL lake.system.commit_transaction()")
        self._next += 1
        self.account.orders[id] = amount
        self.account.total += amount
        return "transaction of two tables"
