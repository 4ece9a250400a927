"""What `concurrency.copier` follows by streams: changes of two tables, and what came of them."""

from __future__ import annotations

import random

from concurrency.worker import opened
from support.lakes import Lake

MAKING = (
    "CREATE TABLE events (id BIGINT, owner VARCHAR)",
    "CREATE TABLE copied (id BIGINT, owner VARCHAR)",
    "CREATE TABLE newest (owner VARCHAR, place BIGINT, id BIGINT)",
    "CREATE TABLE accounts (id BIGINT, region VARCHAR, amount BIGINT)",
    "CREATE TABLE sums (region VARCHAR, accounts BIGINT, amount BIGINT)",
)

PLACES = 20
"""The newest event of each owner in each of so many places is kept: the place is the rest."""


class Author:
    """Makes statements up, in words of both engines."""

    def __init__(self, chance: random.Random, first: int = 0) -> None:
        """The first event has this number."""
        self.chance = chance
        self._next = first

    def event(self, owner: str, rows: int) -> str:
        """New events, which no other statement has."""
        first, self._next = self._next, self._next + rows
        return f"INSERT INTO {{0}}events SELECT {first} + i, '{owner}' FROM range({rows}) r(i)"

    def change(self) -> str:
        """A change of the accounts."""
        key, amount = self.chance.randrange(30), self.chance.randrange(100)
        region = self.chance.choice(("north", "it''s", ""))
        return self.chance.choice(
            (
                f"INSERT INTO {{0}}accounts VALUES ({key}, '{region}', {amount})",
                f"UPDATE {{0}}accounts SET amount = amount + {amount} WHERE id % 5 = {key % 5}",
                f"UPDATE {{0}}accounts SET region = '{region}' WHERE id = {key}",
                f"DELETE FROM {{0}}accounts WHERE id = {key}",
                f"MERGE INTO {{0}}accounts t USING (SELECT {key} AS id) s ON t.id = s.id "
                f"WHEN MATCHED THEN UPDATE SET amount = {amount} "
                f"WHEN NOT MATCHED THEN INSERT (id, region, amount) "
                f"VALUES (s.id, '{region}', {amount})",
            )
        )


def differences(lake: Lake) -> dict[str, int]:
    """How many rows differ between what was followed and what came of it, as DuckDB reads both."""
    sums = (
        "SELECT region, count(*) AS accounts, sum(amount)::BIGINT AS amount "
        "FROM accounts GROUP BY region"
    )
    newest = f"SELECT owner, id % {PLACES} AS place, max(id) AS id FROM events GROUP BY ALL"
    pairs = {
        "missing events": "FROM events EXCEPT ALL FROM copied",
        "other events": "FROM copied EXCEPT ALL FROM events",
        "missing newest events": f"{newest} EXCEPT ALL FROM newest",
        "other newest events": f"FROM newest EXCEPT ALL {newest}",
        "missing sums": f"{sums} EXCEPT ALL FROM sums",
        "other sums": f"SELECT * FROM sums WHERE accounts <> 0 EXCEPT ALL {sums}",
    }
    with opened(lake) as peer:
        return {name: count for name, query in pairs.items() if (count := len(peer.rows(query)))}
