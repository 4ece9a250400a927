"""What a broken lake is asked: texts in which `{c}` is the catalog."""

from __future__ import annotations

TABLES = ("plain", "parted", "nested", "given", "merged", "held")

ROWS = {
    **{table: f"SELECT * FROM {{c}}.main.{table}" for table in TABLES},
    "other": "SELECT * FROM {c}.s.other",
    "rich": "SELECT * FROM {c}.main.rich",
    "filtered": "SELECT id, name FROM {c}.main.plain WHERE id BETWEEN 30 AND 50",
    "pruned": "SELECT v FROM {c}.main.parted WHERE k = 'k1' AND d > DATE '2024-12-31'",
    "counted": "SELECT count(*) AS n FROM {c}.main.plain",
    "largest": "SELECT max(a) AS high, min(a) AS low FROM {c}.main.merged",
    "part": "SELECT s.x, m['k'] AS k FROM {c}.main.nested WHERE s.x > 2",
}
"""Questions that Spark and DuckDB answer by the same rows."""

READS = (
    "SELECT * FROM {c}.main.plain VERSION AS OF 5",
    "SELECT * FROM {c}.main.merged VERSION AS OF 20",
    "SELECT * FROM {c}.main.plain TIMESTAMP AS OF '2100-01-01'",
    *(
        f"SELECT * FROM ducklake_table_changes('{{c}}', 'main', '{table}', 0, 34)"
        for table in ("plain", "nested", "merged", "held")
    ),
    *(f"SELECT * FROM {{c}}.main.plain.{part}" for part in ("snapshots", "files")),
    *(
        f"SELECT * FROM {{c}}.system.{name}"
        for name in (
            *("snapshots", "current_snapshot", "table_info", "options", "settings", "schemas"),
            *("tables", "views", "macros", "files_scheduled_for_deletion"),
            *("named_snapshots", "readers"),
        )
    ),
    "CALL {c}.system.list_files('plain')",
    "CALL {c}.system.list_files('parted')",
    "SHOW SCHEMAS IN {c}",
    "SHOW TABLES IN {c}.main",
    "SHOW VIEWS IN {c}.main",
    "SHOW TBLPROPERTIES {c}.main.plain",
    "DESCRIBE TABLE EXTENDED {c}.main.plain",
    "DESCRIBE TABLE EXTENDED {c}.main.parted",
    "DESCRIBE SCHEMA EXTENDED {c}.main",
    "SHOW CREATE TABLE {c}.main.nested",
    "CALL {c}.system.expire_snapshots(older_than => now(), dry_run => true)",
    "CALL {c}.system.cleanup_old_files(cleanup_all => true, dry_run => true)",
    "CALL {c}.system.delete_orphaned_files(cleanup_all => true, dry_run => true)",
)
"""Statements that change nothing."""

WRITES = (
    "INSERT INTO {c}.main.plain (id, name) VALUES (1000, 'new')",
    "INSERT INTO {c}.main.plain SELECT id + 2000, 'x', 1, now() FROM range(20)",
    "INSERT INTO {c}.main.parted VALUES ('k9', DATE '2026-01-01', 9)",
    "INSERT INTO {c}.main.nested VALUES (7, named_struct('x', 1, 'y', 'b'), array(1), map('k', 1))",
    "INSERT INTO {c}.main.given VALUES (8, 'eight')",
    "INSERT INTO {c}.main.held VALUES (8, 'eight', DATE '2024-01-01', 1)",
    "DELETE FROM {c}.main.plain WHERE id = 5",
    "DELETE FROM {c}.main.plain WHERE id > 30",
    "DELETE FROM {c}.main.parted WHERE k = 'k1'",
    "DELETE FROM {c}.main.held",
    "UPDATE {c}.main.plain SET name = 'changed' WHERE id % 7 = 0",
    "UPDATE {c}.main.merged SET a = a + 100 WHERE a = 3",
    "MERGE INTO {c}.main.given t USING (SELECT 7 AS a, 'y' AS b) u ON t.a = u.a"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "TRUNCATE TABLE {c}.main.nested",
    "ALTER TABLE {c}.main.plain ADD COLUMN more INT DEFAULT 3",
    "ALTER TABLE {c}.main.plain RENAME COLUMN name TO called",
    "ALTER TABLE {c}.main.nested DROP COLUMN l",
    "ALTER TABLE {c}.main.parted ALTER COLUMN v TYPE BIGINT",
    "ALTER TABLE {c}.main.plain RENAME TO main.clear",
    "COMMENT ON TABLE {c}.main.parted IS 'other words'",
    "CREATE TABLE {c}.main.fresh (a INT, b STRING)",
    "CREATE TABLE {c}.s.taken AS SELECT * FROM {c}.main.parted",
    "CREATE SCHEMA {c}.fresh",
    "DROP TABLE {c}.main.held",
    "DROP SCHEMA {c}.s CASCADE",
    "DROP VIEW {c}.main.rich",
    "CALL {c}.system.flush_inlined_data()",
    "CALL {c}.system.merge_adjacent_files()",
    "CALL {c}.system.rewrite_data_files(delete_threshold => 0.01)",
    "CALL {c}.system.expire_snapshots(older_than => now())",
    "CALL {c}.system.cleanup_old_files(cleanup_all => true)",
    "CALL {c}.system.delete_orphaned_files(cleanup_all => true)",
    "CALL {c}.system.recompute_statistics()",
    "CALL {c}.system.checkpoint()",
    "CALL {c}.system.rollback_to_snapshot('plain', 5)",
    "CALL {c}.system.undo_commit(28)",
    "CALL {c}.system.keep_snapshot('named', 20)",
    "CALL {c}.system.register_reader('reader', 'plain')",
    "CALL {c}.system.set_option('target_file_size', '1MB')",
    "CALL {c}.system.set_partitioned_by('plain', array('name'))",
    "CALL {c}.system.set_sorted_by('plain', array('id'))",
    "CALL {c}.system.set_not_null('given', 'a')",
)
"""Statements that change the lake."""
