package ducklake.spark.rowlevel

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.RowIds
import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.inTask
import ducklake.spark.read.MetadataColumns
import ducklake.spark.sparkapi.RowWithId
import ducklake.spark.sparkapi.TaskHadoopConf
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

/** What a task of a row-level statement hands back.
  *
  * @param updated rows with their ids behind their values
  * @param removed positions by data file id; under `FileId.NoFile` row ids of rows kept in the catalog
  */
private[rowlevel] final case class DeltaResult(
    inserted: TaskResult,
    updated: TaskResult,
    removed: Map[Long, Array[Long]],
) extends WriterCommitMessage {

  def files: Vector[NewDataFile] = inserted.files ++ updated.files
}

/** @param shownRowId where changed rows have the hidden column `rowid`, if the statement names one */
private[rowlevel] final case class DeltaTaskWriterFactory(
    spec: WriteSpec,
    shownRowId: Option[Int],
    conf: Broadcast[TaskHadoopConf],
) extends DeltaWriterFactory {

  override def createWriter(partition: Int, task: Long): DeltaWriter[InternalRow] =
    new DeltaTaskWriter(spec, shownRowId, conf.value.value)
}

/** Notes the places of rows that go, and writes those that come: new ones and changed ones to files of
  * their own kind, since the row ids of the latter stand in the file.
  *
  * Errors: Unsupported for a changed row that would lose something on its way through Spark, or whose
  * row id was assigned to.
  */
private[rowlevel] final class DeltaTaskWriter(
    spec: WriteSpec,
    shownRowId: Option[Int],
    conf: Configuration,
) extends DeltaWriter[InternalRow] {

  private val removed = new DeletedPositionsCollector
  private val inserts = new TaskWriter(spec, conf)
  private val updates = new TaskWriter(DeltaTaskWriter.withRowId(spec), conf)
  private val changed = new RowWithId(spec.schema)

  override def delete(metadata: InternalRow, id: InternalRow): Unit =
    removed.add(id.getLong(0), id.getLong(1))

  override def update(metadata: InternalRow, id: InternalRow, row: InternalRow): Unit = {
    if (metadata.numFields > 1 && metadata.getLong(1) != 0) refuse(metadata.getLong(1))
    if (shownRowId.exists(at => row.isNullAt(at) || row.getLong(at) != metadata.getLong(0)))
      refuseRowId()
    removed.add(id.getLong(0), id.getLong(1))
    updates.write(changed.of(row, metadata.getLong(0)))
  }

  override def insert(row: InternalRow): Unit = inserts.write(row)

  private def refuse(column: Long): Nothing = {
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
        s"Assigning to the hidden column `${MetadataColumns.ShownRowId}` of ${spec.table}",
        "A row keeps its id for its whole life.",
      )
    )

  override def commit(): WriterCommitMessage = inTask {
    val fresh = DeltaTaskWriter.result(inserts.commit())
    val kept = DeltaTaskWriter.result(updates.commit())
    val embedded = kept.files.map(_.copy(rowIds = RowIds.Embedded))
    DeltaResult(fresh, kept.copy(files = embedded), removed.result())
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
