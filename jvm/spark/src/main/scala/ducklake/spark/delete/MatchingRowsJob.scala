package ducklake.spark.delete

import ducklake.catalog.types.DataFileId
import ducklake.files.delete.CompressedPositions
import ducklake.spark.job.AwaitedJob
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.sparkapi.catalog.TableQueries
import ducklake.spark.types.HiddenNames
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.filter.Predicate

import scala.collection.mutable

/** The positions of the rows of a table that match.
  *
  * @param positions by data file
  * @param inlined row ids of inlined rows
  */
final case class FoundRows(
    positions: Map[DataFileId, CompressedPositions],
    inlined: Array[Long],
)

/** A test of rows for which Spark has no expression. */
trait RowTest extends Serializable {

  /** The names of the columns that the test reads. */
  def columns: Vector[String]

  /** Makes the test for one task. A row begins with the columns of the test, in their order. */
  def open(): InternalRow => Boolean
}

/** Finds rows with the connector's own scan, whatever the names of the table's columns. */
object MatchingRowsJob {

  /** Rows for which all filters are true. Errors: StatementInterrupted, and errors of reading. */
  def matching(table: RowPositionsTable, predicates: Vector[Predicate]): FoundRows =
    search(table, predicates, EveryRow)

  /** Rows that pass the test. Errors: as for filters. */
  def passing(table: RowPositionsTable, test: RowTest): FoundRows =
    search(table, Vector.empty, test)

  private def search(
      table: RowPositionsTable,
      predicates: Vector[Predicate],
      test: RowTest,
  ): FoundRows = {
    val columns = test.columns ++ Vector(HiddenNames.File, HiddenNames.Position)
    val first = test.columns.length
    val found = TableQueries
      .select(table, predicates, columns)
      .mapPartitions(rows => Iterator.single(collect(rows, test.open(), first)))
    val job = s"Searching the rows to delete of ${table.name()}"
    val parts = AwaitedJob.run(found.sparkContext, job, "searched for the rows to delete") {
      found.collectAsync()
    }
    FoundRows(
      parts
        .flatMap(_.positions)
        .groupMap(_._1)(_._2)
        .view
        .mapValues(CompressedPositions.union)
        .toMap,
      Array.concat(parts.map(_.inlined)*),
    )
  }

  private object EveryRow extends RowTest {
    override def columns: Vector[String] = Vector.empty
    override def open(): InternalRow => Boolean = _ => true
  }

  /** @param first the ordinal of the data file, which comes before the position
    */
  private def collect(
      rows: Iterator[InternalRow],
      isWanted: InternalRow => Boolean,
      first: Int,
  ): FoundRows = {
    // Mutable inside, because it runs for every row that is found.
    val files = mutable.LongMap.empty[mutable.ArrayBuilder.ofLong]
    rows.filter(isWanted).foreach { row =>
      val positions = files.getOrElseUpdate(row.getLong(first), new mutable.ArrayBuilder.ofLong)
      positions.addOne(row.getLong(first + 1))
    }
    val found = files.map { case (file, positions) => file -> positions.result() }.toMap
    FoundRows(
      (found - ReadColumn.FileId.NoFile).map { case (file, positions) =>
        DataFileId(file) -> CompressedPositions(positions)
      },
      found.getOrElse(ReadColumn.FileId.NoFile, Array.emptyLongArray),
    )
  }
}
