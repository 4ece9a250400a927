package ducklake.spark.procedures.moving

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.model.LakeTable
import ducklake.spark.maintenance.MaintainedTables
import ducklake.spark.maintenance.flush.FlushInlined
import ducklake.spark.moving.out.ExportFolder
import ducklake.spark.moving.out.ExportRequest
import ducklake.spark.moving.out.ExportedTables
import ducklake.spark.procedures.Arguments
import ducklake.spark.procedures.ChosenTables
import ducklake.spark.procedures.LakeProcedure
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import ducklake.spark.session.VersionText
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType

/** The arguments that all exports share. */
private[moving] final class ExportArguments(session: SessionLake, arguments: Arguments) {

  def isTrial: Boolean = arguments.isTrue(4)

  /** Rows that others add after the flush of a call are in its way, as without it. */
  private def willFlush: Boolean = isTrial && arguments.isTrue(5)

  /** Flushes inlined rows first when the call asks for it.
    *
    * Errors: InvalidArgument; NoSuchSnapshot; the errors of a flush. Throws NoSuchTableException,
    * NoSuchNamespaceException.
    */
  def tables: ExportedTables = {
    val folder = path
    val schema = arguments.text(2)
    if (arguments.text(0).isEmpty && schema.isEmpty)
      arguments.fail("table_name", "is missing, and so is `schema`")
    val versions = arguments.long(6)
    versions
      .filterNot(count => 1 <= count && count <= Int.MaxValue)
      .foreach(_ => arguments.fail("keep_versions", s"must be between 1 and ${Int.MaxValue}"))
    val shown = snapshot
    def request(table: LakeTable, below: String) =
      ExportRequest(shown, table, below, versions.map(Math.toIntExact), willFlush)
    chosen(shown) match {
      case MaintainedTables.Named(table) => ExportedTables.Named(request(table, folder))
      case MaintainedTables.AllOf(tables) =>
        if (tables.isEmpty) arguments.fail("schema", "has no tables")
        val requests = tables.map(table => request(table, s"$folder${folderOf(table)}/"))
        ExportedTables.AllOf(schema.getOrElse(""), folder, requests)
    }
  }

  private def chosen(snapshot: LakeSnapshot): MaintainedTables =
    ChosenTables.of(session.name, snapshot, arguments, 0, 2)

  private def snapshot: LakeSnapshot = {
    val newest = if (isTrial) LakeProcedure.snapshot(session) else session.prepareToWrite()
    (arguments.text(3), arguments.isTrue(5)) match {
      case (Some(_), true) => arguments.fail("flush", "is true, and an old snapshot is asked for")
      case (Some(version), false) => at(version)
      case (None, true) if !isTrial => flushed(newest)
      case (None, _) => newest
    }
  }

  private def at(version: String): LakeSnapshot =
    VersionText
      .snapshot(session.lake, version)
      .getOrElse(arguments.fail("version", VersionText.unknown(version)))

  private def flushed(newest: LakeSnapshot): LakeSnapshot = {
    new FlushInlined(new MaintenanceCall(session)).flush(chosen(newest)): Unit
    session.prepareToWrite()
  }

  private def path: String = {
    val text = arguments.text(1).getOrElse(arguments.fail("path", "is missing"))
    if (text.isBlank) arguments.fail("path", "is blank")
    ExportFolder.of(text)
  }

  /** Errors: InvalidArgument for a name that would be another folder than one below the path. */
  private def folderOf(table: LakeTable): String = {
    val name = table.name
    if (name.isBlank || name.exists("/\\".contains(_)) || name.forall(_ == '.'))
      arguments.fail("schema", s"has the table `$name`, whose name is not that of a folder")
    name
  }
}

private[moving] object ExportArguments {

  val parameters: Array[ProcedureParameter] = Array(
    Arguments.optional("table_name"),
    Arguments.optional("path"),
    Arguments.optional("schema"),
    Arguments.optional("version"),
    Arguments.flag("dry_run"),
    Arguments.flag("flush"),
    Arguments.optional("keep_versions", LongType),
  )
}
