"""What a report says about a lake: plain numbers, without a database and without a page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Partition:
    """The files of one partition of a table; of a whole table that has no partitions.

    Attributes:
        label: keys and values, such as `region = north`; empty without keys.
        size: bytes of its files.
        rows: rows of its files, the deleted ones too.
        small_files: files that `merge_adjacent_files` may take without applying deletes.
        merged_files: about how many it makes of these.
        below_target: files with less than the option `target_file_size`, whatever becomes of them.
        compacted_files: about how many are left of these when deletes are applied, as by
            `checkpoint`; all of them when there is nothing to put together.
        with_deletes: files below the target that ever had deletes, where some are put together.
    """

    label: str
    files: int
    size: int
    rows: int
    small_files: int
    merged_files: int
    below_target: int = 0
    compacted_files: int = 0
    with_deletes: int = 0


@dataclass(frozen=True)
class Table:
    """A table of a lake.

    Attributes:
        rows: rows of its files without the deleted ones, and those in the catalog.
        size: bytes of its data files.
        deleted_rows: rows of files that delete files name.
        rewrite_files: files with so many deleted rows that `rewrite_data_files` takes them; deletes
            that are kept in the catalog count.
        rewrite_size: about how many bytes of these files are deleted rows.
        inlined_rows: rows that are kept in the catalog.
        inlined_deletes: deletes of rows of files that are kept in the catalog.
        is_compacted: false when the option `auto_compact` keeps it out of upkeep.
    """

    schema: str
    name: str
    rows: int
    files: int
    size: int
    deleted_rows: int
    rewrite_files: int
    rewrite_size: int
    inlined_rows: int
    inlined_deletes: int
    partitions: tuple[Partition, ...]
    is_compacted: bool = True

    @property
    def deleted(self) -> int:
        """Rows of files that are deleted, wherever the deletes are kept."""
        return self.deleted_rows + self.inlined_deletes

    @property
    def rows_in_files(self) -> int:
        """Rows of files, the deleted ones too."""
        return self.rows - self.inlined_rows + self.deleted

    @property
    def small_files(self) -> int:
        """Files that `merge_adjacent_files` may take."""
        return sum(each.small_files for each in self.partitions)

    @property
    def merged_files(self) -> int:
        """About how many files `merge_adjacent_files` makes of these."""
        return sum(each.merged_files for each in self.partitions)

    @property
    def below_target(self) -> int:
        """Files with less than the option `target_file_size`."""
        return sum(each.below_target for each in self.partitions)

    @property
    def compactable(self) -> int:
        """Those of them that are put together when deletes are applied."""
        return sum(
            each.below_target
            for each in self.partitions
            if each.compacted_files < each.below_target
        )

    @property
    def compacted_files(self) -> int:
        """About how many files are made of these."""
        return sum(
            each.compacted_files
            for each in self.partitions
            if each.compacted_files < each.below_target
        )

    @property
    def with_deletes(self) -> int:
        """How many of these ever had deletes."""
        return sum(each.with_deletes for each in self.partitions)


@dataclass(frozen=True)
class Commit:
    """A snapshot, and what it changed in words."""

    id: int
    time: datetime
    kind: str
    author: str
    message: str
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """How large the lake was: live data files and their bytes from a moment on."""

    time: datetime
    files: int
    size: int


@dataclass(frozen=True)
class SizeClass:
    """The live data files of about one size."""

    label: str
    files: int
    size: int


@dataclass(frozen=True)
class Past:
    """What only old snapshots need.

    Attributes:
        age: such as `7 days`; older snapshots are meant, those before `before`.
        is_option: whether the option `expire_older_than` says so.
        snapshots: how many would expire, without those that readers need or that have names.
        files: data files that no later snapshot has.
        size: their bytes.
        unread: the text of that option, when it is an interval that a report cannot read.
        readers: how many registered readers keep older snapshots.
        named: how many older snapshots have names, and stay.
    """

    age: str
    before: datetime
    is_option: bool
    snapshots: int
    files: int
    size: int
    unread: str | None = None
    readers: int = 0
    named: int = 0


@dataclass(frozen=True)
class Scheduled:
    """Files that are scheduled for deletion, today.

    Attributes:
        files: how many.
        since: since when the first of them is.
        due: how many are so for longer than `age`; None when a report cannot read it.
        age: the text of the option `delete_older_than`, or its default.
        outside: how many others are not below the data path; they go only when somebody asks.
    """

    files: int
    since: datetime | None
    due: int | None
    age: str
    outside: int = 0


@dataclass(frozen=True)
class Facts:
    """A lake at its newest snapshot.

    Attributes:
        address: of the catalog database, without a password.
        version: of the catalog.
        snapshot: the snapshot of the report; `time` is when it was committed.
        snapshots: how many are kept.
        commits: the newest first, no more than a bound.
        growth: the oldest first, at no more than a bound of snapshots.
    """

    address: str
    data_path: str
    version: str
    snapshot: int
    time: datetime
    snapshots: int
    tables: tuple[Table, ...]
    sizes: tuple[SizeClass, ...]
    commits: tuple[Commit, ...]
    growth: tuple[Point, ...]
    past: Past
    scheduled: Scheduled
