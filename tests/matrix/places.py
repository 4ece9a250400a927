"""Catalog databases, stores, and the versions of lakes that DuckDB made."""

from __future__ import annotations

from matrix.evidence import Cell, no, partly, yes

DATABASES = ("SQLite file", "PostgreSQL", "DuckDB file")

ON_EVERY_DATABASE: dict[str, str] = {
    "reads what DuckDB wrote": "interop/fixtures::spark_reads_what_duckdb_recorded",
    "writes what DuckDB reads": "interop/golden::spark_writes_what_duckdb_writes",
    "random steps of both engines": "interop/random_steps::random_steps",
    "transactions": "e2e/transactions::each_database_takes_transactions",
    "writers of both engines at once": "concurrency/random::random_writers_lose_nothing",
    "a commit that is cut off leaves nothing": (
        "concurrency/crashes::a_commit_that_is_cut_off_leaves_the_lake_as_before"
    ),
    "a killed Spark leaves whole commits": "concurrency/kills::a_killed_spark_leaves_whole_commits",
    "upkeep as DuckDB does it": "interop/replayed_maintenance::spark_does_what_duckdb_does",
}
"""What holds on each catalog database, by the test that runs on all of them."""

OF_DATABASES: dict[str, tuple[Cell, Cell, Cell]] = {
    "several processes at once": (
        yes("e2e/sharing::duckdb_commits_while_the_session_idles"),
        yes("concurrency/many_sessions::64_sessions_get_their_turns"),
        no("e2e/sharing::a_duckdb_file_that_stays_taken_is_an_error"),
    ),
    "`vacuum_catalog`": (
        yes("python/erasing::no_byte_of_an_erased_value_is_left"),
        yes("python/erasing::a_vacuum_of_postgresql_lets_later_readers_pass"),
        no("python/erasing::no_byte_of_an_erased_value_is_left"),
    ),
    "inlined rows of columns called like system columns": (
        yes("e2e/inlined_names::tables_of_spark_have_the_columns_that_duckdb_gives_them"),
        no("e2e/inlined_names::names_that_postgresql_cannot_hold_send_rows_to_files"),
        yes("e2e/inlined_names::tables_of_spark_have_the_columns_that_duckdb_gives_them"),
    ),
    "a lake that is published on the web": (
        yes("e2e/web_lake::both_engines_read_a_public_lake"),
        Cell("–"),
        yes("e2e/web_lake::both_engines_read_a_public_lake"),
    ),
}
"""What differs between the catalog databases, in their order."""

OTHER_DATABASES: dict[str, Cell] = {
    "MySQL, MariaDB": no("e2e/settings::mysql_is_refused_by_name"),
    "a standby of PostgreSQL": partly(
        "reads", "e2e/postgres_standby::a_standby_is_read_and_takes_no_write"
    ),
    "PostgreSQL behind PgBouncer": yes(
        "e2e/postgres_pooler::every_kind_of_statement_works_behind_a_pooler"
    ),
    "PostgreSQL 12 to 18": yes("e2e/postgres_versions::every_kind_of_statement_works"),
}

STORES: dict[str, Cell] = {
    "local folders": yes("interop/golden::spark_writes_what_duckdb_writes"),
    "S3, and servers that speak it": yes(
        "e2e/object_store::both_engines_write_and_read_one_bucket"
    ),
    "Azure (the emulator Azurite)": yes("e2e/azure::both_engines_change_one_lake_in_azure"),
    "the web, files alone": partly(
        "reads", "e2e/web_lake::a_catalog_of_ones_own_may_have_its_files_on_the_web"
    ),
    "Google's store": Cell("not tried"),
}

VERSIONS: dict[str, tuple[Cell, Cell]] = {
    "0.2, of DuckDB 1.3": (
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        partly("after a migration", "interop/migration::spark_migrates_as_duckdb_does"),
    ),
    "0.3, of DuckDB 1.4": (
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        partly("after a migration", "interop/migration::spark_migrates_as_duckdb_does"),
    ),
    "0.4, of DuckDB 1.5.0 and 1.5.1": (
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        partly("after a migration", "interop/migration::spark_migrates_as_duckdb_does"),
    ),
    "1.0, of DuckDB 1.5.2 to 1.5.5": (
        yes("interop/fixtures::spark_reads_what_duckdb_recorded"),
        yes("interop/golden::spark_writes_what_duckdb_writes"),
    ),
    "1.1, of Spark and of DuckDB 2.0": (
        yes("interop/version_11::a_lake_of_1_1_reads_as_before_it_was_raised"),
        yes(
            "interop/version_11::what_spark_writes_to_a_lake_of_1_1_duckdb_reads_once_it_is_lowered"
        ),
    ),
    "1.1 with columns that are not known": (
        yes("interop/version_11::a_lake_of_1_1_with_columns_of_the_future_is_only_read"),
        no("interop/version_11::a_lake_of_1_1_with_columns_of_the_future_is_only_read"),
    ),
    "a later version": (
        no("e2e/errors::a_catalog_of_another_version_is_refused"),
        no("e2e/errors::a_catalog_of_another_version_is_refused"),
    ),
}
"""Versions of lakes: whether Spark reads and writes them."""
