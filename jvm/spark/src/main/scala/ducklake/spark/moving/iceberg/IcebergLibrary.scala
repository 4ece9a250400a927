package ducklake.spark.moving.iceberg

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.BuildVersion

/** Iceberg's library, which the session brings. */
private[moving] object IcebergLibrary {

  /** Runs what calls the library. Errors: Unsupported when the session does not have it. */
  def using[A](body: => A): A = {
    if (!isPresent)
      SparkErrors.raise(
        LakeError.Unsupported(
          "A table of Iceberg without Iceberg's library",
          s"Start Spark with --packages ${BuildVersion.iceberg}.",
        )
      )
    body
  }

  private def isPresent: Boolean =
    try {
      Class.forName("org.apache.iceberg.BaseTable", false, getClass.getClassLoader): Unit
      true
    } catch { case _: ClassNotFoundException => false }
}
