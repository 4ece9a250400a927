package ducklake.spark.moving.out

import ducklake.catalog.option.ExportName
import ducklake.catalog.option.NamedSnapshot
import ducklake.catalog.types.SnapshotId
import ducklake.spark.session.SessionLake

import scala.util.control.NonFatal

/** The newest version of an exported table.
  *
  * @param snapshot what it shows; None for no version
  */
private[out] final case class NewestVersion(number: Long, snapshot: Option[SnapshotId])

/** The names that keep the snapshots of one exported table. */
private[out] final class KeptExports(lake: SessionLake, format: String, request: ExportRequest) {

  private val prefix = ExportName.prefix(format, request.folder)

  /** Gives the snapshot its name and then writes the version that shows it. The name goes again when
    * the version is not there after a failure: the version may be there all the same, or another
    * export may have written it. The names of the oldest versions go after a success.
    *
    * @param number of the version
    * @param newest reads the newest version
    *
    * Errors: those of a name, and of `write`.
    */
  def during(number: Long, newest: => NewestVersion)(write: => Unit): String = {
    val own = ExportName.of(prefix, request.snapshot.snapshot.id)
    val wasNamed = isNamed(own)
    lake.lake.keep(own)
    try write
    catch {
      case failure: Throwable =>
        if (!wasNamed) releaseAfter(failure, own, number, newest)
        throw failure
    }
    releaseOlder(own)
  }

  /** Makes sure of the name of a version that shows the snapshot already: its call may have failed
    * after the version was written, and names can be released.
    *
    * Errors: those of a name.
    */
  def again(newest: NewestVersion): String = {
    // The files of the version are those of the request's snapshot.
    val kept = newest.snapshot.filter(lake.lake.timeOf(_).nonEmpty)
    val own = ExportName.of(prefix, kept.getOrElse(request.snapshot.snapshot.id))
    if (!isNamed(own)) lake.lake.keep(own)
    releaseOlder(own)
  }

  private def isNamed(own: NamedSnapshot): Boolean = lake.lake.namedSnapshots().contains(own)

  /** The name stays, too, when it cannot be seen whether the version is there. */
  private def releaseAfter(
      failure: Throwable,
      own: NamedSnapshot,
      number: Long,
      newest: => NewestVersion,
  ): Unit =
    try {
      val there = newest
      val isShown = there.number == number && there.snapshot.contains(own.id)
      if (!isShown && there.number <= number) lake.lake.release(own.name)
    } catch { case NonFatal(other) => failure.addSuppressed(other) }

  /** The snapshot that was exported last keeps its name, also when it is an old one. */
  private def releaseOlder(last: NamedSnapshot): String = {
    request.versions.foreach { versions =>
      val others = lake.lake.namedSnapshots().filter { each =>
        each.name.startsWith(prefix) && each != last
      }
      others.sortBy(-_.id.value).drop(versions - 1).foreach(each => lake.lake.release(each.name))
    }
    last.name
  }
}
