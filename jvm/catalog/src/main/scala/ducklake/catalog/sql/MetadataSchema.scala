package ducklake.catalog.sql

import ducklake.catalog.sql.Sql.Interpolator

import java.util.Locale

/** The type of a column of a metadata table. */
sealed trait MetadataKind

object MetadataKind {
  case object Number extends MetadataKind
  case object Text extends MetadataKind
  case object Flag extends MetadataKind
  case object Uuid extends MetadataKind
  case object Moment extends MetadataKind
}

/** @param constraint the constraint in the declaration, empty when there is none
  * @param added the addition of 1.1 that has the column; None for columns of 1.0
  */
final case class MetadataColumn(
    name: String,
    kind: MetadataKind,
    constraint: String,
    added: Option[Addition] = None,
)

/** @param added the addition of 1.1 that has the table; None for tables of 1.0 */
final case class MetadataTable(
    name: String,
    columns: Vector[MetadataColumn],
    added: Option[Addition] = None,
) {

  /** The table with the columns that it has in a version. Columns of 1.1 come last. */
  def at(version: FormatVersion): MetadataTable =
    copy(columns = columns.filter(_.added.forall(version.has)))

  private[sql] def and(addition: Addition)(more: (String, MetadataKind)*): MetadataTable =
    copy(columns = columns ++ more.map { case (column, kind) =>
      MetadataColumn(column, kind, "", Some(addition))
    })

  def create(dialect: Dialect): Sql = {
    val declared = columns.map { column =>
      val name = Sql.identifier(column.name).quoted
      s"$name ${dialect.columnType(column.kind)} ${column.constraint}".trim
    }
    sql"CREATE TABLE ${dialect.table(name)} (${Sql(declared.mkString(", "), Vector.empty)})"
  }
}

/** The tables of catalogs of version 1.0 and 1.1, with their columns in DuckDB's order, which is
  * part of the contract.
  *
  * Source: spec 1.0; DuckDB 1.5.5, observed (format 1.2); format 14.2.
  */
object MetadataSchema {
  import MetadataKind.*

  val Metadata: MetadataTable = MetadataTable(
    "ducklake_metadata",
    Vector(
      MetadataColumn("key", Text, "NOT NULL"),
      MetadataColumn("value", Text, "NOT NULL"),
      MetadataColumn("scope", Text, ""),
      MetadataColumn("scope_id", Number, ""),
    ),
  )

  val Snapshot: MetadataTable = keyed("ducklake_snapshot", "snapshot_id")(
    "snapshot_time" -> Moment,
    "schema_version" -> Number,
    "next_catalog_id" -> Number,
    "next_file_id" -> Number,
  )

  val SnapshotChanges: MetadataTable = keyed("ducklake_snapshot_changes", "snapshot_id")(
    "changes_made" -> Text,
    "author" -> Text,
    "commit_message" -> Text,
    "commit_extra_info" -> Text,
  )

  val Schema: MetadataTable = keyed("ducklake_schema", "schema_id")(
    "schema_uuid" -> Uuid,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "schema_name" -> Text,
    "path" -> Text,
    "path_is_relative" -> Flag,
  ).and(Addition.NestedSchemas)("parent_schema_id" -> Number)

  val Table: MetadataTable = plain("ducklake_table")(
    "table_id" -> Number,
    "table_uuid" -> Uuid,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "schema_id" -> Number,
    "table_name" -> Text,
    "path" -> Text,
    "path_is_relative" -> Flag,
  )

  val View: MetadataTable = plain("ducklake_view")(
    "view_id" -> Number,
    "view_uuid" -> Uuid,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "schema_id" -> Number,
    "view_name" -> Text,
    "dialect" -> Text,
    "sql" -> Text,
    "column_aliases" -> Text,
  )

  val Tag: MetadataTable = plain("ducklake_tag")(
    "object_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "key" -> Text,
    "value" -> Text,
  )

  val ColumnTag: MetadataTable = plain("ducklake_column_tag")(
    "table_id" -> Number,
    "column_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "key" -> Text,
    "value" -> Text,
  )

  val DataFile: MetadataTable = keyed("ducklake_data_file", "data_file_id")(
    "table_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "file_order" -> Number,
    "path" -> Text,
    "path_is_relative" -> Flag,
    "file_format" -> Text,
    "record_count" -> Number,
    "file_size_bytes" -> Number,
    "footer_size" -> Number,
    "row_id_start" -> Number,
    "partition_id" -> Number,
    "encryption_key" -> Text,
    "mapping_id" -> Number,
    "partial_max" -> Number,
  ).and(Addition.RowGroupCount)("row_group_count" -> Number)

  val FileColumnStats: MetadataTable = plain("ducklake_file_column_stats")(
    "data_file_id" -> Number,
    "table_id" -> Number,
    "column_id" -> Number,
    "column_size_bytes" -> Number,
    "value_count" -> Number,
    "null_count" -> Number,
    "min_value" -> Text,
    "max_value" -> Text,
    "contains_nan" -> Flag,
    "extra_stats" -> Text,
  ).and(Addition.ExactBounds)("min_is_exact" -> Flag, "max_is_exact" -> Flag)

  val FileVariantStats: MetadataTable = plain("ducklake_file_variant_stats")(
    "data_file_id" -> Number,
    "table_id" -> Number,
    "column_id" -> Number,
    "variant_path" -> Text,
    "shredded_type" -> Text,
    "column_size_bytes" -> Number,
    "value_count" -> Number,
    "null_count" -> Number,
    "min_value" -> Text,
    "max_value" -> Text,
    "contains_nan" -> Flag,
    "extra_stats" -> Text,
  )

  val DeleteFile: MetadataTable = keyed("ducklake_delete_file", "delete_file_id")(
    "table_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "data_file_id" -> Number,
    "path" -> Text,
    "path_is_relative" -> Flag,
    "format" -> Text,
    "delete_count" -> Number,
    "file_size_bytes" -> Number,
    "footer_size" -> Number,
    "encryption_key" -> Text,
    "partial_max" -> Number,
  ).and(Addition.RowGroupCount)("row_group_count" -> Number)

  val Column: MetadataTable = plain("ducklake_column")(
    "column_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "table_id" -> Number,
    "column_order" -> Number,
    "column_name" -> Text,
    "column_type" -> Text,
    "initial_default" -> Text,
    "default_value" -> Text,
    "nulls_allowed" -> Flag,
    "parent_column" -> Number,
    "default_value_type" -> Text,
    "default_value_dialect" -> Text,
  )

  val TableStats: MetadataTable = plain("ducklake_table_stats")(
    "table_id" -> Number,
    "record_count" -> Number,
    "next_row_id" -> Number,
    "file_size_bytes" -> Number,
  )

  val TableColumnStats: MetadataTable = plain("ducklake_table_column_stats")(
    "table_id" -> Number,
    "column_id" -> Number,
    "contains_null" -> Flag,
    "contains_nan" -> Flag,
    "min_value" -> Text,
    "max_value" -> Text,
    "extra_stats" -> Text,
  ).and(Addition.ExactBounds)("min_is_exact" -> Flag, "max_is_exact" -> Flag)

  val PartitionInfo: MetadataTable = plain("ducklake_partition_info")(
    "partition_id" -> Number,
    "table_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
  )

  val PartitionColumn: MetadataTable = plain("ducklake_partition_column")(
    "partition_id" -> Number,
    "table_id" -> Number,
    "partition_key_index" -> Number,
    "column_id" -> Number,
    "transform" -> Text,
  )

  val FilePartitionValue: MetadataTable = plain("ducklake_file_partition_value")(
    "data_file_id" -> Number,
    "table_id" -> Number,
    "partition_key_index" -> Number,
    "partition_value" -> Text,
  )

  val ScheduledForDeletion: MetadataTable = plain("ducklake_files_scheduled_for_deletion")(
    "data_file_id" -> Number,
    "path" -> Text,
    "path_is_relative" -> Flag,
    "schedule_start" -> Moment,
  )

  val InlinedDataTables: MetadataTable = plain("ducklake_inlined_data_tables")(
    "table_id" -> Number,
    "table_name" -> Text,
    "schema_version" -> Number,
  )

  val ColumnMapping: MetadataTable = plain("ducklake_column_mapping")(
    "mapping_id" -> Number,
    "table_id" -> Number,
    "type" -> Text,
  )

  val NameMapping: MetadataTable = plain("ducklake_name_mapping")(
    "mapping_id" -> Number,
    "column_id" -> Number,
    "source_name" -> Text,
    "target_field_id" -> Number,
    "parent_column" -> Number,
    "is_partition" -> Flag,
  )

  val SchemaVersions: MetadataTable = plain("ducklake_schema_versions")(
    "begin_snapshot" -> Number,
    "schema_version" -> Number,
    "table_id" -> Number,
  )

  val Macro: MetadataTable = plain("ducklake_macro")(
    "schema_id" -> Number,
    "macro_id" -> Number,
    "macro_name" -> Text,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
  )

  val MacroImpl: MetadataTable = plain("ducklake_macro_impl")(
    "macro_id" -> Number,
    "impl_id" -> Number,
    "dialect" -> Text,
    "sql" -> Text,
    "type" -> Text,
  )

  val MacroParameters: MetadataTable = plain("ducklake_macro_parameters")(
    "macro_id" -> Number,
    "impl_id" -> Number,
    "column_id" -> Number,
    "parameter_name" -> Text,
    "parameter_type" -> Text,
    "default_value" -> Text,
    "default_value_type" -> Text,
  )

  val SortInfo: MetadataTable = plain("ducklake_sort_info")(
    "sort_id" -> Number,
    "table_id" -> Number,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
  )

  val SortExpression: MetadataTable = plain("ducklake_sort_expression")(
    "sort_id" -> Number,
    "table_id" -> Number,
    "sort_key_index" -> Number,
    "expression" -> Text,
    "dialect" -> Text,
    "sort_direction" -> Text,
    "null_order" -> Text,
  )

  val ViewColumnTag: MetadataTable = plain("ducklake_view_column_tag")(
    "view_id" -> Number,
    "column_name" -> Text,
    "begin_snapshot" -> Number,
    "end_snapshot" -> Number,
    "key" -> Text,
    "value" -> Text,
  ).copy(added = Some(Addition.ViewColumnTags))

  /** The tables of a version, with the columns of that version. */
  def of(version: FormatVersion): Vector[MetadataTable] =
    all.filter(_.added.forall(version.has)).map(_.at(version))

  /** Whether a table of this name belongs to a lake; case is ignored. */
  def hasName(name: String): Boolean = {
    val folded = name.toLowerCase(Locale.ROOT)
    folded.startsWith(InlinedPrefix) || names.contains(folded)
  }

  /** How the names of all inlined tables begin. */
  private val InlinedPrefix = "ducklake_inlined_"

  private lazy val names: Set[String] =
    all.map(_.name).toSet + FormatVersion.V01.fileStatisticsTable

  /** The tables of 1.1. */
  val all: Vector[MetadataTable] = Vector(
    Metadata,
    Snapshot,
    SnapshotChanges,
    Schema,
    Table,
    View,
    Tag,
    ColumnTag,
    DataFile,
    FileColumnStats,
    FileVariantStats,
    DeleteFile,
    Column,
    TableStats,
    TableColumnStats,
    PartitionInfo,
    PartitionColumn,
    FilePartitionValue,
    ScheduledForDeletion,
    InlinedDataTables,
    ColumnMapping,
    NameMapping,
    SchemaVersions,
    Macro,
    MacroImpl,
    MacroParameters,
    SortInfo,
    SortExpression,
    ViewColumnTag,
  )

  private def plain(name: String)(columns: (String, MetadataKind)*): MetadataTable =
    MetadataTable(
      name,
      columns.toVector.map { case (column, kind) =>
        MetadataColumn(column, kind, "")
      },
    )

  private def keyed(name: String, key: String)(
      columns: (String, MetadataKind)*
  ): MetadataTable = {
    val rest = plain(name)(columns: _*)
    rest.copy(columns = MetadataColumn(key, Number, "PRIMARY KEY") +: rest.columns)
  }
}
