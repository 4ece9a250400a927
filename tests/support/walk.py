"""A walk of random steps through one lake, by both engines, beside a plain table that is right."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import duckdb
from pyspark.sql import SparkSession

from support import ownbuild
from support.invariants import Scope, check
from support.lakes import Lake
from support.peer import Peer, committed_by_peers
from support.randomcourse import CLEANUPS, COMPACT, EXPIRE, FLUSH, REWRITE, ROLL_BACK, Taken
from support.randomsteps import Step
from support.tablestates import Fields, Rows, State, compare_row_ids, is_paired, leads

Range = tuple[int, int]
"""The first and the last snapshot of a change feed."""

VERSIONS = 5
TOLD = 2
RANGES = 0.4
"""How often a step is followed by a feed of a random range."""
LONGEST_RANGE = 12


@dataclass
class Walk:
    """One lake, both engines, and the plain table that says what is right."""

    spark: SparkSession
    catalog: str
    lake: Lake
    limit: int
    plain: duckdb.DuckDBPyConnection
    states: dict[int, State] = field(default_factory=dict)
    shape: int = 0
    fields: Fields = field(default_factory=lambda: Fields.first(5))
    ranges: random.Random = field(default_factory=lambda: random.Random(0))
    done: list[Taken] = field(default_factory=list)
    expired: set[int] = field(default_factory=set)
    has_duckdb_rewritten: bool = False
    has_duckdb_expired: bool = False
    has_duckdb_flushed: bool = False
    """A delete file of its flush may begin before an older one of the same data file; its feed then
    compares the next delete file with the older one, and reports what lies between once more."""
    is_retyped: bool = False
    """A column has another type: DuckDB's flush would forget its bounds, and the next insert of
    DuckDB would put its own in their place, with which DuckDB finds no other rows."""
    _peer: Peer | None = None

    def go(self, course: Sequence[Taken], seed: int) -> None:
        """Takes the steps, looks at each result, and at the end at the whole lake."""
        chance, self.ranges = random.Random(seed), random.Random(seed + 3)
        for taken in course:
            self.done.append(taken)
            if taken.step is EXPIRE:
                self.expire(chance, by_spark=taken.by_spark)
            elif taken.step in (FLUSH, *COMPACT) and not (taken.by_spark or self.is_retyped):
                self.begin_anew(taken.step)
            elif taken.step is FLUSH:
                self.flush(chance)
            elif taken.step in COMPACT:
                self.compact(taken.step)
            elif taken.step is ROLL_BACK:
                self.roll_back(chance)
            else:
                self.take(taken.step, by_spark=taken.by_spark)
                self.compare(taken.step, by_spark=taken.by_spark)
        self.compare_history(chance)
        self.close()
        by_duckdb = frozenset(committed_by_peers[self.lake.uri])
        scope = Scope(
            by_duckdb,
            frozenset(self.expired),
            has_duckdb_rewritten=self.has_duckdb_rewritten,
            has_duckdb_expired=self.has_duckdb_expired,
        )
        found = check(self.lake, scope)
        assert not found, f"{found[0].partition(':')[0]} after the last step"

    def peer(self) -> Peer:
        """DuckDB on the lake. It stays attached, but to a file that it would have for itself.

        It is attached anew after a change of shape, its own too: when a column changes its type
        whose statistics DuckDB knows, its next rows have NULL for bounds, and those after them
        bounds of their own alone.
        """
        if self._peer is None:
            self._peer = Peer(self.lake, f"DATA_INLINING_ROW_LIMIT {self.limit}")
        return self._peer

    def close(self) -> None:
        """DuckDB leaves the lake."""
        if self._peer is not None:
            self._peer.close()
            self._peer = None

    def spark_rows(self, statement: str) -> Rows:
        """What Spark answers, alone with the lake where DuckDB would hold it."""
        if ownbuild.must_leave(self.lake):
            self.close()
        return [tuple(row) for row in self.spark.sql(statement).collect()]

    def take(self, step: Step, *, by_spark: bool) -> None:
        """Does the step everywhere."""
        if by_spark:
            self.spark_rows(step.spark.replace("{t}", f"{self.catalog}.t"))
        else:
            self.peer().run(*step.duckdb.replace("{t}", "t").split("; "))
        if step.kind == "shape":
            self.close()
            self.shape += 1
            self.is_retyped |= "ALTER COLUMN" in step.spark
            self.fields = self.fields.after(step.alteration)
        if step.plain:
            self.plain.execute(step.plain.replace("{t}", "t"))

    def compare(self, step: Step, *, by_spark: bool) -> None:
        """Rows, row ids, and the changes of the newest snapshot."""
        right = self.plain.execute("SELECT * FROM t").fetchall()
        columns = [name for (name, *_) in self.plain.execute("DESCRIBE t").fetchall()]
        head, last = self.peer().head(), max(self.states, default=None)
        theirs = self.peer().rows("SELECT *, rowid FROM t")
        assert Counter(row[:-1] for row in theirs) == Counter(right), f"DuckDB after {step}"
        before = self.states.get(last) if last is not None else None
        row_ids = {row[0]: row[-1] for row in theirs}
        rows = {row[0]: row for row in right}
        now = self.states[head] = State(columns, rows, row_ids, self.shape, self.fields.now)
        is_new = last is not None and head > last
        # Of files that end whole DuckDB's feed reports rows once more that the catalog had deleted.
        is_told = by_spark and is_new and step.kind == "rows" and not self.has_duckdb_flushed
        if is_told and before and before.columns == columns:
            assert self._is_told(head), f"changes after {step}"
        wanted = [(last + 1, head)] if before and last is not None and is_new else []
        asked = dict.fromkeys([*wanted, *self._random_ranges(head)])
        ours, feeds = self._read(columns, list(asked))
        assert Counter(ours) == Counter(theirs), f"Spark after {step}"
        for feed in feeds.items():
            self._compare_feed(*feed, f"after {step}")
        are_kept = step.kind != "replaced" and step is not ROLL_BACK
        compare_row_ids(before, now, f"after {step}", are_kept=are_kept)

    def _read(
        self, columns: Sequence[str], ranges: Sequence[Range]
    ) -> tuple[Rows, dict[Range, Rows]]:
        """The rows and the change feeds of ranges, as Spark reads them in one query."""
        names = ", ".join(f"`{name.replace('`', '``')}`" for name in columns)
        parts = [f"SELECT -1, -1L, '', {names}, rowid FROM {self.catalog}.t"]
        for number, (first, last) in enumerate(ranges):
            source = f"ducklake_table_changes('{self.catalog}', 't', {first}, {last})"
            parts.append(f"SELECT {number}, snapshot_id, change_type, {names}, rowid FROM {source}")
        rows: Rows = []
        feeds: dict[Range, Rows] = {asked: [] for asked in ranges}
        for part, snapshot, change, *values, row_id in self.spark_rows(" UNION ALL ".join(parts)):
            if part < 0:
                rows.append((*values, row_id))
            else:
                feeds[ranges[part]].append((snapshot, row_id, change, *values))
        return rows, feeds

    def _random_ranges(self, head: int) -> list[Range]:
        """At most one range that ends with the columns of now and in which no snapshot expired."""
        if self.ranges.random() >= RANGES:
            return []
        firsts = itertools.takewhile(self._follows, range(head, head - LONGEST_RANGE, -1))
        if not (known := list(firsts)):
            return []
        first = self.ranges.choice(known)
        alike = [v for v in known if v >= first and self.states[v].shape == self.shape]
        return [(first, self.ranges.choice(alike))]

    def _shown(self, state: State) -> State:
        """The state with the columns of now, as a feed that ends now shows it."""
        rows = {key: self.fields.shown(row, state.fields) for key, row in state.rows.items()}
        return replace(state, rows=rows)

    def _follows(self, version: int) -> bool:
        """Whether the states at this version and before it are known."""
        return version > 1 and version in self.states and version - 1 in self.states

    def _compare_feed(self, asked: Range, fed: Rows, when: str) -> None:
        """Whether the changes of each snapshot lead from the state before to the state after."""
        first, last = asked
        known = [v for v in sorted(self.states) if first - 1 <= v <= last]
        assert all(first <= row[0] <= last for row in fed), f"feed of {asked} {when}"
        for start, end in itertools.pairwise(known):
            changes = [row for row in fed if start < row[0] <= end]
            before, after = self._shown(self.states[start]), self._shown(self.states[end])
            assert leads(before, after, changes), f"feed {when}: {start} to {end} in {asked}"
        assert is_paired(fed), f"images {when} in {asked}"

    def flush(self, chance: random.Random) -> None:
        """Spark moves all that the catalog keeps to files; some changes are reported as before."""
        self.close()
        some = chance.sample(sorted(self.states), min(TOLD, len(self.states)))
        answer = {version for version in some if self._is_told(version)}
        self.maintain(FLUSH, by_spark=True)
        self.compare(FLUSH, by_spark=True)
        lost = {version for version in answer if not self._is_told(version)}
        assert not lost, f"changes of versions after flush: {lost}"

    def expire(self, chance: random.Random, *, by_spark: bool) -> None:
        """One engine expires half of the old snapshots, and deletes whatever they alone needed."""
        self.close()
        old = sorted(self.states)[:-1]
        gone = chance.sample(old, len(old) // 2)
        if not gone:
            return
        self.maintain(EXPIRE, by_spark=by_spark, versions=gone)
        for procedure in CLEANUPS:
            self.maintain(procedure, by_spark=by_spark)
        self.close()
        self.expired.update(gone)
        self.has_duckdb_expired |= not by_spark
        self.states = {id: state for id, state in self.states.items() if id not in gone}
        self.compare(EXPIRE, by_spark=by_spark)

    def maintain(self, step: Step, *, by_spark: bool, versions: Sequence[int] = ()) -> None:
        """Calls a procedure in one of the engines."""
        listed = ", ".join(map(str, versions))
        text = (step.spark if by_spark else step.duckdb).replace("{v}", listed)
        if by_spark:
            self.spark_rows(text.replace("{c}", self.catalog))
        else:
            self.peer().run(*text.split("; "))

    def begin_anew(self, step: Step) -> None:
        """DuckDB flushes or compacts; what it then reports of older snapshots is not always right.

        Its flush redates deletes, its merge gives rows other ids (format 13.1).
        """
        self.close()
        self.maintain(step, by_spark=False)
        self.has_duckdb_rewritten |= step is REWRITE
        self.has_duckdb_flushed |= step in (FLUSH, REWRITE)
        self.close()
        self.states = {}
        self.compare(step, by_spark=False)

    def compact(self, step: Step) -> None:
        """Spark merges or rewrites files; every snapshot stays as it was."""
        self.close()
        self.maintain(step, by_spark=True)
        self.compare(step, by_spark=True)

    def roll_back(self, chance: random.Random) -> None:
        """Spark makes the table what it was, its row ids included, since its columns are these."""
        self.close()
        alike = sorted(v for v, state in self.states.items() if state.shape == self.shape)[:-1]
        if not alike:
            return
        past = self.states[version := chance.choice(alike)]
        self.maintain(ROLL_BACK, by_spark=True, versions=[version])
        self.plain.execute("DELETE FROM t")
        if values := list(past.rows.values()):
            places = f"({', '.join('?' * len(values[0]))})"
            every = f"INSERT INTO t VALUES {', '.join([places] * len(values))}"
            self.plain.execute(every, list(itertools.chain(*values)))
        self.compare(ROLL_BACK, by_spark=True)
        now = self.states[max(self.states)]
        assert now.row_ids == past.row_ids, f"row ids after rollback to {version}"

    def _is_told(self, version: int) -> bool:
        """Whether DuckDB's change feed of a snapshot is right; without Spark's flush not always."""
        before, after = self.states.get(version - 1), self.states[version]
        if before is None or before.columns != after.columns:
            return False
        fed = self.peer().rows(
            f"FROM ducklake_table_changes('lake', 'main', 't', {version}, {version})"
        )
        return leads(before, after, fed)

    def compare_history(self, chance: random.Random) -> None:
        """Some old snapshots, in both engines; a DuckDB that altered may mistake their columns."""
        self.close()
        some = chance.sample(sorted(self.states), min(VERSIONS, len(self.states)))
        theirs = {
            version: self.peer().rows(f"SELECT *, rowid FROM t AT (VERSION => {version})")
            for version in some
        }
        for version in some:
            ours = self.spark_rows(f"SELECT *, rowid FROM {self.catalog}.t VERSION AS OF {version}")
            assert Counter(ours) == Counter(theirs[version]), (
                f"old rows of Spark after travel: {version}"
            )
            right = Counter(self.states[version].rows.values())
            assert Counter(row[:-1] for row in theirs[version]) == right, (
                f"old rows of DuckDB after travel: {version}"
            )
        self._compare_changes(chance)

    def _compare_changes(self, chance: random.Random) -> None:
        """Spark's change feed of a range leads from the rows before it to those at its end."""
        firsts = [version for version in sorted(self.states) if version - 1 in self.states]
        if not firsts:
            return
        first = chance.choice(firsts)
        before = self.states[first - 1]
        # The feed is refused where a snapshot has expired.
        kept = itertools.takewhile(self.states.__contains__, itertools.count(first))
        lasts = [v for v in kept if self.states[v].columns == before.columns]
        if not lasts:
            return
        last = chance.choice(sorted(lasts))
        fed = self.spark_rows(
            f"SELECT * FROM ducklake_table_changes('{self.catalog}', 't', {first}, {last})"
        )
        assert leads(before, self.states[last], fed), f"changes of {first} to {last}"
