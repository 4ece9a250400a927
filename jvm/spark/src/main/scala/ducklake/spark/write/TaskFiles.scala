package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.RowIds
import ducklake.catalog.partition.HivePath
import ducklake.files.FileFailure
import ducklake.files.FileNames
import ducklake.files.Storage
import ducklake.spark.parquet.write.ColumnConverters
import ducklake.spark.parquet.write.ParquetRows
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.sparkapi.TaskAttempt
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** The files of one task: those that are open, and those that are done. */
final class TaskFiles(spec: WriteSpec, conf: Configuration) {

  private val log = LoggerFactory.getLogger(classOf[TaskFiles])
  private val columns = ColumnConverters.of(spec.columns, spec.rule)
  private lazy val own = WriteHadoopConf.forRows(conf, spec.config, columns.rowType)

  // One task writes on one thread; all of it is gone with the task.
  private var done: Vector[NewDataFile] = Vector.empty
  private var opened: Vector[OpenFile] = Vector.empty
  private var made: Vector[String] = Vector.empty

  TaskAttempt.onLoss(discard())

  def finished: Vector[NewDataFile] = done

  /** A new file for rows of this partition. */
  def open(partition: Option[Vector[Option[String]]]): OpenFile = {
    val folder = partition.filter(_ => spec.config.usesHiveFolders).fold("") { values =>
      HivePath.folder(spec.partition.map(_.folder), values)
    }
    val path = folder + FileNames.dataFile()
    val full = spec.directory + path
    made :+= full
    val rows = FileFailure.writing(full, spec.table) {
      new ParquetRows(full, columns, spec.config, own)
    }
    val file = new OpenFile(path, full, spec.table, partition, rows)
    opened :+= file
    file
  }

  /** Ends the file and keeps what the commit needs of it. */
  def finish(file: OpenFile): Unit = {
    FileFailure.writing(file.full, spec.table)(file.rows.close())
    opened = opened.filterNot(_ eq file)
    val statistics = file.rows.statistics()
    CalendarCheck.refuse(spec, statistics)
    done :+= NewDataFile(
      file.path,
      file.rows.recordCount,
      file.rows.sizeBytes,
      file.rows.footerSize,
      RowIds.Fresh,
      file.partition,
      statistics,
    )
  }

  /** Deletes all that the task wrote. */
  def discard(): Unit = {
    closeQuietly()
    val files = made
    made = Vector.empty
    done = Vector.empty
    Storage.discard(files, conf)
  }

  /** Lets go of files that were not finished. */
  def closeQuietly(): Unit = {
    val files = opened
    opened = Vector.empty
    files.foreach(closeQuietly)
  }

  /** The task has failed already: its own error counts. */
  private def closeQuietly(file: OpenFile): Unit =
    try file.rows.close()
    catch {
      case NonFatal(cause) =>
        log.debug("The file {} of a failed task was not closed: {}", file.full, cause.toString)
    }

  /** Looks at the size only now and then: asking costs. */
  def isFull(file: OpenFile): Boolean =
    file.rows.recordCount % TaskFiles.rowsBetweenLooks == 0 &&
      file.rows.dataSize >= spec.config.targetFileSize
}

object TaskFiles {
  private val rowsBetweenLooks = 1000L
}

/** @param path relative to the table's folder
  * @param full as Hadoop opens it
  * @param table for messages
  */
final class OpenFile(
    val path: String,
    val full: String,
    table: String,
    val partition: Option[Vector[Option[String]]],
    val rows: ParquetRows,
) {

  /** Errors: UnwritableFile. */
  def write(row: InternalRow): Unit =
    // A plain `try`, for it runs for every row.
    try rows.write(row)
    catch { case NonFatal(cause) => throw FileFailure.unwritable(full, table, cause) }
}
