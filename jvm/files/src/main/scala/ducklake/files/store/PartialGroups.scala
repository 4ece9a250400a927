package ducklake.files.store

import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.ColumnIndexFilter

import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.util.PrimitiveIterator
import java.util.stream.IntStream

import scala.jdk.CollectionConverters.*

/** Reads some rows of a row group with the pages that hold them.
  *
  * Parquet's library has methods for this, but moves the class of their row ranges to another
  * package in versions after 1.17. So these few methods are found by their names.
  */
object PartialGroups {

  /** The rows in pages that the column indexes do not exclude; all rows when the file has no column
    * indexes. The indexes are read from the file.
    *
    * Errors: errors of the storage.
    */
  def matching(reader: ParquetFileReader, group: Int, filter: FilterPredicate): RowRuns = {
    val described = reader.getRowGroups.get(group)
    val columns = described.getColumns.asScala.map(_.getPath).toSet.asJava
    val store = reader.getColumnIndexStore(group)
    val rows = Long.box(described.getRowCount)
    val ranges = call(calculate, null, FilterCompat.get(filter), store, columns, rows)
    val found = new RowRuns.Builder
    call(iterator(ranges), ranges) match {
      case each: PrimitiveIterator.OfLong =>
        while (each.hasNext) {
          val row = each.nextLong()
          found.add(row, row + 1)
        }
      case other => unexpected(other)
    }
    found.result
  }

  /** Whether the pages of all columns can be read one by one. */
  def hasPagePlaces(group: BlockMetaData): Boolean =
    group.getColumns.asScala.forall(chunk => Option(chunk.getOffsetIndexReference).isDefined)

  /** Whether Spark's reader can leave out rows inside of pages. It cannot with differences between
    * values: its reader of them loses its place when it skips a run without values (in Spark before
    * 4.3: any such run; since 4.3: one at the beginning of a page), and then gives wrong values.
    */
  def hasSkippableValues(group: BlockMetaData): Boolean =
    !group.getColumns.asScala.exists(_.getEncodings.asScala.exists(Differences))

  private val Differences: Set[Encoding] = Set(
    Encoding.DELTA_BINARY_PACKED,
    Encoding.DELTA_LENGTH_BYTE_ARRAY,
    Encoding.DELTA_BYTE_ARRAY,
  )

  /** The pages that hold the rows. Needs [[hasPagePlaces]].
    *
    * Errors: errors of Parquet and of the storage.
    */
  def pages(reader: ParquetFileReader, group: Int, runs: RowRuns): PageReadStore = {
    val rows = Long.box(reader.getRowGroups.get(group).getRowCount)
    val ranges = call(create, null, rows, IntStream.range(0, runs.size).iterator, new Runs(runs))
    call(read(ranges), reader, Int.box(group), ranges) match {
      case pages: PageReadStore => pages
      case other => unexpected(other)
    }
  }

  /** The runs in the form of pages, of which Parquet makes row ranges. */
  private final class Runs(runs: RowRuns) extends OffsetIndex {
    override def getPageCount: Int = runs.size
    override def getOffset(page: Int): Long = 0L
    override def getCompressedPageSize(page: Int): Int = 0
    override def getFirstRowIndex(page: Int): Long = runs.start(page)
    override def getLastRowIndex(page: Int, rows: Long): Long = runs.end(page) - 1
  }

  private lazy val calculate: Method = named(classOf[ColumnIndexFilter], "calculateRowRanges")

  private lazy val create: Method =
    named(Class.forName("org.apache.parquet.internal.filter2.columnindex.RowRanges"), "create")

  private def iterator(ranges: AnyRef): Method = named(ranges.getClass, "iterator")

  private def read(ranges: AnyRef): Method =
    classOf[ParquetFileReader].getMethod("readFilteredRowGroup", classOf[Int], ranges.getClass)

  private def named(owner: Class[?], name: String): Method =
    owner.getMethods.find(_.getName == name).getOrElse {
      throw new NoSuchMethodError(s"${owner.getName}.$name")
    }

  private def call(method: Method, on: AnyRef, arguments: AnyRef*): AnyRef =
    try method.invoke(on, arguments*)
    catch { case failure: InvocationTargetException => throw failure.getCause }

  private def unexpected(found: AnyRef): Nothing =
    throw new IllegalStateException(s"not of Parquet's library: $found")
}
