package ducklake.spark.metadata

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeMacro
import ducklake.catalog.model.LakeSchema
import ducklake.catalog.model.RelationKind
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.types.ArrayType
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

import java.util.Locale

/** The metadata tables of the lake, `lake.system.<name>`. They are also the results of the
  * procedures of the same names.
  *
  * Source: jvm/docs/reading.md, "Tables about the lake".
  */
object SystemTables {

  /** The only table that exists without a lake. */
  val Settings: String = "settings"

  val names: Vector[String] = Vector(
    "snapshots",
    "current_snapshot",
    "last_committed_snapshot",
    "table_info",
    "options",
    Settings,
    "schemas",
    "tables",
    "views",
    "macros",
    "files_scheduled_for_deletion",
    "named_snapshots",
    "readers",
  )

  def find(session: SessionLake, snapshot: LakeSnapshot, name: String): Option[LocalResult] =
    name.toLowerCase(Locale.ROOT) match {
      case "snapshots" => Some(SnapshotsTable.all(session.lake))
      case "current_snapshot" => Some(id(Some(snapshot.snapshot.id.value)))
      case "last_committed_snapshot" =>
        Some(id(session.lastCommitted.map(_.value), hasPast = false))
      case "table_info" => Some(tableInfo(snapshot))
      case "options" => Some(OptionsTable.stored(session, snapshot))
      case Settings => Some(settings(session))
      case "schemas" => Some(schemas(snapshot))
      case "tables" => Some(tables(snapshot))
      case "views" => Some(views(snapshot))
      case "macros" => Some(macros(snapshot))
      case "files_scheduled_for_deletion" => Some(scheduled(session))
      case "named_snapshots" => Some(namedSnapshots(session))
      case "readers" => Some(ReadersTable.of(session, snapshot))
      case _ => None
    }

  /** One row with a snapshot id. It is NULL when there is no snapshot: a session that only read has
    * committed none.
    */
  private def id(snapshot: Option[Long], hasPast: Boolean = true): LocalResult =
    new LocalResult(new StructType().add("id", LongType), () => Vector(Vector(snapshot)), hasPast)

  private def tableInfo(snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("table_name", StringType)
        .add("schema_id", LongType)
        .add("table_id", LongType)
        .add("table_uuid", StringType)
        .add("file_count", LongType)
        .add("file_size_bytes", LongType)
        .add("delete_file_count", LongType)
        .add("delete_file_size_bytes", LongType),
      () =>
        snapshot.tableInfo().map { info =>
          Vector[Any](
            info.tableName,
            info.schemaId.value,
            info.tableId.value,
            info.tableUuid,
            info.fileCount,
            info.fileSizeBytes,
            info.deleteFileCount,
            info.deleteFileSizeBytes,
          )
        },
    )

  /** The time is NULL when the snapshot is gone. */
  private def namedSnapshots(session: SessionLake): LocalResult =
    new LocalResult(
      new StructType()
        .add("name", StringType)
        .add("snapshot_id", LongType)
        .add("snapshot_time", TimestampType),
      () =>
        session.lake.namedSnapshots().map { named =>
          Vector[Any](named.name, named.id.value, session.lake.timeOf(named.id))
        },
      hasPast = false,
    )

  /** The columns of DuckDB's `settings`, then the address of the lake, whether the lake exists,
    * and when the open transaction of the session began.
    */
  def settings(session: SessionLake): LocalResult =
    new LocalResult(
      new StructType()
        .add("catalog_type", StringType)
        .add("extension_version", StringType)
        .add("data_path", StringType)
        .add("address", StringType)
        .add("lake_exists", BooleanType)
        .add("transaction_begun", TimestampType),
      () => {
        val uri = session.config.lake.uri
        val path = Option(session.lake.dataPath()).filter(_.nonEmpty)
        val begun = session.transaction.open.map(_.begun)
        Vector(
          Vector[Any](
            uri.kind,
            BuildVersion.text,
            path,
            uri.display,
            session.lake.isThere(),
            begun,
          )
        )
      },
      hasPast = false,
    )

  private def schemas(snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("schema_name", StringType)
        .add("schema_id", LongType)
        .add("names", ArrayType(StringType)),
      () => inOrder(snapshot).map(s => Vector[Any](s.qualifiedName, s.id.value, s.path)),
    )

  private def tables(snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("schema_name", StringType)
        .add("table_name", StringType)
        .add("schema_id", LongType),
      () =>
        for {
          schema <- inOrder(snapshot)
          table <- snapshot.relations(schema).filter(_.kind == RelationKind.Table)
        } yield Vector[Any](schema.qualifiedName, table.name, schema.id.value),
    )

  private def inOrder(snapshot: LakeSnapshot): Vector[LakeSchema] =
    snapshot.schemas().sortBy(_.qualifiedName)

  private def views(snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("schema_name", StringType)
        .add("view_name", StringType)
        .add("dialect", StringType)
        .add("sql", StringType)
        .add("column_aliases", StringType),
      () =>
        snapshot.views().map { view =>
          Vector[Any](view.schema.qualifiedName, view.name, view.dialect, view.sql, view.aliases)
        },
    )

  private def macros(snapshot: LakeSnapshot): LocalResult =
    new LocalResult(
      new StructType()
        .add("schema_name", StringType)
        .add("macro_name", StringType)
        .add("type", StringType)
        .add("parameters", ArrayType(StringType))
        .add("definition", StringType),
      () =>
        snapshot.macros().map { m =>
          Vector[Any](m.schema.qualifiedName, m.name, kind(m), m.parameters.map(_.name), m.sql)
        },
    )

  /** The kind of a macro, as DuckDB's catalog names it. */
  private def kind(m: LakeMacro): String = if (m.kind == "table") "table_macro" else "macro"

  private def scheduled(session: SessionLake): LocalResult =
    new LocalResult(
      new StructType().add("path", StringType).add("schedule_start", TimestampType),
      () => {
        val files = session.lake.scheduledForDeletion(None).toVector
        files.sortBy(f => (f.scheduled, f.path)).map(f => Vector[Any](f.path, f.scheduled))
      },
      hasPast = false,
    )
}
