package ducklake.catalog.commit.migration

import ducklake.catalog.change.operation.FormatRules
import ducklake.catalog.change.operation.Operation
import ducklake.catalog.error.LakeError
import ducklake.catalog.error.LakeException
import ducklake.catalog.jdbc.Session
import ducklake.catalog.sql.Dialect
import ducklake.catalog.sql.FormatVersion
import ducklake.catalog.sql.MetadataSchema

/** Decides which lakes may be changed, by the version of their catalog. */
object LakeVersions {

  /** Errors: Unsupported. */
  def checkWritable(version: FormatVersion): Unit =
    refusal(version).foreach(error => throw new LakeException(error))

  /** Checks that the catalog was not migrated since the transaction began. On a database server the
    * transaction would not see the migration. Called after the transaction claimed the key of a
    * snapshot, which waits for a migration.
    *
    * Errors: Unsupported.
    */
  def checkStill(session: Session, dialect: Dialect, version: FormatVersion): Unit =
    if (version.isBefore(FormatVersion.V11))
      dialect
        .existsNow(MetadataSchema.ViewColumnTag.name)
        .flatMap(session.first(_)(_.long(1)))
        .filter(_ > 0)
        .foreach { _ =>
          throw new LakeException(
            LakeError.Unsupported(
              s"A commit to a lake that was migrated from ${version.text} at the same time",
              "Run the statement again.",
            )
          )
        }

  /** Checks new names, types and keys of tables once more: the lake may have been migrated since
    * the statement checked them, and tables that are copied from another lake are not checked
    * before.
    *
    * Errors: InvalidName, Unsupported.
    */
  def checkTables(operations: Vector[Operation], version: FormatVersion): Unit = {
    val rules = new FormatRules(version)
    operations.foreach { operation =>
      rules.check(operation).left.foreach(error => throw new LakeException(error))
    }
  }

  private def refusal(version: FormatVersion): Option[LakeError] = version match {
    case supported if supported.isWritable => None
    case other: FormatVersion.Partial11 if other.unknown.nonEmpty =>
      Some(
        LakeError.Unsupported(
          s"Writing to a lake of version ${other.text} with columns that this connector does not " +
            s"know (${other.unknown.mkString(", ")})",
          "Use a newer connector, or write to it with DuckDB.",
        )
      )
    case other: FormatVersion.Partial11 =>
      Some(
        LakeError.Unsupported(
          s"Writing to a lake of version ${other.text} that has not all columns of 1.1",
          "Write to it with the DuckDB that made it, or copy its tables to a new lake.",
        )
      )
    case old =>
      Some(
        LakeError.Unsupported(
          s"Writing to a lake of version ${old.text}",
          "Set `automatic-migration` to bring it up to 1.0 first; that cannot be undone.",
        )
      )
  }
}
