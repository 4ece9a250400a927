package ducklake.spark.write

import ducklake.catalog.change.operation.NewDataFile
import ducklake.catalog.change.operation.NewInlinedRow
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.change.operation.TableTarget
import ducklake.spark.parquet.write.WriteHadoopConf
import ducklake.spark.session.SessionLake
import ducklake.spark.session.WrittenFiles
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession

/** Collects the new rows and the files of a write on the driver.
  *
  * @param spec the settings that the tasks share
  * @param inliningRowLimit how many rows may be inlined in the catalog
  */
private[spark] final class DriverRows(
    session: SessionLake,
    spec: WriteSpec,
    inliningRowLimit: Long,
) {

  // The files that the driver wrote. They are noted before a later step can fail, because abort
  // deletes them.
  private var ownFiles: WrittenFiles = WrittenFiles(Vector.empty)

  /** The new rows of the write: few buffered rows in all stay inlined rows, otherwise the driver
    * writes them to files.
    *
    * @param files of the tasks
    * @param buffered the rows that the tasks buffered
    */
  def newRows(files: Vector[NewDataFile], buffered: Vector[BufferedRows]): NewRows = {
    val limit = if (files.isEmpty) inliningRowLimit else 0L
    BufferedRows.inlineOrWrite(buffered, limit, session.lake, conf) match {
      case Left(own) =>
        note(WrittenFiles(pathsOf(own)))
        NewRows(files ++ own, Vector.empty, Vector.empty)
      case Right(inlined) => NewRows(files, inlined, buffered)
    }
  }

  /** Takes files that the driver wrote in another step. */
  def note(files: WrittenFiles): Unit = ownFiles = WrittenFiles(ownFiles.paths ++ files.paths)

  /** All files of the write.
    *
    * @param files of the tasks
    */
  def written(files: Vector[NewDataFile]): WrittenFiles =
    WrittenFiles(pathsOf(files) ++ ownFiles.paths)

  /** The settings with which the driver opens files. */
  def conf: Configuration = WriteHadoopConf.ofSession(SparkSession.active, session.config.hadoop)

  private def pathsOf(files: Vector[NewDataFile]): Vector[String] =
    files.map(file => spec.directory + file.path)
}

/** The new rows of a write.
  *
  * @param buffered the inlined rows as the tasks had them
  */
private[spark] final case class NewRows(
    files: Vector[NewDataFile],
    inlined: Vector[NewInlinedRow],
    buffered: Vector[BufferedRows],
) {
  def isEmpty: Boolean = files.isEmpty && inlined.isEmpty

  def partitions: Set[Vector[Option[String]]] =
    files.flatMap(_.partition).toSet ++ buffered.flatMap(_.partitions)

  /** The operations that add the rows, around the deletes of the write. New data files come before
    * delete files, because DuckDB numbers files in this order. Inlined rows are added after
    * replaced inlined rows are ended in the catalog, because updated rows keep their row ids.
    */
  def around(table: TableTarget, deletes: Option[Operation]): Vector[Operation] = {
    val appends = Option.when(files.nonEmpty)(Operation.AppendFiles(table, files))
    val inlines = Option.when(inlined.nonEmpty)(Operation.AppendInlined(table, inlined))
    appends.toVector ++ deletes ++ inlines
  }
}
