"""Keys of a catalog, and options of a lake, by the tests that show what each of them does."""

from __future__ import annotations

KEYS: dict[str, tuple[str, ...]] = {
    "uri": ("e2e/settings::a_missing_uri_is_named", "e2e/settings::a_jdbc_address_serves_as_well"),
    "data-path": ("e2e/errors::a_data_path_that_disagrees_is_refused_unless_it_overrides",),
    "override-data-path": (
        "e2e/errors::a_data_path_that_disagrees_is_refused_unless_it_overrides",
    ),
    "create-if-not-exists": (
        "e2e/errors::a_database_without_a_lake_is_refused_where_none_may_be_made",
    ),
    "metadata-schema": ("e2e/added_rows::files_of_a_lake_in_another_schema_are_refused",),
    "encrypted": ("e2e/encrypted_lakes::a_lake_stays_as_it_was_made",),
    "data-inlining-row-limit": ("e2e/inlining::the_limit_is_taken_from_the_nearest_scope",),
    "isolation-level": (
        "concurrency/isolation::the_level_of_a_table_has_precedence_over_that_of_the_catalog",
    ),
    "snapshot-version": ("e2e/time_travel::a_catalog_can_be_pinned",),
    "snapshot-time": ("e2e/time_travel::a_catalog_can_be_pinned",),
    "read-only": ("e2e/insert::a_read_only_catalog_takes_no_rows",),
    "late-materialization": ("e2e/late_materialization::it_can_be_turned_off",),
    "automatic-migration": ("interop/version_11::only_a_statement_that_commits_migrates",),
    "ducklake-version": ("interop/version_11::only_a_statement_that_commits_migrates",),
    "busy-timeout": (
        "e2e/postgres_limits::a_statement_that_took_too_long_is_told_and_may_be_repeated",
        "e2e/sharing::a_lock_that_duckdb_keeps_is_an_error",
    ),
    "user": ("e2e/connections::what_keeps_a_user_out_is_named",),
    "password": (
        "e2e/postgres_login::the_password_comes_from_the_file_that_the_environment_names",
    ),
    "password-file": (
        "e2e/postgres_login::the_password_comes_from_a_file_or_from_a_credential_provider",
    ),
    "retry.max-count": ("concurrency/crashes::a_connection_that_comes_back_commits_once",),
    "retry.wait-ms": ("concurrency/crashes::a_connection_that_comes_back_commits_once",),
    "retry.backoff": ("CatalogConfigSpec",),
    "retry.statement-count": (
        "concurrency/statement_retries::a_statement_runs_again_after_a_conflict",
    ),
    "pool.size": ("e2e/connections::eight_statements_share_two_connections",),
    "pool.wait-ms": (
        "e2e/connections::a_statement_waits_for_a_connection_as_long_as_the_key_says",
    ),
    "web.max-bytes": ("e2e/web_lake::limits_of_a_copy_are_keys_of_the_catalog",),
    "web.timeout-ms": ("e2e/web_lake::limits_of_a_copy_are_keys_of_the_catalog",),
    "planning.max-bytes": ("e2e/many_files::filters_find_the_rows_that_duckdb_finds",),
    "jdbc.<property>": ("e2e/postgres_settings::settings_of_the_database_change_no_value",),
    "hadoop.<property>": ("e2e/store_access::two_accounts_in_one_session",),
}
"""Every key of `jvm/docs/configuration.md`."""

OPTIONS: dict[str, tuple[str, ...]] = {
    "data_inlining_row_limit": ("e2e/inlining::the_limit_is_taken_from_the_nearest_scope",),
    "parquet_compression": ("e2e/codecs::compressions_of_duckdb",),
    "parquet_compression_level": ("e2e/write_options::both_write_with_the_levels_at_the_limits",),
    "parquet_version": ("e2e/write_options::pages_have_the_wanted_version",),
    "parquet_row_group_size": ("e2e/write_options::options_of_a_write_go_first",),
    "parquet_row_group_size_bytes": ("e2e/write_options::row_groups_have_the_wanted_bytes",),
    "parquet_shredding": ("e2e/variant_shredding::the_lakes_option_goes_before",),
    "target_file_size": ("e2e/rewrite_files::new_files_keep_the_target_size",),
    "hive_file_pattern": (
        "e2e/partitioned_insert::without_hive_folders_files_lie_in_the_tables_own",
    ),
    "require_commit_message": ("e2e/procedures_ddl::a_commit_carries_what_was_said_of_it",),
    "rewrite_delete_threshold": ("e2e/rewrite_files::thresholds_and_options_are_obeyed",),
    "delete_older_than": ("e2e/expire::options_of_duckdb_mean_the_same",),
    "expire_older_than": ("e2e/expire::options_of_duckdb_mean_the_same",),
    "auto_compact": ("e2e/merge_files::arguments_and_options_are_obeyed",),
    "per_thread_output": ("e2e/write_options::options_of_duckdb_alone_change_nothing",),
    "sort_on_insert": ("e2e/flush::rows_are_sorted_as_by_duckdb",),
    "write_deletion_vectors": ("e2e/write_options::options_of_duckdb_alone_change_nothing",),
    "skip_stats_columns": (
        "e2e/skipped_statistics::writes_and_registered_files_have_no_such_bounds",
    ),
    "isolation-level": (
        "concurrency/isolation::the_level_of_a_table_has_precedence_over_that_of_the_catalog",
    ),
    "reader-retention": ("e2e/readers::retention_is_an_option",),
    "compact-after-epochs": ("e2e/compacted_streams::small_files_are_merged_after_epochs",),
}
"""Every option that `set_option` takes."""
