package ducklake.spark.write

import ducklake.catalog.Lake
import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.model.RepeatedRowIds
import ducklake.catalog.types.Literal
import ducklake.files.io.Storage
import ducklake.spark.parquet.write.LakeRow
import ducklake.spark.partitioning.PartitionKeyReader
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows that the tasks of a write buffered, either all with or all without row ids.
  *
  * @param spec the settings of the tasks. When the rows have row ids, the last column is the row id
  */
private[spark] final case class BufferedRows(
    spec: WriteSpec,
    rows: Vector[UnsafeRow],
    rowIds: RowIds,
) {

  /** The rows as inlined rows; None when the catalog cannot hold all of them. A row that may share
    * its row id with other rows goes to a file, where its position identifies it: inlined rows are
    * ended by their row ids.
    */
  def inlined(lake: Lake): Option[Vector[NewInlinedRow]] = {
    val literals = new LakeRow(spec.columns, spec.rule)
    val inlinedRows = rows.map(row => split(literals.literals(row)))
    val columns = rowIds match {
      case RowIds.Fresh => spec.columns
      case RowIds.Embedded => spec.columns.init
    }
    val areInlined = inlinedRows.forall { row =>
      lake.canInline(columns, row.values) && !row.rowId.exists(RepeatedRowIds.contains)
    }
    Option.when(areInlined)(inlinedRows)
  }

  private def split(values: Vector[Literal]): NewInlinedRow = rowIds match {
    case RowIds.Fresh => NewInlinedRow(None, values)
    case RowIds.Embedded =>
      values.last match {
        case Literal.Integral(id) => NewInlinedRow(Some(id), values.init)
        case other => throw new IllegalStateException(s"$other is no row id")
      }
  }

  /** The partitions of the rows. */
  def partitions: Set[Vector[Option[String]]] = byPartition.map(_._1).toSet

  /** Writes the rows to as few files as possible. */
  def write(conf: Configuration): Vector[NewDataFile] = {
    val writer = new TaskWriter(spec.copy(maxBufferedRows = 0L), conf)
    try {
      byPartition.foreach { case (_, rows) => rows.foreach(writer.write) }
      writer.commit(): Unit
      writer.finished.map(_.copy(rowIds = rowIds))
    } catch {
      case failure: Throwable =>
        writer.abort()
        throw failure
    } finally writer.close()
  }

  /** The rows by partition, in the order of the partitions' first rows. */
  private def byPartition: Vector[(Vector[Option[String]], Vector[UnsafeRow])] = {
    val keyReader = new PartitionKeyReader(spec.partition, spec.rule)
    val keyed = rows.map { row =>
      keyReader.move(row): Unit
      keyReader.values -> row
    }
    val groups = keyed.groupMap(_._1)(_._2)
    keyed.map(_._1).distinct.map(values => values -> groups(values))
  }
}

private[spark] object BufferedRows {

  /** The inlined rows, when there are no more than `limit` rows and the catalog can hold all of
    * them. Otherwise writes all rows to files.
    */
  def inlineOrWrite(
      all: Vector[BufferedRows],
      limit: Long,
      lake: Lake,
      conf: => Configuration,
  ): Either[Vector[NewDataFile], Vector[NewInlinedRow]] = {
    val nonEmpty = all.filter(_.rows.nonEmpty)
    val inlined =
      if (nonEmpty.map(_.rows.size).sum <= limit) nonEmpty.map(_.inlined(lake)) else Vector(None)
    if (inlined.forall(_.nonEmpty)) Right(inlined.flatten.flatten)
    else Left(writeAll(nonEmpty, conf))
  }

  private def writeAll(nonEmpty: Vector[BufferedRows], conf: Configuration): Vector[NewDataFile] = {
    // When a write fails, the files of the writes before it are deleted.
    var written = Vector.empty[NewDataFile]
    try nonEmpty.foreach(bufferedRows => written ++= bufferedRows.write(conf))
    catch {
      case failure: Throwable =>
        Storage.discard(written.map(nonEmpty.head.spec.directory + _.path), conf)
        throw failure
    }
    written
  }
}
