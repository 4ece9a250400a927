package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.RowIds
import ducklake.catalog.change.statistics.PackedStatistics
import ducklake.catalog.partition.HivePath
import ducklake.files.io.FileFailure
import ducklake.files.io.Storage
import ducklake.files.path.FileNames
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.ParquetRowWriter
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.task.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** The files of one task: open files and finished files. */
final class TaskFiles(spec: WriteSpec, conf: Configuration) {

  private val log = LoggerFactory.getLogger(classOf[TaskFiles])
  private lazy val columns = ColumnConverters.of(spec.columns, spec.rule)
  private lazy val rowConf = WriteHadoopConf.forRows(conf, spec.config, columns.rowType)

  // One task writes on one thread. The fields end with the task.
  private var dataFiles: Vector[NewDataFile] = Vector.empty
  private var opened: Vector[OpenFile] = Vector.empty
  private var paths: Vector[String] = Vector.empty

  TaskAttempt.onLoss(discard())

  def finished: Vector[NewDataFile] = dataFiles

  /** Opens a new file for rows of this partition. */
  def open(partition: Option[Vector[Option[String]]]): OpenFile = {
    val folder = partition.filter(_ => spec.config.usesHiveFolders).fold("") { values =>
      HivePath.folder(spec.partition.map(_.folder), values, HivePath.Room.below(spec.directory))
    }
    val path = folder + FileNames.dataFile()
    val full = spec.directory + path
    paths :+= full
    val rows = FileFailure.writing(full, spec.table) {
      new ParquetRowWriter(full, columns, spec.config, rowConf)
    }
    val file = new OpenFile(path, full, spec.table, partition, rows)
    opened :+= file
    file
  }

  /** Finishes the file and keeps the facts about it that the commit needs. */
  def finish(file: OpenFile): Unit = {
    FileFailure.writing(file.full, spec.table)(file.rows.close())
    opened = opened.filterNot(_ eq file)
    CalendarCheck.refuse(spec, file.rows.fullStatistics())
    dataFiles :+= NewDataFile(
      file.path,
      file.rows.recordCount,
      file.rows.physical,
      RowIds.Fresh,
      file.partition,
      PackedStatistics.of(file.rows.statistics()),
    )
  }

  /** Deletes all files of the task. */
  def discard(): Unit = {
    closeQuietly()
    val files = paths
    paths = Vector.empty
    dataFiles = Vector.empty
    Storage.discard(files, conf)
  }

  /** Closes the files that are not finished. */
  def closeQuietly(): Unit = {
    val files = opened
    opened = Vector.empty
    files.foreach(closeQuietly)
  }

  /** Closes a file that will not be used. An error is only logged, because the task has already
    * failed with another error, and because closing fails when the storage has given up the file.
    */
  private def closeQuietly(file: OpenFile): Unit =
    Vector(() => file.rows.abort(), () => file.rows.close()).foreach { step =>
      try step()
      catch {
        case NonFatal(cause) =>
          log.debug("The file {} of a failed task was not closed: {}", file.full, cause.toString)
      }
    }

  /** Whether the file has reached its target size. The size is read only at every thousandth row,
    * because reading it costs time.
    */
  def isFull(file: OpenFile): Boolean =
    file.rows.recordCount % TaskFiles.rowsBetweenSizeChecks == 0 &&
      file.rows.dataSize >= spec.config.targetFileSize
}

object TaskFiles {
  private val rowsBetweenSizeChecks = 1000L
}

/** A file that a task is writing.
  *
  * @param path relative to the table's folder
  * @param full the path as Hadoop opens it
  * @param table the table's name, for messages
  */
final class OpenFile(
    val path: String,
    val full: String,
    table: String,
    val partition: Option[Vector[Option[String]]],
    val rows: ParquetRowWriter,
) {

  /** Errors: UnwritableFile. */
  def write(row: InternalRow): Unit =
    // A plain `try`, because it runs for every row.
    try rows.write(row)
    catch { case NonFatal(cause) => throw FileFailure.unwritable(full, table, cause) }
}
