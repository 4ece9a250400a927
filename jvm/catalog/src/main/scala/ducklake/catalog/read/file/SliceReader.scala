package ducklake.catalog.read.file

import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.AddedPart
import ducklake.catalog.listing.AddedRows
import ducklake.catalog.listing.PartitionValues
import ducklake.catalog.model.DataFile
import ducklake.catalog.model.LakeTable
import ducklake.catalog.model.RowPlace
import ducklake.catalog.model.RowSlice
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.read.snapshot.CatalogHead
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.query.SliceSql
import ducklake.catalog.types.SnapshotId

/** Reads what lies between two places among the rows of a table. Only this is fetched, so the cost
  * does not grow with the table, but for the database's own search.
  */
private[file] final class SliceReader(
    session: Session,
    dialect: Dialect,
    head: CatalogHead,
    table: LakeTable,
) {
  private val at = head.snapshot.id
  private val sql = new SliceSql(dialect, head.version)
  private val decoder = new FileDecoder(head, table.directory)

  /** The files of a slice; a merged file may have no rows of it. */
  def dataFiles(slice: RowSlice): Vector[DataFileRow] =
    session
      .query(sql.dataFiles(table.id, at, slice))(decoder.dataFile)
      .sortBy(file => (file.begin, file.id))

  /** Whether the files before the place are still there. */
  def keeps(place: RowPlace): Boolean =
    place.files.forall { before =>
      val found = session.query(sql.filesBefore(table.id, at, place.adding, before)) { row =>
        if (decoder.originAt(row, 3).snapshots.contains(place.adding)) row.long(4) else 0L
      }
      found.sum == before.count
    }

  /** @param count of parts */
  def next(from: RowPlace, count: Int): AddedRows = {
    // One more than is wanted shows whether there are more.
    val found = (files(from, count + 1) ++ inlined(from, count + 1)).sorted
    AddedRows(found.take(count), hasMore = found.sizeIs > count, keeps(from))
  }

  private def files(from: RowPlace, count: Int): Vector[AddedPart] = {
    val rest = RowSlice(from, None)
    val rows = session.query(sql.nextFiles(table.id, at, from, count))(decoder.dataFile)
    for {
      file <- assembled(rows)
      added = rest.snapshotsOf(file)
      if added.nonEmpty
    } yield AddedPart.InFile(added.first, file)
  }

  private def assembled(rows: Vector[DataFileRow]): Vector[DataFile] = {
    val parts = new FileMetadataReader(session, dialect, head, table)
    val choices = FileChoices.of(rows)
    val (assembler, _) = FileAssembler.of(parts, table, choices, rows, PartitionValues.LeftOut)
    assembler.assemble(rows)
  }

  private def inlined(from: RowPlace, count: Int): Vector[AddedPart] =
    InlinedTables
      .of(session, dialect, table.id)
      .flatMap { one =>
        session.query(sql.nextInlined(one.name, at, from.adding, count)) { row =>
          SnapshotId(row.long(1)) -> row.long(2)
        }
      }
      .groupMapReduce(_._1)(_._2)(_ + _)
      .map { case (added, rows) => AddedPart.Inlined(added, rows) }
      .toVector
}
