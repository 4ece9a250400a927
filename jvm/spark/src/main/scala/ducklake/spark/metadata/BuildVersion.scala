package ducklake.spark.metadata

/** This connector's own version. */
object BuildVersion {
  val text: String = "0.1.0"
}
