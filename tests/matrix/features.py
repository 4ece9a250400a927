"""The table of README: what a lake can do from Spark."""

from __future__ import annotations

from dataclasses import dataclass

from matrix.evidence import NOTHING, Cell, no, partly, yes

PAGES = "jvm/docs/"


@dataclass(frozen=True)
class Feature:
    """A row of README's table.

    Attributes:
        name: what people call it.
        reads: whether Spark reads it.
        writes: whether Spark writes it.
        since: the first version of a lake with which it works.
        title: the page that describes it, as the link shows it.
        page: the file of that page below `jvm/docs`, with a heading.
    """

    name: str
    reads: Cell
    writes: Cell
    since: str
    title: str
    page: str


def _f(name: str, reads: Cell, writes: Cell, since: str, title: str, page: str) -> Feature:
    return Feature(name, reads, writes, since, title, page)


FEATURES = (
    _f(
        "tables with all types of DuckLake, nested ones too",
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        yes("e2e/write_types::duckdb_reads_equal_values"),
        "0.2",
        "types",
        "types.md",
    ),
    _f(
        '`format("ducklake")` of readers, writers and streams, also without a catalog',
        yes(
            "e2e/format::a_lake_is_named_by_its_address", "e2e/format::a_stream_reads_as_table_does"
        ),
        yes(
            "e2e/format::a_table_that_is_missing_is_made_by_two_modes",
            "e2e/format::a_stream_writes_as_to_table_does",
        ),
        "0.2; writes 1.0",
        "reading",
        "reading.md#by-format",
    ),
    _f(
        "time travel by snapshot and time, a pinned catalog",
        yes(
            "e2e/time_travel::version_as_of",
            "e2e/time_travel::timestamp_as_of",
            "e2e/time_travel::a_catalog_can_be_pinned",
        ),
        NOTHING,
        "0.2",
        "reading",
        "reading.md#time-travel",
    ),
    _f(
        "names of snapshots, which expiry keeps",
        yes("e2e/named_snapshots::read_options_take_names"),
        yes("e2e/named_snapshots::a_snapshot_with_a_name_stays"),
        "0.2; names 1.0",
        "procedures",
        "procedures.md#keep_snapshot-and-release_snapshot",
    ),
    _f(
        "streams as readers, for which expiry keeps what they have not read",
        yes("e2e/readers::a_stopped_stream_reads_each_row_once"),
        NOTHING,
        "1.0",
        "streaming",
        "streaming.md#readers-and-expiry",
    ),
    _f(
        "hidden columns, tables about tables and about the lake",
        yes(
            "e2e/metadata_columns::row_ids_and_snapshots_are_those_of_duckdb",
            "e2e/metadata_tables::files_of_a_table",
            "e2e/metadata_tables::snapshots",
        ),
        NOTHING,
        "0.2",
        "reading",
        "reading.md#hidden-columns",
    ),
    _f(
        "schemas, tables and views: create, alter, rename, drop",
        yes("e2e/schemas::a_schema_is_made_and_used_by_both", "e2e/views::a_view_is_read"),
        yes(
            "e2e/create_table::every_type_is_the_same_type_in_duckdb",
            "e2e/alter_table::columns_come_go_and_change_under_rows",
            "e2e/create_view::views_are_replaced_changed_renamed_and_dropped",
        ),
        "0.2",
        "statements",
        "statements.md",
    ),
    _f(
        "views and defaults made by DuckDB",
        partly(
            "where they mean the same in Spark",
            "e2e/foreign_views::views_mean_what_they_mean_in_duckdb_or_are_refused",
            "e2e/defaults::defaults_of_duckdb_are_the_same_in_spark",
            "e2e/defaults::a_default_that_only_duckdb_knows_is_refused_where_it_is_needed",
        ),
        NOTHING,
        "0.2",
        "statements",
        "statements.md#views-of-duckdb",
    ),
    _f(
        "schemas in schemas, comments on columns of views",
        yes("interop/version_11::schemas_in_schemas"),
        yes(
            "interop/version_11::schemas_in_schemas",
            "interop/version_11::comments_on_view_columns_come_from_the_tables_and_follow_a_replacement",
        ),
        "1.1",
        "statements",
        "statements.md#schemas-in-schemas",
    ),
    _f(
        "partition keys: columns, parts of a date",
        yes("e2e/planning::files_that_cannot_match_are_not_opened"),
        yes("e2e/partitioned_insert::metadata_is_what_duckdb_writes"),
        "0.2",
        "statements",
        "statements.md#partition-keys",
    ),
    _f(
        "partition keys `bucket(n, column)`",
        yes("e2e/planning::joins_of_tables_bucketed_alike_need_no_shuffle"),
        yes("e2e/partitioned_insert::metadata_is_what_duckdb_writes"),
        "1.0",
        "statements",
        "statements.md#partition-keys",
    ),
    _f(
        "partition keys that count from 1970",
        yes("e2e/epoch_keys::a_filter_reads_the_files_of_its_range_only"),
        yes("e2e/epoch_keys::rows_are_put_by_their_ordinal"),
        "1.1",
        "statements",
        "statements.md#keys-that-count-from-1970",
    ),
    _f(
        "sort order of a table",
        yes("e2e/clustering::show_create_table_can_be_run_again"),
        yes("e2e/partitioned_insert::rows_are_sorted_as_the_table_says"),
        "0.4",
        "procedures",
        "procedures.md#layout-options-messages",
    ),
    _f(
        "INSERT, overwrites, schema evolution, DataFrame writers",
        NOTHING,
        yes(
            "e2e/insert::every_way_to_append",
            "e2e/insert::overwrite_replaces_all_rows_in_one_snapshot",
            "e2e/schema_evolution::insert_adds_columns",
            "interop/golden::spark_writes_what_duckdb_writes",
        ),
        "1.0",
        "writing",
        "writing.md",
    ),
    _f(
        "DELETE, UPDATE, MERGE, TRUNCATE",
        NOTHING,
        yes(
            "e2e/row_level::delete",
            "e2e/row_level::update_keeps_row_ids",
            "e2e/merge_semantics::merge",
            "e2e/row_level::delete_without_a_condition",
        ),
        "1.0",
        "writing",
        "writing.md#delete-update-merge",
    ),
    _f(
        "several statements and tables in one snapshot",
        NOTHING,
        yes(
            "e2e/transactions::a_transaction_is_one_snapshot",
            "e2e/transaction_matrix::each_two_statements_are_one_commit",
        ),
        "1.0",
        "transactions",
        "transactions.md",
    ),
    _f(
        "delete files",
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        yes("e2e/row_level::delete_twice_and_duckdb_goes_on"),
        "0.2",
        "writing",
        "writing.md#delete-update-merge",
    ),
    _f(
        "deletion vectors in Puffin files",
        yes("e2e/puffin::every_snapshot_reads_as_before_the_containers"),
        partly(
            "no: Spark writes delete files",
            "e2e/write_options::options_of_duckdb_alone_change_nothing",
        ),
        "1.0",
        "glossary",
        "glossary.md",
    ),
    _f(
        "values at paths of variants, from their own columns",
        yes("e2e/variant_extractions::values_are_those_of_the_whole_variant"),
        NOTHING,
        "1.0",
        "reading",
        "reading.md#what-is-not-read",
    ),
    _f(
        "inlined rows",
        yes("e2e/inlined_reads::filters_that_the_database_answers_give_the_rows_that_duckdb_gives"),
        yes("e2e/inlining::few_rows_are_inlined_whatever_tasks_bring_them"),
        "0.2",
        "writing",
        "writing.md#inlined-rows-and-deletes",
    ),
    _f(
        "inlined deletes",
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        yes("e2e/inlining::deletes_of_few_rows_are_inlined"),
        "1.0",
        "writing",
        "writing.md#inlined-rows-and-deletes",
    ),
    _f(
        "existing Parquet files (`add_data_files`)",
        yes("e2e/add_data_files::both_engines_read_what_the_other_added"),
        yes("e2e/add_data_files::both_engines_write_the_same_catalog_rows"),
        "0.2",
        "procedures",
        "procedures.md#add_data_files",
    ),
    _f(
        "tables of Iceberg, mostly without copying (`migrate_from_iceberg`)",
        NOTHING,
        yes(
            "e2e/migrate_from_iceberg::all_types_and_nulls",
            "e2e/follow_iceberg::random_histories",
            "e2e/move_checksums::all_types_of_iceberg",
        ),
        "1.0",
        "from Iceberg and Delta",
        "from-iceberg-and-delta.md#moving-a-table-of-iceberg",
    ),
    _f(
        "tables of Delta, mostly without copying (`migrate_from_delta`)",
        NOTHING,
        yes(
            "e2e/migrate_from_delta::both_engines_read_what_delta_reads",
            "e2e/follow_delta::both_engines_read_what_delta_reads",
            "e2e/move_checksums::tables_of_delta",
        ),
        "1.0",
        "from Iceberg and Delta",
        "from-iceberg-and-delta.md#moving-a-table-of-delta",
    ),
    _f(
        "their history as snapshots of a new lake (`history => true`)",
        NOTHING,
        yes(
            "e2e/history_delta::both_engines_read_each_version_as_delta_does",
            "e2e/history_iceberg::random_histories",
        ),
        "1.0",
        "from Iceberg and Delta",
        "from-iceberg-and-delta.md#with-its-history",
    ),
    _f(
        "folders and tables of Parquet files, mostly without copying (`migrate_from_parquet`)",
        NOTHING,
        yes(
            "e2e/migrate_from_parquet::files_of_several_schemas",
            "e2e/move_checksums::files_of_parquet",
        ),
        "1.0",
        "procedures",
        "procedures.md#migrate_from_parquet",
    ),
    _f(
        "tables for readers of Delta and Iceberg, without copying (`export_delta`, "
        "`export_iceberg`)",
        yes(
            "e2e/export_delta::versions_follow_the_lake",
            "e2e/export_iceberg::versions_follow_the_lake",
            "e2e/export_schemas::all_tables_of_a_schema_at_one_snapshot",
        ),
        NOTHING,
        "1.0",
        "from Iceberg and Delta",
        "from-iceberg-and-delta.md#showing-a-table-to-readers-of-delta-and-iceberg",
    ),
    _f(
        "change feed, Spark's CHANGES",
        yes(
            "e2e/change_feed::feeds_are_duckdbs",
            "e2e/changes_clause::changes_are_those_of_the_feed",
        ),
        NOTHING,
        "0.2",
        "change feed",
        "change-feed.md",
    ),
    _f(
        "streams",
        yes(
            "e2e/streaming_reads::a_stream_of_a_table_has_its_rows_and_then_the_new_ones",
            "e2e/streamed_filters::files_of_other_partitions_are_not_opened",
        ),
        partly(
            "append, complete, upserts by key",
            "e2e/streaming_writes::each_epoch_is_one_snapshot",
            "e2e/streaming_writes::complete_mode_replaces_all_rows",
            "e2e/upserting_streams::rows_replace_those_with_their_key",
        ),
        "0.2; writes 1.0",
        "streaming",
        "streaming.md",
    ),
    _f(
        "author and message of a commit",
        yes("e2e/metadata_tables::snapshots"),
        yes("e2e/procedures_ddl::a_commit_carries_what_was_said_of_it"),
        "0.3",
        "writing",
        "writing.md#author-and-message-of-a-commit",
    ),
    _f(
        "flush, merge, rewrite, expiry, cleanup, `checkpoint`",
        NOTHING,
        yes(
            "interop/replayed_maintenance::spark_does_what_duckdb_does",
            "e2e/rewrite_files::a_checkpoint_does_all_steps_and_tells_failures_at_the_end",
        ),
        "1.0",
        "maintenance",
        "maintenance.md",
    ),
    _f(
        "`rollback_to_snapshot`, `undo_commit`",
        NOTHING,
        yes(
            "e2e/rollback::a_table_becomes_what_it_was",
            "e2e/undo::a_commit_is_taken_back_and_so_is_that",
        ),
        "1.0",
        "procedures",
        "procedures.md#rollback_to_snapshot",
    ),
    _f(
        "migration of older lakes to 1.0 or 1.1",
        NOTHING,
        yes("interop/migration::spark_migrates_as_duckdb_does"),
        "0.2",
        "versions",
        "versions.md#migrating",
    ),
    _f(
        "encrypted lakes",
        yes("e2e/encrypted_lakes::what_duckdb_encrypted_is_read"),
        yes("e2e/encrypted_lakes::what_spark_encrypts_duckdb_reads_and_changes"),
        "0.2",
        "writing",
        "writing.md#encrypted-lakes",
    ),
    _f(
        "files in an object store",
        yes("e2e/object_store::both_engines_write_and_read_one_bucket"),
        yes("e2e/object_store::both_engines_write_and_read_one_bucket"),
        "0.2",
        "storage",
        "storage.md",
    ),
    _f(
        "lakes on the web (`https`), in a SQLite or DuckDB file",
        yes("e2e/web_lake::both_engines_read_a_public_lake"),
        no("e2e/web_lake::a_public_lake_is_never_written"),
        "0.2",
        "storage",
        "storage.md#lakes-on-the-web",
    ),
    _f(
        "macros of DuckDB",
        partly("are listed", "e2e/metadata_tables::views_and_macros"),
        no("e2e/foreign_statements::macros_of_duckdb_are_made_by_duckdb"),
        "0.4",
        "reading",
        "reading.md#tables-about-the-lake",
    ),
)
