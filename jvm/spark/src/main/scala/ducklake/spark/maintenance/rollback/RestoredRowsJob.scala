package ducklake.spark.maintenance.rollback

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.error.LakeError
import ducklake.catalog.types.Column
import ducklake.catalog.types.LakeType
import ducklake.files.delete.CompressedPositions
import ducklake.files.delete.DeletedPositions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.job.Broadcasts
import ducklake.spark.job.LakeJob
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.read.MetadataColumns
import ducklake.spark.session.TableAtSnapshot
import ducklake.spark.sparkapi.catalog.TableQueries
import ducklake.spark.sparkapi.task.RowWithId
import ducklake.spark.sparkapi.task.TaskAttempt
import ducklake.spark.types.LostValues
import ducklake.spark.write.BufferedRows
import ducklake.spark.write.EmbeddedColumns
import ducklake.spark.write.TaskResult
import ducklake.spark.write.TaskWriter
import ducklake.spark.write.WriteSpec
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession

/** The rows to write again.
  *
  * @param chosen by data file id: the positions of the rows; None for all rows
  */
private[rollback] final case class RowsToRestore(chosen: Map[Long, Option[CompressedPositions]])

/** Writes rows of a past snapshot again through Spark's types, with their row ids. No column is one
  * of [[RestoredRowsJob.mayChange]].
  *
  * @param table at the past snapshot, with only the files of the rows
  * @param spec how tasks write rows, without the row id
  * @param isWritten gets the files of each task that succeeded, also when others fail
  */
private[rollback] final class RestoredRowsJob(
    session: SparkSession,
    table: TableAtSnapshot,
    spec: WriteSpec,
    isWritten: Vector[NewDataFile] => Unit,
) {
  private val withRowId = spec.copy(columns = spec.columns :+ EmbeddedColumns.rowId)

  /** The rows, as files or as inlined rows when they are few.
    *
    * Errors: errors of reading and writing; StatementInterrupted. After an error the caller deletes
    * the files.
    */
  def write(rows: RowsToRestore, inliningRowLimit: Long): Either[
    Vector[NewDataFile],
    Vector[NewInlinedRow],
  ] = {
    refuseUnwritable()
    val results = run(rows)
    val files = results.flatMap(_.files)
    val buffered = BufferedRows(withRowId, results.flatMap(_.bufferedRows), RowIds.Embedded)
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    val conf = WriteHadoopConf.ofSession(session, table.session.config.hadoop)
    BufferedRows.inlineOrWrite(Vector(buffered), limit, table.session.lake, conf) match {
      case Left(own) =>
        isWritten(own)
        Left((files ++ own).map(_.copy(rowIds = RowIds.Embedded)))
      case Right(inlined) if files.isEmpty => Right(inlined)
      case Right(_) => Left(files.map(_.copy(rowIds = RowIds.Embedded)))
    }
  }

  private def refuseUnwritable(): Unit =
    MetadataColumns.hiddenBy(spec.columns.map(_.name)).foreach { name =>
      SparkErrors.raise(
        LakeError.Unsupported(
          s"Writing rows of ${spec.table} again, which has a column `$name`,",
          "Rename the column: the connector has a hidden column of this name.",
        )
      )
    }

  private def run(rows: RowsToRestore): Vector[TaskResult] = {
    val columns = spec.columns.map(_.name) ++ RestoredRowsTable.hidden
    val found = TableQueries.select(new RestoredRowsTable(table), Vector.empty, columns)
    val conf = WriteHadoopConf.ofSession(session, table.session.config.hadoop)
    val chosen = session.sparkContext.broadcast(rows.chosen)
    val (own, stored) = (spec, withRowId.ofTasks(found.partitions.length))
    var done = Vector.empty[TaskResult]
    val take = (result: TaskResult) => {
      isWritten(result.files)
      done :+= result
    }
    val description = s"Writing rows of ${spec.table} again"
    val job = new LakeJob(session.sparkContext, description, "wrote files", conf)
    try
      job.write(found, take) { (each, settings) =>
        RestoredRowsJob.writeAll(each, own, stored, chosen.value, settings)
      }
    finally Broadcasts.remove(chosen)
    done
  }
}

private[rollback] object RestoredRowsJob {

  /** Whether Spark's types cannot carry every value of the column. Rows with such a column are
    * copied.
    */
  def mayChange(column: Column): Boolean = column.dataType match {
    case LakeType.Int128 | LakeType.UInt128 | LakeType.TimeNs | LakeType.Interval |
        LakeType.Geometry(_) | LakeType.Unknown(_) =>
      true
    case _ => LostValues.mayBeIn(column) || column.children.exists(mayChange)
  }

  def writeAll(
      rows: Iterator[InternalRow],
      spec: WriteSpec,
      withRowId: WriteSpec,
      chosen: Map[Long, Option[CompressedPositions]],
      conf: Configuration,
  ): TaskResult = {
    val writer = new TaskWriter(withRowId, conf)
    TaskAttempt.onLoss(writer.abort())
    try {
      val rowWithId = new RowWithId(spec.schema)
      val choice = new ChosenPositions(chosen)
      val first = spec.columns.length
      rows.foreach { row =>
        if (choice.contains(row.getLong(first), row.getLong(first + 1)))
          writer.write(rowWithId.of(row, row.getLong(first + 2)))
      }
      writer.commit() match {
        case result: TaskResult => result
        case other => throw new IllegalStateException(s"unexpected message ${other.getClass}")
      }
    } catch {
      case failure: Throwable =>
        writer.abort()
        throw failure
    } finally writer.close()
  }
}

/** The chosen rows as one task needs them: the positions of a file are unpacked at its first row,
  * and the rows of a file are adjacent. For one thread.
  */
private[rollback] final class ChosenPositions(chosen: Map[Long, Option[CompressedPositions]]) {
  private var file = -1L
  private var of = Option.empty[Option[DeletedPositions]]

  def contains(dataFile: Long, position: Long): Boolean = {
    if (dataFile != file) {
      file = dataFile
      of = chosen.get(dataFile).map(_.map(_.positions))
    }
    of.exists(_.forall(_.contains(position)))
  }
}
