package ducklake.spark.procedures

import ducklake.catalog.LakeSnapshot
import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.errors.SparkErrors.onDriver
import ducklake.spark.metadata.LocalResult
import ducklake.spark.metadata.LocalResultScan
import ducklake.spark.metadata.SystemTables
import ducklake.spark.session.MaintenanceCall
import ducklake.spark.session.SessionLake
import ducklake.spark.sparkapi.catalog.SparkProcedure
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan

import java.util

/** A procedure whose only result is computed on the driver. */
abstract class LakeProcedure(procedure: String, sentence: String) extends SparkProcedure {

  override def name(): String = procedure

  override def description(): String = sentence

  override def isDeterministic: Boolean = false

  /** Whether the procedure may be called while the session has an open transaction. */
  def isPartOfTransactions: Boolean = false

  /** Whether arguments may be NULL. */
  def takesNulls: Boolean = false

  def result(arguments: InternalRow): LocalResult

  override def call(input: InternalRow): util.Iterator[Scan] = {
    val scan: Scan = onDriver(new LocalResultScan(procedure, result(input)))
    util.List.of(scan).iterator()
  }
}

/** A procedure that may commit several times: by itself, or as a step of another call. */
abstract class MaintenanceProcedure(session: SessionLake, procedure: String, sentence: String)
    extends LakeProcedure(procedure, sentence) {

  /** @param call the call whose step this is */
  def result(call: MaintenanceCall, arguments: InternalRow): LocalResult

  final override def result(arguments: InternalRow): LocalResult =
    result(new MaintenanceCall(session), arguments)
}

object LakeProcedure {

  /** The procedures that only read the lake and take no argument, by name, each with its
    * description. Source: jvm/docs/procedures.md.
    */
  val readProcedures: Vector[(String, String)] = Vector(
    "snapshots" -> "Snapshots that are kept, with what each changed",
    "current_snapshot" -> "The snapshot that statements read",
    "last_committed_snapshot" -> "The snapshot this session committed last",
    "table_info" -> "Tables with their files and sizes",
    "options" -> "Stored options of the lake, its schemas and tables",
    SystemTables.Settings ->
      "Kind of catalog database, version of this connector, data path, address, whether there is a lake",
  )

  def ofWholeLake(session: SessionLake): Vector[LakeProcedure] =
    readProcedures.map { case (procedureName, sentence) =>
      new LakeProcedure(procedureName, sentence) {
        override def isPartOfTransactions: Boolean = true
        override def parameters(): Array[ProcedureParameter] = Array.empty
        override def result(arguments: InternalRow): LocalResult = reading(session, procedureName)
      }
    }

  /** The result of one of the [[readProcedures]]. */
  def reading(session: SessionLake, name: String): LocalResult =
    if (name == SystemTables.Settings) SystemTables.settings(session)
    else
      SystemTables
        .find(session, snapshot(session), name)
        .getOrElse(throw new IllegalStateException(s"no table system.$name"))

  /** The snapshot that the session reads. Errors: NoLake when there is no lake to read. */
  def snapshot(session: SessionLake): LakeSnapshot =
    session.current().getOrElse {
      SparkErrors.raise(
        LakeError.NoLake(session.config.lake.uri.display, "nothing was created in it yet")
      )
    }
}
