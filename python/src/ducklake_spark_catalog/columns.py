"""The metadata tables of version 1.1 with their columns, without the prefix `ducklake_`.

A test compares them with a lake of version 1.1 that Spark made.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

Column = tuple[str, str]

_TABLES = """
metadata: key value scope scope_id
snapshot: snapshot_id snapshot_time schema_version next_catalog_id next_file_id
snapshot_changes: snapshot_id changes_made author commit_message commit_extra_info
schema: schema_id schema_uuid begin_snapshot end_snapshot schema_name path path_is_relative
    parent_schema_id
table: table_id table_uuid begin_snapshot end_snapshot schema_id table_name path
    path_is_relative
view: view_id view_uuid begin_snapshot end_snapshot schema_id view_name dialect sql
    column_aliases
tag: object_id begin_snapshot end_snapshot key value
column_tag: table_id column_id begin_snapshot end_snapshot key value
data_file: data_file_id table_id begin_snapshot end_snapshot file_order path path_is_relative
    file_format record_count file_size_bytes footer_size row_id_start partition_id
    encryption_key mapping_id partial_max row_group_count
file_column_stats: data_file_id table_id column_id column_size_bytes value_count null_count
    min_value max_value contains_nan extra_stats min_is_exact max_is_exact
file_variant_stats: data_file_id table_id column_id variant_path shredded_type column_size_bytes
    value_count null_count min_value max_value contains_nan extra_stats
delete_file: delete_file_id table_id begin_snapshot end_snapshot data_file_id path
    path_is_relative format delete_count file_size_bytes footer_size encryption_key partial_max
    row_group_count
column: column_id begin_snapshot end_snapshot table_id column_order column_name column_type
    initial_default default_value nulls_allowed parent_column default_value_type
    default_value_dialect
table_stats: table_id record_count next_row_id file_size_bytes
table_column_stats: table_id column_id contains_null contains_nan min_value max_value
    extra_stats min_is_exact max_is_exact
partition_info: partition_id table_id begin_snapshot end_snapshot
partition_column: partition_id table_id partition_key_index column_id transform
file_partition_value: data_file_id table_id partition_key_index partition_value
files_scheduled_for_deletion: data_file_id path path_is_relative schedule_start
inlined_data_tables: table_id table_name schema_version
column_mapping: mapping_id table_id type
name_mapping: mapping_id column_id source_name target_field_id parent_column is_partition
schema_versions: begin_snapshot schema_version table_id
macro: schema_id macro_id macro_name begin_snapshot end_snapshot
macro_impl: macro_id impl_id dialect sql type
macro_parameters: macro_id impl_id column_id parameter_name parameter_type default_value
    default_value_type
sort_info: sort_id table_id begin_snapshot end_snapshot
sort_expression: sort_id table_id sort_key_index expression dialect sort_direction null_order
view_column_tag: view_id column_name begin_snapshot end_snapshot key value
"""


def _columns() -> Iterator[Column]:
    """Each table with each of its columns; a line that is indented belongs to the one before."""
    table = ""
    for word in _TABLES.split():
        if word.endswith(":"):
            table = word.removesuffix(":")
        else:
            yield table, word


OF_1_1 = frozenset(_columns())


def unknown(present: Set[Column]) -> list[str]:
    """Columns that 1.1 does not have, of its own tables.

    Example:
        >>> unknown(OF_1_1 | {("table", "colour"), ("inlined_data_1_2", "a")})
        ['ducklake_table.colour']
    """
    tables = {table for table, _ in OF_1_1}
    return _named(column for column in present - OF_1_1 if column[0] in tables)


def missing(present: Set[Column]) -> list[str]:
    """Columns of 1.1 that are not there.

    Example:
        >>> missing(OF_1_1 - {("schema", "parent_schema_id")})
        ['ducklake_schema.parent_schema_id']
    """
    return _named(OF_1_1 - present)


def _named(columns: Set[Column] | Iterator[Column]) -> list[str]:
    return sorted(f"ducklake_{table}.{column}" for table, column in columns)
