package ducklake.spark.write

import ducklake.catalog.change.NewDataFile
import ducklake.catalog.change.RowIds
import ducklake.catalog.partition.HivePath
import ducklake.files.FileFailure
import ducklake.files.FileNames
import ducklake.files.Storage
import ducklake.spark.internal.OutgoingColumns
import ducklake.spark.internal.ParquetRows
import org.apache.hadoop.conf.Configuration
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** The files of one task: those that are open, and those that are done. */
final class TaskFiles(spec: WriteSpec, conf: Configuration) {

  private val log = LoggerFactory.getLogger(classOf[TaskFiles])
  private val columns = OutgoingColumns.of(spec.columns, spec.rule)

  // One task writes on one thread; all of it is gone with the task.
  private var done: Vector[NewDataFile] = Vector.empty
  private var opened: Vector[OpenFile] = Vector.empty
  private var made: Vector[String] = Vector.empty

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
      new ParquetRows(full, columns, spec.config, conf)
    }
    val file = new OpenFile(path, full, partition, rows)
    opened :+= file
    file
  }

  /** Ends the file and keeps what the commit needs of it. */
  def finish(file: OpenFile): Unit = {
    FileFailure.writing(file.full, spec.table)(file.rows.close())
    opened = opened.filterNot(_ eq file)
    val statistics = file.rows.statistics()
    OutOfCalendar.refuse(spec, statistics)
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
    files.foreach(path => quietly("delete", path)(Storage.delete(path, conf)))
  }

  /** Lets go of files that were not finished. */
  def closeQuietly(): Unit = {
    val files = opened
    opened = Vector.empty
    files.foreach(file => quietly("close", file.full)(file.rows.close()))
  }

  /** The task has failed already: its own error counts. */
  private def quietly(what: String, path: String)(body: => Unit): Unit =
    try body
    catch {
      case NonFatal(cause) =>
        log.warn(
          "Could not {} the file {} of a failed task: {}. Remove it with delete_orphaned_files.",
          what,
          path,
          cause.toString,
        )
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
  */
final class OpenFile(
    val path: String,
    val full: String,
    val partition: Option[Vector[Option[String]]],
    val rows: ParquetRows,
)
