"""MERGE that fails: with which error, and that nothing is changed then, files included."""

from __future__ import annotations

import pytest

from support.merging import PLAIN, Layout, MergeCase, Stage, params

Case = tuple[str, str, str]
"""What is refused, the clauses or the whole MERGE, what Spark's message holds."""

ON_ID = "MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id "
TWICE = (*PLAIN, "INSERT INTO s VALUES (2, 'zwei', 201)")
STRICT = (
    "CREATE TABLE t (id UTINYINT, name VARCHAR, n INT NOT NULL, price DECIMAL(4, 2),"
    " p STRUCT(a INT, b INT))",
    "INSERT INTO t VALUES (1, 'one', 10, 1, NULL), (2, 'two', 20, 2, NULL),"
    " (3, 'three', 30, 3, NULL)",
    "CREATE TABLE s (id INT, name VARCHAR, n BIGINT)",
    "INSERT INTO s VALUES (2, 'deux', 3000000000), (3, 'trois', NULL), (4, 'quatre', 400)",
)
OF_STRICT = "SELECT rowid, id, name, n, CAST(price AS VARCHAR(9)), p.a FROM {t}"
INSERT = "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 1) "
CARDINALITY = "MERGE_CARDINALITY_VIOLATION"
ASSIGNMENTS = "INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS"

TWO_MATCHES: list[Case] = [
    ("two rows update one", ON_ID + "WHEN MATCHED THEN UPDATE SET n = s.n", CARDINALITY),
    (
        "two rows match one that goes on a condition",
        ON_ID + "WHEN MATCHED AND s.n > 0 THEN DELETE WHEN NOT MATCHED THEN INSERT *",
        CARDINALITY,
    ),
    (
        "two rows match one, but a clause applies to one of them",
        ON_ID + "WHEN MATCHED AND s.n = 201 THEN UPDATE SET n = s.n",
        CARDINALITY,
    ),
    (
        "two rows match one, but no clause applies",
        ON_ID + "WHEN MATCHED AND s.n = 999 THEN UPDATE SET n = s.n",
        CARDINALITY,
    ),
    (
        "every row of the source matches",
        "MERGE INTO {t} AS t USING {s} AS s ON t.id = 1 WHEN MATCHED THEN UPDATE SET n = 0",
        CARDINALITY,
    ),
]
VALUES: list[Case] = [
    (
        "an integer too large for its column",
        ON_ID + "WHEN MATCHED AND s.id = 2 THEN UPDATE SET n = s.n " + INSERT,
        "CAST_OVERFLOW_IN_TABLE_INSERT",
    ),
    (
        "an integer too large for its column among new rows",
        "MERGE INTO {t} AS t USING {s} AS s ON FALSE WHEN NOT MATCHED AND s.id <> 3 THEN INSERT "
        "(id, n) VALUES (s.id, s.n) WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "CAST_OVERFLOW_IN_TABLE_INSERT",
    ),
    (
        "an integer too large for what Spark does not know",
        ON_ID + "WHEN MATCHED THEN DELETE " + INSERT.replace("(s.id, 1)", "(s.id + 252, 1)"),
        "DUCKLAKE_INVALID_VALUE",
    ),
    (
        "a decimal too large for its column",
        ON_ID + "WHEN MATCHED THEN UPDATE SET price = s.id * 50.0 " + INSERT,
        "NUMERIC_VALUE_OUT_OF_RANGE|CAST_OVERFLOW",
    ),
    (
        "a sum that overflows",
        ON_ID + "WHEN MATCHED THEN UPDATE SET n = t.n + 2147483647 " + INSERT,
        "ARITHMETIC_OVERFLOW",
    ),
    (
        "a division by zero in a condition",
        ON_ID + "WHEN MATCHED AND 1 / (t.id - 3) > 0 THEN DELETE " + INSERT,
        "DIVIDE_BY_ZERO",
    ),
    (
        "NULL for a column that holds none",
        ON_ID + "WHEN MATCHED AND s.id = 3 THEN UPDATE SET n = CAST(s.n AS INT) " + INSERT,
        "NOT_NULL_ASSERT_VIOLATION",
    ),
    (
        "NULL for a column that holds none, in a new row",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, n) "
        "VALUES (s.id, NULLIF(s.id, 4))",
        "NOT_NULL_ASSERT_VIOLATION",
    ),
    (
        "an error that is asked for",
        ON_ID + "WHEN MATCHED THEN DELETE " + INSERT + "WHEN NOT MATCHED BY SOURCE THEN "
        "UPDATE SET name = raise_error('stop')",
        "USER_RAISED_EXCEPTION",
    ),
]
WORDS: list[Case] = [
    ("a column twice", ON_ID + "WHEN MATCHED THEN UPDATE SET n = 1, n = 2", ASSIGNMENTS),
    ("a column in two cases", ON_ID + "WHEN MATCHED THEN UPDATE SET n = 1, N = 2", ASSIGNMENTS),
    ("a field twice", ON_ID + "WHEN MATCHED THEN UPDATE SET p.a = 1, p.a = 2", ASSIGNMENTS),
    (
        "a struct and its field",
        ON_ID + "WHEN MATCHED THEN UPDATE SET p = NULL, p.a = 2",
        ASSIGNMENTS,
    ),
    (
        "a column twice in an INSERT",
        ON_ID + "WHEN NOT MATCHED THEN INSERT (id, n, n) VALUES (1, 2, 3)",
        ASSIGNMENTS,
    ),
    (
        "no value for a column that holds no NULL",
        ON_ID + "WHEN NOT MATCHED THEN INSERT (id) VALUES (1)",
        ASSIGNMENTS,
    ),
    (
        "more columns than values",
        ON_ID + "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (1)",
        "MERGE_INSERT_VALUE_COUNT_MISMATCH",
    ),
    ("no such column", ON_ID + "WHEN MATCHED THEN UPDATE SET gone = 1", "UNRESOLVED_COLUMN"),
    ("no such column of the source", ON_ID + "WHEN MATCHED THEN UPDATE SET *", "UNRESOLVED_COLUMN"),
    (
        "no such columns of the source",
        ON_ID + "WHEN NOT MATCHED THEN INSERT *",
        "UNRESOLVED_COLUMN",
    ),
    ("a column of both", ON_ID + "WHEN MATCHED AND n > 1 THEN DELETE", "AMBIGUOUS_REFERENCE"),
    (
        "the source where it has no row",
        ON_ID + "WHEN NOT MATCHED BY SOURCE AND s.n > 1 THEN DELETE",
        "UNRESOLVED_COLUMN",
    ),
    (
        "the target where it has no row",
        ON_ID + "WHEN NOT MATCHED AND t.n > 1 THEN INSERT (id, n) VALUES (s.id, 1)",
        "UNRESOLVED_COLUMN",
    ),
    (
        "a text for a number",
        ON_ID + "WHEN MATCHED THEN UPDATE SET n = s.name",
        "CANNOT_SAFELY_CAST",
    ),
    (
        "a clause after one without condition",
        ON_ID + "WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET n = 1",
        "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
    ),
    (
        "a clause for new rows after one without condition",
        ON_ID + INSERT + INSERT,
        "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
    ),
    (
        "a clause for other rows after one without condition",
        ON_ID + "WHEN NOT MATCHED BY SOURCE THEN DELETE " * 2,
        "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
    ),
    ("no clause", ON_ID, "MERGE_WITHOUT_WHEN"),
    (
        "a subquery in the condition of the merge",
        ON_ID + "AND t.id IN (SELECT id FROM {s}) WHEN MATCHED THEN DELETE",
        "UNSUPPORTED_MERGE_CONDITION.SUBQUERY",
    ),
    (
        "a subquery in the condition of a clause",
        ON_ID + "WHEN MATCHED AND EXISTS (SELECT 1 FROM {s}) THEN DELETE",
        "UNSUPPORTED_MERGE_CONDITION.SUBQUERY",
    ),
    (
        "an aggregate in a condition",
        ON_ID + "WHEN MATCHED AND max(t.n) > 1 THEN DELETE",
        "UNSUPPORTED_MERGE_CONDITION.AGGREGATE",
    ),
    (
        "chance in a condition",
        ON_ID + "WHEN MATCHED AND rand() > 0.5 THEN DELETE",
        "UNSUPPORTED_MERGE_CONDITION.NON_DETERMINISTIC",
    ),
    (
        "no such target",
        "MERGE INTO {case}.gone AS t USING {s} AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "TABLE_OR_VIEW_NOT_FOUND",
    ),
]
TAKEN = "DUCKLAKE_UNSUPPORTED.*MERGE of .*`_[Dd]ucklake_"
HIDDEN = [
    MergeCase(
        f"a column named {name}",
        ON_ID + "WHEN MATCHED THEN UPDATE SET n = 0",
        setup=(
            f"CREATE TABLE t (id INT, {name} BIGINT NOT NULL, n INT)",
            "INSERT INTO t VALUES (1, 2, 10), (2, 1, 20), (3, 0, 30)",
            "CREATE TABLE s AS SELECT 1 AS id",
        ),
        error=TAKEN,
        layouts=("files",),
    )
    for name in ("_ducklake_file", "_ducklake_pos", "_Ducklake_Row_Id", "_ducklake_loss")
]
CASES = [
    *(MergeCase(name, merge, None, TWICE, error=error) for name, merge, error in TWO_MATCHES),
    *(MergeCase(name, merge, None, STRICT, OF_STRICT, error) for name, merge, error in VALUES),
    *(
        MergeCase(name, merge, None, STRICT, OF_STRICT, error, layouts=("files",))
        for name, merge, error in WORDS
    ),
    *HIDDEN,
]


@pytest.mark.parametrize(("number", "layout"), **params(CASES))
def test_a_refused_merge_changes_nothing(stage: Stage, number: int, layout: Layout) -> None:
    stage.play(number, layout)
