package ducklake.catalog.read

import ducklake.catalog.model.SchemaId
import ducklake.catalog.model.TableId

import java.util.UUID

/** One row of `table_info`; sizes in bytes, files and delete files of the snapshot read. */
final case class TableInfo(
    tableName: String,
    schemaId: SchemaId,
    tableId: TableId,
    tableUuid: UUID,
    fileCount: Long,
    fileSizeBytes: Long,
    deleteFileCount: Long,
    deleteFileSizeBytes: Long,
)

/** Row count and size of a table at a snapshot, from the rows of its files.
  *
  * @param liveRows rows a full scan returns; exact unless `isExact` is false (a partial file or
  *   delete file whose visible rows the catalog does not count)
  */
final case class TableCounts(liveRows: Long, fileBytes: Long, isExact: Boolean)

/** A row of `ducklake_metadata`. */
final case class LakeOption(key: String, value: String, scope: OptionScope)

object LakeOption {

  /** The value in force for a table, or for new ones of a schema: the table's own, else the schema's,
    * else the lake's.
    */
  def inForce(
      stored: Vector[LakeOption],
      key: String,
      schema: SchemaId,
      table: Option[TableId],
  ): Option[String] = {
    val scopes = table.map(OptionScope.OfTable(_)).toVector ++
      Vector(OptionScope.OfSchema(schema), OptionScope.Global)
    val ofKey = stored.filter(_.key == key)
    scopes.flatMap(scope => ofKey.find(_.scope == scope)).headOption.map(_.value)
  }
}

sealed trait OptionScope

object OptionScope {
  case object Global extends OptionScope
  final case class OfSchema(id: SchemaId) extends OptionScope
  final case class OfTable(id: TableId) extends OptionScope
}

/** A file that cleanup will remove; `path` is full, in DuckDB's spelling. */
final case class ScheduledFile(path: String, scheduled: java.time.Instant)
