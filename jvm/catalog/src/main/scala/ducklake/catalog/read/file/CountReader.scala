package ducklake.catalog.read.file

import ducklake.catalog.cache.BoundedCache
import ducklake.catalog.cache.LakeIdentity
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.TableCounts
import ducklake.catalog.listing.TableInfo
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.Snapshot
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.MetadataSchema
import ducklake.catalog.sql.query.CountSql
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.SchemaId
import ducklake.catalog.types.TableId

/** Counts the rows and files of a snapshot by the catalog's rows about files. Table statistics are
  * not used, because they belong to no snapshot. The counts of some tables are kept until there is
  * another snapshot.
  */
final class CountReader(database: Database, snapshots: SnapshotReader) {
  import CountReader.*

  private val kept = new BoundedCache[Key, TableCounts](TablesKept, _ => 1L)

  def counts(head: CatalogHead, table: LakeTable): TableCounts =
    database.consistent(s"count the rows of ${table.qualifiedName}") { session =>
      val newest = snapshots.stillIn(session, head).snapshot
      val key = Key(head.identity, table.id, head.snapshot, newest)
      kept.find(key).getOrElse {
        val found = count(session, head, table, isNewest = newest.id == head.snapshot.id)
        kept.put(key, found)
        found
      }
    }

  private def count(
      session: Session,
      head: CatalogHead,
      table: LakeTable,
      isNewest: Boolean,
  ): TableCounts = {
    val sql = new CountSql(database.dialect, head.version)
    val (rows, bytes, partial) =
      session
        .query(sql.dataFiles(table.id, head.snapshot.id)) { row =>
          (sum(row, 1), sum(row, 2), sum(row, 3))
        }
        .head
    val deletes = deleted(session, sql, head, table, isNewest)
    TableCounts(
      fileRows = rows,
      deletedRows = deletes.rows,
      inlinedRows = inlinedRows(session, head, table),
      fileBytes = bytes,
      isExact = partial == 0 && deletes.isExact,
    )
  }

  def tableInfo(head: CatalogHead): Vector[TableInfo] =
    database.consistent("read the table info") { session =>
      val _ = snapshots.stillIn(session, head)
      val sql = new CountSql(database.dialect, head.version)
      def byTable(files: String): Map[Long, (Long, Long)] =
        session
          .query(sql.filesByTable(files, head.snapshot.id)) { row =>
            row.long(1) -> ((row.long(2), sum(row, 3)))
          }
          .toMap
      val data = byTable(MetadataSchema.DataFile.name).withDefaultValue((0L, 0L))
      val deletes = byTable(MetadataSchema.DeleteFile.name).withDefaultValue((0L, 0L))
      session.query(sql.tables(head.snapshot.id)) { row =>
        val id = row.long(1)
        TableInfo(
          tableName = row.text(2),
          schemaId = SchemaId(row.long(3)),
          tableId = TableId(id),
          tableUuid = row.uuid(4),
          fileCount = data(id)._1,
          fileSizeBytes = data(id)._2,
          deleteFileCount = deletes(id)._1,
          deleteFileSizeBytes = deletes(id)._2,
        )
      }
    }

  /** Counts deleted rows. A delete file without `partial_max` may include deletes that are later
    * than the snapshot, unless the snapshot is the newest (format 6.3); then the count is not
    * exact.
    */
  private def deleted(
      session: Session,
      sql: CountSql,
      head: CatalogHead,
      table: LakeTable,
      isNewest: Boolean,
  ): Deleted = {
    val inFiles = session
      .query(sql.deleteFiles(table.id, head.snapshot.id)) { row =>
        val isSingle = row.long(2) == row.long(3)
        Deleted(sum(row, 1), isSingle && (isNewest || sum(row, 4) == 0))
      }
      .head
    val name = InlinedSql.deletesTable(table.id)
    val inCatalog =
      if (!session.hasTable(name)) Deleted(0L, isExact = true)
      else
        session
          .query(sql.inlinedDeletes(table.id, head.snapshot.id)) { row =>
            Deleted(row.long(1), row.long(2) == 0)
          }
          .head
    Deleted(inFiles.rows + inCatalog.rows, inFiles.isExact && inCatalog.isExact)
  }

  private def inlinedRows(session: Session, head: CatalogHead, table: LakeTable): Long = {
    val sql = new InlinedSql(database.dialect, head.version)
    session
      .query(sql.tables(table.id))(_.text(1))
      .map { name =>
        session.query(sql.countRows(name, head.snapshot.id))(_.long(1)).head
      }
      .sum
  }

  /** SUM without rows is NULL. */
  private def sum(row: Row, at: Int): Long = row.longOr(at, 0L)
}

private object CountReader {
  private val TablesKept = 1000L

  /** @param newest the newest snapshot of the lake: a compaction changes the catalog's record of
    *   the rows of older snapshots
    */
  private final case class Key(
      lake: LakeIdentity,
      table: TableId,
      at: Snapshot,
      newest: Snapshot,
  )
}

/** The number of deleted rows, and whether the number is exact. */
private[file] final case class Deleted(rows: Long, isExact: Boolean)
