package ducklake.spark.delete

import ducklake.catalog.model.DataFileId
import ducklake.spark.parquet.read.ReadColumn
import ducklake.spark.read.MetadataColumns
import ducklake.spark.sparkapi.AwaitedJob
import ducklake.spark.sparkapi.TableRows
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.filter.Predicate

import scala.collection.mutable

/** Where matching rows of a table lie.
  *
  * @param positions by data file, in no order
  * @param inlined row ids of rows in the catalog
  */
final case class FoundRows(positions: Map[DataFileId, Array[Long]], inlined: Vector[Long])

/** A test that Spark has no expression for.
  *
  * @param columns names of what it looks at
  */
trait RowTest extends Serializable {
  def columns: Vector[String]

  /** Made once for each task; a row has the columns in their order, from the first on. */
  def open(): InternalRow => Boolean
}

/** Finds rows with a scan of our own, whatever a table's columns are called. */
object RowSearch {

  /** Rows for which all filters are true. Errors: StatementInterrupted, and those of reading. */
  def matching(table: RowPositionsTable, predicates: Vector[Predicate]): FoundRows =
    search(table, predicates, EveryRow)

  /** Rows that pass the test. Errors: as above. */
  def passing(table: RowPositionsTable, test: RowTest): FoundRows =
    search(table, Vector.empty, test)

  private def search(
      table: RowPositionsTable,
      predicates: Vector[Predicate],
      test: RowTest,
  ): FoundRows = {
    val columns = test.columns ++ Vector(MetadataColumns.File, MetadataColumns.Position)
    val first = test.columns.length
    val found = TableRows
      .select(table, predicates, columns)
      .mapPartitions(rows => Iterator.single(collect(rows, test.open(), first)))
    val parts = AwaitedJob
      .result(found.collectAsync())
      .getOrElse(AwaitedJob.interrupted("searched for the rows to delete"))
    FoundRows(
      parts.flatMap(_.positions).groupMapReduce(_._1)(_._2)(_ ++ _),
      parts.toVector.flatMap(_.inlined),
    )
  }

  private object EveryRow extends RowTest {
    override def columns: Vector[String] = Vector.empty
    override def open(): InternalRow => Boolean = _ => true
  }

  /** @param first ordinal of the file, before the place in it */
  private def collect(
      rows: Iterator[InternalRow],
      isWanted: InternalRow => Boolean,
      first: Int,
  ): FoundRows = {
    // Mutable within: it runs for every row that is found.
    val files = mutable.LongMap.empty[mutable.ArrayBuilder.ofLong]
    rows.filter(isWanted).foreach { row =>
      val places = files.getOrElseUpdate(row.getLong(first), new mutable.ArrayBuilder.ofLong)
      places.addOne(row.getLong(first + 1))
    }
    val found = files.map { case (file, places) => file -> places.result() }.toMap
    FoundRows(
      (found - ReadColumn.FileId.NoFile).map { case (file, places) => DataFileId(file) -> places },
      found.get(ReadColumn.FileId.NoFile).toVector.flatten,
    )
  }
}
