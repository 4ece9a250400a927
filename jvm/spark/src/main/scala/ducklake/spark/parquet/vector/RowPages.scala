package ducklake.spark.parquet.vector

import ducklake.catalog.error.LakeException
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.DataType

/** Rows for one task. */
sealed trait RowPage extends Serializable {
  def size: Int

  def rows: PackedRows
}

object RowPage {

  /** Few rows, which are part of the task. */
  final case class Carried(rows: PackedRows) extends RowPage {
    def size: Int = rows.size
  }

  /** Rows that Spark stores, on the driver's disk when its memory is full. A task fetches them. */
  final case class Stored(size: Int, stored: Broadcast[PackedRows]) extends RowPage {
    def rows: PackedRows = stored.value
  }
}

/** Divides rows into pages while they are read, so that the driver's memory holds one page and not
  * all rows. For one thread.
  *
  * Source: ours, decision 04.
  *
  * @param types of the rows' values
  */
private[spark] final class RowPages(types: Vector[DataType]) {
  private lazy val packer = new PackedRows.RowPacker(types)
  private var full = Vector.empty[RowPage]
  private var rows = 0L
  private var failure: Option[LakeException] = None

  /** Adds a row. Returns whether the row was the last row of its page. If `row` throws one of our
    * errors, the error is kept until the pages are requested.
    */
  def add(row: => InternalRow): Boolean = {
    rows += 1
    try if (failure.isEmpty) packer.add(row)
    catch { case error: LakeException => failure = Some(error) }
    val isFull = packer.sizeBytes >= RowPages.PageBytes
    if (isFull) full :+= stored()
    isFull
  }

  /** The number of rows. */
  def size: Long = rows

  /** Removes all rows. */
  def clear(): Unit = {
    packer.clear()
    full = Vector.empty
    rows = 0L
    failure = None
  }

  /** All pages, in the order of the rows. No rows may be added afterwards.
    *
    * Errors: the first error of a row.
    */
  lazy val all: Vector[RowPage] = {
    failure.foreach(error => throw error)
    val last = Option.when(packer.size > 0) {
      if (packer.sizeBytes > RowPages.CarriedBytes) stored() else RowPage.Carried(packer.result())
    }
    full ++ last
  }

  private def stored(): RowPage = {
    val page = packer.result()
    RowPage.Stored(page.size, SparkSession.active.sparkContext.broadcast(page))
  }
}

private object RowPages {

  /** A page is stored when its rows have this size. */
  val PageBytes: Int = 4 * 1024 * 1024

  /** Rows up to this size are carried by their task. Spark warns of tasks of twice the size. */
  val CarriedBytes: Int = 512 * 1024
}
