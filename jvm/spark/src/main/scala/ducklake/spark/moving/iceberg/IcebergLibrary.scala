package ducklake.spark.moving.iceberg

import ducklake.catalog.error.LakeError
import ducklake.spark.errors.SparkErrors
import ducklake.spark.metadata.BuildVersion

/** Iceberg's library, which the session brings. */
private[moving] object IcebergLibrary {

  /** Runs what calls the library. Errors: Unsupported when the session does not have it. */
  def using[A](body: => A): A = {
    if (!isPresent("org.apache.iceberg.BaseTable"))
      SparkErrors.raise(
        LakeError.Unsupported(
          "A table of Iceberg without Iceberg's library",
          s"Start Spark with --packages ${BuildVersion.iceberg}.",
        )
      )
    body
  }

  /** Runs what calls Iceberg's generic reader of Parquet files. Errors: Unsupported when the session
    * does not have it.
    */
  def reading[A](body: => A): A = {
    if (!reader.forall(isPresent))
      SparkErrors.raise(
        LakeError.Unsupported(
          "Reading the rows of a table of Iceberg without Iceberg's reader",
          s"Start Spark with --packages ${BuildVersion.icebergReader}, or leave out the checksum.",
        )
      )
    body
  }

  private val reader: Vector[String] = Vector(
    "org.apache.iceberg.data.GenericDeleteFilter",
    "org.apache.iceberg.data.parquet.GenericParquetReaders",
    "org.apache.iceberg.formats.FormatModelRegistry",
  )

  private def isPresent(name: String): Boolean =
    try {
      Class.forName(name, false, getClass.getClassLoader): Unit
      true
    } catch { case _: ClassNotFoundException => false }
}
