package ducklake.spark.procedures

import ducklake.spark.maintenance.cleanup.AgeOption
import ducklake.spark.maintenance.cleanup.CleanedFiles
import ducklake.spark.maintenance.cleanup.CleanupOldFiles
import ducklake.spark.metadata.LocalResult
import ducklake.spark.session.SessionLake
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType

import java.time.Instant

/** Arguments and result of the procedures that delete files.
  *
  * Source: DuckDB 1.5.5 (format 9.2 and 9.3).
  */
private[procedures] object FileCleanup {

  val schema: StructType = new StructType().add("path", StringType)

  val parameters: Array[ProcedureParameter] = Array(
    Arguments.optional("cleanup_all", BooleanType),
    Arguments.optional("older_than", TimestampType),
    Arguments.optional("dry_run", BooleanType),
  )

  /** The time before which a file must have been scheduled, or written; None: all files. Without
    * arguments it comes from the option `delete_older_than`.
    */
  def limit(session: SessionLake, arguments: Arguments): Option[Instant] =
    (arguments.isTrue(0), arguments.instant(1)) match {
      case (true, Some(_)) => arguments.fail("cleanup_all", "is given together with `older_than`")
      case (true, None) => None
      case (false, Some(time)) => Some(time)
      case (false, None) =>
        AgeOption.limit(session, AgeOption.Delete).orElse {
          arguments.fail("older_than", "is not given, and the option `delete_older_than` is empty")
        }
    }

  def isDryRun(arguments: Arguments): Boolean = arguments.isTrue(2)
}

/** Deletes files that are scheduled for deletion. Of very many files only some are shown. */
final class CleanupOldFilesProcedure(session: SessionLake)
    extends LakeProcedure(
      "cleanup_old_files",
      "Deletes files that are scheduled for deletion",
    ) {

  override def parameters(): Array[ProcedureParameter] =
    FileCleanup.parameters :+ Arguments.optional("outside_data_path", BooleanType)

  override def result(row: InternalRow): LocalResult = {
    val arguments = new Arguments(name(), row)
    val paths =
      if (FileCleanup.isDryRun(arguments)) cleanup(arguments).plan() else run(arguments).shown
    new LocalResult(FileCleanup.schema, () => paths.map(Vector[Any](_)))
  }

  /** How many files a call without `dry_run` deletes. */
  def deleted(row: InternalRow): Long = run(new Arguments(name(), row)).count

  private def run(arguments: Arguments): CleanedFiles = {
    val files = cleanup(arguments)
    session.prepareToWriteIfAny(): Unit
    files.run()
  }

  private def cleanup(arguments: Arguments): CleanupOldFiles =
    new CleanupOldFiles(
      session,
      FileCleanup.limit(session, arguments),
      takesOutside = arguments.isTrue(FileCleanup.parameters.length),
    )
}
