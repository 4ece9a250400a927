package ducklake.spark.write

import ducklake.catalog.Lake
import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.NewInlinedRow
import ducklake.catalog.change.RowIds
import ducklake.catalog.types.Literal
import ducklake.spark.layout.PartitionKeyReader
import ducklake.spark.parquet.write.LakeRow
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows that the tasks of a write held back, all of one kind.
  *
  * @param spec as the tasks had it; where the rows bring their ids, these are its last column
  */
private[spark] final case class BufferedRows(
    spec: WriteSpec,
    rows: Vector[UnsafeRow],
    rowIds: RowIds,
) {

  /** The rows as the catalog keeps them; None when it cannot keep all of them. */
  def inlined(lake: Lake): Option[Vector[NewInlinedRow]] = {
    val literals = new LakeRow(spec.columns, spec.rule)
    val kept = rows.map(row => split(literals.literals(row)))
    val columns = rowIds match {
      case RowIds.Fresh => spec.columns
      case RowIds.Embedded => spec.columns.init
    }
    Option.when(kept.forall(row => lake.canInline(columns, row.values)))(kept)
  }

  private def split(values: Vector[Literal]): NewInlinedRow = rowIds match {
    case RowIds.Fresh => NewInlinedRow(None, values)
    case RowIds.Embedded =>
      values.last match {
        case Literal.Integral(id) => NewInlinedRow(Some(id), values.init)
        case other => throw new IllegalStateException(s"$other is no row id")
      }
  }

  /** The partitions that they belong to. */
  def partitions: Set[Vector[Option[String]]] = byPartition.map(_._1).toSet

  /** Writes them to as few files as there can be. */
  def write(conf: Configuration): Vector[NewDataFile] = {
    val writer = new TaskWriter(spec.copy(mostHeld = 0L), conf)
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

  /** In the order in which the partitions come first. */
  private def byPartition: Vector[(Vector[Option[String]], Vector[UnsafeRow])] = {
    val probe = new PartitionKeyReader(spec.partition, spec.rule)
    val keyed = rows.map { row =>
      probe.move(row): Unit
      probe.values -> row
    }
    val groups = keyed.groupMap(_._1)(_._2)
    keyed.map(_._1).distinct.map(values => values -> groups(values))
  }
}

private[spark] object BufferedRows {

  /** Rows for the catalog, when it may and can keep all of them; else files that are written now. */
  def settle(
      all: Vector[BufferedRows],
      limit: Long,
      lake: Lake,
      conf: => Configuration,
  ): Either[Vector[NewDataFile], Vector[NewInlinedRow]] = {
    val some = all.filter(_.rows.nonEmpty)
    val few = if (some.map(_.rows.size).sum <= limit) some.map(_.inlined(lake)) else Vector(None)
    if (few.forall(_.nonEmpty)) Right(few.flatten.flatten)
    else Left(writeAll(some, conf))
  }

  private def writeAll(some: Vector[BufferedRows], conf: Configuration): Vector[NewDataFile] = {
    // Filled one by one: when one fails, the files of those before it go.
    var written = Vector.empty[NewDataFile]
    try some.foreach(leftovers => written ++= leftovers.write(conf))
    catch {
      case failure: Throwable =>
        WrittenFiles(written.map(some.head.spec.directory + _.path)).delete()
        throw failure
    }
    written
  }
}
