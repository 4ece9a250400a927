"""Values of every type for random lakes and random queries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pool:
    """Values of one DuckDB type: texts that both engines can cast, and the Spark type to cast to.

    `hostile` values are stored but never named in a query, for lack of a Spark literal.
    """

    duck: str
    spark: str
    values: tuple[str, ...]
    hostile: tuple[str, ...] = ()

    def duck_literal(self, text: str) -> str:
        """A value in DuckDB's SQL."""
        escaped = text.replace("'", "''")
        return f"CAST('{escaped}' AS {self.duck})"

    def spark_literal(self, text: str) -> str:
        """A value in Spark's SQL."""
        if self.spark == "BINARY":
            return f"X'{text.replace(chr(92) + 'x', '')}'"
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"CAST('{escaped}' AS {self.spark})"


_TIMES = (
    "1969-12-31 23:59:59",
    "2024-02-29 12:00:00",
    "1582-10-14 00:00:00",
    "9999-12-31 00:00:00",
)
_ENDS = ("infinity", "-infinity")

POOLS = {
    "flag": Pool("BOOLEAN", "BOOLEAN", ("true", "false")),
    "i8": Pool("TINYINT", "TINYINT", ("-128", "0", "5", "127")),
    "i16": Pool("SMALLINT", "SMALLINT", ("-32768", "0", "5", "32767")),
    "i32": Pool("INTEGER", "INT", ("-2147483648", "0", "5", "2147483647")),
    "i64": Pool("BIGINT", "BIGINT", ("-9223372036854775808", "0", "7", "9223372036854775807")),
    "u8": Pool("UTINYINT", "SMALLINT", ("0", "5", "255")),
    "u16": Pool("USMALLINT", "INT", ("0", "5", "65535")),
    "u32": Pool("UINTEGER", "BIGINT", ("0", "5", "2147483648", "4294967295")),
    "u64": Pool(
        "UBIGINT", "DECIMAL(20,0)", ("0", "5", "9223372036854775808", "18446744073709551615")
    ),
    "i128": Pool(
        "HUGEINT", "DECIMAL(38,0)", ("-9007199254740992", "0", "5", "36893488147419103232")
    ),
    "f32": Pool("FLOAT", "FLOAT", ("-1.5", "0", "0.5", "3.4028235e38", "nan", "-infinity")),
    "f64": Pool("DOUBLE", "DOUBLE", ("-1.5", "0", "0.1", "1e308", "nan", "infinity")),
    "d4": Pool("DECIMAL(4,1)", "DECIMAL(4,1)", ("-999.9", "0.0", "1.5", "999.9")),
    "d18": Pool("DECIMAL(18,3)", "DECIMAL(18,3)", ("-1.500", "0.000", "123456789012345.678")),
    "d38": Pool(
        "DECIMAL(38,10)", "DECIMAL(38,10)", ("-1.5", "0", "1234567890123456789012345678.5")
    ),
    "s": Pool(
        "VARCHAR", "STRING", ("", "NULL", "a", "ab", "B", "ünï 🦆", "it's", "back\\slash", "~")
    ),
    "bin": Pool("BLOB", "BINARY", ("\\x00", "\\x00\\xFF", "\\x41")),
    "d": Pool(
        "DATE",
        "DATE",
        ("1970-01-01", "2024-02-29", "0001-01-01", "9999-12-31"),
        ("0044-03-15 (BC)", *_ENDS),
    ),
    "ts": Pool("TIMESTAMP", "TIMESTAMP_NTZ", (*_TIMES, "2024-02-29 12:00:00.000001"), _ENDS),
    "ts_s": Pool("TIMESTAMP_S", "TIMESTAMP_NTZ", _TIMES),
    "ts_ms": Pool("TIMESTAMP_MS", "TIMESTAMP_NTZ", (*_TIMES, "2024-02-29 12:00:00.001")),
    "ts_ns": Pool(
        "TIMESTAMP_NS", "TIMESTAMP_NTZ", ("1969-12-31 23:59:59.999999", "2024-02-29 12:00:00")
    ),
    "tstz": Pool("TIMESTAMPTZ", "TIMESTAMP", tuple(f"{text}+00" for text in _TIMES), _ENDS),
    "u": Pool(
        "UUID",
        "STRING",
        ("00000000-0000-0000-0000-000000000000", "550e8400-e29b-41d4-a716-446655440000"),
    ),
    "t": Pool("TIME", "STRING", ("00:00:00", "12:34:56.7", "23:59:59.999999")),
}

ORDERED = tuple(name for name in POOLS if name not in ("flag", "bin", "u", "t"))
"""Columns of a type that both engines order alike."""

NESTED = {
    "l": ("INTEGER[]", "[[1, 2, NULL], [], NULL, [5]]"),
    "st": ("STRUCT(a INTEGER, b VARCHAR)", "[{'a': 1, 'b': 'x'}, {'a': NULL, 'b': ''}, NULL]"),
    "m": ("MAP(VARCHAR, INTEGER)", "[MAP {'k': 1}, MAP {}, NULL, MAP {'a': NULL, 'b': 2}]"),
}


def pool_of(column: str) -> Pool | None:
    """The pool of a column by its name, or none for `id`, `small` and nested columns."""
    return POOLS.get(column.partition("__")[0])
