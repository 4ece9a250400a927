"""A small lake that many tests read: files, inlined rows, deletes, evolution, a schema, views."""

from __future__ import annotations

from support.lakes import Lake
from support.peer import Peer

STATEMENTS = (
    # snapshot 1 to 3: an empty table with comments
    "CREATE TABLE events (id BIGINT NOT NULL, kind VARCHAR DEFAULT 'none', amount DECIMAL(9,2))",
    "COMMENT ON TABLE events IS 'what happened'",
    "COMMENT ON COLUMN events.kind IS 'sort of event'",
    # snapshot 4: 100 rows in a file; 5: 3 rows inlined in the catalog
    "INSERT INTO events SELECT i, 'k' || (i % 3), i / 2 FROM range(100) AS r(i)",
    "INSERT INTO events VALUES (100, 'late', 1.5), (101, NULL, NULL), (102, '', 3)",
    # snapshot 6: 11 rows deleted, of both; 7: one row of the file updated
    "DELETE FROM events WHERE id % 10 = 0",
    "UPDATE events SET amount = 1000 WHERE id = 1",
    # snapshot 8 and 9: a column that older rows see by its default, and a new name
    "ALTER TABLE events ADD COLUMN flag VARCHAR DEFAULT 'on'",
    "ALTER TABLE events RENAME COLUMN kind TO sort",
    # snapshot 10 to 12: a schema with a table of the same name
    "CREATE SCHEMA s",
    "CREATE TABLE s.events (a INTEGER, b INTEGER[])",
    "INSERT INTO s.events VALUES (1, [1, 2]), (2, NULL)",
    # snapshot 13: a view that Spark can run
    "CREATE VIEW rich AS SELECT id, amount FROM events WHERE amount > 49",
)

HEAD = 13
COUNTS = {0: None, 1: 0, 4: 100, 5: 103, 6: 92, 7: 92, 13: 92}
"""Rows of main.events by snapshot; None where it does not exist."""


def make_example(lake: Lake) -> None:
    """Create the lake and run the statements, each in a snapshot of its own."""
    with Peer(lake) as peer:
        peer.run(*STATEMENTS)
