package ducklake.spark.rowlevel

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.error.LakeError
import ducklake.catalog.model.UncommittedIds
import ducklake.files.delete.CompressedPositions
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.sparkapi.task.RowWithId
import ducklake.spark.sparkapi.task.TaskHadoopConf
import ducklake.spark.types.HiddenNames
import ducklake.spark.write.EmbeddedColumns
import ducklake.spark.write.TaskResult
import ducklake.spark.write.TaskWriter
import ducklake.spark.write.WriteSpec
import org.apache.hadoop.conf.Configuration
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.DeltaWriter
import org.apache.spark.sql.connector.write.DeltaWriterFactory
import org.apache.spark.sql.connector.write.WriterCommitMessage

/** The result of a task of a row-level statement.
  *
  * @param updated rows with their row ids after their values
  * @param removed deleted positions by data file id
  * @param inlined row ids of deleted inlined rows
  */
private[rowlevel] final case class DeltaResult(
    inserted: TaskResult,
    updated: TaskResult,
    removed: Map[Long, CompressedPositions],
    inlined: Array[Long],
) extends WriterCommitMessage {

  def files: Vector[NewDataFile] = inserted.files ++ updated.files
}

/** Creates the writers of a row-level statement's tasks.
  *
  * @param shownRowId the ordinal of the hidden column `rowid` in updated rows, when the statement
  *   names a hidden column
  */
private[rowlevel] final case class DeltaTaskWriterFactory(
    spec: WriteSpec,
    shownRowId: Option[Int],
    conf: Broadcast[TaskHadoopConf],
) extends DeltaWriterFactory {

  override def createWriter(partition: Int, task: Long): DeltaWriter[InternalRow] =
    new DeltaTaskWriter(spec, shownRowId, conf.value.value)
}

/** Collects the positions of deleted rows, and writes inserted and updated rows. Updated rows go to
  * separate files, because these files also hold the row ids.
  *
  * Errors: Unsupported for an updated row that would lose data in Spark, or whose row id was
  * assigned to.
  */
private[rowlevel] final class DeltaTaskWriter(
    spec: WriteSpec,
    shownRowId: Option[Int],
    conf: Configuration,
) extends DeltaWriter[InternalRow] {

  private val removed = new DeletedPositionsCollector
  private val inserts = new TaskWriter(spec, conf)
  private val updates = new TaskWriter(DeltaTaskWriter.withRowId(spec), conf)
  private val rowWithId = new RowWithId(spec.schema)

  override def delete(metadata: InternalRow, id: InternalRow): Unit =
    removed.add(id.getLong(0), id.getLong(1))

  override def update(metadata: InternalRow, id: InternalRow, row: InternalRow): Unit = {
    if (metadata.numFields > 1 && metadata.getLong(1) != 0) refuseLoss(metadata.getLong(1))
    if (
      shownRowId
        .exists(ordinal => row.isNullAt(ordinal) || row.getLong(ordinal) != metadata.getLong(0))
    )
      refuseRowId()
    removed.add(id.getLong(0), id.getLong(1))
    // A row that its transaction has inserted is new in its last version, too.
    if (UncommittedIds.contains(metadata.getLong(0))) inserts.write(row)
    else updates.write(rowWithId.of(row, metadata.getLong(0)))
  }

  override def insert(row: InternalRow): Unit = inserts.write(row)

  private def refuseLoss(column: Long): Nothing = {
    val name = spec.columns.find(_.id.value == column).fold(column.toString)(_.name)
    SparkErrors.failTask(
      LakeError.Unsupported(
        s"UPDATE or MERGE of a row of ${spec.table} whose value of column `$name` Spark cannot " +
          "carry (nanoseconds, or the offset of a time)",
        "Change such rows with DuckDB, or set the column too; DELETE works.",
      )
    )
  }

  private def refuseRowId(): Nothing =
    SparkErrors.failTask(
      LakeError.Unsupported(
        s"Assigning to the hidden column `${HiddenNames.ShownRowId}` of ${spec.table}",
        "A row keeps its id for its whole life.",
      )
    )

  override def commit(): WriterCommitMessage = inTask {
    val inserted = DeltaTaskWriter.result(inserts.commit())
    val updated = DeltaTaskWriter.result(updates.commit())
    val embedded = updated.files.map(_.copy(rowIds = RowIds.Embedded))
    DeltaResult(inserted, updated.copy(files = embedded), removed.inFiles, removed.inlined)
  }

  override def abort(): Unit = {
    inserts.abort()
    updates.abort()
  }

  override def close(): Unit = {
    inserts.close()
    updates.close()
  }
}

private[rowlevel] object DeltaTaskWriter {

  def withRowId(spec: WriteSpec): WriteSpec =
    spec.copy(columns = spec.columns :+ EmbeddedColumns.rowId)

  def result(message: WriterCommitMessage): TaskResult = message match {
    case result: TaskResult => result
    case other => throw new IllegalStateException(s"unexpected message ${other.getClass}")
  }
}
