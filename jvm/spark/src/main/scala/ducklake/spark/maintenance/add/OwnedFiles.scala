package ducklake.spark.maintenance.add

import ducklake.catalog.error.LakeError
import ducklake.files.foreign.OtherLakes
import ducklake.files.path.FilePlace
import ducklake.spark.errors.SparkErrors
import ducklake.spark.session.SessionLake
import org.apache.hadoop.conf.Configuration

/** Refuses files that belong to a lake already.
  *
  * @param table the table that gets the files, for messages
  */
private[spark] final class OwnedFiles(lake: SessionLake, table: String, conf: Configuration) {

  /** Refuses files that are given twice, files of this lake, and files of another lake.
    *
    * @param files in DuckDB's spelling
    *
    * Errors: FileAlreadyRegistered.
    */
  def refuse(files: Vector[String]): Unit = {
    val others = new OtherLakes(conf, lake.lake.dataPath(), lake.lake.otherLakes())
    val places = FilePlace.remembering()
    val byTarget = files.groupBy(places.ofTarget)
    byTarget.values.find(_.size > 1).foreach(same => refuse(same.head, "is given twice"))
    val byContainer = files
      .groupBy(file => FilePlace.withoutAccount(places.of(file)))
      .collect { case (Some(place), some) => place -> some }
    val byPlace = byTarget ++ files.groupBy(places.of) ++ byContainer
    val refuseKnown = (path: String, why: String) =>
      places.ofKnown(path).flatMap(byPlace.get).foreach(given => refuse(given.head, why))
    lake.lake.foreachFile(refuseKnown(_, "is a file of the lake already"))
    lake.transaction.open.foreach { open =>
      open.staged.addedPaths.foreach(refuseKnown(_, "is a file of the transaction already"))
    }
    lake.lake.foreachScheduled(refuseKnown(_, "waits for its deletion"))
    others.owner(files).foreach { case (other, path) => refuse(path, s"belongs to $other") }
  }

  private def refuse(path: String, why: String): Nothing =
    SparkErrors.raise(LakeError.FileAlreadyRegistered(table, path, why))
}
