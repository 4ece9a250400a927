package ducklake.spark.maintenance.add

import ducklake.catalog.error.LakeError
import ducklake.files.foreign.OtherLakes
import ducklake.files.path.FilePlace
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** Finds files that belong to a lake already.
  *
  * @param table the table that gets the files, for messages
  */
private[spark] final class OwnedFiles(lake: SessionLake, table: String, conf: Configuration) {

  /** Refuses the files of [[among]].
    *
    * Errors: FileAlreadyRegistered, of the first one.
    */
  def refuse(files: Vector[String]): Unit =
    among(files).headOption.foreach { case (path, why) =>
      SparkErrors.raise(LakeError.FileAlreadyRegistered(table, path, why))
    }

  /** Files that are given twice, files of this lake, and files of another lake, each with the reason:
    * the predicate of a sentence.
    *
    * @param files in DuckDB's spelling
    */
  def among(files: Vector[String]): Vector[(String, String)] = {
    val found = Vector.newBuilder[(String, String)]
    val others = new OtherLakes(conf, lake.lake.dataPath(), lake.lake.otherLakes())
    val places = FilePlace.remembering()
    val byTarget = files.groupBy(places.ofTarget)
    found ++= byTarget.values.filter(_.size > 1).map(same => same.head -> "is given twice")
    val byContainer = files
      .groupBy(file => FilePlace.withoutAccount(places.of(file)))
      .collect { case (Some(place), some) => place -> some }
    val byPlace = byTarget ++ files.groupBy(places.of) ++ byContainer
    val findKnown = (path: String, why: String) =>
      places.ofKnown(path).flatMap(byPlace.get).foreach(given => found += given.head -> why)
    lake.lake.foreachFile(findKnown(_, "is a file of the lake already"))
    lake.transaction.open.foreach { open =>
      open.staged.addedPaths.foreach(findKnown(_, "is a file of the transaction already"))
    }
    lake.lake.foreachScheduled(findKnown(_, "waits for its deletion"))
    found ++= others.owner(files).map { case (other, path) => path -> s"belongs to $other" }
    found.result().distinctBy(_._1)
  }
}
