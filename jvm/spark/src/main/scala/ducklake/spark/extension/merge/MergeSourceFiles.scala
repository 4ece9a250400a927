package ducklake.spark.extension.merge

import ducklake.spark.rowlevel.RereadSource
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex

import java.io.FileNotFoundException

/** The files of a source that is given by paths. Spark lists them once, with their lengths and
  * times, and reads them by their names: a replaced file has other rows at the next read.
  *
  * @param listed the files as Spark listed them
  */
private[extension] final class MergeSourceFiles private (
    relation: HadoopFsRelation,
    listed: Seq[FileStatus],
) extends RereadSource {

  def sizeBytes: Long = relation.sizeInBytes

  override def problem(): Option[String] =
    changed.map(path => s"the file $path, which its source reads twice, was replaced meanwhile")

  /** Whether the files are still as Spark has listed them. */
  def areAsListed: Boolean = changed.isEmpty

  private def changed: Option[Path] =
    listed.groupBy(_.getPath.getParent).iterator.flatMap((changedIn _).tupled).nextOption()

  /** A file of the folder that no longer exists, or has another length or time. */
  private def changedIn(folder: Path, files: Seq[FileStatus]): Option[Path] = {
    val conf = SparkSession.active.sessionState.newHadoopConfWithOptions(relation.options)
    val system = folder.getFileSystem(conf)
    val now =
      try
        if (files.size <= MergeSourceFiles.FewFiles)
          files.map(file => system.getFileStatus(file.getPath))
        else system.listStatus(folder).toSeq
      catch { case _: FileNotFoundException => Nil }
    val found = now.map(file => file.getPath -> MergeSourceFiles.stamp(file)).toMap
    files
      .find(file => !found.get(file.getPath).contains(MergeSourceFiles.stamp(file)))
      .map(_.getPath)
  }
}

private[extension] object MergeSourceFiles {

  /** Up to this number, the files of a folder are checked one by one; more files by a listing of
    * the folder.
    */
  private val FewFiles = 8

  /** A source in more folders is not read twice: checking its files again would take longer than
    * the reads.
    */
  private val MostFolders = 100

  /** The files; None when a second read may use other files, or when a replaced file would go
    * unnoticed.
    */
  def of(relation: HadoopFsRelation): Option[MergeSourceFiles] = {
    val options = new FileSourceOptions(CaseInsensitiveMap(relation.options))
    relation.location match {
      case index: InMemoryFileIndex
          if index.getClass == classOf[InMemoryFileIndex] && !options.ignoreCorruptFiles &&
            !options.ignoreMissingFiles =>
        val listed = index.allFiles()
        Option.when(listed.map(_.getPath.getParent).distinct.size <= MostFolders)(
          new MergeSourceFiles(relation, listed)
        )
      case _ => None
    }
  }

  private def stamp(file: FileStatus): (Long, Long) = (file.getLen, file.getModificationTime)
}
