"""What DuckDB breaks itself, by the name of the deviation; for test_invariants."""

from __future__ import annotations

BY_DUCKDB_ONLY = {
    "flush redates deletes": """
        CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i);
        DELETE FROM t WHERE a % 11 = 3;
        DELETE FROM t WHERE a < 20;
        CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.1);
        CALL ducklake_flush_inlined_data('lake')""",
    "embedded row ids are counted too": """
        CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i);
        UPDATE t SET a = a + 1 WHERE a < 50""",
    "fields in lists are miscounted": """
        CALL lake.set_option('data_inlining_row_limit', 0);
        CREATE TABLE t AS SELECT [{'x': 1}, NULL] AS l""",
    "comments stay": """
        CREATE TABLE t (a INTEGER, b INTEGER);
        COMMENT ON COLUMN t.a IS 'x';
        ALTER TABLE t DROP COLUMN a""",
    "inlined deletes outlive their file": """
        CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i);
        DELETE FROM t WHERE a < 3;
        CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0);
        CALL ducklake_expire_snapshots('lake', older_than => now());
        CALL ducklake_cleanup_old_files('lake', cleanup_all => true)""",
    "rewrite narrows bounds": """
        CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i);
        DELETE FROM t WHERE a > 20;
        CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.5)""",
    "bounds of floats that became doubles": """
        CALL lake.set_option('data_inlining_row_limit', 0);
        CREATE TABLE t AS SELECT CAST(1.1 AS FLOAT) AS a;
        ALTER TABLE t ALTER a SET DATA TYPE DOUBLE""",
    "compaction leaves sizes alone": """
        CREATE TABLE t AS SELECT i AS a FROM range(100) AS r(i);
        DELETE FROM t WHERE a % 7 = 0;
        CALL ducklake_flush_inlined_data('lake');
        INSERT INTO t SELECT * FROM range(100, 200);
        INSERT INTO t VALUES (2000);
        CALL ducklake_flush_inlined_data('lake');
        CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.1);
        DELETE FROM t WHERE a = 2000;
        CALL ducklake_merge_adjacent_files('lake', 't')""",
    "bounds of bytes are mixed up": """
        CREATE TABLE t (a BLOB);
        CALL lake.set_option('data_inlining_row_limit', 0);
        INSERT INTO t VALUES ('A'), ('\\x00\\xFF');
        CALL lake.set_option('data_inlining_row_limit', 10);
        INSERT INTO t VALUES ('A'), ('\\x00\\xFF')""",
    "unknown bounds are NULL": """
        CALL lake.set_option('data_inlining_row_limit', 0);
        CREATE TABLE t AS SELECT repeat('é', 300) AS a""",
    "inlining switched off": """
        CREATE TABLE t (a INTEGER);
        CALL lake.set_option('data_inlining_row_limit', 0);
        ALTER TABLE t ADD COLUMN b INTEGER""",
}
