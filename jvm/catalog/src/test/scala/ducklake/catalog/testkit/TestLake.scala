package ducklake.catalog.testkit

import ducklake.catalog.AbsenceRule
import ducklake.catalog.DataPathRule
import ducklake.catalog.Lake
import ducklake.catalog.LakeSettings
import ducklake.catalog.Lakes
import ducklake.catalog.MigrationRule
import ducklake.catalog.commit.transaction.RetryPolicy
import ducklake.catalog.jdbc.PoolSettings
import ducklake.catalog.jdbc.address.CatalogUri
import ducklake.catalog.sql.FormatVersion

import java.nio.file.Files
import java.nio.file.Path
import java.util.Properties

/** A lake in a SQLite file that tests fill by SQL, as DuckDB would. */
final class TestLake(val file: Path, version: String) {

  def run(statements: String*): Unit = {
    val connection = new org.sqlite.JDBC().connect(s"jdbc:sqlite:$file", new Properties)
    try {
      val statement = connection.createStatement()
      statements.foreach(text => statement.executeUpdate(text): Unit)
      statement.close()
    } finally connection.close()
  }

  /** Makes the tables and snapshot 0. */
  def fill(mainUuid: String): Unit = {
    run(TestLake.ddl(version): _*)
    run(
      s"INSERT INTO ducklake_metadata (\"key\", \"value\") VALUES ('version', '$version'), " +
        "('data_path', '/data/'), ('encrypted', 'false')",
      s"INSERT INTO ducklake_schema VALUES (0, '$mainUuid', 0, NULL, 'main', 'main/', 1)",
    )
    snapshot(0, 0, 0, "created_schema:\"main\"")
  }

  def settings: LakeSettings = LakeSettings(
    uri = CatalogUri.Sqlite(file.toString),
    metadataSchema = None,
    dataPath = None,
    dataPathRule = DataPathRule.MustAgree,
    absence = AbsenceRule.EmptyLake,
    migration = MigrationRule.Refuse,
    encryption = None,
    version = FormatVersion.V10,
    busyTimeoutMillis = 200,
    retry = RetryPolicy.default,
    pool = PoolSettings.default,
    jdbcProperties = Map.empty,
  )

  def open: Lake = Lakes.open(settings)

  /** A snapshot at the second of its id, with its changes. */
  def snapshot(id: Long, schemaVersion: Long, nextFileId: Long, changes: String): Unit =
    run(
      s"INSERT INTO ducklake_snapshot VALUES ($id, '2026-01-01 00:00:${"%02d".format(id)}+00', " +
        s"$schemaVersion, 10, $nextFileId)",
      s"INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made) VALUES ($id, '$changes')",
    )

  /** A table in `main` from snapshot 1 on, with its columns as id, name and type. */
  def table(id: Long, name: String, columns: (Long, String, String)*): Unit = {
    run(
      s"INSERT INTO ducklake_table VALUES ($id, '00000000-0000-0000-0000-00000000000$id', 1, NULL, " +
        s"0, '$name', '$name/', 1)"
    )
    columns.foreach { case (column, columnName, typeText) =>
      run(
        "INSERT INTO ducklake_column (column_id, begin_snapshot, table_id, column_order, " +
          s"column_name, column_type, nulls_allowed) VALUES ($column, 1, $id, $column, " +
          s"'$columnName', '$typeText', 1)"
      )
    }
  }

  /** A data file of 100 rows and 1000 bytes; `more` sets further columns, as SQL. */
  def dataFile(id: Long, table: Long, begin: Long, more: (String, String)*): Unit = {
    val columns = Map(
      "path" -> s"'f$id.parquet'",
      "path_is_relative" -> "1",
      "record_count" -> "100",
      "file_size_bytes" -> "1000",
      "row_id_start" -> (id * 100).toString,
    ) ++ more
    val (names, values) = columns.toVector.unzip
    run(
      s"INSERT INTO ducklake_data_file (data_file_id, table_id, begin_snapshot, " +
        s"${names.mkString(", ")}) VALUES ($id, $table, $begin, ${values.mkString(", ")})"
    )
  }

  /** Statistics of a column in a file without NULLs. */
  def statistics(file: Long, table: Long, column: Long, min: String, max: String): Unit =
    run(
      s"INSERT INTO ${TestLake.statisticsTable(version)} (data_file_id, table_id, column_id, " +
        s"value_count, null_count, min_value, max_value) " +
        s"VALUES ($file, $table, $column, 100, 0, '$min', '$max')"
    )
}

object TestLake {

  /** A lake with snapshot 0 and the schema `main`; its data path is `/data/`. */
  def create(version: String = "1.0"): TestLake = {
    val file = Files.createTempDirectory("lake").resolve("lake.sqlite")
    val lake = new TestLake(file, version)
    lake.fill("00000000-0000-4000-8000-000000000000")
    lake
  }

  private def statisticsTable(version: String): String =
    if (version == "0.2") "ducklake_file_column_statistics" else "ducklake_file_column_stats"

  /** The tables as DuckDB makes them in SQLite, less those that no test fills. */
  private def ddl(version: String): Seq[String] = {
    val isOld = version == "0.2"
    val isCurrent = version == "1.0"
    val commit =
      if (isOld) "" else ", author VARCHAR, commit_message VARCHAR, commit_extra_info VARCHAR"
    val partial = if (isCurrent) "partial_max BIGINT" else "partial_file_info VARCHAR"
    val defaults =
      if (isCurrent) ", default_value_type VARCHAR, default_value_dialect VARCHAR" else ""
    val statistics = statisticsTable(version)
    val always = Seq(
      "ducklake_metadata(\"key\" VARCHAR, \"value\" VARCHAR, scope VARCHAR, scope_id BIGINT)",
      "ducklake_snapshot(snapshot_id BIGINT PRIMARY KEY, snapshot_time VARCHAR, " +
        "schema_version BIGINT, next_catalog_id BIGINT, next_file_id BIGINT)",
      s"ducklake_snapshot_changes(snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR$commit)",
      "ducklake_schema(schema_id BIGINT PRIMARY KEY, schema_uuid VARCHAR, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, schema_name VARCHAR, path VARCHAR, path_is_relative BIGINT)",
      "ducklake_table(table_id BIGINT, table_uuid VARCHAR, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, schema_id BIGINT, table_name VARCHAR, path VARCHAR, " +
        "path_is_relative BIGINT)",
      "ducklake_view(view_id BIGINT, view_uuid VARCHAR, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, schema_id BIGINT, view_name VARCHAR, dialect VARCHAR, " +
        "\"sql\" VARCHAR, column_aliases VARCHAR)",
      "ducklake_tag(object_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, " +
        "\"key\" VARCHAR, \"value\" VARCHAR)",
      "ducklake_column_tag(table_id BIGINT, column_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT, \"key\" VARCHAR, \"value\" VARCHAR)",
      "ducklake_column(column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, " +
        "table_id BIGINT, column_order BIGINT, column_name VARCHAR, column_type VARCHAR, " +
        "initial_default VARCHAR, default_value VARCHAR, nulls_allowed BIGINT, " +
        s"parent_column BIGINT$defaults)",
      "ducklake_data_file(data_file_id BIGINT PRIMARY KEY, table_id BIGINT, " +
        "begin_snapshot BIGINT, end_snapshot BIGINT, file_order BIGINT, path VARCHAR, " +
        "path_is_relative BIGINT, file_format VARCHAR, record_count BIGINT, " +
        "file_size_bytes BIGINT, footer_size BIGINT, row_id_start BIGINT, partition_id BIGINT, " +
        s"encryption_key VARCHAR, mapping_id BIGINT, $partial)",
      s"$statistics(data_file_id BIGINT, table_id BIGINT, column_id BIGINT, " +
        "column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, " +
        "max_value VARCHAR, contains_nan BIGINT)",
      "ducklake_delete_file(delete_file_id BIGINT PRIMARY KEY, table_id BIGINT, " +
        "begin_snapshot BIGINT, end_snapshot BIGINT, data_file_id BIGINT, path VARCHAR, " +
        "path_is_relative BIGINT, format VARCHAR, delete_count BIGINT, file_size_bytes BIGINT, " +
        s"footer_size BIGINT, encryption_key VARCHAR${if (isCurrent) ", partial_max BIGINT" else ""})",
      "ducklake_partition_info(partition_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT)",
      "ducklake_partition_column(partition_id BIGINT, table_id BIGINT, " +
        "partition_key_index BIGINT, column_id BIGINT, transform VARCHAR)",
      "ducklake_file_partition_value(data_file_id BIGINT, table_id BIGINT, " +
        "partition_key_index BIGINT, partition_value VARCHAR)",
      "ducklake_files_scheduled_for_deletion(data_file_id BIGINT, path VARCHAR, " +
        "path_is_relative BIGINT, schedule_start VARCHAR)",
      "ducklake_inlined_data_tables(table_id BIGINT, table_name VARCHAR, schema_version BIGINT)",
      "ducklake_column_mapping(mapping_id BIGINT, table_id BIGINT, type VARCHAR)",
      "ducklake_name_mapping(mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, " +
        s"target_field_id BIGINT, parent_column BIGINT${if (isOld) "" else ", is_partition BIGINT"})",
    )
    (always ++ (if (isCurrent) sinceFourth else Nil)).map("CREATE TABLE " + _)
  }

  /** Tables that came with 0.4. */
  private val sinceFourth: Seq[String] =
    Seq(
      "ducklake_schema_versions(begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT)",
      "ducklake_sort_info(sort_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, " +
        "end_snapshot BIGINT)",
      "ducklake_sort_expression(sort_id BIGINT, table_id BIGINT, sort_key_index BIGINT, " +
        "expression VARCHAR, dialect VARCHAR, sort_direction VARCHAR, null_order VARCHAR)",
      "ducklake_macro(schema_id BIGINT, macro_id BIGINT, macro_name VARCHAR, " +
        "begin_snapshot BIGINT, end_snapshot BIGINT)",
      "ducklake_macro_impl(macro_id BIGINT, impl_id BIGINT, dialect VARCHAR, \"sql\" VARCHAR, " +
        "\"type\" VARCHAR)",
      "ducklake_macro_parameters(macro_id BIGINT, impl_id BIGINT, column_id BIGINT, " +
        "parameter_name VARCHAR, parameter_type VARCHAR, default_value VARCHAR, " +
        "default_value_type VARCHAR)",
    )
}
