"""What a table looks like: columns, partition keys and sort order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    TimestampType,
)

from ducklake_spark import _show
from ducklake_spark._sql import clause_text, identifier

_HEADINGS = ("column", "type", "null", "default", "comment", "id")

# A part of a sort order: names and texts in quotes may hold commas.
_SORT_PART = re.compile(r"""\"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]|[^"'(),]+""")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its name.
        type: its type, as Spark's SQL writes it.
        nullable: whether it takes NULL.
        default: the SQL of its default value; None when there is none.
        comment: its comment; None when there is none.
        id: its field id, which stays when the column is renamed; None when the lake has none.
    """

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    comment: str | None = None
    id: int | None = None


@dataclass(frozen=True, repr=False)
class Schema:
    """The columns of a table, in their order."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns.

        Example:
            >>> Schema((Column("a", "int"), Column("b", "string"))).names
            ('a', 'b')
        """
        return tuple(column.name for column in self.columns)

    def __iter__(self) -> Iterator[Column]:
        """The columns in their order."""
        return iter(self.columns)

    def __len__(self) -> int:
        """How many columns there are."""
        return len(self.columns)

    def __getitem__(self, key: str | int) -> Column:
        """A column by its name or its place, which counts from 0.

        Raises:
            KeyError: there is no such name.
            IndexError: there is no such place.

        Example:
            >>> Schema((Column("a", "int"), Column("b", "string")))["b"].type
            'string'
        """
        if isinstance(key, int):
            return self.columns[key]
        for column in self.columns:
            if column.name == key:
                return column
        raise KeyError(f"there is no column {key!r}, there are: {', '.join(self.names)}")

    def __repr__(self) -> str:
        """The columns as a table of text."""
        return _show.text(_HEADINGS, self._rows())

    def _repr_html_(self) -> str:
        """The columns as a table of a notebook."""
        return _show.html("", _HEADINGS, self._rows())

    def _rows(self) -> list[tuple[object, ...]]:
        return [
            (each.name, each.type, each.nullable, each.default, each.comment, each.id)
            for each in self.columns
        ]


def schema_of(struct: StructType, ids: Mapping[str, int]) -> Schema:
    """The columns that Spark sees, with their ids by name.

    Example:
        >>> from pyspark.sql.types import IntegerType
        >>> schema_of(StructType([StructField("a", IntegerType())]), {"a": 3}).columns
        (Column(name='a', type='int', nullable=True, default=None, comment=None, id=3),)
    """
    return Schema(tuple(_column(field, ids.get(field.name)) for field in struct.fields))


def _column(field: StructField, number: int | None) -> Column:
    metadata = field.metadata or {}
    return Column(
        field.name,
        field.dataType.simpleString(),
        field.nullable,
        metadata.get("CURRENT_DEFAULT"),
        metadata.get("comment"),
        number,
    )


def columns_sql(struct: StructType) -> str:
    """The columns as CREATE TABLE writes them, with their defaults and comments.

    Example:
        >>> from pyspark.sql.types import LongType
        >>> point = StructType([StructField("x", LongType())])
        >>> columns_sql(StructType().add("id", LongType(), False).add("a b", ArrayType(point)))
        '`id` bigint NOT NULL, `a b` array<struct<`x`: bigint>>'
    """
    return ", ".join(_field_sql(field, " ") for field in struct.fields)


def _field_sql(field: StructField, between: str) -> str:
    metadata = field.metadata or {}
    found = f"{identifier(field.name)}{between}{_type_sql(field.dataType)}"
    if not field.nullable:
        found += " NOT NULL"
    if "CURRENT_DEFAULT" in metadata:
        found += f" DEFAULT {metadata['CURRENT_DEFAULT']}"
    return found + (f" COMMENT {clause_text(metadata['comment'])}" if "comment" in metadata else "")


def _type_sql(kind: DataType) -> str:
    if isinstance(kind, StructType):
        return f"struct<{', '.join(_field_sql(field, ': ') for field in kind.fields)}>"
    if isinstance(kind, ArrayType):
        return f"array<{_type_sql(kind.elementType)}>"
    if isinstance(kind, MapType):
        return f"map<{_type_sql(kind.keyType)}, {_type_sql(kind.valueType)}>"
    # The short name means TIMESTAMP_NTZ in a session that is configured so.
    return "timestamp_ltz" if isinstance(kind, TimestampType) else kind.simpleString()


def partition_keys(described: Iterable[Sequence[str]], columns: int) -> tuple[str, ...]:
    """The partition keys in the rows of DESCRIBE TABLE, of which the first are the columns.

    Example:
        >>> partition_keys([("ts", "date", ""), ("# Partitioning", "", ""),
        ...                 ("Part 0", "year(ts)", "")], 1)
        ('year(ts)',)
        >>> partition_keys([("a", "int", ""), ("# Partition Information", "", ""),
        ...                 ("# col_name", "data_type", "comment"), ("a", "int", "")], 1)
        ('a',)
    """
    rows = [row for row in list(described)[columns:] if row[0]]
    if not rows:
        return ()
    if rows[0][0] == "# Partitioning":
        return tuple(row[1] for row in rows[1:])
    return tuple(row[0] for row in rows[2:])


def sort_keys(text: str) -> tuple[str, ...]:
    """The keys of a sort order.

    Example:
        >>> sort_keys('a DESC NULLS LAST, "b,c" ASC NULLS LAST')
        ('a DESC NULLS LAST', '"b,c" ASC NULLS LAST')
        >>> sort_keys("coalesce(a, b) ASC NULLS LAST, replace(c, ',', ')') DESC NULLS LAST")
        ('coalesce(a, b) ASC NULLS LAST', "replace(c, ',', ')') DESC NULLS LAST")
    """
    keys, depth = [""], 0
    for part in _SORT_PART.findall(text):
        depth += (part == "(") - (part == ")")
        if part == "," and depth == 0:
            keys.append("")
        else:
            keys[-1] += part
    return tuple(key.strip() for key in keys if key.strip())
