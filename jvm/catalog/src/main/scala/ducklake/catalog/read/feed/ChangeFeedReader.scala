package ducklake.catalog.read.feed

import ducklake.catalog.jdbc.Database
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.ChangeListing
import ducklake.catalog.listing.ChangeRequest
import ducklake.catalog.listing.InlinedChangesRequest
import ducklake.catalog.listing.InlinedRowChanges
import ducklake.catalog.listing.InlinedSnapshots
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.listing.RewrittenRowsRule
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.DataFileChanges
import ducklake.catalog.model.DatedDeleteFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowOrigin
import ducklake.catalog.model.RowVisibility
import ducklake.catalog.model.SnapshotRange
import ducklake.catalog.read.file.DataFileRow
import ducklake.catalog.read.file.FileAssembler
import ducklake.catalog.read.file.FileDecoder
import ducklake.catalog.read.file.FileChoices
import ducklake.catalog.read.file.FileMetadataReader
import ducklake.catalog.read.inlined.InlinedTableColumns
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.read.inlined.InlinedValues
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.read.snapshot.SnapshotReader
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.ChangeFeedSql
import ducklake.catalog.sql.query.FileFilter
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.types.Column
import ducklake.catalog.types.DataFileId
import ducklake.catalog.types.SnapshotId

/** Lists the changes of a table in a range of snapshots, in one consistent read. Only the files
  * that the range touched are read, however many files the table has.
  *
  * Source: format 10; decision 10.
  */
final class ChangeFeedReader(database: Database, snapshots: SnapshotReader) {

  /** The changes from the requested snapshot to the snapshot of `head`.
    *
    * Errors: NoSuchSnapshot when the snapshot of `head` has expired; ChangesExpired when another
    * snapshot that the answer needs has expired.
    */
  def changes(head: CatalogHead, table: LakeTable, request: ChangeRequest): ChangeListing = {
    val range = SnapshotRange(request.from, head.snapshot.id)
    if (range.isEmpty) ChangeListing.none(range)
    else
      database.consistent(s"list the changes of ${table.qualifiedName}") { session =>
        snapshots.stillIn(session, head): Unit
        val sql = new ChangeFeedSql(database.dialect, head.version)
        val history = new ChangeHistoryReader(session, sql, table).read(range)
        val moved = request.rewritten match {
          case RewrittenRowsRule.Shown => Set.empty[SnapshotId]
          case RewrittenRowsRule.Hidden => new RewritesReader(session, sql, table).read(range)
        }
        val files = new ChangedFiles(session, database.dialect, head, table, history)
        files.read(request.inlined).copy(hidden = moved ++ request.leftOut)
      }
  }
}

/** Reads the changes of one range in one session. */
private final class ChangedFiles(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
    history: ChangeHistory,
) {
  private val range = history.range
  private val sql = new ChangeFeedSql(dialect, head.version)
  private val decoder = new FileDecoder(head, table.directory)

  private val deletesTable: Option[String] =
    Option(InlinedSql.deletesTable(table.id)).filter(session.hasTable)

  def read(inlined: Option[InlinedChangesRequest]): ChangeListing = {
    val found = dataFiles()
    val choices = FileChoices.byIds(found.map(_.row.id))
    val parts = new FileMetadataReader(session, dialect, head, table)
    val (assembler, mappings) =
      FileAssembler.of(parts, table, choices, found.map(_.row), PartitionValues.LeftOut)
    val files = assembler.withoutDeletes(found.map(_.row))
    ChangeListing(
      range,
      withHistory(found, files, choices),
      inlined.fold(InlinedSnapshots.none)(rows),
      mappings,
      history.snapshots.map(snapshot => snapshot.id -> snapshot.time),
      hidden = Set.empty,
    )
  }

  private def dataFiles(): Vector[ChangedFileRow] =
    session
      .query(sql.dataFiles(table.id, range, history.nextFileIdBefore, deletesTable)) { row =>
        val ended = snapshotInRange(row.longOption(14))
        ChangedFileRow(decoder.dataFile(row), decoder.origin(row), ended)
      }
      .sortBy(file => (file.row.begin, file.row.id))

  private def withHistory(
      found: Vector[ChangedFileRow],
      files: Vector[DataFile],
      choices: Vector[FileFilter],
  ): Vector[DataFileChanges] = {
    val deletes = deleteFiles(choices)
    val inlined = inlinedDeletes(choices)
    val changes = found.zip(files).map { case (changed, file) =>
      inlined.get(file.id).foreach { deleted =>
        FileDecoder.checkInlined(file.id.value, file.recordCount, deleted.map(_._1))
      }
      DataFileChanges(
        file.copy(visibility = RowVisibility.All),
        changed.origin,
        changed.ended,
        deletes.getOrElse(file.id, Vector.empty),
        inlined.getOrElse(file.id, Vector.empty),
      )
    }
    changes.filter(_.mayChangeIn(range))
  }

  private def deleteFiles(choices: Vector[FileFilter]): Map[DataFileId, Vector[DatedDeleteFile]] =
    choices
      .flatMap(choice =>
        session.query(sql.deleteFiles(table.id, range, choice))(decoder.deleteFile)
      )
      .sortBy(row => (row.file.begin.value, row.file.id.value))
      .groupMap(row => DataFileId(row.dataFile)) { row =>
        DatedDeleteFile(row.file, history.deletesIn(row.file))
      }

  private def inlinedDeletes(
      choices: Vector[FileFilter]
  ): Map[DataFileId, Vector[(Long, SnapshotId)]] =
    deletesTable.fold(Map.empty[DataFileId, Vector[(Long, SnapshotId)]]) { name =>
      choices
        .flatMap { choice =>
          session.query(sql.inlinedDeletes(name, range.last, choice)) { row =>
            DataFileId(row.long(1)) -> (row.long(2), SnapshotId(row.long(3)))
          }
        }
        .groupMap(_._1)(_._2)
    }

  private def rows(request: InlinedChangesRequest): InlinedSnapshots = {
    request.receiver.begin()
    lazy val tableColumns =
      new InlinedTableColumns(session, dialect, head.version, table.id)
    InlinedTables
      .of(session, dialect, table.id)
      .map(inlined => rowsOf(inlined, tableColumns.of(inlined), request))
      .foldLeft(InlinedSnapshots.none) { (all, more) =>
        InlinedSnapshots(all.inserted ++ more.inserted, all.deleted ++ more.deleted)
      }
  }

  private def rowsOf(
      inlined: InlinedTable,
      inlinedColumns: Vector[Column],
      request: InlinedChangesRequest,
  ): InlinedSnapshots = {
    val values = new InlinedValues(dialect, inlined, inlinedColumns, request.columns, first = 4)
    // Filled in the loop, which runs for every row.
    val (inserted, deleted) = (Set.newBuilder[SnapshotId], Set.newBuilder[SnapshotId])
    session.foreach(sql.rows(inlined.name, range, values.selections)) { row =>
      val begin = SnapshotId(row.long(2))
      val ended = snapshotInRange(row.longOption(3))
      if (range.contains(begin)) inserted += begin
      deleted ++= ended
      request.receiver.add(
        InlinedRowChanges(inlined.name, row.long(1), begin, ended, values.of(row))
      )
    }
    InlinedSnapshots(inserted.result(), deleted.result())
  }

  private def snapshotInRange(id: Option[Long]): Option[SnapshotId] =
    id.map(SnapshotId(_)).filter(range.contains)
}

/** A data file that the range may have changed.
  *
  * @param ended the snapshot of the range that ended the file
  */
private final case class ChangedFileRow(
    row: DataFileRow,
    origin: RowOrigin,
    ended: Option[SnapshotId],
)
