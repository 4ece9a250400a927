package ducklake.spark.ddl

import ducklake.catalog.error.LakeError
import ducklake.spark.SessionLake
import ducklake.spark.errors.SparkErrors

/** Says no to every statement that would change the lake, before anything is touched. */
final class Refusals(session: SessionLake) {

  def write(statement: String): Nothing = {
    val subject = s"lake `${session.name}`"
    if (session.config.isReadOnly)
      SparkErrors.raise(LakeError.ReadOnly(subject, "the catalog is registered with `read-only`"))
    else if (session.config.pin.isDefined)
      SparkErrors.raise(LakeError.ReadOnly(subject, "the catalog is pinned to a snapshot"))
    else
      SparkErrors.raise(
        LakeError.Unsupported(
          s"$statement in lake `${session.name}`",
          "This version reads lakes; change them with DuckDB.",
        )
      )
  }
}
