package ducklake.spark.procedures

import ducklake.catalog.error.LakeError
import ducklake.catalog.types.SnapshotId
import ducklake.spark.ddl.TableName
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.FilesTable
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.TimestampType

import java.time.Instant
import java.time.temporal.ChronoUnit

/** The arguments of `list_files`. The table may also be given as `schema.table`. */
final case class ListFilesArguments(
    table: String,
    schema: Option[String],
    version: Option[Long],
    time: Option[Instant],
)

/** Lists the data files of a table with their delete files.
  *
  * Source: jvm/docs/procedures.md, `list_files`.
  */
object ListFiles {

  /** The rows of `list_files`. Throws NoSuchTableException. Errors: InvalidArgument,
    * NoSuchSnapshot, NoLake.
    */
  def result(session: SessionLake, arguments: ListFilesArguments): LocalResult = {
    val snapshot = (arguments.version, arguments.time) match {
      case (Some(_), Some(_)) =>
        fail("snapshot_version", "is given together with `snapshot_time`")
      case (Some(version), None) => session.lake.at(SnapshotId(version))
      case (None, Some(time)) => session.lake.atOrBefore(time)
      case (None, None) => LakeProcedure.snapshot(session)
    }
    val name = TableName(arguments.schema, arguments.table)
    val table = name.find(snapshot).getOrElse(throw name.missing(session.name))
    FilesTable.list(snapshot, table)
  }

  private def fail(argument: String, why: String): Nothing =
    SparkErrors.raise(LakeError.InvalidArgument("list_files", argument, why))
}

/** The procedure `list_files`. */
final class ListFilesProcedure(session: SessionLake)
    extends LakeProcedure("list_files", "Data files of a table with their delete files") {

  override def isPartOfTransactions: Boolean = true

  override def parameters(): Array[ProcedureParameter] = Array(
    ProcedureParameter.in("table_name", StringType).build(),
    ProcedureParameter.in("schema", StringType).defaultValue("NULL").build(),
    ProcedureParameter.in("snapshot_version", LongType).defaultValue("NULL").build(),
    ProcedureParameter.in("snapshot_time", TimestampType).defaultValue("NULL").build(),
  )

  override def result(arguments: InternalRow): LocalResult = {
    def supplied[A](index: Int)(read: Int => A): Option[A] =
      Option.unless(arguments.isNullAt(index))(read(index))
    val table = supplied(0)(arguments.getUTF8String(_).toString).getOrElse {
      SparkErrors.raise(LakeError.InvalidArgument("list_files", "table_name", "is NULL"))
    }
    ListFiles.result(
      session,
      ListFilesArguments(
        table,
        supplied(1)(arguments.getUTF8String(_).toString),
        supplied(2)(arguments.getLong),
        supplied(3)(i => Instant.EPOCH.plus(arguments.getLong(i), ChronoUnit.MICROS)),
      ),
    )
  }
}
