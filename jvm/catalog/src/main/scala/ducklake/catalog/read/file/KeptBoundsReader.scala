package ducklake.catalog.read.file

import ducklake.catalog.change.statistics.ColumnBounds
import ducklake.catalog.change.statistics.InlinedStatistics
import ducklake.catalog.change.statistics.KeptBounds
import ducklake.catalog.change.statistics.KeptRows
import ducklake.catalog.change.statistics.KnownBounds
import ducklake.catalog.change.statistics.LeafColumns
import ducklake.catalog.change.statistics.StatsMerge
import ducklake.catalog.jdbc.Row
import ducklake.catalog.jdbc.Session
import ducklake.catalog.listing.InlinedTable
import ducklake.catalog.model.LakeTable
import ducklake.catalog.read.inlined.InlinedTableColumns
import ducklake.catalog.read.inlined.InlinedTables
import ducklake.catalog.read.inlined.InlinedValues
import ducklake.catalog.read.inlined.RowHistoryKeys
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.query.InlinedSql
import ducklake.catalog.sql.query.KeptSql
import ducklake.catalog.types.ColumnId
import ducklake.catalog.types.LakeType
import ducklake.catalog.types.Literal
import ducklake.catalog.types.SnapshotId
import ducklake.catalog.types.TypeTraits

import scala.collection.mutable

/** Reads the bounds of all rows of a table in the catalog: of live files, of files that are kept
  * for past snapshots, and of inlined rows, ended rows included. The statistics of a file cover all
  * its rows, deleted rows too.
  *
  * Memory: the bounds of each column, and a batch of inlined rows.
  */
private[catalog] final class KeptBoundsReader(
    session: Session,
    dialect: Dialect,
    version: FormatVersion,
    table: LakeTable,
) {
  import KeptBoundsReader.*

  private val sql = new KeptSql(dialect, version)
  private val leaves = LeafColumns.of(table.columns)
  private val inlinedTables = InlinedTables.of(session, dialect, table.id)

  /** The bounds of all rows since another read; of all rows without an earlier read.
    *
    * @param before the result of the earlier read
    */
  def since(before: Option[KeptBounds]): KnownBounds = {
    val fromId = before.fold(0L)(_.nextFileId)
    val after = before.fold(SnapshotId(-1L))(_.at)
    inlinedTables.foldLeft(ofFiles(fromId)) { (known, inlined) =>
      known.and(ofInlined(inlined, after), leaves)
    }
  }

  def rows(): KeptRows = {
    val (ended, live, bytes) = session
      .first(sql.files(table.id)) { row =>
        (row.longOr(2, 0L), row.longOr(3, 0L), row.longOr(4, 0L))
      }
      .getOrElse((0L, 0L, 0L))
    val deletesTable = Option(InlinedSql.deletesTable(table.id)).filter(session.hasTable)
    val inlined = inlinedTables.map { one =>
      session
        .first(sql.inlinedRows(one.name))(row => (row.long(1), row.longOr(2, 0L)))
        .getOrElse((0L, 0L))
    }
    val gone = ended + count(sql.countDeleteFiles(table.id)) +
      deletesTable.fold(0L)(_ => count(sql.countInlinedDeletes(table.id))) + inlined.map(_._2).sum
    KeptRows(live + inlined.map { case (all, over) => all - over }.sum, bytes, isWhole = gone == 0)
  }

  private def count(question: ducklake.catalog.sql.Sql): Long =
    session.first(question)(_.long(1)).getOrElse(0L)

  private def ofFiles(fromId: Long): KnownBounds = {
    val files = count(sql.countFiles(table.id, fromId))
    if (files == 0) KnownBounds.NoRows
    else {
      val found = new Found(leaves)
      session.foreach(sql.fileBounds(table.id, fromId)) { row =>
        val id = ColumnId(row.long(1))
        leaves.get(id).foreach(lakeType => found.add(id, decoded(row, lakeType)))
      }
      KnownBounds.Of(found.ofAll(files))
    }
  }

  /** The rows of an inlined table, in batches. */
  private def ofInlined(inlined: InlinedTable, after: SnapshotId): KnownBounds = {
    val columns = new InlinedTableColumns(session, dialect, version, table.id).of(inlined)
    val values = new InlinedValues(dialect, inlined, columns, columns, first = 2)
    val today = new RowHistoryKeys(columns, table.columns)
    val batch = mutable.ArrayBuffer.empty[Vector[Option[Literal]]]
    var known: KnownBounds = KnownBounds.NoRows // changed in the loop over the rows
    def take(): Unit = {
      if (batch.nonEmpty) known = known.and(ofRows(batch.toVector), leaves)
      batch.clear()
    }
    session.foreach(sql.inlinedValues(inlined.name, after, values.selections)) { row =>
      // A row that has not ended counts as ended here: a value outside today's type makes the
      // bounds of its column unknown.
      batch += today.of(values.of(row), hasEnded = true)
      if (batch.size >= RowsAtOnce) take()
    }
    take()
    known
  }

  private def ofRows(rows: Vector[Vector[Option[Literal]]]): KnownBounds = {
    val readable = table.columns.indices.filter(at => rows.forall(_(at).nonEmpty)).toVector
    val statistics = InlinedStatistics.of(
      readable.map(table.columns),
      rows.map(row => readable.flatMap(at => row(at))),
    )
    KnownBounds.Of(for {
      (id, found) <- statistics
      lakeType <- leaves.get(id)
      bounds <- StatsMerge.bounds(found, lakeType)
    } yield id -> bounds)
  }

  /** The bounds of a column in a file; None when they are not known. */
  private def decoded(row: Row, lakeType: LakeType.Primitive): Option[ColumnBounds] = {
    val traits = TypeTraits.of(lakeType)
    val (min, max) = (row.textOption(5), row.textOption(6))
    val isEmpty = traits.hasTrueCounts && row.longOption(2).contains(0L)
    val isKnown = !traits.hasBounds || isEmpty || (min.nonEmpty && max.nonEmpty)
    Option.when(isKnown && traits.hasStatistics)(
      ColumnBounds(
        row.longOption(3).filter(_ => traits.hasTrueCounts).map(_ > 0),
        row.booleanOption(4),
        if (traits.hasBounds) min else None,
        if (traits.hasBounds) max else None,
        row.booleanOption(7),
        row.booleanOption(8),
        isEmpty,
      )
    )
  }
}

private object KeptBoundsReader {
  private val RowsAtOnce = 1000

  /** The bounds of each column so far, and the number of files with bounds. */
  private final class Found(leaves: Map[ColumnId, LakeType.Primitive]) {
    private val bounds = mutable.HashMap.empty[ColumnId, (Option[ColumnBounds], Long)]

    def add(id: ColumnId, of: Option[ColumnBounds]): Unit =
      bounds.updateWith(id) {
        case None => Some((of, 1L))
        case Some((before, files)) =>
          val both = for {
            these <- before
            those <- of
            lakeType <- leaves.get(id)
            union <- StatsMerge.union(these, those, lakeType)
          } yield union
          Some((both, files + 1))
      }: Unit

    /** The bounds of columns that have bounds in all files. */
    def ofAll(files: Long): Map[ColumnId, ColumnBounds] =
      bounds.iterator.collect {
        case (id, (Some(of), counted)) if counted == files => id -> of
      }.toMap
  }
}
