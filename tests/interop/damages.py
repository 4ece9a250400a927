"""A healthy lake and the ways to break it; for test_invariants."""

from __future__ import annotations

HEALTHY = """
CALL lake.set_option('data_inlining_row_limit', 0);
CREATE TABLE t (a INTEGER NOT NULL, f DOUBLE, s VARCHAR, st STRUCT(x INTEGER, y VARCHAR),
                l INTEGER[], m MAP(VARCHAR, INTEGER), b BLOB);
COMMENT ON TABLE t IS 'about t';
COMMENT ON COLUMN t.a IS 'about a';
INSERT INTO t SELECT i, i / 2, 's' || i, {'x': i, 'y': 'y'}, [i, NULL], MAP {'k': i}, 'x'
    FROM range(10) AS r(i);
INSERT INTO t VALUES (10, 'nan', NULL, NULL, [], NULL, NULL), (11, 1, 'é', NULL, NULL, NULL, NULL);
DELETE FROM t WHERE a IN (3, 5);
CREATE TABLE p (k VARCHAR, d DATE, v DECIMAL(10, 2));
ALTER TABLE p SET PARTITIONED BY (k, year(d));
ALTER TABLE p SET SORTED BY (v DESC NULLS LAST);
INSERT INTO p VALUES ('a', DATE '2024-01-01', 1.5), ('b', DATE '2025-01-01', 2.5);
CALL lake.set_option('data_inlining_row_limit', 10);
CREATE TABLE i (a INTEGER, s VARCHAR);
INSERT INTO i VALUES (1, 'one'), (2, NULL);
DELETE FROM i WHERE a = 1;
ALTER TABLE i ADD COLUMN c BIGINT DEFAULT 7;
INSERT INTO i VALUES (3, 'three', 8);
CREATE TABLE q AS SELECT i AS a FROM range(20) AS r(i);
DELETE FROM q WHERE a = 4;
DELETE FROM q WHERE a > 8;
CREATE SCHEMA other;
CREATE VIEW other.w AS SELECT a FROM t;
CREATE TABLE other.gone (a INTEGER);
DROP TABLE other.gone;
ALTER TABLE q RENAME TO renamed
"""

ID = "(SELECT table_id FROM ducklake_table WHERE table_name = '{}' AND end_snapshot IS NULL)"
T, P, INLINED = (ID.format(name) for name in ("t", "p", "i"))
A_FILE = f"(SELECT min(data_file_id) FROM ducklake_data_file WHERE table_id = {T})"
HEAD = "(SELECT max(snapshot_id) FROM ducklake_snapshot)"
A_COLUMN = f"table_id = {T} AND column_id = 1"

DAMAGES: list[tuple[str, str]] = [
    ("snapshot_ids_have_no_gaps", "DELETE FROM ducklake_snapshot WHERE snapshot_id = 5"),
    (
        "each_snapshot_has_one_changes_row",
        f"DELETE FROM ducklake_snapshot_changes WHERE snapshot_id = {HEAD}",
    ),
    (
        "each_snapshot_has_one_changes_row",
        "INSERT INTO ducklake_snapshot_changes VALUES (999, '', NULL, NULL, NULL)",
    ),
    *[
        (
            "change_texts_follow_the_grammar",
            f"UPDATE ducklake_snapshot_changes SET changes_made = {text} WHERE snapshot_id = 5",
        )
        for text in (
            "''",
            "'inserted_into_table:1, deleted_from_table:1'",
            "'replaced_table:1'",
            "'created_table:main.t'",
            "'created_table:\"t\"'",
            "'inserted_into_table:1,'",
            "'inserted_into_table:1,inserted_into_table:1'",
        )
    ],
    (
        "change_texts_tell_what_happened",
        "UPDATE ducklake_snapshot_changes SET changes_made = 'altered_table:1'"
        " WHERE changes_made = 'inserted_into_table:1'",
    ),
    (
        "next_ids_are_above_all_ids",
        f"UPDATE ducklake_snapshot SET next_catalog_id = 2 WHERE snapshot_id = {HEAD}",
    ),
    (
        "next_ids_are_above_all_ids",
        f"UPDATE ducklake_snapshot SET next_file_id = 1 WHERE snapshot_id = {HEAD}",
    ),
    (
        "catalog_ids_are_not_shared",
        f"UPDATE ducklake_partition_info SET partition_id = {T}",
    ),
    (
        "file_ids_are_not_shared",
        f"UPDATE ducklake_delete_file SET delete_file_id = {A_FILE} WHERE table_id = {T}",
    ),
    *[
        (
            "counters_never_decrease",
            f"UPDATE ducklake_snapshot SET {counter} = {counter} + 50 WHERE snapshot_id = 6",
        )
        for counter in ("schema_version", "next_catalog_id", "next_file_id")
    ],
    *[
        (
            "counters_move_with_their_changes",
            f"UPDATE ducklake_snapshot SET {counter} = (SELECT {counter} FROM ducklake_snapshot"
            f" WHERE snapshot_id = (SELECT min(snapshot_id) - 1 FROM ducklake_snapshot_changes"
            f" WHERE changes_made LIKE '{kind}%')) WHERE snapshot_id = (SELECT min(snapshot_id)"
            f" FROM ducklake_snapshot_changes WHERE changes_made LIKE '{kind}%')",
        )
        for counter, kind in (
            ("schema_version", "altered_table"),
            ("next_file_id", "inserted_into_table"),
            ("next_file_id", "inlined_insert"),
        )
    ],
    (
        "lifetimes_are_possible",
        f"UPDATE ducklake_column SET begin_snapshot = 900 WHERE {A_COLUMN}",
    ),
    ("lifetimes_are_possible", f"UPDATE ducklake_data_file SET end_snapshot = 0 WHERE {T} = 1"),
    (
        "lifetimes_of_one_thing_do_not_overlap",
        "INSERT INTO ducklake_column SELECT column_id, begin_snapshot + 1, end_snapshot, table_id,"
        " column_order, 'again', column_type, initial_default, default_value, nulls_allowed,"
        " parent_column, default_value_type, default_value_dialect FROM ducklake_column"
        f" WHERE {A_COLUMN}",
    ),
    (
        "lifetimes_of_one_thing_do_not_overlap",
        f"INSERT INTO ducklake_partition_info VALUES (999, {P}, {HEAD}, NULL)",
    ),
    (
        "a_data_file_has_one_delete_file",
        "INSERT INTO ducklake_delete_file SELECT 999, table_id, begin_snapshot, end_snapshot,"
        " data_file_id, 'other.parquet', path_is_relative, format, delete_count, file_size_bytes,"
        f" footer_size, encryption_key, partial_max FROM ducklake_delete_file WHERE table_id = {T}",
    ),
    (
        "versions_of_one_thing_follow_each_other",
        "UPDATE ducklake_table SET end_snapshot = end_snapshot - 1 WHERE table_name = 'q'",
    ),
    (
        "nothing_outlives_its_parent",
        f"UPDATE ducklake_table SET end_snapshot = {HEAD} WHERE table_name = 't'",
    ),
    (
        "nothing_outlives_its_parent",
        f"UPDATE ducklake_column SET end_snapshot = {HEAD} WHERE column_name = 'st'",
    ),
    (
        "nothing_outlives_its_parent",
        "UPDATE ducklake_schema SET end_snapshot = 8 WHERE schema_name = 'other'",
    ),
    (
        "comments_of_columns_end_with_them",
        f"UPDATE ducklake_column SET end_snapshot = {HEAD} WHERE {A_COLUMN}",
    ),
    (
        "delete_files_have_their_data_file",
        "UPDATE ducklake_delete_file SET data_file_id = 999",
    ),
    (
        "delete_files_have_their_data_file",
        "UPDATE ducklake_delete_file SET begin_snapshot = 1",
    ),
    (
        "names_are_unique_in_any_case",
        f"UPDATE ducklake_table SET table_name = 'T' WHERE table_id = {P}",
    ),
    (
        "names_are_unique_in_any_case",
        f"UPDATE ducklake_column SET column_name = 'A' WHERE column_name = 'f' AND table_id = {T}",
    ),
    (
        "names_are_unique_in_any_case",
        "UPDATE ducklake_schema SET schema_name = 'MAIN' WHERE schema_name = 'other'",
    ),
    ("the_lake_says_what_it_is", "DELETE FROM ducklake_metadata WHERE key = 'encrypted'"),
    (
        "the_lake_says_what_it_is",
        "INSERT INTO ducklake_metadata VALUES ('x', 'y', 'column', 1)",
    ),
    (
        "columns_make_trees",
        f"UPDATE ducklake_column SET column_type = 'DECIMAL(10,2)' WHERE table_id = {P}",
    ),
    (
        "columns_make_trees",
        "UPDATE ducklake_column SET column_name = 'item' WHERE column_name = 'element'",
    ),
    ("columns_make_trees", f"UPDATE ducklake_column SET nulls_allowed = NULL WHERE {A_COLUMN}"),
    ("columns_make_trees", f"UPDATE ducklake_column SET end_snapshot = 2 WHERE table_id = {T}"),
    (
        "columns_make_trees",
        f"UPDATE ducklake_column SET end_snapshot = {HEAD} WHERE column_name IN ('x', 'y')",
    ),
    (
        "defaults_can_be_parsed",
        "UPDATE ducklake_column SET default_value_type = NULL WHERE column_name = 'c'",
    ),
    ("tags_and_aliases_are_legal", "UPDATE ducklake_column_tag SET key = 'note'"),
    ("tags_and_aliases_are_legal", "UPDATE ducklake_view SET column_aliases = NULL"),
    ("layouts_name_live_columns", "UPDATE ducklake_partition_column SET transform = 'truncate'"),
    ("layouts_name_live_columns", "UPDATE ducklake_partition_column SET column_id = 77"),
    (
        "layouts_name_live_columns",
        "UPDATE ducklake_partition_column SET partition_key_index = partition_key_index + 1",
    ),
    ("sort_orders_are_complete", "UPDATE ducklake_sort_expression SET null_order = 'LAST'"),
    ("sort_orders_are_complete", "UPDATE ducklake_sort_expression SET sort_key_index = 1"),
    (
        "schema_versions_cover_the_tables",
        f"DELETE FROM ducklake_schema_versions WHERE table_id = {T}",
    ),
    (
        "schema_versions_cover_the_tables",
        f"UPDATE ducklake_schema_versions SET schema_version = 99 WHERE table_id = {P}",
    ),
    (
        "inlined_tables_have_their_columns",
        "UPDATE ducklake_column SET column_name = 'z' WHERE column_name = 'c'",
    ),
    (
        "inlined_tables_have_their_columns",
        "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_5', 5)",
    ),
    (
        "inlined_tables_are_registered",
        f"DELETE FROM ducklake_inlined_data_tables WHERE table_id = {INLINED}",
    ),
    (
        "the_newest_inlined_table_has_todays_columns",
        f"DELETE FROM ducklake_inlined_data_tables WHERE table_id = {INLINED} AND schema_version"
        f" IN (SELECT max(schema_version) FROM ducklake_inlined_data_tables"
        f" WHERE table_id = {INLINED})",
    ),
    (
        "files_exist_with_their_size",
        f"UPDATE ducklake_data_file SET file_size_bytes = 9 WHERE data_file_id = {A_FILE}",
    ),
    (
        "files_exist_with_their_size",
        "UPDATE ducklake_delete_file SET file_size_bytes = file_size_bytes + 1",
    ),
    (
        "paths_are_spelled_for_duckdb",
        "UPDATE ducklake_schema SET path = 'other' WHERE schema_name = 'other'",
    ),
    (
        "paths_are_spelled_for_duckdb",
        "UPDATE ducklake_data_file SET path = 's3a://b/' || path, path_is_relative = 0",
    ),
    (
        "counts_equal_the_footers",
        f"UPDATE ducklake_data_file SET record_count = 9 WHERE data_file_id = {A_FILE}",
    ),
    (
        "counts_equal_the_footers",
        "UPDATE ducklake_data_file SET footer_size = footer_size + 8",
    ),
    (
        "top_columns_of_files_are_known",
        f"UPDATE ducklake_column SET column_id = 70 WHERE {A_COLUMN}",
    ),
    (
        "row_ids_have_one_source",
        f"UPDATE ducklake_data_file SET row_id_start = NULL WHERE data_file_id = {A_FILE}",
    ),
    (
        "partial_files_hold_their_snapshots",
        f"UPDATE ducklake_data_file SET partial_max = {HEAD} WHERE data_file_id = {A_FILE}",
    ),
    (
        "partition_values_are_complete",
        "DELETE FROM ducklake_file_partition_value WHERE partition_key_index = 1",
    ),
    ("partition_values_are_complete", "UPDATE ducklake_data_file SET partition_id = NULL"),
    (
        "details_belong_to_files",
        "UPDATE ducklake_file_column_stats SET data_file_id = 999 WHERE column_id = 2",
    ),
    (
        "files_are_registered_once",
        "INSERT INTO ducklake_files_scheduled_for_deletion"
        " SELECT 0, 'main/t/' || path, 1, '2026-01-01 00:00:00+00' FROM ducklake_data_file"
        f" WHERE table_id = {T}",
    ),
    (
        "files_are_registered_once",
        f"UPDATE ducklake_data_file SET path = (SELECT path FROM ducklake_data_file"
        f" WHERE data_file_id = {A_FILE}) WHERE table_id = {T}",
    ),
    ("no_file_is_an_orphan", f"DELETE FROM ducklake_data_file WHERE data_file_id = {A_FILE}"),
    (
        "delete_counts_equal_the_files",
        "UPDATE ducklake_delete_file SET delete_count = delete_count + 1",
    ),
    ("delete_counts_equal_the_files", "UPDATE ducklake_delete_file SET footer_size = 3"),
    (
        "positions_increase_within_the_file",
        "UPDATE ducklake_data_file SET record_count = 4",
    ),
    (
        "inlined_deletes_name_rows_once",
        "INSERT INTO ducklake_inlined_delete_{q} SELECT * FROM ducklake_inlined_delete_{q}",
    ),
    ("inlined_deletes_name_rows_once", "UPDATE ducklake_inlined_delete_{q} SET row_id = 20"),
    (
        "a_position_is_deleted_in_one_place",
        "UPDATE ducklake_inlined_delete_{q} SET row_id = 12",
    ),
    ("table_stats_are_gross", "UPDATE ducklake_table_stats SET record_count = record_count - 1"),
    ("table_stats_are_gross", "UPDATE ducklake_table_stats SET file_size_bytes = 5"),
    ("table_stats_are_gross", f"DELETE FROM ducklake_table_stats WHERE table_id = {INLINED}"),
    (
        "next_row_ids_are_above_all",
        f"UPDATE ducklake_table_stats SET next_row_id = next_row_id - 1 WHERE table_id = {INLINED}",
    ),
    (
        "next_row_ids_are_above_all",
        f"UPDATE ducklake_table_stats SET next_row_id = next_row_id - 1 WHERE table_id = {T}",
    ),
    (
        "row_id_ranges_are_disjoint",
        f"UPDATE ducklake_data_file SET row_id_start = 1 WHERE table_id = {T} AND row_id_start > 1",
    ),
    (
        "row_ids_are_unique",
        f"UPDATE ducklake_data_file SET row_id_start = 1 WHERE table_id = {T} AND row_id_start > 1",
    ),
    (
        "file_statistics_are_of_leaves",
        f"UPDATE ducklake_file_column_stats SET column_id = 4 WHERE {A_COLUMN}",
    ),
    (
        "file_statistics_are_of_leaves",
        "INSERT INTO ducklake_file_column_stats SELECT * FROM ducklake_file_column_stats",
    ),
    *[
        ("file_counts_are_true", f"UPDATE ducklake_file_column_stats SET {column} = {value}")
        for column, value in (
            ("value_count", "value_count + 1"),
            ("null_count", "null_count + 1"),
            ("contains_nan", "1 - contains_nan"),
            ("contains_nan", "0"),
        )
    ],
    *[
        (
            "file_bounds_hold",
            f"UPDATE ducklake_file_column_stats SET {bound} = '{text}'"
            f" WHERE data_file_id = {A_FILE} AND column_id = {column}",
        )
        for column, bound, text in (
            (1, "min_value", "1"),
            (1, "max_value", "8"),
            (1, "max_value", "nine"),
            (2, "max_value", "4.0"),
            (3, "max_value", "s8"),
            (5, "min_value", "1"),
            (8, "max_value", "8"),
            (10, "max_value", "j"),
            (12, "max_value", "77"),
        )
    ],
    *[
        (
            "table_bounds_contain_the_truth",
            f"UPDATE ducklake_table_column_stats SET {change} WHERE table_id = {table}"
            f" AND column_id = {column}",
        )
        for table, column, change in (
            (T, 1, "max_value = '10'"),
            (T, 1, "min_value = NULL, max_value = NULL"),
            (T, 1, "max_value = 'many'"),
            (T, 3, "contains_null = 0"),
            (T, 2, "contains_nan = 0"),
            (INLINED, 1, "min_value = '2'"),
            (INLINED, 2, "contains_null = 0"),
        )
    ],
    (
        "table_bounds_contain_the_truth",
        f"INSERT INTO ducklake_table_column_stats VALUES ({INLINED}, 3, 0, NULL, '8', '8', NULL)",
    ),
    (
        "table_bounds_are_exact_when_trusted",
        f"UPDATE ducklake_table_column_stats SET max_value = '9.00' WHERE table_id = {P}"
        " AND column_id = 3",
    ),
    (
        "partition_values_are_true",
        "UPDATE ducklake_file_partition_value SET partition_value = '2023'"
        " WHERE partition_key_index = 1",
    ),
]
