"""Statements of SQL, and those that a lake refuses."""

from __future__ import annotations

from dataclasses import dataclass

from matrix.evidence import Cell, no, yes
from support import lines
from support.lines import Feature


@dataclass(frozen=True)
class Statement:
    """A row about a kind of statement.

    Attributes:
        name: its words.
        holds: whether it works.
        needs: what newer versions of Spark alone have of it.
    """

    name: str
    holds: Cell
    needs: Feature | None = None


STATEMENTS = (
    Statement("SELECT", yes("interop/differential::both_engines_answer_alike")),
    Statement("SELECT … VERSION AS OF", yes("e2e/time_travel::version_as_of")),
    Statement("SELECT … TIMESTAMP AS OF", yes("e2e/time_travel::timestamp_as_of")),
    Statement(
        "SELECT … AT (VERSION => n), DuckDB's words",
        yes("e2e/time_travel::at_says_it_in_duckdbs_words"),
    ),
    Statement(
        "SELECT … CHANGES FROM",
        yes("e2e/changes_clause::changes_are_those_of_the_feed"),
        lines.CHANGES,
    ),
    Statement("SHOW SCHEMAS, TABLES", yes("e2e/show_describe::show_schemas_and_tables")),
    Statement("SHOW COLUMNS", yes("e2e/show_describe::show_columns")),
    Statement(
        "SHOW PARTITIONS",
        yes("e2e/foreign_statements::statements_of_other_formats_do_what_they_mean"),
    ),
    Statement(
        "SHOW CREATE TABLE", yes("e2e/create_table::what_show_create_prints_makes_the_same_table")
    ),
    Statement(
        "SHOW TBLPROPERTIES",
        yes("e2e/show_describe::options_of_a_table_are_its_properties"),
    ),
    Statement("DESCRIBE", yes("e2e/show_describe::describe_shows_types_and_comments")),
    Statement("EXPLAIN", yes("e2e/explain::a_read_shows_its_filters_and_files")),
    Statement(
        "CACHE TABLE", yes("e2e/cached_tables::a_cached_table_follows_changes_under_its_other_name")
    ),
    Statement("CREATE SCHEMA, DROP SCHEMA", yes("e2e/schemas::a_schema_is_made_and_used_by_both")),
    Statement(
        "ALTER SCHEMA, COMMENT ON SCHEMA", yes("e2e/schemas::comments_and_properties_of_a_schema")
    ),
    Statement("CREATE TABLE", yes("e2e/create_table::keys_order_comments_and_properties")),
    Statement(
        "CREATE TABLE … LIKE",
        yes("e2e/create_table::a_table_like_another_has_its_columns_and_keys"),
        lines.LIKE,
    ),
    Statement("CREATE TABLE … AS SELECT", yes("e2e/ctas::a_table_with_its_rows_is_one_snapshot")),
    Statement("REPLACE TABLE", yes("e2e/ctas::a_replaced_table_is_another_one")),
    Statement(
        "ALTER TABLE … COLUMN", yes("e2e/alter_table::columns_come_go_and_change_under_rows")
    ),
    Statement("ALTER TABLE … RENAME TO", yes("e2e/alter_table::a_table_is_renamed_with_its_rows")),
    Statement(
        "ALTER TABLE … SET TBLPROPERTIES, COMMENT ON",
        yes("e2e/alter_table::comments_and_properties_come_and_go"),
    ),
    Statement("ALTER TABLE … CLUSTER BY", yes("e2e/alter_table::cluster_by_is_the_sort_order")),
    Statement(
        "ALTER TABLE … SET PARTITIONED BY, SET SORTED BY, DuckDB's words",
        yes("e2e/procedures_ddl::duckdbs_words_find_the_table_by_the_current_schema"),
    ),
    Statement("DROP TABLE", yes("e2e/create_table::dropped_tables_are_gone_and_stay_in_the_past")),
    Statement(
        "CREATE VIEW, ALTER VIEW, DROP VIEW",
        yes("e2e/create_view::views_are_replaced_changed_renamed_and_dropped"),
        lines.MADE_VIEWS,
    ),
    Statement("INSERT INTO", yes("e2e/insert::every_way_to_append")),
    Statement(
        "INSERT WITH SCHEMA EVOLUTION",
        yes("e2e/schema_evolution::insert_adds_columns"),
        lines.EVOLVING_INSERT,
    ),
    Statement("INSERT OVERWRITE", yes("e2e/insert::overwrite_replaces_all_rows_in_one_snapshot")),
    Statement("INSERT OVERWRITE … PARTITION", yes("e2e/replace_rows::static_partitions")),
    Statement(
        "INSERT … REPLACE WHERE", yes("e2e/replace_rows::replace_where_takes_single_rows_of_files")
    ),
    Statement(
        "INSERT … REPLACE USING (Spark 4.3)",
        yes("e2e/replace_using::rows_of_the_same_values_are_replaced_in_one_snapshot"),
    ),
    Statement("DELETE", yes("e2e/row_level::delete")),
    Statement("UPDATE", yes("e2e/row_level::update_keeps_row_ids")),
    Statement("MERGE", yes("e2e/merge_semantics::merge")),
    Statement(
        "MERGE WITH SCHEMA EVOLUTION",
        yes("e2e/schema_evolution::merge_adds_columns"),
        lines.EVOLVING_MERGE,
    ),
    Statement("TRUNCATE", yes("e2e/row_level::delete_without_a_condition")),
    Statement(
        "BEGIN TRANSACTION, COMMIT, ROLLBACK",
        yes("e2e/transaction_words::words_do_what_the_procedures_do"),
    ),
    Statement(
        "OPTIMIZE, DESCRIBE HISTORY",
        yes("e2e/foreign_statements::statements_of_other_formats_do_what_they_mean"),
    ),
    Statement(
        "OPTIMIZE … ZORDER BY, VACUUM",
        no("e2e/foreign_statements::statements_of_other_formats_are_told_our_way"),
    ),
    Statement(
        "ATTACH, CHECKPOINT, COPY of DuckDB",
        no("e2e/foreign_statements::statements_of_duckdb_about_a_lake_are_told_our_way"),
    ),
    Statement(
        "INSERT … REPLACE ON (Spark 4.3)", no("e2e/replace_using::what_cannot_be_done_is_refused")
    ),
    Statement(
        "CREATE VIEW … WITH METRICS", no("e2e/metric_views::a_metric_view_is_refused_by_its_name")
    ),
    Statement(
        "CREATE TABLE … LOCATION, constraints other than NOT NULL",
        no("e2e/create_table::what_cannot_be_a_table_is_refused_and_nothing_changes"),
    ),
    Statement(
        "CREATE FUNCTION, DuckDB's CREATE MACRO",
        no("e2e/foreign_statements::macros_of_duckdb_are_made_by_duckdb"),
    ),
    Statement("writes to a view", no("e2e/refusals::a_view_is_not_written")),
    Statement("time travel of a view", no("e2e/refusals::a_view_does_not_travel")),
)
