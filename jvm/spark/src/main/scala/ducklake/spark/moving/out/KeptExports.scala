package ducklake.spark.moving.out

import ducklake.catalog.option.ExportName
import ducklake.spark.session.SessionLake

/** The names that keep the snapshots of one exported table. */
private[out] final class KeptExports(lake: SessionLake, format: String, request: ExportRequest) {

  private val prefix = ExportName.prefix(format, request.folder)

  /** Gives the snapshot its name and then writes the version that shows it. The name goes again when
    * the version cannot be written. The names of the oldest versions go afterwards.
    *
    * Errors: those of a name, and of `write`.
    */
  def during(write: => Unit): String = {
    val named = ExportName.of(prefix, request.snapshot.snapshot.id)
    val wasNamed = lake.lake.namedSnapshots().contains(named)
    lake.lake.keep(named)
    try write
    catch {
      case failure: Throwable =>
        if (!wasNamed) lake.lake.release(named.name)
        throw failure
    }
    request.versions.foreach(release(_, named.name))
    named.name
  }

  /** The snapshot that was exported last keeps its name, also when it is an old one. */
  private def release(versions: Int, last: String): Unit = {
    val others = lake.lake.namedSnapshots().filter { each =>
      each.name.startsWith(prefix) && each.name != last
    }
    others.sortBy(-_.id.value).drop(versions - 1).foreach(each => lake.lake.release(each.name))
  }
}
