package ducklake.catalog.read.flush

import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.HistoricDeleteFile
import ducklake.catalog.listing.InlinedDeleteHistory
import ducklake.catalog.listing.InlinedHistory
import ducklake.catalog.listing.InlinedTableHistory
import ducklake.catalog.listing.RowVersion
import ducklake.catalog.listing.RowVersionReceiver
import ducklake.catalog.model.LakePath
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.file.FileDecoder
import ducklake.catalog.read.file.FileMetadataReader
import ducklake.catalog.read.inlined.InlinedTableColumns
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.read.inlined.InlinedValues
import ducklake.catalog.read.inlined.RowHistoryKeys
import ducklake.catalog.read.schema.PathDecoder
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.write.FlushSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId

import scala.collection.mutable

/** Reads the inlined rows and inlined deletes of a table with their history, for a flush.
  *
  * Source: format 7.2 and 6.6.
  */
final class FlushReader(database: Database, snapshots: SnapshotReader) {

  /** Errors: Unsupported when the lake was migrated since the snapshot of `head` was found. */
  def history(head: CatalogHead, table: LakeTable): InlinedHistory =
    database.consistent(s"read what the catalog keeps of ${table.qualifiedName}") { session =>
      snapshots.unmigratedIn(session, head): Unit
      val sql = new FlushSql(database.dialect, head.version)
      val deletesTable = Option(InlinedSql.deletesTable(table.id)).filter(session.hasTable)
      val deleted = mutable.HashMap.empty[DataFileId, FlushReader.Deletes]
      deletesTable.foreach { name =>
        session.foreach(sql.deletes(name, head.snapshot.id)) { row =>
          deleted
            .getOrElseUpdate(DataFileId(row.long(1)), new FlushReader.Deletes)
            .add(row.long(2), row.long(3))
        }
      }
      InlinedHistory(
        rows(session, sql, head, table),
        deletes(session, sql, head, table, deleted.toMap),
        deletesTable.filter(_ => deleted.nonEmpty),
      )
    }

  /** Gives all row versions of an inlined table to the receiver, ordered by row id and begin
    * snapshot. They come from one statement: inlined tables have no index, so each statement for a
    * part of them would read all of them.
    *
    * @param keys columns as they are at this snapshot, whose values are returned too
    *
    * Errors: CommitConflict when the inlined table is gone; Unsupported when the lake was migrated.
    */
  def versions(
      head: CatalogHead,
      table: LakeTable,
      history: InlinedTableHistory,
      keys: Vector[Column],
      receiver: RowVersionReceiver,
  ): Unit =
    database.consistent(s"read the inlined rows of ${table.qualifiedName}") { session =>
      snapshots.unmigratedIn(session, head): Unit
      if (!session.hasTable(history.table.name))
        throw new LakeException(
          LakeError.CommitConflict(
            s"it wants to flush inlined rows of ${table.qualifiedName}, and another flush has " +
              "removed their inlined table since it began"
          )
        )
      val sql = new FlushSql(database.dialect, head.version)
      val own = history.columns
      val values = new InlinedValues(database.dialect, history.table, own, own, first = 4)
      val today = new RowHistoryKeys(own, keys)
      receiver.begin()
      session.foreach(sql.versions(history.table.name, head.snapshot.id, values.selections)) {
        row =>
          val found = values.of(row)
          // What ended later is live at the snapshot.
          val end = row.longOption(3).filter(_ <= head.snapshot.id.value).map(SnapshotId(_))
          val ofKeys = today.of(found, hasEnded = end.nonEmpty)
          receiver.add(RowVersion(row.long(1), SnapshotId(row.long(2)), end, found, ofKeys))
      }
    }

  private def rows(
      session: Session,
      sql: FlushSql,
      head: CatalogHead,
      table: LakeTable,
  ): Vector[InlinedTableHistory] = {
    val tables = InlinedTables.of(session, database.dialect, table.id)
    val counted = tables.map { one =>
      val count = session.first(sql.countVersions(one.name, head.snapshot.id))(_.long(1))
      (one, count.getOrElse(0L))
    }
    val nonEmpty = counted.filter { case (_, versions) => versions > 0 }
    if (nonEmpty.isEmpty) Vector.empty
    else {
      val tableColumns = new InlinedTableColumns(session, database.dialect, head.version, table.id)
      nonEmpty.map { case (one, versions) =>
        InlinedTableHistory(one, tableColumns.of(one), versions)
      }
    }
  }

  private def deletes(
      session: Session,
      sql: FlushSql,
      head: CatalogHead,
      table: LakeTable,
      deleted: Map[DataFileId, FlushReader.Deletes],
  ): Vector[InlinedDeleteHistory] = {
    val decoder = new FileDecoder(head, table.directory)
    deleted.keys.toVector.sortBy(_.value).grouped(FileMetadataReader.BatchSize).toVector.flatMap {
      some =>
        val past = session
          .query(sql.deleteFiles(table.id, some))(decoder.deleteFile)
          .groupMap(_.dataFile)(row =>
            HistoricDeleteFile(row.file, LakePath.below(head.dataPath, row.file.path))
          )
        session.query(sql.dataFiles(table.id, some)) { row =>
          val id = DataFileId(row.long(1))
          val positions = deleted(id).positions.result()
          FileDecoder.checkInlined(id.value, row.count(5), positions)
          InlinedDeleteHistory(
            id,
            PathDecoder.decode(row, 2).fileIn(table.directory),
            row.count(5),
            row.longOption(4).map(SnapshotId(_)),
            positions,
            deleted(id).snapshots.result(),
            past.getOrElse(id.value, Vector.empty),
          )
        }
    }
  }
}

private object FlushReader {

  /** The inlined deletes of a data file while they are read: 16 bytes for each. */
  final class Deletes {
    val positions = new mutable.ArrayBuilder.ofLong
    val snapshots = new mutable.ArrayBuilder.ofLong

    def add(position: Long, snapshot: Long): Unit = {
      positions += position
      snapshots += snapshot
    }
  }
}
