package ducklake.spark.procedures.moving

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.path.LocalPath
import ducklake.spark.ddl.TableName
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.moving.out.ExportRequest
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import ducklake.spark.session.VersionText
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType

/** The arguments that all exports share. */
private[moving] final class ExportArguments(session: SessionLake, arguments: Arguments) {

  /** Flushes inlined rows first when the call asks for it.
    *
    * Errors: InvalidArgument; NoSuchSnapshot; the errors of a flush. Throws NoSuchTableException.
    */
  def request: ExportRequest = {
    val name = arguments.table(0, 2)
    val isTrial = arguments.isTrue(4)
    val newest = if (isTrial) LakeProcedure.snapshot(session) else session.prepareToWrite()
    val versions = arguments.long(6)
    versions.filter(_ < 1).foreach(_ => arguments.fail("keep_versions", "must be 1 or more"))
    val snapshot = (arguments.text(3), arguments.isTrue(5)) match {
      case (Some(_), true) => arguments.fail("flush", "is true, and an old snapshot is asked for")
      case (Some(version), false) => at(version)
      case (None, true) if !isTrial => flushed(newest, name)
      case (None, _) => newest
    }
    val table = name.find(snapshot).getOrElse(throw name.missing(session.name))
    ExportRequest(snapshot, table, folder, isTrial, versions.map(Math.toIntExact))
  }

  private def at(version: String): LakeSnapshot =
    VersionText
      .snapshot(session.lake, version)
      .getOrElse(arguments.fail("version", VersionText.unknown(version)))

  private def flushed(newest: LakeSnapshot, name: TableName): LakeSnapshot = {
    val table = name.find(newest).getOrElse(throw name.missing(session.name))
    new FlushInlined(new MaintenanceCall(session)).flush(MaintainedTables.Named(table)): Unit
    session.prepareToWrite()
  }

  private def folder: String = {
    val path = arguments.required(1, "path")
    if (path.isBlank) arguments.fail("path", "is blank")
    s"${LocalPath.absolute(path).stripSuffix("/")}/"
  }
}

private[moving] object ExportArguments {

  val parameters: Array[ProcedureParameter] = Array(
    Arguments.required("table_name"),
    Arguments.required("path"),
    Arguments.optional("schema"),
    Arguments.optional("version"),
    Arguments.flag("dry_run"),
    Arguments.flag("flush"),
    Arguments.optional("keep_versions", LongType),
  )
}
